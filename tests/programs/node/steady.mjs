// Two tools: one answers at once, one says that it has begun and never ends.
const schema = (name) => ({ type: 'function', function: { name, parameters: { type: 'object' } } });

export default {
  name: 'steady',
  init: () => ({}),
  getToolSchemas: () => [schema('echo'), schema('linger')],
  async executeTool(name, args, state, emit) {
    if (name === 'linger') {
      emit({ type: 'part', payload: 'begun' });
      await new Promise(() => {});
    }
    return { success: true, result: args.value };
  },
  formatToolCallPreview: (name, args) => `${name} ${args.value ?? ''}`.trim(),
};
