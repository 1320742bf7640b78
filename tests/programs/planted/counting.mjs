/**
 * A tool that does all that the promises are about: it emits parts, counts in its state, prints, leaves a process of a
 * session of its own behind, and now and then goes on beyond its deadline. It is well once it has counted far enough.
 */
import { spawn } from 'node:child_process';
import { writeSync } from 'node:fs';

const [ODD, EXITS_UNTIL, HANGS_UNTIL] = [5, 8, 14];
let calls = 0;

const sleep = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));

export default () => ({
  version: '1',

  init: () => ({ count: 0 }),

  getToolSchemas: () => [
    {
      type: 'function',
      function: {
        name: 'count',
        parameters: {
          type: 'object',
          properties: { label: { type: 'string', minLength: 8, maxLength: 8 } },
          required: ['label'],
        },
      },
    },
  ],

  async executeTool(_toolName, { label }, state, emit) {
    calls += 1;
    if (calls === 1) spawn('sleep', ['600'], { detached: true, stdio: 'ignore' }).unref();
    writeSync(1, `call ${calls} of ${process.pid}\n`);
    for (const step of ['begun', 'half', 'almost']) {
      emit({ type: 'part', payload: { step, label } });
      await sleep(2);
    }
    if (calls === ODD && state.count < EXITS_UNTIL) process.exit(3);
    if (calls === ODD && state.count < HANGS_UNTIL) await sleep(600_000);
    state.count += 1;
    return { success: true, result: { label, count: state.count } };
  },
});
