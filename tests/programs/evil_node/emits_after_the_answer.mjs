let emitLater;

export default {
  init: () => ({}),
  getToolSchemas: () => [],
  executeTool(toolName, args, state, emit) {
    if (toolName === 'first') emitLater = emit;
    else for (const payload of [1, 2, 3]) emitLater({ type: 'part', payload });
    return { success: true, result: toolName };
  },
};
