// Emits a part and answers after `ms` milliseconds; never, without them.
export default {
  name: 'paced',
  init: () => ({ count: 0 }),
  getToolSchemas: () => [{ type: 'function', function: { name: 'paced', description: 'Take your time.', parameters: { type: 'object' } } }],
  async executeTool(_name, { ms }, state, emit) {
    emit({ type: 'part', payload: 'begun' });
    await new Promise((resolve) => ms !== undefined && setTimeout(resolve, ms));
    state.count += 1;
    return { success: true, result: state.count };
  },
};
