// One request under way: any number of parts, then exactly one answer.

import { log } from './host_streams.mjs';
import { describe, encode } from './host_values.mjs';

/**
 * See the file.
 *
 * @param outlet takes what is said, at once.
 * @param id the request's.
 * @param phase said with whatever is thrown: `init` of that method.
 */
export class Call {
  #outlet;
  #id;
  #phase;
  #open = true;
  #warned = false;

  constructor(outlet, id, phase) {
    this.#outlet = outlet;
    this.#id = JSON.stringify(id);
    this.#phase = phase;
  }

  /** The tool's `emit`. A part that cannot be sent is the tool's fault and thrown at it. */
  emit = (event) => {
    if (!this.#open) return this.#lateEmit();
    if (typeof event?.type !== 'string') throw new TypeError('emit takes an object with a type, such as "part"');
    const payload = encode(event.payload, 'InvalidPart', 'the payload given to emit');
    const type = JSON.stringify(event.type);
    this.#outlet.send(`{"v":1,"id":${this.#id},"event":{"type":${type},"payload":${payload}}}\n`);
  };

  /** End the call with a value, and a state unless that is undefined. */
  answer(value, state) {
    let result = `"value":${encode(value, 'InvalidResult', 'the returned value')}`;
    if (state !== undefined) result += `,"state":${encode(state, 'InvalidResult', 'the state')}`;
    this.#open = false;
    this.#outlet.send(`{"v":1,"id":${this.#id},"ok":true,"result":{${result}}}\n`);
  }

  /** End the call with whatever was thrown. */
  refuse(thrown, phase = this.#phase) {
    this.#open = false;
    this.#outlet.send(`{"v":1,"id":${this.#id},"ok":false,"error":${encode(describe(thrown, phase))}}\n`);
  }

  #lateEmit() {
    if (!this.#warned) log(`emit was called after the answer to ${this.#id}; such parts are dropped`);
    this.#warned = true;
  }
}
