// One request under way: any number of parts, then exactly one answer, be it what was thrown.

import { inspect, types } from './host_node.mjs';
import { log } from './host_streams.mjs';
import { encode, HostFault } from './host_values.mjs';

/**
 * See the file.
 *
 * @param outlet takes what is said, at once.
 * @param id the request's.
 * @param phase said with whatever is thrown: `init` of that method.
 * @param onEnd told when it has its answer.
 */
export class Call {
  #outlet;
  #id;
  #phase;
  #onEnd;
  #begun = false;
  #open = true;
  #warned = false;
  #cancelled;
  #abort;

  constructor(outlet, id, phase, onEnd) {
    this.#outlet = outlet;
    this.#id = JSON.stringify(id);
    this.#phase = phase;
    this.#onEnd = onEnd;
  }

  /** It is about to be given to a tool. False if it has its answer already, since it was cancelled as it waited. */
  begin() {
    this.#begun = true;
    return this.#open;
  }

  /** An AbortSignal that a tool may listen to; made when it is first asked for. */
  get signal() {
    if (this.#abort === undefined) {
      this.#abort = new AbortController();
      if (this.#cancelled) this.#abort.abort(this.#cancelled);
    }
    return this.#abort.signal;
  }

  /** Nobody waits for the result: tell the tool. One that has begun is ended by the tool's answer, whatever that is. */
  cancel(reason) {
    if (this.#cancelled) return;
    this.#cancelled = new HostFault('Cancelled', reason);
    if (this.#begun) this.#abort?.abort(this.#cancelled);
    else this.refuse(this.#cancelled);
  }

  /** Say that the tool begins. */
  acknowledge() {
    this.#outlet.send(`{"v":1,"id":${this.#id},"event":{"type":"ack"}}\n`);
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
    this.#end(`"ok":true,"result":{${result}}`);
  }

  /** End the call with whatever was thrown; with why it was cancelled, if it ends for that. */
  refuse(thrown, phase = this.#phase) {
    const error = this.#cancelled && thrown?.name === 'AbortError' ? this.#cancelled : thrown;
    this.#end(`"ok":false,"error":${encode(describe(error, phase))}`);
  }

  #end(said) {
    this.#open = false;
    this.#outlet.send(`{"v":1,"id":${this.#id},${said}}\n`);
    this.#onEnd?.(); // last: it may be the end of the process
  }

  #lateEmit() {
    if (!this.#warned) log(`emit was called after the answer to ${this.#id}; such parts are dropped`);
    this.#warned = true;
  }
}

/** Say whatever was thrown as the protocol's error object. Never throws, whatever it is given. */
export function describe(thrown, phase) {
  try {
    if (!types.isNativeError(thrown) && typeof thrown?.message !== 'string') {
      return { type: 'NonError', detail: typeof thrown === 'string' ? thrown : inspect(thrown), stack: '', phase };
    }
    const code = typeof thrown.code === 'string' ? thrown.code : undefined;
    // inspect, not thrown.stack: it tells the cause too, and there fetch and its like keep the reason.
    return { type: String(thrown.name), detail: String(thrown.message), stack: inspect(thrown), code, phase };
  } catch {
    return { type: 'Error', detail: 'something was thrown that throws again when it is looked at', stack: '', phase };
  }
}
