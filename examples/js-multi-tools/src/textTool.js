/**
 * Make a tool object from a plain function from a text to a result.
 *
 * @param {{ name: string, description: string, run: (text: string) => object }} parts
 */
export function textTool({ name, description, run }) {
  return {
    name: `js_multi_tools_${name}`,
    version: '0.1.0',

    init: (config) => ({ config }),

    getToolSchemas: () => [
      {
        type: 'function',
        function: {
          name,
          description,
          parameters: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
        },
      },
    ],

    executeTool(toolName, args) {
      if (toolName !== name) return { success: false, error: `Unknown tool: ${toolName}` };
      if (typeof args.text !== 'string') return { success: false, error: 'text must be a string' };
      return { success: true, result: run(args.text) };
    },
  };
}
