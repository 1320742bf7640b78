// The tool that Callboard runs in the benchmarks.
//
// What it needs for one measurement alone is loaded when that asks for it: `node:child_process` takes Node as long as a
// twelfth of its whole start, and the bare contestant starts without it.

import { fstatSync, readdirSync } from 'node:fs';

let names = ['echo', 'hang'];
let parameters = { type: 'object' };

export default {
  name: 'bench',
  init(config) {
    names = config.names ?? names;
    parameters = config.parameters ?? parameters;
    return config.records ? { count: 0, records: records(config.records) } : {};
  },
  getToolSchemas: () => names.map((name) => ({ type: 'function', function: { name, parameters } })),
  executeTool(name, args, state, emit) {
    if (args.reads) state.records.length;
    if (args.counts) state.count += 1;
    return name === 'hang' ? hang(args, emit) : echo(args, emit);
  },
};

const records = (count) => Array.from({ length: count }, (_, id) => ({ id, text: 'a record of some length', done: id % 2 === 0 }));

function echo(args, emit) {
  for (let part = 1; part <= (args.parts ?? 0); part += 1) emit({ type: 'part', payload: part });
  return { success: true, result: args };
}

async function hang(args, emit) {
  if (args.orphan) await holdPipes();
  // Later, so that starting another process does not compete with what is measured next.
  setTimeout(() => emit({ type: 'part', payload: process.pid }), 50);
  return new Promise(() => {});
}

/** Start a process that outlives us in a session of its own, and holds every pipe open that we have. */
async function holdPipes() {
  const { spawn } = await import('node:child_process');
  const open = readdirSync('/proc/self/fd').map(Number).filter(isPipe);
  spawn('sleep', ['600'], { detached: true, stdio: ['ignore', 'ignore', 'ignore', ...open] }).unref();
}

function isPipe(fd) {
  try {
    return fstatSync(fd).isFIFO();
  } catch {
    return false; // the descriptor of the listing itself
  }
}
