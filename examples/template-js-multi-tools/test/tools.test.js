import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';

import * as tools from '../src/index.js';
import { countWords } from '../src/countWords.js';

const { echoTool, countWordsTool } = tools;

test('every tool that package.json lists is exported, and offers a tool by its id', () => {
  const packageJson = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));

  for (const { id, export: name } of packageJson.agent.tools) {
    assert.equal(tools[name].getToolSchemas()[0].function.name, id);
  }
});

test('a call answers with the value, and counts itself in a state that is JSON', async () => {
  const first = echoTool.init({ greeting: 'You said: ' });
  await echoTool.executeTool('echo', { value: 'a' }, first, () => {});

  const kept = JSON.parse(JSON.stringify(first)); // as after a restart
  const result = await echoTool.executeTool('echo', { value: 'b' }, kept, () => {});

  assert.deepEqual(result, { success: true, result: { value: 'You said: b', calls: 2 } });
});

test('a part is told before the answer', async () => {
  const events = [];

  await echoTool.executeTool('echo', { value: 'a' }, echoTool.init({}), (event) => events.push(event));

  assert.deepEqual(events, [{ type: 'part', payload: { message: 'working...' } }]);
});

test('a call that is cancelled ends at once', async () => {
  const context = { signal: AbortSignal.abort() };

  const call = echoTool.executeTool('echo', { value: 'a', seconds: 60 }, echoTool.init({}), () => {}, context);

  await assert.rejects(call, { name: 'AbortError' });
});

test('words are counted, and what is between them is not', () => {
  assert.equal(countWords('To be, or  not?'), 4);
  assert.equal(countWords(''), 0);
});

test('what is no call of the tool is a failure that says why', async () => {
  assert.deepEqual(countWordsTool.executeTool('count_words', {}), { success: false, error: 'text must be a string' });
  assert.equal((await echoTool.executeTool('other', {}, {}, () => {})).error, 'Unknown tool: other');
});

test('the model reads a sentence, whether the call succeeded or not', () => {
  assert.equal(countWordsTool.formatToolResult({ success: true, result: { words: 3 } }), '3 words');
  assert.equal(echoTool.formatToolResult({ success: false, error: 'no' }), 'Error: no');
});
