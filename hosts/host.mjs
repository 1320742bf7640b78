// The Node.js tool host: runs the one tool of a JavaScript module, and speaks version 1 of the tool host protocol.
//
//   node host.mjs --entry <absolute path of the module> [--export <name>] [--module <path>] [--compiled <folder>]
//
// `--module` is what is loaded for the entry, where that was made of it; `--compiled` keeps what Node compiles.
//
// Requests come in on stdin and answers go out on stdout, one JSON value a line. Calls start in the order in which
// they arrive, and none waits for another. What a tool has said is out of its reach at once: a part is written before
// `emit` returns, and an answer that needs no promise before the next line is read.
//
// It is no sandbox and restarts nothing: an uncaught error or a `process.exit` in the tool ends the process, and
// whoever started it sees that. It lives as long as its stdin; at the end of it, calls under way are not waited for.
// Once the plugin runs, descriptors 0 and 1 are not the protocol's: see host_streams.mjs.

import { readdirSync, readFileSync } from 'node:fs';
import { isAbsolute } from 'node:path';
import { inspect, parseArgs } from 'node:util';

import { claimStreams } from './host_streams.mjs';
import { loadTool, METHODS, methodOf } from './host_tool.mjs';
import { describe, encode, HostFault } from './host_values.mjs';

const VERSION = 1;
const PARENT_CHECK = 1000; // milliseconds between two looks at who our parent is

const exit = process.exit.bind(process); // a plugin may put its own in its place
const log = (text) => console.error(`[tool host] ${text}`);

// ---------------------------------------------------------------------------------------------------- one request

/** One request under way: any number of parts, then exactly one answer. */
class Call {
  #id;
  #phase;
  #open = true;
  #warned = false;

  constructor(id, phase) {
    this.#id = JSON.stringify(id);
    this.#phase = phase;
  }

