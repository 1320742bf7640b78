// Offers the tools that a file names when the host is started; one of them, `leave`, ends the host.
import { readFileSync } from 'node:fs';

export default {
  name: 'renames',
  init: (config) => ({ config }),
  getToolSchemas: ({ config }) =>
    JSON.parse(readFileSync(config.file, 'utf8')).map((name) => ({
      type: 'function',
      function: { name, parameters: { type: 'object' } },
    })),
  executeTool(name) {
    if (name === 'leave') process.exit(1);
    return { success: true, result: name };
  },
};
