// What a tool that Callboard runs looks like, and `testTool`, which runs one as a host does.

/** What JSON can say; `undefined` in an object is left out. */
export type Json = null | boolean | number | string | Json[] | { [key: string]: Json | undefined };

/** A JSON Schema. */
export type JsonSchema = { [key: string]: unknown };

/**
 * Tells something before the answer. An event of the type `part` reaches whoever reads the call's parts, at once;
 * its payload is JSON. After the answer nothing is told any more.
 */
export type ToolHostEmit = (event: { type: string; payload?: unknown }) => void;

/**
 * A tool's own JSON object. It goes to the tool with each call and comes back with the answer, so what is in it
 * outlives the process; what a call that throws has done to it is dropped.
 */
export type ToolState = { [key: string]: any };

export interface ToolSuccess {
  success: true;
  result?: unknown;
  [key: string]: unknown;
}

export interface ToolFailure {
  success: false;
  /** What went wrong, for the model. */
  error: string;
  [key: string]: unknown;
}

/** How a call ends. It is JSON; a thrown error is told as one of the tool, by the code `tool_raised`. */
export type ToolResult = ToolSuccess | ToolFailure;

/** A tool as the model sees it. Others are read too: whatever your Callboard's registry knows. */
export interface FunctionSchema {
  type: 'function';
  function: { name: string; description?: string; parameters?: JsonSchema; strict?: boolean };
}

export type ToolSchema = FunctionSchema | { [key: string]: unknown };

/** What people see of a result. */
export interface ToolDisplay {
  type: string;
  content?: unknown;
  single_line?: string;
  [key: string]: unknown;
}

/** A result in a provider's own form; any other object that `formatToolResult` returns is told as its text. */
export interface ProviderNativeResult {
  type: 'provider_native_tool_result';
  [key: string]: unknown;
}

/** What a tool is told of a call beside its arguments. Absent where the client knows version 1 of the protocol alone. */
export interface ToolContext {
  /** Aborted when nobody waits for the result any more. */
  readonly signal: AbortSignal;
  /** The same as the arguments; a text for a tool that takes one. */
  readonly payload: any;
  /** `object`, `text`, or as the call's own format says. */
  readonly payloadKind: string;
  readonly payloadFormat: string | null;
  readonly payloadMetadata: any;
  /** The call as it came, and the schema that it was matched with, of a tool that `wants` them. */
  readonly toolCall: any;
  readonly toolSchema: any;
  /** By which a tool that `wants` it knows a call that it has seen before. */
  readonly key: string | null;
  /** What `prepare` returned. */
  readonly prepared: any;
}

type Awaitable<T> = T | Promise<T>;

/**
 * The methods of a tool; three are required. Any may be asynchronous. Whatever prints to stdout is told on stderr.
 *
 * @typeParam State what `init` makes.
 * @typeParam Config the plugin's `config`, as it stands in the configuration.
 */
export interface Tool<State extends object = ToolState, Config extends object = { [key: string]: any }> {
  name?: string;
  version?: string;

  /** The first state. Called once in each process; after a restart the state that was kept takes its place. */
  init(config: Config): Awaitable<State | void>;

  /** What takes time before the first call: a connection, a discovery. What it returns is JSON, and `context.prepared`. */
  prepare?(config: Config, state: State, context?: ToolContext): any;
  prepareAsync?(config: Config, state: State, context?: ToolContext): any;

  getToolSchemas(state: State, context?: ToolContext): Awaitable<readonly ToolSchema[]>;

  /** Whether a call is this tool's own: true claims it, false rejects it, null leaves it to its name. */
  canHandleToolCall?(
    toolName: string | null,
    payload: any,
    state: State,
    context?: ToolContext,
  ): Awaitable<boolean | null | undefined>;

  /**
   * Runs a call. `args` is an object, held to the schema's `parameters` before, or a text for a tool that takes one;
   * `state` may be changed, and is kept with the answer.
   */
  executeTool(
    toolName: string,
    args: any,
    state: State,
    emit: ToolHostEmit,
    context?: ToolContext,
  ): Awaitable<ToolResult>;

  /** What the model reads; the result as text without it. */
  formatToolResult?(result: any, state: State): Awaitable<string | ProviderNativeResult>;

  /** What a person sees before a call runs. */
  formatToolCallPreview?(toolName: string, args: any, state: State, context?: ToolContext): Awaitable<string>;

  /** What a person sees of a result, beside what the model reads. */
  toDisplayFormat?(text: string, result: any, state: State): Awaitable<ToolDisplay>;

  /** What `config` may be. */
  getConfigSchema?(): Awaitable<JsonSchema>;

  getUiElements?(): Awaitable<readonly { [key: string]: unknown }[]>;

  /** Tags that this tool adds to a request. */
  getTags?(config: Config, models: readonly { [key: string]: unknown }[]): Awaitable<readonly string[]>;

  /** Tags without which this tool is left out of a request. */
  requiredTags?(): Awaitable<readonly string[]>;

  /** Tags with which it is. */
  forbiddenTags?(): Awaitable<readonly string[]>;