  /** The tool's `emit`. A part that cannot be sent is the tool's fault and thrown at it. */
  emit = (event) => {
    if (!this.#open) return this.#lateEmit();
    if (typeof event?.type !== 'string') throw new TypeError('emit takes an object with a type, such as "part"');
    const payload = encode(event.payload, 'InvalidPart', 'the payload given to emit');
    outlet.send(`{"v":1,"id":${this.#id},"event":{"type":${JSON.stringify(event.type)},"payload":${payload}}}\n`);
  };

  /** End the call with a value, and a state unless that is undefined. */
  answer(value, state) {
    let result = `"value":${encode(value, 'InvalidResult', 'the returned value')}`;
    if (state !== undefined) result += `,"state":${encode(state, 'InvalidResult', 'the state')}`;
    this.#open = false;
    outlet.send(`{"v":1,"id":${this.#id},"ok":true,"result":{${result}}}\n`);
  }

  /** End the call with whatever was thrown. */
  refuse(thrown, phase = this.#phase) {
    this.#open = false;
    outlet.send(`{"v":1,"id":${this.#id},"ok":false,"error":${encode(describe(thrown, phase))}}\n`);
  }

  #lateEmit() {
    if (!this.#warned) log(`emit was called after the answer to ${this.#id}; such parts are dropped`);
    this.#warned = true;
  }
}

function receive(bytes) {
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
    if (loading) loading.then(() => begin(message));
    else begin(message);
  } else if (['string', 'number'].includes(typeof message?.id)) {
    new Call(message.id).refuse(new HostFault('ProtocolError', fault));
  } else {
    log(`ignored a line: ${fault}: ${bytes.toString('utf8', 0, 200)}`);
  }
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

const isObject = (value) => typeof value === 'object' && value !== null && !Array.isArray(value);

function begin({ id, method, params = {} }) {
  const call = new Call(id, method === 'init' ? 'init' : undefined);
  if (failure !== undefined) return call.refuse(failure.thrown, 'load');
  const finish = (value) => {
    if (method !== 'init') return call.answer(value, params.state);
    // A tool that keeps no state may return nothing.
    const state = value ?? {};
    if (!isObject(state)) throw new HostFault('InvalidResult', `init returned ${inspect(value)}; state is an object`);
    return call.answer(state, state);
  };
  try {
    const { name, args } = METHODS.get(method) ?? {};
    if (!args) throw new HostFault('MethodNotFound', `version ${VERSION} of the protocol has no method ${method}`);
    const run = methodOf(tool, method);
    if (!run) throw new HostFault('MethodNotFound', `the tool has no method ${name}`);
    const value = Reflect.apply(run, tool, args(params, call.emit));
    if (typeof value?.then === 'function') {
      Promise.resolve(value).then(finish).catch((error) => call.refuse(error));
    } else {
      finish(value);
    }
  } catch (error) {
    call.refuse(error);
  }
}

// -------------------------------------------------------------------------------------------------------- the end

let ending = false;

/** Nobody is there to be answered: end, and leave nothing behind. */
function leave(reason) {
  if (ending) return;
  ending = true;
  if (reason) log(reason);
  endFamily();
  exit(0);
}

/**
 * Kill what the tool has started: our descendants, and whoever is in the session that we lead.
 *
 * One by one, since a signal to the whole group would end us too, before what is answered is written. Again and again,
 * since they may start others meanwhile, but not for ever: whoever started us may kill the session after us.
 */
function endFamily() {
  const killed = new Set();
  for (let round = 0; round < 20; round += 1) {
    const fresh = family().filter((pid) => !killed.has(pid));
    if (fresh.length === 0) return;
    for (const pid of fresh) {
      killed.add(pid);
      try {
        process.kill(pid, 'SIGKILL');
      } catch (error) {
        if (error.code !== 'ESRCH') log(`cannot end process ${pid}: ${error.message}`);
      }
    }
  }
}

function family() {
  const parents = new Map();
  const members = new Set();
  let names;
  try {
    names = readdirSync('/proc');
  } catch {
    return []; // a system without /proc; there it is for whoever started us
  }
  for (const pid of names.map(Number).filter(Number.isInteger)) {
    let stat;
    try {
      stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    } catch {
      continue; // has ended since
    }
    // The program's name stands in brackets, and may hold blanks and brackets itself.
    const [, parent, , session] = stat.slice(stat.lastIndexOf(')') + 2).split(' ').map(Number);
    parents.set(pid, parent);
    if (session === process.pid) members.add(pid);
  }
  for (const pid of parents.keys()) {
    for (let above = parents.get(pid); above !== undefined; above = parents.get(above)) {
      if (above === process.pid) members.add(pid);
    }
  }
  members.delete(process.pid);
  return [...members];
}

// ------------------------------------------------------------------------------------------------------- the start

const { entry, exportName, module, compiled } = readArguments();
let tool;
let failure;

// An end of stdin that a sibling with the same pipe keeps from coming is made up for by a look at the parent.
const parent = process.ppid;
setInterval(() => process.ppid !== parent && leave(), PARENT_CHECK).unref();

const outlet = claimStreams(receive, leave);
process.on('exit', () => {
  ending = true;
  outlet.flush();
});

let loading = loadTool({ entry, module, compiled }, exportName).then(
  (loaded) => {
    tool = loaded;
    loading = undefined;
  },
  (thrown) => {
    failure = { thrown };
    loading = undefined;
    const { type, detail, stack } = describe(thrown);
    log(`cannot load ${entry}: ${stack || `${type}: ${detail}`}`);
  },
);

function readArguments() {
  try {
    const text = { type: 'string' };
    const options = { entry: text, export: { ...text, default: 'default' }, module: text, compiled: text };
    const { values } = parseArgs({ options });
    if (values.entry === undefined || !isAbsolute(values.entry)) throw new Error('--entry takes an absolute path');
    const { entry, module = entry, compiled } = values;
    return { entry, exportName: values.export, module, compiled };
  } catch (error) {
    console.error(`${error.message}\nusage: node host.mjs --entry <absolute path of the module> [--export <name>]`);
    return exit(2);
  }
}
