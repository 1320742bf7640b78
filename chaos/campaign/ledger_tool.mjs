/** A tool that writes down each of its runs in a ledger, and does what its arguments say. See ledger_tool.py: the same twice. */
import { appendFileSync } from 'node:fs';

const VERSION = '1';
const born = `${process.pid}-${Date.now().toString(36)}-${Math.random().toString(36).slice(2, 8)}`;
let runs = 0;

/** One write to a file that is opened to append: the lines of several processes do not mix. */
const write = (path, mark) => appendFileSync(path, `${JSON.stringify(mark)}\n`);

/** Resolves after so many seconds, or with true as soon as the caller gives up. */
const sleep = (seconds, signal) =>
  new Promise((resolve) => {
    if (signal?.aborted) return resolve(true);
    const timer = setTimeout(() => resolve(false), seconds * 1000);
    signal?.addEventListener('abort', () => {
      clearTimeout(timer);
      resolve(true);
    });
  });

export default () => ({
  version: VERSION,

  init: ({ name }) => ({ name, count: 0 }),

  getToolSchemas: ({ name }) =>
    ['work', 'also'].map((tool) => ({
      type: 'function',
      function: { name: `${name}_${tool}`, parameters: { type: 'object' } },
    })),

  async executeTool(toolName, args, state, emit, context) {
    const { ledger, plugin, call, mood, seconds, parts } = args;
    runs += 1;
    const run = `${born}-${runs}`;
    write(ledger, { mark: 'begin', call, plugin, run, pid: process.pid, count: state.count });
    state.count += 1;
    const end = (how) => write(ledger, { mark: 'end', run, how, count: state.count });
    for (let number = 1; number <= parts; number += 1) emit({ type: 'part', payload: number });
    if (mood === 'hang') await new Promise(() => setInterval(() => {}, 1000));
    if (mood === 'spin') for (;;);
    if (seconds && (await sleep(seconds, mood === 'deaf' ? undefined : context?.signal))) {
      end('stopped');
      throw new Error('nobody waits any more');
    }
    switch (mood) {
      case 'exit':
        process.exit(3);
      case 'raise':
        end('raise');
        throw new Error('as it was asked to');
      case 'fail':
        end('failure');
        return { success: false, error: 'as it was asked to', run, count: state.count };
      case 'invalid':
        end('invalid');
        return 'this is no result';
    }
    end('success');
    if (mood === 'exit late') process.exit(3);
    return { success: true, result: { call, run, pid: process.pid, count: state.count } };
  },
});
