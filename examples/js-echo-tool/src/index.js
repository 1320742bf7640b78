const schema = {
  type: 'function',
  function: {
    name: 'echo',
    description: 'Echo back the provided value.',
    parameters: {
      type: 'object',
      properties: { value: { type: 'string' } },
      required: ['value'],
    },
  },
};

export const echoTool = {
  name: 'js_echo_tool',
  version: '0.1.0',

  init(config) {
    return { config, calls: 0 };
  },

  getToolSchemas() {
    return [schema];
  },

  async executeTool(toolName, args, state, emit) {
    if (toolName !== 'echo') return { success: false, error: `Unknown tool: ${toolName}` };
    state.calls += 1;
    emit({ type: 'part', payload: { message: 'working...' } });
    return { success: true, result: { value: String(args.value ?? ''), calls: state.calls } };
  },

  formatToolCallPreview(toolName, args) {
    return `${toolName} ${JSON.stringify(args.value ?? '')}`;
  },

  formatToolResult(result) {
    return result.success ? `Echo: ${result.result.value}` : `Error: ${result.error}`;
  },

  toDisplayFormat(text, result) {
    return { type: 'text', content: text, single_line: result.success ? `echo ${result.result.value}` : 'echo (error)' };
  },
};

export default echoTool;
