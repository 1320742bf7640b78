process.exit = () => {};
process.on('SIGTERM', () => {});
setInterval(() => {}, 1000);

export default {
  init: () => ({}),
  getToolSchemas: () => [],
  executeTool: () => ({ success: true, result: 'still here' }),
};
