// The least that can be called a tool host: lines in, lines out, and an echo in between.
//
// It checks nothing, survives nothing and loads nothing. What it costs is the floor.

import { writeSync } from 'node:fs';

process.stdin.setEncoding('utf8');
let held = '';
process.stdin.on('data', (text) => {
  held += text;
  if (!text.endsWith('\n')) return;
  const lines = held.split('\n');
  held = '';
  for (const line of lines) if (line !== '') writeSync(1, answer(JSON.parse(line)));
});

function answer({ id, params }) {
  const result = { value: { success: true, result: params.arguments }, state: params.state };
  return JSON.stringify({ v: 1, id, ok: true, result }) + '\n';
}
