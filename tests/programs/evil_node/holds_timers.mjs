setInterval(() => {}, 1000);

export default {
  init: () => ({}),
  getToolSchemas: () => [],
  executeTool: () => new Promise(() => {}),
};
