import assert from 'node:assert/strict';
import { test } from 'node:test';

import { TemplateTool } from '../src/index.js';

const fill = (tool, state, template, values) => tool.executeTool('fill_template', { template, values }, state);

test('every place gets its value', () => {
  const tool = new TemplateTool();

  const result = fill(tool, tool.init({}), '{{ a }} and {{b}}, {{a}}!', { a: 'x', b: 2 });

  assert.deepEqual(result, { success: true, result: { text: 'x and 2, x!', missing: [] } });
});

test('a template without places stays as it is', () => {
  const tool = new TemplateTool();

  assert.equal(fill(tool, tool.init({}), 'plain', {}).result.text, 'plain');
});

test('a missing value is named, and fails the call unless the configuration stands in for it', () => {
  const strict = new TemplateTool();
  const lenient = new TemplateTool();

  assert.deepEqual(fill(strict, strict.init({}), '{{a}} {{a}} {{b}}', {}), {
    success: false,
    error: 'no value for a, b',
  });
  assert.deepEqual(fill(lenient, lenient.init({ missing: '?' }), '{{a}}-{{b}}', { b: 1 }).result, {
    text: '?-1',
    missing: ['a'],
  });
});

test('a value that only an object prototype has is missing', () => {
  const tool = new TemplateTool();

  assert.equal(fill(tool, tool.init({}), '{{constructor}}', {}).success, false);
});

test('the tally is in the state, so a new instance goes on with it', () => {
  const first = new TemplateTool();
  const state = first.init({});
  fill(first, state, 't', {});

  const copy = JSON.parse(JSON.stringify(state));
  fill(new TemplateTool(), copy, 't', {});

  assert.equal(copy.filled, 2);
});

test('what is no template is refused', () => {
  const tool = new TemplateTool();

  assert.equal(fill(tool, tool.init({}), 7, {}).error, 'template must be a string');
  assert.equal(tool.executeTool('other', {}, tool.init({})).error, 'Unknown tool: other');
});
