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
  for (const line of lines) if (line !== '') hear(JSON.parse(line));
});

function hear(request) {
  const { parts = 0 } = request.params.arguments;
  for (let part = 1; part <= parts; part += 1) {
    writeSync(1, JSON.stringify({ v: 1, id: request.id, event: { type: 'part', payload: part } }) + '\n');
  }
  writeSync(1, answer(request));
}

function answer({ id, params }) {
  const result = { value: { success: true, result: params.arguments }, state: params.state };
  return JSON.stringify({ v: 1, id, ok: true, result }) + '\n';
}
