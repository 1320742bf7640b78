/** The plain function behind the tool: what is worth testing needs no agent. */
export function countWords(text) {
  const segments = new Intl.Segmenter('en', { granularity: 'word' }).segment(text);
  return [...segments].filter(({ isWordLike }) => isWordLike).length;
}

export const countWordsTool = {
  name: 'count_words',
  version: '0.1.0',

  init(config) {
    return { config };
  },

  getToolSchemas() {
    return [
      {
        type: 'function',
        function: {
          name: 'count_words',
          description: 'Count the words of a text.',
          parameters: {
            type: 'object',
            properties: { text: { type: 'string' } },
            required: ['text'],
            additionalProperties: false,
          },
        },
      },
    ];
  },

  executeTool(toolName, args) {
    if (toolName !== 'count_words') return { success: false, error: `Unknown tool: ${toolName}` };
    if (typeof args.text !== 'string') return { success: false, error: 'text must be a string' };
    return { success: true, result: { words: countWords(args.text) } };
  },

  formatToolResult(result) {
    return result.success ? `${result.result.words} words` : `Error: ${result.error}`;
  },
};
