// A tool host of all methods on the protocol's page, required and optional; of others it says "Error".
import { createInterface } from 'node:readline';

const methods = {
  init: ({ config }) => ({ value: { greeted: 0 }, state: { greeted: 0, config } }),
  get_tool_schemas: ({ state }) => ({
    value: [{ name: 'greet', description: 'Greet.', parameters: { type: 'object', properties: { who: { type: 'string' } } } }],
    state: { ...state, described: true },
  }),
  execute_tool: ({ arguments: { who }, state }, emit) => {
    emit({ type: 'part', payload: { greeting: who } });
    const result = state.config.result ?? { success: true, result: `hello ${who}` };
    return { value: result, state: { ...state, greeted: state.greeted + 1 } };
  },
  get_config_schema: () => ({ value: { type: 'object', properties: { tone: { type: 'string' } } } }),
  get_ui_elements: () => ({ value: [{ type: 'text', id: 'tone' }] }),
  get_tags: ({ config, models }) => ({ value: ['greets', config.tone ?? 'plain', `models:${models.length}`] }),
  required_tags: () => ({ value: ['greets'] }),
  format_tool_result: ({ result, state }) => ({
    value: state.config.formatted ?? `said ${result.result}, ${state.greeted} so far`,
    state: { ...state, formatted: true },
  }),
  format_tool_call_preview: ({ tool_name: name, arguments: { who } }) => ({ value: `${name} ${who}`, state: { previewed: true } }),
  to_display_format: ({ text }) => ({ value: { type: 'text', content: `<${text}>` } }),
};

for await (const line of createInterface({ input: process.stdin })) {
  const { id, method, params } = JSON.parse(line);
  const say = (message) => process.stdout.write(`${JSON.stringify({ v: 1, id, ...message })}\n`);
  if (Object.hasOwn(methods, method)) {
    const error = method === 'execute_tool' && params.state.config.error;
    say(error ? { ok: false, error } : { ok: true, result: methods[method](params, (event) => say({ event })) });
  } else {
    process.stderr.write(`asked ${method}\n`);
    say({ ok: false, error: { type: 'Error', detail: `what is ${method}?`, stack: '' } });
  }
}
