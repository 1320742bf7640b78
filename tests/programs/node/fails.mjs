// A tool that brings its host down in the ways that JavaScript knows: {"do": …}.
import { writeSync } from 'node:fs';

const held = [];

const ways = {
  throw: () => setImmediate(() => { throw new RangeError('nobody catches this'); }),
  reject: () => { Promise.reject(new TypeError('nobody awaits this')); },
  heap: () => { for (;;) held.push(new Array(1e5).fill({})); },
  resident: () => held.push(Buffer.alloc(300 * 1024 * 1024, 1)),
};

export default {
  name: 'fails',
  init: () => ({}),
  getToolSchemas: () => [{ type: 'function', function: { name: 'fails', parameters: { type: 'object' } } }],
  async executeTool(name, args) {
    if (!args.do) return { success: true, result: process.pid };
    writeSync(2, `about to ${args.do}\n`);
    ways[args.do]();
    await new Promise((resolve) => setTimeout(resolve, 2 ** 30));
  },
};
