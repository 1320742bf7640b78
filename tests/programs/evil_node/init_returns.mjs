const STATES = { nothing: undefined, number: 7, list: [], bigint: 1n, function: parseInt };

export default {
  init: async ({ what }) => STATES[what],
  getToolSchemas: () => [],
  executeTool: () => ({ success: true }),
};