  /**
   * Whether this tool takes part in a request of the model: true and false count whatever the tags say, null leaves it
   * to them. `config` is the request's; of the request's context there is what JSON can say.
   */
  isEnabled?(
    config: { [key: string]: any },
    tags: readonly string[],
    models: readonly { [key: string]: unknown }[],
    context: { [key: string]: any },
  ): Awaitable<boolean | null | undefined>;

  /** Gives back what the process holds; it is about to end. */
  shutdown?(state: State): any;

  /** Names, as on the wire, of further facts that `context` is to have: `tool_call`, `tool_schema`, `key`. */
  wants?: readonly string[];
}

/** What an entry of `package.json#agent.tools` may name: a tool, a class of tools, or a function that makes one. */
export type ToolExport<State extends object = ToolState, Config extends object = any> =
  | Tool<State, Config>
  | (new () => Tool<State, Config>)
  | (() => Awaitable<Tool<State, Config>>);

/** A schema of a library such as zod or valibot, as https://standardschema.dev has it; `jsonSchema` is in newer ones. */
export interface StandardSchema<Output = unknown> {
  readonly '~standard': {
    readonly version: 1;
    readonly vendor: string;
    readonly validate: (value: unknown, ...options: any[]) => unknown;
    readonly types?: { readonly input: unknown; readonly output: Output } | undefined;
    readonly jsonSchema?: { readonly input: (options: { target: any }) => Record<string, unknown> } | undefined;
  };
}

/** What a function is given beside its arguments. */
export interface ExecuteOptions {
  /** Aborted when nobody waits for the result any more. */
  readonly signal: AbortSignal | undefined;
  /** Tells a part, which is JSON, before the result. */
  readonly part: (payload: unknown) => void;
  readonly context: ToolContext | undefined;
}

type ArgumentsOf<Parameters> = Parameters extends { readonly '~standard': { readonly types?: infer Types } }
  ? NonNullable<Types> extends { readonly output: infer Output }
    ? Output
    : any
  : any;

/** One tool of `defineTools`. */
export interface ToolDefinition<Parameters = unknown> {
  /** For the model. */
  description?: string;
  /** A JSON Schema of an object, or a schema of a library; without any it takes no arguments. */
  parameters?: Parameters;
  /** What `parameters` say in JSON Schema, where their library cannot. */
  jsonSchema?: JsonSchema;
  /** What it returns is the result. What a generator yields are parts. */
  execute(args: ArgumentsOf<Parameters>, options: ExecuteOptions): unknown;
}

/**
 * Make a tool of functions, by their names: `export const tools = defineTools({ wordCount: { …, execute } })`.
 *
 * Throws a TypeError for a definition that cannot be used; names the tool.
 */
export function defineTools<All extends { [name: string]: unknown }>(
  definitions: { [Name in keyof All]: ToolDefinition<All[Name]> },
): Tool;

/** What came of a call. All of it has been JSON on its way, as between a host and Callboard. */
export interface Called<State extends object = ToolState> {
  result: any;
  /** The payloads of the parts, in order. */
  parts: any[];
  /** The state that is kept, which the next call is given. */
  state: State;
  /** What a person sees before the call; empty without `formatToolCallPreview`. */
  preview: string;
  /** What the model reads. */
  text: any;
  /** What a person sees of the result. */
  display: any;
}

/** A tool under test. */
export interface TestedTool<State extends object = ToolState> {
  /** What `getToolSchemas` returned. */
  readonly schemas: any[];
  /** The state that is kept. */
  readonly state: State;
  /** What `prepare` returned; null without one. */
  readonly prepared: any;
  /**
   * Calls a tool by name, with an object or a raw text. An aborted `signal` is told to the tool, as a cancelled call is. Rejects with what the tool throws, and with a `ToolFault` where the host would report one:
   * no such tool, an answer without `success`, something that JSON cannot say.
   */
  call(toolName: string, args?: object | string, options?: { signal?: AbortSignal }): Promise<Called<State>>;
  /**
   * What the tool says of a request, each part of which is empty unless it is given; null if it has no word of its own.
   * Rejects with what the tool throws, and with a `ToolFault` for any other answer.
   */
  isEnabled(request?: {
    config?: object;
    tags?: readonly string[];
    models?: readonly object[];
    context?: object;
  }): Promise<boolean | null>;
  /** Goes on as after a crash: a new tool from the same export, `init`, and the state that was kept. */
  restart(): Promise<void>;
  /** Ends as a host does that is stopped: `shutdown`. */
  shutdown(): Promise<void>;
}

/**
 * Make a tool ready to be called in a test, as a host does: find its methods, `init`, schemas. Nothing is started
 * for it, so a debugger stops in it and coverage counts it.
 *
 * @param tool what `package.json#agent.tools` would name as `export`.
 * @param options `config` is the plugin's; it reaches `init` as JSON.
 */
export function testTool<State extends object>(
  tool: ToolExport<State>,
  options?: { config?: object },
): Promise<TestedTool<State>>;

/** What is wrong with a tool, as a host would report it; `name` is the error's type in the protocol. */
export class ToolFault extends Error {}
