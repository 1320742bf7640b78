// What the host takes of Node's own modules, where an `import` of these would cost each start of a host milliseconds.
//
// To import one of them is to read every name that it exports, and behind some of these a good part of Node is loaded
// only when they are read: the promises and streams of `fs`, the worker threads of `util`. Here nothing is read but
// what is named, and before a plugin can put something else in its place.

const get = process.getBuiltinModule;

export const { closeSync, constants, fstatSync, openSync, readdirSync, readFileSync, writeSync } = get('node:fs');
export const { Socket } = get('node:net');
export const { inspect, types } = get('node:util');
