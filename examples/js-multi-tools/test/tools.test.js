import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';

import * as tools from '../src/index.js';

test('every tool that the package lists is exported, and offers a tool by its id', () => {
  const packageJson = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));

  for (const { id, export: name } of packageJson.agent.tools) {
    assert.equal(tools[name].getToolSchemas()[0].function.name, id);
  }
});

test('reversing keeps what is one character in one piece', () => {
  assert.equal(tools.reverse('añ👩‍👩‍👧b').text, 'b👩‍👩‍👧ña');
  assert.equal(tools.reverse('').text, '');
});

test('words are counted, and what is between them is not', () => {
  assert.deepEqual(tools.countWords('To be, or  not?'), { words: 4, characters: 15 });
  assert.deepEqual(tools.countWords(''), { words: 0, characters: 0 });
});

test('a call runs the function behind the tool', () => {
  assert.deepEqual(tools.echoTool.executeTool('echo', { text: 'x' }), { success: true, result: { text: 'x' } });
});

test('another tool and another type are refused', () => {
  assert.equal(tools.echoTool.executeTool('reverse', { text: 'x' }).error, 'Unknown tool: reverse');
  assert.equal(tools.reverseTool.executeTool('reverse', { text: 1 }).error, 'text must be a string');
});
