/**
 * A tool of long calls that run several at a time. Its host reads nothing while it is at one, and at first ends at its second
 * call: so a write has left in part then.
 */
const [MILLISECONDS, ODD, EXITS_UNTIL] = [4, 2, 5];
let calls = 0;

const nothing = new Int32Array(new SharedArrayBuffer(4));

export default () => ({
  version: '1',

  init: () => ({ count: 0 }),

  getToolSchemas: () => [
    {
      type: 'function',
      function: {
        name: 'take',
        parameters: {
          type: 'object',
          properties: { text: { type: 'string', minLength: 200_000, maxLength: 200_000 } },
          required: ['text'],
        },
      },
    },
  ],

  executeTool(_toolName, { text }, state, emit) {
    calls += 1;
    emit({ type: 'part', payload: 'begun' });
    Atomics.wait(nothing, 0, 0, MILLISECONDS);
    if (calls === ODD && state.count < EXITS_UNTIL) process.exit(3);
    state.count += 1;
    return { success: true, result: text.length };
  },
});
