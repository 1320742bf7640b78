export default {
  init: () => ({}),
  getToolSchemas: () => [],
  executeTool(toolName, { parts, size }, state, emit) {
    for (let number = 0; number < parts; number += 1) {
      emit({ type: 'part', payload: { number, filler: 'ü'.repeat(size) } });
    }
    return { success: true, result: parts };
  },
};
