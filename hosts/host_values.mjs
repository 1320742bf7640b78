// What a tool returns or throws, said in JSON. Knows no request and no stream.

import { inspect, types } from 'node:util';

/** A fault that the host itself reports; `name` becomes `error.type`. */
export class HostFault extends Error {
  constructor(name, message) {
    super(message);
    this.name = name;
    Error.captureStackTrace(this, HostFault); // once more, now that the name is right
  }
}

/** Say whatever was thrown as the protocol's error object. Never throws, whatever it is given. */
export function describe(thrown, phase) {
  try {
    if (!types.isNativeError(thrown) && typeof thrown?.message !== 'string') {
      return { type: 'NonError', detail: typeof thrown === 'string' ? thrown : inspect(thrown), stack: '', phase };
    }
    const code = typeof thrown.code === 'string' ? thrown.code : undefined;
    // inspect, not thrown.stack: it tells the cause too, and there fetch and its like keep the reason.
    return { type: String(thrown.name), detail: String(thrown.message), stack: inspect(thrown), code, phase };
  } catch {
    return { type: 'Error', detail: 'something was thrown that throws again when it is looked at', stack: '', phase };
  }
}

/** Write a value as JSON; what JSON cannot say is a HostFault called `fault`, about `what`. */
export function encode(value, fault, what) {
  let text;
  try {
    text = JSON.stringify(value === undefined ? null : value);
  } catch (error) {
    throw new HostFault(fault, `${what} cannot be written as JSON: ${describe(error).detail}`);
  }
  if (text === undefined) throw new HostFault(fault, `${what} is a ${typeof value}, which JSON cannot say`);
  // An escape that is left here is half a surrogate pair, as of an emoji cut in two; UTF-8 has no bytes for it.
  return text.includes('\\ud') ? text.replace(/(\\\\)|\\ud[89a-f]../g, (_, pair) => pair ?? '\ufffd') : text;
}
