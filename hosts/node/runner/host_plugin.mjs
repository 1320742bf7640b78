// A plugin that answers requests: it is loaded when it is made, and what is asked meanwhile waits for that, in order.

import { describe } from './host_call.mjs';
import { ToolContext } from './host_context.mjs';
import { inspect } from './host_node.mjs';
import { log } from './host_streams.mjs';
import { loadTool, METHODS, methodOf } from './host_tool.mjs';
import { HostFault } from './host_values.mjs';

/**
 * See the file. What goes wrong as it is loaded is the answer to all that it is asked, and harms no other plugin.
 *
 * @param place see `loadTool`.
 * @param exportName the export to run.
 */
export class Plugin {
  #tool;
  #failure;
  #loading;

  constructor(place, exportName) {
    this.#loading = loadTool(place, exportName).then(
      (tool) => {
        this.#tool = tool;
        this.#loading = undefined;
      },
      (thrown) => {
        this.#failure = { thrown };
        this.#loading = undefined;
        const { type, detail, stack } = describe(thrown);
        log(`cannot load ${place.entry}: ${stack || `${type}: ${detail}`}`);
      },
    );
  }

  /** What was thrown as it was loaded, as `{ thrown }`; undefined while it is loaded, and if it could be. */
  get failure() {
    return this.#failure;
  }

  /** The wire names of the methods that it has; undefined if it could not be loaded. */
  get methods() {
    return this.#tool && [...METHODS.keys()].filter((wireName) => methodOf(this.#tool, wireName));
  }

  /** What it is to be told of each call beside the arguments, by the names on the wire. */
  get version() {
    return typeof this.#tool?.version === 'string' ? this.#tool.version : undefined;
  }

  get wants() {
    return Array.isArray(this.#tool?.wants) ? this.#tool.wants.filter((name) => typeof name === 'string') : undefined;
  }

  /** Do something once it has been loaded or could not be: at once, if that is so. */
  whenLoaded(act) {
    if (this.#loading) this.#loading.then(act);
    else act();
  }

  /**
   * Answer one request of the protocol; at once, where the tool does.
   *
   * @param extended whether the client knows more than version 1.
   */
  answer(call, method, params, extended) {
    if (!call.begin()) return undefined;
    if (this.#failure !== undefined) return call.refuse(this.#failure.thrown, 'load');
    try {
      const { name, args, extended: isMore } = METHODS.get(method) ?? {};
      if (!args || (isMore && !extended)) {
        throw new HostFault('MethodNotFound', `version 1 of the protocol has no method ${method}`);
      }
      const run = methodOf(this.#tool, method);
      if (!run) throw new HostFault('MethodNotFound', `the tool has no method ${name}`);
      const finish = (value) => end(call, method, value, params.state);
      const given = args(params, call.emit, extended ? new ToolContext(call, params) : undefined);
      if (extended && params.ack === true) call.acknowledge();
      const value = Reflect.apply(run, this.#tool, given);
      if (typeof value?.then === 'function') {
        Promise.resolve(value).then(finish).catch((error) => call.refuse(error));
      } else {
        finish(value);
      }
    } catch (error) {
      call.refuse(error);
    }
  }
}

function end(call, method, value, given) {
  if (method !== 'init') return call.answer(value, given);
  // A tool that keeps no state may return nothing.
  const state = value ?? {};
  if (typeof state !== 'object' || Array.isArray(state)) {
    throw new HostFault('InvalidResult', `init returned ${inspect(value)}; state is an object`);
  }
  return call.answer(state, state);
}
