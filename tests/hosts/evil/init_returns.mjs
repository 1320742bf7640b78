const STATES = { nothing: undefined, number: 7, list: [] };

export default {
  init: async ({ what }) => STATES[what],
  getToolSchemas: () => [],
  executeTool: () => ({ success: true }),
};
