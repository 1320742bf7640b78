import { countedTool } from './counted.mjs';

function isPrime(number) {
  for (let divisor = 2; divisor * divisor <= number; divisor += 1) if (number % divisor === 0) return false;
  return number > 1;
}

export default countedTool({
  name: 'find_primes',
  description: 'Find the next primes above a number, and tell each as soon as it is found.',
  async work({ above, want, work }, _state, emit, pause) {
    const primes = [];
    for (let number = above + 1; primes.length < want; number += 1) {
      if (!isPrime(number)) continue;
      await pause(work);
      emit(number);
      primes.push(number);
    }
    return { primes };
  },
});
