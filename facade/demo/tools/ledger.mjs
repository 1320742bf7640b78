import { countedTool } from './counted.mjs';

export default countedTool({
  name: 'book',
  description: 'Add an amount to the balance.',
  state: { balance: 0 },
  async work({ amount, work }, state, _emit, pause) {
    await pause(work);
    state.balance += amount;
    return { balance: state.balance };
  },
});
