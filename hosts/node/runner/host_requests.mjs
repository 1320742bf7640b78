// From a line to whoever answers it: the host itself, or one of its plugins.
//
// A host has the plugin of its command line, which requests mean that name none, and those that it was told to load,
// each under a name of its own. Only a client that has asked for a description knows of more than version 1 has.

import { isAbsolute } from 'node:path';

import { Call } from './host_call.mjs';
import { Plugin } from './host_plugin.mjs';
import { log } from './host_streams.mjs';
import { HostFault, isObject } from './host_values.mjs';

const VERSION = 1;

/** What this host can do beyond version 1 of the protocol. */
const FEATURES = ['ack', 'can_handle', 'cancel', 'is_enabled', 'payload', 'plugins', 'prepare', 'shutdown'];

const FAREWELL = 5000; // milliseconds that plugins may take to shut down if the client is in no hurry

const OWN = '\0'; // the key of the plugin of the command line: no name that a client would give

/**
 * See the file.
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
