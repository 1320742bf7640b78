// From a line to its answers: a request under way, a plugin that answers requests, and who answers which.

import { isAbsolute } from 'node:path';

import { inspect, log, types } from './host_io.mjs';
import { KnownStates } from './host_states.mjs';
import { encode, HostFault, isObject, loadTool, methodOf, METHODS, ToolContext } from './host_tool.mjs';

// --- A request under way -------------------------------------------------------------------------

/**
 * One request under way: any number of parts, then exactly one answer, be it what was thrown.
 *
 * @param outlet takes what is said, at once.
 * @param id the request's.
 * @param phase said with whatever is thrown: `init` of that method.
 * @param onEnd told when it has its answer.
 */
class Call {
  #outlet;
  #request;
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
    this.#request = id;
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

  /**
   * End the call with a value, and a state unless that is undefined.
   *
   * @param given the state as the client knows it by a name, if it does; one that is the same still does not travel.
   */
  answer(value, state, given) {
    let result = `"value":${encode(value, 'InvalidResult', 'the returned value')}`;
    const said = given === undefined ? encoded(state) : given.news(state, this.#request);
    if (said !== undefined) result += `,"state":${said}`;
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

const encoded = (state) => (state === undefined ? undefined : encode(state, 'InvalidResult', 'the state'));

/** Say whatever was thrown as the protocol's error object. Never throws, whatever it is given. */
function describe(thrown, phase) {
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

// --- A plugin ------------------------------------------------------------------------------------

/**
 * A plugin that answers requests: it is loaded when it is made, and what is asked meanwhile waits for that, in order.
 *
 * What goes wrong as it is loaded is the answer to all that it is asked, and harms no other plugin.
 *
 * @param place see `loadTool`.
 * @param exportName the export to run.
 */
class Plugin {
  #tool;
  #failure;
  #loading;
  #states = new KnownStates();

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
      const known = extended && params.state_version !== undefined ? this.#states.given(params) : undefined;
      const finish = (value) => end(call, method, value, params.state, known);
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

function end(call, method, value, given, known) {
  if (method !== 'init') return call.answer(value, given, known);
  // A tool that keeps no state may return nothing.
  const state = value ?? {};
  if (typeof state !== 'object' || Array.isArray(state)) {
    throw new HostFault('InvalidResult', `init returned ${inspect(value)}; state is an object`);
  }
  return call.answer(state, state);
}

// --- All requests --------------------------------------------------------------------------------

const VERSION = 1;

/** What this host can do beyond version 1 of the protocol. */
const FEATURES = [
  'ack', 'can_handle', 'cancel', 'is_enabled', 'payload', 'plugins', 'prepare', 'shutdown', 'state_version',
];

const FAREWELL = 5000; // milliseconds that plugins may take to shut down if the client is in no hurry

const OWN = '\0'; // the key of the plugin of the command line: no name that a client would give

/**
 * From a line to what answers it: the host itself, or one of its plugins.
 *
 * A host has the plugin of its command line, which requests mean that name none, and those that it was told to load,
 * each under a name of its own. Only a client that has asked for a description knows of more than version 1 has.
 *
 * @param outlet takes the answers.
 */
export class Requests {
  #outlet;
  #plugins = new Map();
  #calls = new Map(); // those under way, by id, once the client may cancel them
  #farewells = new Set();
  #extended = false; // the client knows more than version 1
  #onIdle;

  constructor(outlet) {
    this.#outlet = outlet;
  }

  /** Run a plugin for the requests that name none. */
  begin(place, exportName) {
    this.#plugins.set(OWN, new Plugin(place, exportName));
  }

  /** Take one line of stdin, as bytes that are good until this returns. */
  receive(bytes) {
    let message;
    try {
      message = JSON.parse(bytes);
    } catch (error) {
      const text = bytes.toString('utf8', 0, 200).trim();
      if (text !== '') log(`ignored a line that is not JSON (${error.message}): ${text}`);
      return;
    }
    const fault = faultIn(message);
    if (fault === undefined) {
      this.#take(message);
    } else if (['string', 'number'].includes(typeof message?.id)) {
      new Call(this.#outlet, message.id).refuse(new HostFault('ProtocolError', fault));
    } else {
      log(`ignored a line: ${fault}: ${bytes.toString('utf8', 0, 200)}`);
    }
  }

  /** There will be no more requests: do something once no plugin is shutting down, or has had its time for that. */
  whenIdle(act) {
    if (this.#farewells.size === 0) return act();
    this.#onIdle = act;
    return setTimeout(act, FAREWELL);
  }

  #take({ id, method, params = {} }) {
    const call = this.#call(id, method);
    if (method === 'load') return this.#load(call, params);
    if (method === 'cancel' && this.#extended) return this.#cancel(call, params);
    const plugin = this.#plugins.get(params.plugin ?? OWN);
    if (plugin === undefined && !(method === 'describe' && params.plugin === undefined)) {
      return call.refuse(new HostFault('PluginNotFound', notFound(params.plugin)));
    }
    if (method === 'describe') return this.#describe(call, plugin);
    if (method === 'unload') return this.#unload(call, params);
    return plugin.whenLoaded(() => plugin.answer(call, method, params, this.#extended));
  }

  #call(id, method) {
    const phase = method === 'init' ? 'init' : undefined;
    if (!this.#extended) return new Call(this.#outlet, id, phase);
    const call = new Call(this.#outlet, id, phase, () => this.#onEnd(id));
    this.#calls.set(id, call);
    if (method === 'shutdown') this.#farewells.add(id);
    return call;
  }

  #onEnd(id) {
    this.#calls.delete(id);
    if (this.#farewells.delete(id) && this.#farewells.size === 0) this.#onIdle?.();
  }

  #cancel(call, { id, reason }) {
    const under = this.#calls.get(id);
    under?.cancel(typeof reason === 'string' ? reason : 'the call was cancelled');
    call.answer(under !== undefined);
  }

  #describe(call, plugin) {
    this.#extended = true;
    const host = { name: 'callboard-node', version: process.version };
    const say = () => call.answer({ protocol: 'thp/1', host, features: FEATURES, ...offer(plugin) });
    if (plugin === undefined) return say();
    return plugin.whenLoaded(say);
  }

  #load(call, { plugin: name, entry, export: exportName = 'default', module = entry, compiled }) {
    const fault = faultInLoad({ name, entry, exportName, module, compiled });
    if (fault !== undefined) return call.refuse(new HostFault('ProtocolError', fault));
    if (this.#plugins.has(name)) {
      return call.refuse(new HostFault('PluginExists', `there is a plugin "${name}" in this host already`));
    }
    const plugin = new Plugin({ entry, module, compiled }, exportName);
    this.#plugins.set(name, plugin);
    return plugin.whenLoaded(() => {
      if (plugin.failure === undefined) return call.answer(offer(plugin));
      // It is none, and its name is free for the next try; what was asked of it meanwhile is answered by it itself.
      if (this.#plugins.get(name) === plugin) this.#plugins.delete(name);
      return call.refuse(plugin.failure.thrown, 'load');
    });
  }

  #unload(call, { plugin }) {
    this.#plugins.delete(plugin ?? OWN);
    call.answer(null);
  }
}

/** What a client has to know of a plugin. */
function offer(plugin) {
  return { methods: plugin?.methods, wants: plugin?.wants, version: plugin?.version };
}

function notFound(name) {
  if (name === undefined) return 'this host has no plugin of its own; a request has to name one that was loaded';
  return `there is no plugin ${JSON.stringify(name)} in this host; load it first`;
}

function faultIn(message) {
  if (!isObject(message)) return 'a request is a JSON object';
  const { v, id, method, params = {} } = message;
  if (v !== VERSION) return `this host speaks version ${VERSION} of the protocol, and "v" is ${JSON.stringify(v)}`;
  if (typeof id !== 'string') return 'a request has an "id", which is a string';
  if (typeof method !== 'string') return 'a request has a "method", which is a string';
  if (!isObject(params)) return 'the "params" of a request are an object';
  return undefined;
}

function faultInLoad({ name, ...texts }) {
  if (typeof name !== 'string' || name === '') return 'a plugin is loaded under a name: "plugin" is a string';
  const wrong = Object.keys(texts).find((key) => texts[key] !== undefined && typeof texts[key] !== 'string');
  if (wrong !== undefined) return `"${wrong === 'exportName' ? 'export' : wrong}" of a plugin is a string`;
  if (texts.entry === undefined || !isAbsolute(texts.entry)) return 'the "entry" of a plugin is an absolute path';
  return undefined;
}
