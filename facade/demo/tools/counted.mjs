// What the tools of the demonstration have in common: each counts its answers in its state, and says which process
// has answered. A state that is lost in a crash leaves a gap in the count; one that is committed twice, a step.

const pause = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));

/**
 * Make a tool of a function.
 *
 * @param {{ name: string, description: string, state?: object,
 *           work: (args: object, state: object, emit: (part: any) => void, pause: (ms: number) => Promise<void>) => Promise<object> }} parts
 */
export function countedTool({ name, description, state: initial = {}, work }) {
  return {
    name,
    init: () => ({ ...initial, count: 0 }),
    getToolSchemas: () => [{ type: 'function', function: { name, description, parameters: { type: 'object' } } }],
    async executeTool(_toolName, args, state, emit) {
      const answer = await work(args, state, (payload) => emit({ type: 'part', payload }), pause);
      state.count += 1;
      return { success: true, result: { ...answer, n: args.n, count: state.count, pid: process.pid } };
    },
  };
}
