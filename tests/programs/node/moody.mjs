// A tool that does as it is told, well or badly: {"do": …}.
import { spawn } from 'node:child_process';
import { appendFileSync, openSync } from 'node:fs';

const names = ['moody'];
const held = [];

export default {
  name: 'moody',
  init(config) {
    if (config.refuse) throw new Error('init was told to refuse');
    return { config, count: 0 };
  },
  getToolSchemas(state) {
    const offered = state.config.names ?? names;
    return offered.map((name) => ({ type: 'function', function: { name, parameters: { type: 'object' } } }));
  },
  async executeTool(name, args, state, emit) {
    state.count += 1;
    if (args.ledger) appendFileSync(args.ledger, `${args.line ?? 'ran'}\n`);
    switch (args.do) {
      case 'crash':
        process.kill(process.pid, 'SIGKILL');
        await new Promise(() => {});
        break;
      case 'exit':
        process.exit(args.code ?? 0);
        break;
      case 'throw':
        throw new TypeError('told to throw');
      case 'spin':
        for (;;);
      case 'wait':
        await new Promise((resolve) => setTimeout(resolve, args.ms ?? 2 ** 30));
        break;
      case 'parts':
        for (let n = 0; n < args.parts; n += 1) emit({ type: 'part', payload: n });
        if (args.then === 'crash') setImmediate(() => process.kill(process.pid, 'SIGKILL'));
        if (args.then) await new Promise(() => {});
        break;
      case 'rubbish':
        return 'no result';
      case 'bigint':
        return { success: true, result: 1n };
      case 'fail':
        return { success: false, error: 'told to fail' };
      case 'orphan': {
        const child = spawn('sleep', ['1000'], { stdio: 'inherit', detached: args.detached ?? false });
        return { success: true, result: { pid: child.pid } };
      }
      case 'hold': // as much memory as asked for, outside of the heap
        held.push(Buffer.alloc(args.mb * 1024 * 1024, 1));
        if (args.stay) await new Promise(() => {});
        break;
      case 'open':
        for (let n = 0; n < args.files; n += 1) openSync('/dev/null');
        break;
      case 'stderr':
        process.stderr.write(`${args.text}\n`);
        process.abort();
        break;
    }
    return { success: true, result: { count: state.count, pid: process.pid, echo: args.value } };
  },
};
