// `testTool` does with a tool what the host does, and says what is wrong with it in the same words.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { ToolFault, testTool } from '../../../hosts/node/runner/npm/index.mjs';

const schemaOf = (name) => ({ type: 'function', function: { name, parameters: { type: 'object' } } });
const tool = (parts) => ({ init: () => ({ calls: 0 }), getToolSchemas: () => [schemaOf('run')], ...parts });
const running = (executeTool, more) => testTool(tool({ executeTool, ...more }));
const fault = (name, message) => (error) => {
  assert.ok(error instanceof ToolFault);
  assert.equal(error.name, name);
  assert.match(error.message, message);
  return true;
};

test('an object, a class and a factory are made tools of, and get the config', async () => {
  class Kind {
    init = (config) => config;
    getToolSchemas = () => [schemaOf('run')];
    executeTool(name, args, state) {
      return { success: true, result: [name, args, state, this instanceof Kind] };
    }
  }

  for (const [exported, isClass] of [[Kind, true], [() => ({ ...new Kind(), executeTool: Kind.prototype.executeTool }), false]]) {
    const { result } = await (await testTool(exported, { config: { a: 1 } })).call('run', { b: 2 });

    assert.deepEqual(result.result, ['run', { b: 2 }, { a: 1 }, isClass]);
  }
  await assert.rejects(testTool({ init() {} }), /without getToolSchemas, executeTool; expected an object, a class/);
});

test('a call has its parts, its state, and what is shown of it', async () => {
  const executeTool = (_name, _args, state, emit) => {
    state.calls += 1;
    for (const payload of ['a', undefined, { b: undefined }]) emit({ type: 'part', payload });
    emit({ type: 'other', payload: 1 });
    return { success: true, result: 'done' };
  };
  const tested = await running(executeTool, {
    formatToolCallPreview: (name, args) => `${name} ${args.x}`,
    formatToolResult: (result, state) => `${result.result} ${state.calls}`,
    toDisplayFormat: (text) => ({ type: 'text', content: text, single_line: 'one' }),
  });

  assert.deepEqual(await tested.call('run', { x: 1 }), {
    result: { success: true, result: 'done' },
    parts: ['a', null, {}],
    state: { calls: 1 },
    preview: 'run 1',
    text: 'done 1',
    display: { type: 'text', content: 'done 1', single_line: 'one' },
  });
});

test('what the tool leaves out is made up for as Callboard does', async () => {
  const { preview, text, display } = await (await running(() => ({ success: false, error: 'no' }))).call('run');

  assert.deepEqual({ preview, text, display }, {
    preview: '',
    text: 'Error: no',
    display: { type: 'text', content: 'Error: no' },
  });
});

test('the state is kept with the answer, and nothing else reaches it', async () => {
  const tested = await running(
    (_name, { fail }, state) => {
      state.calls += 1;
      if (fail) throw new RangeError('no');
      return { success: false, error: 'told' };
    },
    { formatToolResult: (_result, state) => String((state.calls = 99)) },
  );

  await tested.call('run');
  await assert.rejects(tested.call('run', { fail: true }), RangeError);
  tested.state.calls = 77;

  assert.deepEqual(tested.state, { calls: 1 });
});

test('a restart makes a new tool and keeps the state', async () => {
  let made = 0;
  const tested = await testTool(() => {
    const which = (made += 1);
    return tool({ executeTool: (_name, _args, state) => ({ success: true, result: [which, (state.calls += 1)] }) });
  });

  const first = await tested.call('run');
  await tested.restart();
  const second = await tested.call('run');

  assert.deepEqual([first.result.result, second.result.result], [[1, 1], [2, 2]]);
});

