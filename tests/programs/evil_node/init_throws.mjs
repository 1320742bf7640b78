export default {
  init() {
    throw new Error('no state today');
  },
  getToolSchemas: () => [],
  executeTool: () => ({ success: true }),
};
