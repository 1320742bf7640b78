export default {
  init: () => ({}),
  getToolSchemas: () => [],
  executeTool(toolName, args, state, emit) {
    emit({ type: 'part', payload: 'before' });
    if (toolName === 'timer') {
      setTimeout(() => {
        throw new Error('thrown in a timer');
      });
    }
    if (toolName === 'rejection') Promise.reject(new Error('rejected for nobody'));
    if (toolName === 'exit') process.exit(0);
    return new Promise(() => {});
  },
};