test('what a host would report rejects, and costs no later call', async () => {
  const circle = {};
  circle.circle = circle;
  const answers = {
    nothing: undefined,
    list: [],
    odd: { success: 'yes' },
    big: { success: true, result: 10n },
    circle: { success: true, result: circle },
  };
  const tested = await running(async (_name, { answer, part, state: bad }, state, emit) => {
    if (part) emit(part === 'none' ? undefined : { type: 'part', payload: 1n });
    if (bad) state.value = () => {};
    if (bad) state.toJSON = () => undefined;
    return answer in answers ? answers[answer] : { success: true };
  });

  await assert.rejects(tested.call('runn'), fault('UnknownTool', /no tool "runn"; they name run/));
  await assert.rejects(tested.call('run', { a: 1n }), fault('InvalidCall', /the arguments cannot be written as JSON/));
  await assert.rejects(tested.call('run', { part: 'big' }), fault('InvalidPart', /payload given to emit/));
  await assert.rejects(tested.call('run', { part: 'none' }), /emit takes an object with a type/);
  await assert.rejects(tested.call('run', { answer: 'nothing' }), fault('InvalidResult', /answered with null/));
  await assert.rejects(tested.call('run', { answer: 'list' }), fault('InvalidResult', /a result is an object/));
  await assert.rejects(tested.call('run', { answer: 'odd' }), fault('InvalidResult', /'yes' as "success"/));
  await assert.rejects(tested.call('run', { answer: 'big' }), fault('InvalidResult', /the returned value cannot/));
  await assert.rejects(tested.call('run', { answer: 'circle' }), fault('InvalidResult', /circular/));
  await assert.rejects(tested.call('run', { state: true }), fault('InvalidResult', /the state is a /));
  assert.equal((await tested.call('run')).result.success, true);
});

test('what init and getToolSchemas may not return is refused', async () => {
  const executeTool = () => ({ success: true });

  assert.deepEqual((await running(executeTool, { init: () => undefined })).state, {});
  await assert.rejects(running(executeTool, { init: () => 3 }), fault('InvalidResult', /init returned 3/));
  await assert.rejects(running(executeTool, { getToolSchemas: () => ({}) }), fault('InvalidResult', /an array of schemas/));
});

test('a part after the answer is dropped', async () => {
  let late;
  const tested = await running((_name, _args, _state, emit) => {
    late = () => emit({ type: 'part', payload: 'late' });
    return { success: true };
  });

  const { parts } = await tested.call('run');
  late();

  assert.deepEqual(parts, []);
});

test('whether a tool takes part is its own word, or none', async () => {
  const executeTool = () => ({ success: true });
  const isEnabled = async ({ model }, tags, models, { trigger }) => {
    if (model === 'odd') return 'yes';
    return model ? [tags, models, trigger].every(Boolean) && trigger !== 'timer' : undefined;
  };
  const tested = await running(executeTool, { isEnabled });
  const config = { model: 'm' };

  assert.equal(await tested.isEnabled({ config }), false);
  assert.equal(await tested.isEnabled({ config, context: { trigger: 'core' } }), true);
  assert.equal(await tested.isEnabled(), null);
  assert.equal(await (await running(executeTool)).isEnabled({ config }), null);
  await assert.rejects(tested.isEnabled({ config: { model: 'odd' } }), fault('InvalidResult', /answered with "yes"/));
});

test('a tool is prepared, given raw text and the signal of its caller, and told of the end', async () => {
  const seen = [];
  const tested = await testTool(
    tool({
      prepareAsync: async (config, state) => ({ from: [config, state] }),
      executeTool: (name, args, state, emit, { payloadKind, prepared, signal }) => {
        return { success: true, result: [args, payloadKind, prepared, signal.aborted] };
      },
      shutdown: (state) => seen.push(state),
    }),
    { config: { a: 1 } },
  );
  const prepared = { from: [{ a: 1 }, { calls: 0 }] };

  const text = await tested.call('run', 'raw');
  const aborted = await tested.call('run', {}, { signal: AbortSignal.abort() });
  await tested.shutdown();

  assert.deepEqual(tested.prepared, prepared);
  assert.deepEqual(text.result.result, ['raw', 'text', prepared, false]);
  assert.deepEqual(aborted.result.result, [{}, 'object', prepared, true]);
  assert.deepEqual(seen, [{ calls: 0 }]);
});
