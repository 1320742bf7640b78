// A host that floods: its tool `flood` writes for so many seconds, or so many times, what is no use to anybody.

import { writeSync } from 'node:fs';
import { createInterface } from 'node:readline';

const schema = (name) => ({ type: 'function', function: { name, parameters: { type: 'object' } } });
const encode = (message) => Buffer.from(`${JSON.stringify(message)}\n`);
const many = (line, times) => Buffer.alloc(line.length * times, line);

const KINDS = {
  prints: () => Buffer.from('a stray line of some words\n'),
  parts: (id) => encode({ v: 1, id, event: { type: 'part', payload: 'a part of some words' } }),
  duplicates: (id) => encode({ v: 1, id, ok: true, result: { value: { success: true, result: 'again' } } }),
};

function write(data) {
  for (let left = data; left.length > 0; ) {
    try {
      left = left.subarray(writeSync(1, left));
    } catch (error) {
      if (error.code !== 'EAGAIN') throw error;
    }
  }
}

let before = 'nobody';

function flood(id, { kind, seconds = 0, times = 0 }) {
  const line = KINDS[kind](kind === 'duplicates' ? before : id);
  before = id;
  const chunk = many(line, Math.floor(65_536 / line.length));
  for (const end = Date.now() + seconds * 1000; Date.now() < end; ) write(chunk);
  if (times > 0) write(many(line, times));
  return { success: true, result: line.length * times };
}

createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params } = JSON.parse(line);
  const answer = (value) => write(encode({ v: 1, id, ok: true, result: { value, state: {} } }));
  if (method === 'get_tool_schemas') answer([schema('flood')]);
  else if (method === 'execute_tool') answer(flood(id, params.arguments));
  else answer({});
});
