import { setTimeout as sleep } from 'node:timers/promises';

/** Gives a text back, and counts its calls in the state. */
export const echoTool = {
  name: 'echo',
  version: '0.1.0',

  /** The first state, made of the plugin's `config`. State is JSON, and outlives this process. */
  init(config) {
    return { greeting: config.greeting ?? '', calls: 0 };
  },

  getToolSchemas() {
    return [
      {
        type: 'function',
        function: {
          name: 'echo',
          description: 'Echo back the provided value.',
          parameters: {
            type: 'object',
            properties: {
              value: { type: 'string', description: 'What to say.' },
              seconds: { type: 'number', description: 'How long to wait before.' },
            },
            required: ['value'],
            additionalProperties: false,
          },
        },
      },
    ];
  },

  /**
   * `emit` tells a part before the answer. What changes in `state` is kept with the answer, and not if this throws.
   * `context.signal` is aborted when the answer is not awaited any more. Hand it to all that takes time: `fetch`
   * takes it, too. A tool that goes on all the same loses its process.
   */
  async executeTool(toolName, args, state, emit, context) {
    if (toolName !== 'echo') return { success: false, error: `Unknown tool: ${toolName}` };
    if (typeof args.value !== 'string') return { success: false, error: 'value must be a string' };
    emit({ type: 'part', payload: { message: 'working...' } });
    if (args.seconds) await sleep(args.seconds * 1000, undefined, { signal: context?.signal });
    state.calls += 1;
    return { success: true, result: { value: state.greeting + args.value, calls: state.calls } };
  },

  /** What a person sees before the call. */
  formatToolCallPreview(toolName, args) {
    return `${toolName} ${JSON.stringify(args.value ?? '')}`;
  },

  /** What the model reads. */
  formatToolResult(result) {
    return result.success ? result.result.value : `Error: ${result.error}`;
  },
};
