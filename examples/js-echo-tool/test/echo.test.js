import assert from 'node:assert/strict';
import { test } from 'node:test';

import defaultExport, { echoTool } from '../src/index.js';

test('a call answers with the value and counts itself in the state', async () => {
  const state = echoTool.init({ greeting: 'hi' });

  const first = await echoTool.executeTool('echo', { value: 'a' }, state, () => {});
  const second = await echoTool.executeTool('echo', { value: 'b' }, state, () => {});

  assert.deepEqual(first, { success: true, result: { value: 'a', calls: 1 } });
  assert.deepEqual(second, { success: true, result: { value: 'b', calls: 2 } });
  assert.deepEqual(state, { config: { greeting: 'hi' }, calls: 2 });
});

test('a part is emitted before the answer', async () => {
  const events = [];

  await echoTool.executeTool('echo', { value: 'a' }, echoTool.init({}), (event) => events.push(event));

  assert.deepEqual(events, [{ type: 'part', payload: { message: 'working...' } }]);
});

test('another tool is refused, and not counted', async () => {
  const state = echoTool.init({});

  const result = await echoTool.executeTool('shout', { value: 'a' }, state, () => {});

  assert.deepEqual(result, { success: false, error: 'Unknown tool: shout' });
  assert.equal(state.calls, 0);
});

test('success and failure are formatted for the model and for a person', () => {
  const success = { success: true, result: { value: 'a', calls: 1 } };
  const failure = { success: false, error: 'no' };

  assert.equal(echoTool.formatToolResult(success), 'Echo: a');
  assert.equal(echoTool.formatToolResult(failure), 'Error: no');
  assert.equal(echoTool.toDisplayFormat('Echo: a', success).single_line, 'echo a');
  assert.equal(echoTool.toDisplayFormat('Error: no', failure).single_line, 'echo (error)');
  assert.equal(echoTool.formatToolCallPreview('echo', { value: 'a' }), 'echo "a"');
});

test('the default export is the same tool', () => {
  assert.equal(defaultExport, echoTool);
});
