// A tool as an author writes it: what it returns, what it is told of a call, and how it is made of a module.
//
// Knows no request and no stream: `callboard-tool` runs a tool by this without a host.

import { fileURLToPath, pathToFileURL } from 'node:url';

// --- Values --------------------------------------------------------------------------------------
//
// What a tool returns, said in JSON, and the faults of saying it.

/** A fault that the host itself reports; `name` becomes `error.type`. */
export class HostFault extends Error {
  constructor(name, message) {
    super(message);
    this.name = name;
    Error.captureStackTrace(this, HostFault); // once more, now that the name is right
  }
}

/** Write a value as JSON; what JSON cannot say is a HostFault called `fault`, about `what`. */
export function encode(value, fault, what) {
  let text, lost;
  try {
    text = JSON.stringify(value === undefined ? null : value);
    lost = text?.includes('null') ? lostNumber(value) : undefined;
  } catch (error) {
    throw new HostFault(fault, `${what} cannot be written as JSON: ${messageOf(error)}`);
  }
  if (lost !== undefined) throw new HostFault(fault, `${what} cannot be written as JSON: $${lost}`);
  if (text === undefined) throw new HostFault(fault, `${what} is a ${typeof value}, which JSON cannot say`);
  // An escape that is left here is half a surrogate pair, as of an emoji cut in two; UTF-8 has no bytes for it.
  return text.includes('\\ud') ? text.replace(/(\\\\)|\\ud[89a-f]../g, (_, pair) => pair ?? '\ufffd') : text;
}

/** Where a number is NaN or infinite, which would be written as null; undefined if none is. What has a `toJSON` has its own word. */
function lostNumber(value) {
  if (typeof value === 'number') return Number.isFinite(value) ? undefined : ` is ${value}`;
  if (typeof value !== 'object' || value === null || typeof value.toJSON === 'function') return undefined;
  for (const key of Object.keys(value)) {
    const lost = lostNumber(value[key]);
    if (lost !== undefined) return (Array.isArray(value) ? `[${key}]` : `.${key}`) + lost;
  }
  return undefined;
}

function messageOf(thrown) {
  try {
    return String(thrown?.message ?? thrown);
  } catch {
    return 'something was thrown that throws again when it is looked at';
  }
}

export const isObject = (value) => typeof value === 'object' && value !== null && !Array.isArray(value);

// --- The context ---------------------------------------------------------------------------------
//
// What a tool is told of a call beside its arguments: the last argument of the methods that take a call, and of those
// that may use what was prepared. Only clients that have asked for a description send any of it.

/**
 * Reads what the request has when it is asked, so that a tool which asks nothing costs nothing.
 *
 * @param call knows whether it is cancelled.
 * @param params of the request.
 */
export class ToolContext {
  #call;
  #params;

  constructor(call, params) {
    this.#call = call;
    this.#params = params;
  }

  /** An AbortSignal that is aborted when nobody waits for the result any more. */
  get signal() {
    return this.#call.signal;
  }

