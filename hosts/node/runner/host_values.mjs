// What a tool returns, said in JSON, and the faults of saying it. Knows no request and no stream.

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
  let text;
  try {
    text = JSON.stringify(value === undefined ? null : value);
  } catch (error) {
    throw new HostFault(fault, `${what} cannot be written as JSON: ${messageOf(error)}`);
  }
  if (text === undefined) throw new HostFault(fault, `${what} is a ${typeof value}, which JSON cannot say`);
  // An escape that is left here is half a surrogate pair, as of an emoji cut in two; UTF-8 has no bytes for it.
  return text.includes('\\ud') ? text.replace(/(\\\\)|\\ud[89a-f]../g, (_, pair) => pair ?? '\ufffd') : text;
}

function messageOf(thrown) {
  try {
    return String(thrown?.message ?? thrown);
  } catch {
    return 'something was thrown that throws again when it is looked at';
  }
}

export const isObject = (value) => typeof value === 'object' && value !== null && !Array.isArray(value);
