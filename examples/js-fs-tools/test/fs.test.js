import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, test } from 'node:test';

import { fsTools } from '../src/index.js';

let base;
let inside;
let outside;

beforeEach(async () => {
  base = await mkdtemp(path.join(tmpdir(), 'fs-tools-'));
  inside = path.join(base, 'inside');
  outside = path.join(base, 'outside');
  await mkdir(path.join(inside, 'deep'), { recursive: true });
  await mkdir(outside);
  await writeFile(path.join(inside, 'a.txt'), 'one\ntwo ünï\nthree\n');
  await writeFile(path.join(inside, 'deep', 'b.txt'), 'two again\n');
  await writeFile(path.join(outside, 'secret.txt'), 'two secrets\n');
});

afterEach(() => rm(base, { recursive: true }));

async function call(toolName, args, config = {}) {
  const parts = [];
  const state = fsTools.init({ allowed_paths: [inside], ...config });
  const result = await fsTools.executeTool(toolName, args, state, (event) => parts.push(event));
  return { ...result, parts };
}

test('a file is read whole', async () => {
  const { success, result, parts } = await call('read_file', { file_path: 'a.txt' });

  assert.equal(success, true);
  assert.deepEqual(result, { content: 'one\ntwo ünï\nthree\n', size: 20, truncated: false });
  assert.deepEqual(parts, []);
});

test('with stream on, the parts put together are the content', async () => {
  const long = 'ä€😀'.repeat(20_000);
  await writeFile(path.join(inside, 'long.txt'), long);

  const { result, parts } = await call('read_file', { file_path: 'long.txt' }, { stream: true });

  assert.ok(parts.length > 5);
  assert.ok(parts.every(({ type }) => type === 'part'));
  assert.equal(parts.map(({ payload }) => payload.content).join(''), long);
  assert.equal(result.content, long);
});

test('a file beyond the limit is cut off at a whole character, and said to be', async () => {
  const { result } = await call('read_file', { file_path: 'a.txt' }, { max_bytes: 9 });

  assert.deepEqual(result, { content: 'one\ntwo ', size: 20, truncated: true });
});

test('a folder is listed, folders first', async () => {
  const { result, parts } = await call('list_directory', {}, { stream: true });

  assert.deepEqual(result.entries, [
    { name: 'deep', type: 'directory' },
    { name: 'a.txt', type: 'file' },
  ]);
  assert.deepEqual(parts.map(({ payload }) => payload), result.entries);
});

test('a search finds lines below the folder, by file and number', async () => {
  const { result, parts } = await call('search_files', { text: 'two' }, { stream: true });

  assert.deepEqual(result, {
    matches: [
      { file: 'a.txt', line: 2, text: 'two ünï' },
      { file: 'deep/b.txt', line: 1, text: 'two again' },
    ],
    truncated: false,
  });
  assert.deepEqual(parts.map(({ payload }) => payload), result.matches);
});

test('a search stops at the limit and says so', async () => {
  const { result } = await call('search_files', { text: 'two' }, { max_matches: 1 });

  assert.equal(result.matches.length, 1);
  assert.equal(result.truncated, true);
});

test('writing is offered and possible only when it is allowed', async () => {
  const names = (config) => fsTools.getToolSchemas(fsTools.init(config)).map((schema) => schema.function.name);
  const refused = await call('write_file', { file_path: 'new.txt', content: 'x' });
  const written = await call('write_file', { file_path: 'new.txt', content: 'ü' }, { allow_write: true });

  assert.deepEqual(names({}), ['read_file', 'list_directory', 'search_files']);
  assert.ok(names({ allow_write: true }).includes('write_file'));
  assert.equal(refused.error, 'Unknown tool: write_file');
  assert.deepEqual(written.result, { bytes: 2 });
  assert.equal(await readFile(path.join(inside, 'new.txt'), 'utf8'), 'ü');
});

