// `testTool`: runs a tool in a test as the host runs it, in this process. What is a tool, what its methods are given and
// what JSON can say is for the host's own files to know; here is only the way of a call without a wire.
//
// It is no host: nothing ends a call that does not end, and what a tool prints to stdout goes there.

import { encode, HostFault, METHODS, methodOf, ToolContext, toolFrom } from '../host_tool.mjs';
import { defaultText, resultFrom, schemasFrom, stateFrom } from './answers.mjs';

export { defineTools } from './define.mjs';
export { HostFault as ToolFault };

export async function testTool(exported, { config = {} } = {}) {
  const tested = new TestedTool(exported, asJson(config, 'InvalidCall', 'the config'));
  await tested.restart();
  return tested;
}

class TestedTool {
  #exported;
  #config;
  #tool;
  #state;
  #schemas = [];
  #prepared = null;

  constructor(exported, config) {
    this.#exported = exported;
    this.#config = config;
  }

  get state() {
    return structuredClone(this.#state); // as a message brings it: what is done to it changes nothing that is kept
  }

  get schemas() {
    return this.#schemas;
  }

  get prepared() {
    return this.#prepared;
  }

  async restart() {
    this.#tool = await toolFrom(this.#exported, 'what testTool was given');
    const made = stateFrom(await this.#run('init', { config: structuredClone(this.#config) }));
    this.#state ??= asJson(made, 'InvalidResult', 'the state');
    this.#prepared = await this.#answer('prepare', { config: structuredClone(this.#config) });
    this.#schemas = schemasFrom(await this.#answer('get_tool_schemas', {}));
  }

  async shutdown() {
    await this.#answer('shutdown', {});
  }

  async isEnabled({ config = {}, tags = [], models = [], context = {} } = {}) {
    const request = asJson({ config, tags, models, context }, 'InvalidCall', 'the request');
    const said = (await this.#answer('is_enabled', request)) ?? null;
    if (said === null || typeof said === 'boolean') return said;
    throw new HostFault('InvalidResult', `isEnabled answered with ${JSON.stringify(said)}; it says true, false or null`);
  }

  async call(toolName, args = {}, { signal } = {}) {
    const names = this.#schemas.map((schema) => schema.function?.name ?? schema.name);
    if (!names.includes(toolName)) {
      const said = names.join(', ') || 'none';
      throw new HostFault('UnknownTool', `the schemas name no tool ${JSON.stringify(toolName)}; they name ${said}`);
    }
    const asked = asJson(args, 'InvalidCall', 'the arguments');
    const input = typeof asked === 'string' ? { payload: asked, payload_kind: 'text' } : { arguments: asked };
    const given = () => structuredClone({ tool_name: toolName, ...input });

    const preview = (await this.#answer('format_tool_call_preview', given())) ?? '';
    const { result, parts } = await this.#execute(given(), signal);
    const text = (await this.#answer('format_tool_result', { result })) ?? defaultText(result);
    const display = (await this.#answer('to_display_format', { text, result })) ?? { type: 'text', content: text };
    return { result, parts, state: this.state, preview, text, display };
  }

  async #execute(given, signal) {
    const parts = [];
    const state = this.state;
    let open = true;
    const emit = (event) => {
      if (!open) return console.error('emit was called after the answer; such parts are dropped');
      if (typeof event?.type !== 'string') throw new TypeError('emit takes an object with a type, such as "part"');
      const payload = asJson(event.payload, 'InvalidPart', 'the payload given to emit');
      if (event.type === 'part') parts.push(payload);
    };
    try {
      const returned = await this.#run('execute_tool', { ...given, state }, emit, signal);
      const result = resultFrom(asJson(returned, 'InvalidResult', 'the returned value'));
      this.#state = asJson(state, 'InvalidResult', 'the state');
      return { result, parts };
    } finally {
      open = false;
    }
  }

  /** What a method answers, as it arrives; null from one that the tool lacks. What it does to the state is dropped. */
  async #answer(method, params) {
    return asJson(await this.#run(method, { ...params, state: this.state }), 'InvalidResult', 'the returned value');
  }

  #run(method, params, emit, signal = new AbortController().signal) {
    const run = methodOf(this.#tool, method);
    const context = new ToolContext({ signal }, { ...params, prepared: structuredClone(this.#prepared) });
    return run && Reflect.apply(run, this.#tool, METHODS.get(method).args(params, emit, context));
  }
}

function asJson(value, fault, what) {
  return JSON.parse(encode(value, fault, what));
}
