// What Callboard makes of the answers of a tool, for the tests of it: what is refused, and what stands in for what is
// left out. The originals are in Python; a test puts the same answers to both.

import { inspect } from 'node:util';

import { HostFault } from '../host_tool.mjs';

const isObject = (value) => typeof value === 'object' && value !== null && !Array.isArray(value);

function refuse(what) {
  throw new HostFault('InvalidResult', what);
}

/** The state that `init` returned; a tool that keeps none may return nothing. */
export function stateFrom(value) {
  const state = value ?? {};
  if (!isObject(state)) refuse(`init returned ${inspect(value)}; state is an object`);
  return state;
}

/** The schemas that a tool returned. */
export function schemasFrom(value) {
  if (!Array.isArray(value) || !value.every(isObject)) refuse(`getToolSchemas returned ${inspect(value)}; it returns an array of schemas`);
  return value;
}

/** The result that a tool answered with, completed where it may be left incomplete. */
export function resultFrom(answer) {
  if (!isObject(answer)) refuse(`the tool answered with ${inspect(answer)}; a result is an object with "success"`);
  if (!('success' in answer)) answer.success = (answer.error ?? null) === null;
  if (typeof answer.success !== 'boolean') refuse(`the tool's answer has ${inspect(answer.success)} as "success"; it is true or false`);
  if (answer.success && !('result' in answer) && 'output' in answer) answer.result = answer.output;
  if (!answer.success && typeof answer.error !== 'string') sayError(answer);
  return answer;
}

function sayError(answer) {
  const error = answer.error ?? null;
  if (error === null) {
    answer.error = 'the tool reported a failure and did not say why';
    return;
  }
  answer.error = typeof error.message === 'string' && error.message !== '' ? error.message : JSON.stringify(error);
  answer.error_details = error;
}

/** What the model reads of a result whose tool does not format it. */
export function defaultText(result) {
  if (result.success) {
    const { success, ...rest } = result;
    if ('result' in rest) return asText(rest.result);
    return Object.keys(rest).length > 0 ? asText(rest) : '';
  }
  const output = asText(result.output);
  return `Error: ${asText(result.error)}${output && `\n${output}`}`;
}

function asText(value) {
  if (value === undefined || value === null) return '';
  return typeof value === 'string' ? value : JSON.stringify(value);
}
