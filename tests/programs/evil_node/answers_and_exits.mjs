export default {
  init: () => ({}),
  getToolSchemas: () => [],
  executeTool(toolName, { megabytes }, state, emit) {
    if (toolName === 'emit') {
      emit({ type: 'part', payload: 'x'.repeat(megabytes * 1024 * 1024) });
      process.exit(5);
    }
    process.nextTick(() => process.exit(5));
    return { success: true, result: 'x'.repeat(megabytes * 1024 * 1024) };
  },
};
