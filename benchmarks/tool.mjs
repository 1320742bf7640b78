// The tool that Callboard runs in the benchmarks.
//
// What it needs for one measurement alone is loaded when that asks for it: `node:child_process` takes Node as long as a
// twelfth of its whole start, and the bare contestant starts without it.

import { fstatSync, readdirSync } from 'node:fs';

let names = ['echo', 'hang'];

export default {
  name: 'bench',
  init(config) {
    names = config.names ?? names;
    return {};
  },
  getToolSchemas: () => names.map((name) => ({ type: 'function', function: { name, parameters: { type: 'object' } } })),
  executeTool: (name, args, state, emit) => (name === 'hang' ? hang(args, emit) : { success: true, result: args }),
};

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
