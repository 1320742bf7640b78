const PLACE = /\{\{\s*([\w.-]+)\s*\}\}/g;

/** Fills `{{name}}` places. Cut-up templates are kept in the instance, the tally in the state: see the README. */
export class TemplateTool {
  name = 'js_class_tool';
  version = '0.1.0';

  #pieces = new Map();

  init(config) {
    return { config, filled: 0 };
  }

  getConfigSchema() {
    return {
      type: 'object',
      properties: { missing: { type: 'string', description: 'Stands in for a value that is missing.' } },
      additionalProperties: false,
    };
  }

  getToolSchemas() {
    return [
      {
        type: 'function',
        function: {
          name: 'fill_template',
          description: 'Put values into the {{places}} of a template.',
          parameters: {
            type: 'object',
            properties: {
              template: { type: 'string', description: 'Text with places such as {{name}}.' },
              values: { type: 'object', description: 'A value for each place, by name.' },
            },
            required: ['template'],
          },
        },
      },
    ];
  }

  executeTool(toolName, args, state) {
    if (toolName !== 'fill_template') return { success: false, error: `Unknown tool: ${toolName}` };
    if (typeof args.template !== 'string') return { success: false, error: 'template must be a string' };

    const values = new Map(Object.entries(args.values ?? {}));
    const { literals, names } = this.#cut(args.template);
    const missing = [...new Set(names.filter((name) => !values.has(name)))];
    if (missing.length > 0 && state.config.missing === undefined) {
      return { success: false, error: `no value for ${missing.join(', ')}` };
    }
    const filled = names.map((name) => String(values.has(name) ? values.get(name) : state.config.missing));
    const text = literals.map((literal, index) => literal + (filled[index] ?? '')).join('');
    state.filled += 1;
    return { success: true, result: { text, missing } };
  }

  formatToolResult(result) {
    return result.success ? result.result.text : `Error: ${result.error}`;
  }

  /** The text between the places, always one more than there are places, and the places' names. */
  #cut(template) {
    let cut = this.#pieces.get(template);
    if (cut === undefined) {
      const parts = template.split(PLACE); // text, name, text, name, ..., text
      cut = { literals: parts.filter((_, at) => at % 2 === 0), names: parts.filter((_, at) => at % 2 === 1) };
      this.#pieces.set(template, cut);
    }
    return cut;
  }
}
