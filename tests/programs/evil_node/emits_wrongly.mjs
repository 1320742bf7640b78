const cycle = {};
cycle.self = cycle;

const EVENTS = { cycle: { type: 'part', payload: cycle }, untyped: { payload: 1 }, nothing: undefined, empty: { type: 'part' } };

export default {
  init: () => ({}),
  getToolSchemas: () => [],
  executeTool(toolName, { event }, state, emit) {
    try {
      emit(EVENTS[event]);
    } catch (error) {
      return { success: false, error: `${error.name}: ${error.message}` };
    }
    return { success: true, result: null };
  },
};