  /** What the tool is to work on: an object, or what the kind says. The same as its arguments. */
  get payload() {
    return payloadOf(this.#params);
  }

  /** `object`, `text`, or as the call's own format says. */
  get payloadKind() {
    return this.#params.payload_kind ?? 'object';
  }

  /** Of raw text, where it is known. */
  get payloadFormat() {
    return this.#params.payload_format ?? null;
  }

  /** Further facts from the call's own format. */
  get payloadMetadata() {
    return this.#params.payload_metadata ?? null;
  }

  /** The call as it came, where the client sends it. */
  get toolCall() {
    return this.#params.tool_call ?? null;
  }

  /** The schema that the call was matched with, where the client sends it. */
  get toolSchema() {
    return this.#params.tool_schema ?? null;
  }

  /** By which a tool knows a call that it has seen before, where it wants `key` and the caller gave one. */
  get key() {
    return this.#params.key ?? null;
  }

  /** What the tool's own `prepare` returned. */
  get prepared() {
    return this.#params.prepared ?? null;
  }
}

/** What a call gives a tool to work on: version 1 has arguments alone, and always an object. */
function payloadOf(params) {
  return params.arguments ?? params.payload ?? {};
}

// --- The tool ------------------------------------------------------------------------------------
//
// From a module to a tool that can be called: which methods a tool has, and which export is one. Loads the plugin and
// runs its factory or constructor, but none of its methods.

/**
 * Wire name -> the tool's own name for it, its positional arguments, whether a tool must have it.
 *
 * `also` is a second name that a tool may know it by. A client of version 1 knows nothing of the `extended` ones, nor
 * of the context that the others are given last. Which methods carry state is not said here: state goes back where
 * state came in.
 */
export const METHODS = new Map(Object.entries({
  init: { name: 'init', required: true, args: (p) => [p.config ?? {}] },
  prepare: {
    name: 'prepare',
    also: 'prepareAsync',
    extended: true,
    args: (p, _, context) => [p.config ?? {}, p.state, context],
  },
  get_tool_schemas: { name: 'getToolSchemas', required: true, args: (p, _, context) => and(context, p.state) },
  can_handle_tool_call: {
    name: 'canHandleToolCall',
    extended: true,
    args: (p, _, context) => [p.tool_name, payloadOf(p), p.state, context],
  },
  execute_tool: {
    name: 'executeTool',
    required: true,
    args: (p, emit, context) => and(context, p.tool_name, payloadOf(p), p.state, emit),
  },
  get_config_schema: { name: 'getConfigSchema', args: () => [] },
  get_ui_elements: { name: 'getUiElements', args: () => [] },
  get_tags: { name: 'getTags', args: (p) => [p.config ?? {}, p.models ?? []] },
  required_tags: { name: 'requiredTags', args: () => [] },
  forbidden_tags: { name: 'forbiddenTags', args: () => [] },
  is_enabled: {
    name: 'isEnabled',
    extended: true,
    args: (p) => [p.config ?? {}, p.tags ?? [], p.models ?? [], p.context ?? {}],
  },
  format_tool_result: { name: 'formatToolResult', args: (p) => [p.result, p.state] },
  format_tool_call_preview: {
    name: 'formatToolCallPreview',
    args: (p, _, context) => and(context, p.tool_name, payloadOf(p), p.state),
  },
  to_display_format: { name: 'toDisplayFormat', args: (p) => [p.text, p.result, p.state] },
  shutdown: { name: 'shutdown', extended: true, args: (p) => [p.state] },
}));

const and = (context, ...given) => (context === undefined ? given : [...given, context]);

const REQUIRED = [...METHODS.keys()].filter((wireName) => METHODS.get(wireName).required);

/** The tool's function for a wire method, under its own name or the wire's; undefined when it lacks both. */
export function methodOf(tool, wireName) {
  const { name, also } = METHODS.get(wireName);
  if (typeof tool[name] === 'function') return tool[name];
  if (also !== undefined && typeof tool[also] === 'function') return tool[also];
  return typeof tool[wireName] === 'function' ? tool[wireName] : undefined;
}

/** There is a module, but no tool in it where one was said to be. */
class ExportError extends Error {
  name = 'ExportError';
}

/**
 * Import the module and make a tool of its export. Throws what its author can act on.
 *
 * @param place the entry as its author knows it; the module that is loaded for it; a folder for what Node compiles,
 *   which it would otherwise only write at an end that a host may not live to see.
 */
export async function loadTool({ entry, module: path, compiled }, exportName) {
  const cache = compiled === undefined ? undefined : process.getBuiltinModule('node:module');
  cache?.enableCompileCache(compiled);
  let module;
  try {
    module = await import(pathToFileURL(path).href);
  } catch (error) {
    throw await explained(error, path);
  }
  cache?.flushCompileCache?.();
  return toolFrom(await exportOf(module, exportName, entry), `the export "${exportName}" of ${entry}`);
}

function exportOf(module, name, entry) {
  // CommonJS arrives as `default`, whole: a transpiled default, and names Node could not see in it, stand inside.
  const inside = Object(module.default);
  if (name === 'default' && inside.__esModule && 'default' in inside) return inside.default;
  if (name in module) return module[name];
  if (Object.hasOwn(inside, name)) return inside[name];
  const names = Object.keys(module).filter((each) => each !== 'module.exports');
  throw new ExportError(
    `${entry} has no export "${name}"; it exports ${names.join(', ') || 'nothing'}. ` +
      'Name the one to run as "export" in package.json#agent.tools, or in the entry of the file',
  );
}

/** Make a tool of what a module exports; `label` says in an error what that is. */
export async function toolFrom(exported, label) {
  let made = exported;
  if (typeof exported === 'function') made = isClass(exported) ? new exported() : await exported();
  const lacks = REQUIRED.filter((wireName) => !isObject(made) || !methodOf(made, wireName));
  if (lacks.length === 0) return made;
  const names = (wireNames) => wireNames.map((wireName) => METHODS.get(wireName).name).join(', ');
  throw new ExportError(
    `${label} is ${made === exported ? '' : 'a function that makes '}${shapeOf(made)}, without ${names(lacks)}; ` +
      `expected an object, a class, or a function that returns an object, with ${names(REQUIRED)}`,
  );
}

/** Whether to call it with `new`; a class transpiled to a function is known by the methods on its prototype. */
function isClass(exported) {
  if (/^class\b/.test(Function.prototype.toString.call(exported))) return true;
  return isObject(exported.prototype) && REQUIRED.some((wireName) => methodOf(exported.prototype, wireName));
}

function shapeOf(value) {
  if (value === null || value === undefined) return String(value);
  if (isObject(value)) return `an object with ${Object.keys(value).join(', ') || 'no properties of its own'}`;
  return Array.isArray(value) ? 'an array' : `a ${typeof value}`;
}

/** Add what Node keeps to itself about why a module cannot be imported. */
async function explained(error, entry) {
  if (error instanceof SyntaxError && !wasThrown(error)) {
    const told = PLACE.exec(error.stack)?.[0]; // of CommonJS it is
    const place = told ?? (await placeOfSyntaxError(entry));
    if (place) {
      if (!told) error.stack = place + error.stack;
      error.message += ` (${place.slice(0, place.indexOf('\n'))})`;
    }
  }
  return error;
}

/** A place in a file, the line there, and a mark below it, as Node tells of syntax errors. */
const PLACE = /^.*:\d+\n[^]*?\n\n/;

/** Whether a module has thrown an error while it ran, and not Node before. */
function wasThrown(error) {
  return String(error.stack)
    .split('\n')
    .some((line) => line.includes('at ') && line.includes('file://') && !line.includes(import.meta.url));
}

/** See host_syntax.mjs; undefined where that cannot be found out, as in a sandbox without child processes. */
async function placeOfSyntaxError(entry) {
  const { spawnSync } = await import('node:child_process');
  const options = { encoding: 'utf8', stdio: ['ignore', 'ignore', 'pipe'], timeout: 5000 };
  const looking = fileURLToPath(new URL('host_syntax.mjs', import.meta.url));
  try {
    const words = ['--no-warnings', '--experimental-vm-modules', looking, entry];
    return PLACE.exec(spawnSync(process.execPath, words, options).stderr)?.[0];
  } catch {
    return undefined;
  }
}
