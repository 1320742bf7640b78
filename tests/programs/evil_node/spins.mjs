export default {
  init: () => ({}),
  getToolSchemas: () => [],
  executeTool(toolName, args, state, emit) {
    if (toolName === 'quick') return { success: true, result: 'done' };
    emit({ type: 'part', payload: 'about to spin' });
    for (;;);
  },
};
