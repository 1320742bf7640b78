// What a tool is told of a call beside its arguments: the last argument of the methods that take a call, and of those
// that may use what was prepared. Only clients that have asked for a description send any of it.

/**
 * See the file. Reads what the request has when it is asked, so that a tool which asks nothing costs nothing.
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

  /** What the tool's own `prepare` returned. */
  get prepared() {
    return this.#params.prepared ?? null;
  }
}

/** What a call gives a tool to work on: version 1 has arguments alone, and always an object. */
export function payloadOf(params) {
  return params.arguments ?? params.payload ?? {};
}