test('no way leads out of the allowed paths', async () => {
  await symlink(outside, path.join(inside, 'link'));
  await symlink(path.join(outside, 'secret.txt'), path.join(inside, 'file-link'));
  await symlink(path.join(outside, 'new.txt'), path.join(inside, 'dangling'));
  await mkdir(path.join(base, 'inside-too'));
  await writeFile(path.join(base, 'inside-too', 'c.txt'), 'c');
  const secret = path.join(outside, 'secret.txt');
  const ways = ['../outside/secret.txt', secret, 'link/secret.txt', 'file-link', 'deep/../../outside/secret.txt', '../inside-too/c.txt'];

  for (const way of ways) {
    assert.deepEqual(await call('read_file', { file_path: way }), {
      success: false,
      error: `path not allowed: ${way}`,
      parts: [],
    });
  }
  for (const way of ['../outside/new.txt', 'link/new.txt', 'file-link']) {
    const { error } = await call('write_file', { file_path: way, content: 'x' }, { allow_write: true });
    assert.equal(error, `path not allowed: ${way}`);
  }
  const through = await call('write_file', { file_path: 'dangling', content: 'x' }, { allow_write: true });
  assert.equal(through.error, 'dangling: is a symbolic link');
  await assert.rejects(readFile(path.join(outside, 'new.txt')), { code: 'ENOENT' });
  assert.equal((await call('list_directory', { path: 'link' })).error, 'path not allowed: link');
});

test('a search does not follow links', async () => {
  await symlink(outside, path.join(inside, 'link'));

  const { result } = await call('search_files', { text: 'secrets' });

  assert.deepEqual(result.matches, []);
});

test('what does not exist outside cannot be told from what does', async () => {
  const there = await call('read_file', { file_path: '../outside/secret.txt' });
  const not = await call('read_file', { file_path: '../outside/nothing.txt' });

  assert.match(there.error, /^path not allowed/);
  assert.match(not.error, /^path not allowed/);
});

test('an allowed path may itself be a link', async () => {
  const link = path.join(base, 'link');
  await symlink(inside, link);

  assert.equal((await call('read_file', { file_path: 'a.txt' }, { allowed_paths: [link] })).success, true);
});

test('without allowed paths everything is refused', async () => {
  const { error } = await call('read_file', { file_path: '/etc/hostname' }, { allowed_paths: [] });

  assert.equal(error, 'no path is allowed: the configuration has no allowed_paths');
});

test('what the file system refuses is an answer that says why', async () => {
  const errors = async (toolName, args) => (await call(toolName, args, { allow_write: true })).error;

  assert.equal(await errors('read_file', { file_path: 'none.txt' }), 'no such file or directory: none.txt');
  assert.equal(await errors('read_file', { file_path: 'deep' }), 'deep: is a directory');
  assert.equal(await errors('read_file', { file_path: '' }), 'a path must be a string that is not empty');
  assert.equal(await errors('read_file', { file_path: 'a\0b' }), 'no such file or directory: a\0b');
  assert.equal(await errors('list_directory', { path: 'a.txt' }), 'a.txt: is not a directory');
  assert.equal(await errors('search_files', { text: '' }), 'text must be a string that is not empty');
  assert.equal(await errors('write_file', { file_path: 'no/n.txt', content: '' }), 'no such file or directory: no/n.txt');
  assert.equal(await errors('write_file', { file_path: 'n.txt' }), 'content must be a string');
});

test('a named pipe is refused, not waited for', async () => {
  execFileSync('mkfifo', [path.join(inside, 'pipe')]);

  assert.equal((await call('read_file', { file_path: 'pipe' })).error, 'pipe is not a regular file');
});

test('results read well', () => {
  const format = (result) => fsTools.formatToolResult({ success: true, result });

  assert.equal(format({ content: 'x', truncated: true }), 'x\n[cut off]');
  assert.equal(format({ entries: [{ name: 'd', type: 'directory' }, { name: 'f', type: 'file' }] }), 'd/\nf');
  assert.equal(format({ matches: [{ file: 'f', line: 3, text: 't' }], truncated: false }), 'f:3: t');
  assert.equal(format({ bytes: 3 }), '3 bytes written');
  assert.equal(fsTools.formatToolResult({ success: false, error: 'e' }), 'Error: e');
  assert.equal(fsTools.formatToolCallPreview('search_files', { text: 'a', path: 'b' }), 'search_files "a" b');
});
