// The Node.js tool host: runs tools of JavaScript modules, and speaks version 1 of the tool host protocol, and more to
// a client that asks for it.
//
//   node host.mjs --entry <absolute path of the module> [--export <name>] [--module <path>] [--compiled <folder>]
//   node host.mjs --several
//
// `--module` is what is loaded for the entry, where that was made of it; `--compiled` keeps what Node compiles.
// `--several` is a host without a plugin of its own: the client has it load those that it wants.
//
// Requests come in on stdin and answers go out on stdout, one JSON value a line. Calls start in the order in which
// they arrive, and none waits for another. What a tool has said is out of its reach at once: a part is written before
// `emit` returns, and an answer that needs no promise before the next line is read.
//
// It is no sandbox and restarts nothing: an uncaught error or a `process.exit` in the tool ends the process, and
// whoever started it sees that. It lives as long as its stdin; at the end of it, calls under way are not waited for.
// Once the plugin runs, descriptors 0 and 1 are not the protocol's: see host_io.mjs.

import { isAbsolute } from 'node:path';

import { claimStreams, leave, leaveMisused, watchTheEnd } from './host_io.mjs';
import { Requests } from './host_requests.mjs';

const SEVERAL = '--several';

const USAGE = 'usage: node host.mjs --entry <absolute path of the module> [--export <name>]';

const own = readArguments();
const outlet = claimStreams(
  (line) => requests.receive(line),
  (reason) => requests.whenIdle(() => leave(reason)),
);
watchTheEnd(outlet);
const requests = new Requests(outlet);
if (own !== undefined) requests.begin(own.place, own.exportName);

/** The plugin of the command line, if it has one. */
function readArguments() {
  try {
    const words = process.argv.slice(2);
    if (words.includes(SEVERAL) && words.length === 1) return undefined;
    if (words.includes(SEVERAL)) throw new Error(`${SEVERAL} stands alone: plugins are loaded by requests`);
    const { entry, module = entry, compiled, export: exportName = 'default' } = valuesIn(words);
    if (entry === undefined || !isAbsolute(entry)) throw new Error('--entry takes an absolute path');
    return { place: { entry, module, compiled }, exportName };
  } catch (error) {
    return leaveMisused(`${error.message}\n${USAGE}`);
  }
}

/** `--name value` or `--name=value`, any number of times. By hand: Node's own reader of arguments is slow to be there. */
function valuesIn(words) {
  const values = {};
  for (let at = 0; at < words.length; at += 1) {
    const [, name, told] = /^--(entry|export|module|compiled)(?:=(.*))?$/s.exec(words[at]) ?? [];
    if (name === undefined) throw new Error(`there is no option ${words[at]}`);
    values[name] = told ?? words[(at += 1)];
    if (values[name] === undefined) throw new Error(`--${name} takes a value`);
  }
  return values;
}
