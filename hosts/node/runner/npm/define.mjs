// `defineTools`: functions and what they take, made a tool as the host knows it. Knows no request, as the rest of this folder.

import { isObject } from '../host_tool.mjs';

const TARGET = 'draft-2020-12';

export function defineTools(definitions) {
  const tools = new Map(Object.entries(definitions).map(([name, each]) => [name, new DefinedTool(name, each)]));
  return {
    init: () => ({}),
    getToolSchemas: () => [...tools.values()].map((tool) => tool.schema),
    executeTool: (name, args, state, emit, context) => tools.get(name).run(args, emit, context),
  };
}

class DefinedTool {
  #execute;
  #standard;

  constructor(name, { description, parameters, jsonSchema, execute }) {
    if (typeof execute !== 'function') throw new TypeError(`the tool ${name} has no execute, which has to be a function`);
    this.#execute = execute;
    this.#standard = parameters?.['~standard'];
    const said = jsonSchema ?? (this.#standard ? schemaOf(name, this.#standard) : parameters);
    if (said !== undefined && !isObject(said)) throw new TypeError(`the parameters of the tool ${name} are no object`);
    const { $schema: _, ...schema } = said ?? { type: 'object', properties: {} };
    this.schema = { type: 'function', function: { name, ...(description && { description }), parameters: schema } };
  }

  async run(args, emit, context) {
    const read = this.#standard ? await this.#standard.validate(args) : { value: args };
    if (read.issues) return { success: false, error: read.issues.map(issueText).join('; ') };
    const part = (payload) => emit({ type: 'part', payload });
    const answer = await this.#execute(read.value, { signal: context?.signal, part, context });
    return { success: true, result: isIterator(answer) ? await drained(answer, part) : answer };
  }
}

/** What a library says of its schema in JSON Schema, in the standard's own way: https://standardschema.dev/json-schema. */
function schemaOf(name, { jsonSchema, vendor }) {
  if (typeof jsonSchema?.input === 'function') return jsonSchema.input({ target: TARGET });
  throw new TypeError(
    `the parameters of the tool ${name} are of ${vendor}, which does not say them in JSON Schema; give that as jsonSchema`,
  );
}

function issueText({ message, path = [] }) {
  const place = path.map((step) => (isObject(step) ? step.key : step)).join('.');
  return place ? `the argument ${place}: ${message}` : message;
}

const isIterator = (value) => typeof value?.next === 'function' && typeof value.return === 'function';

/** The parts are what it yields, and the result is what it returns. */
async function drained(parts, part) {
  for (;;) {
    const { done, value } = await parts.next();
    if (done) return value;
    part(value);
  }
}
