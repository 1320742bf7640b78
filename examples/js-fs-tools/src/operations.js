// What the tools do, once it is settled where they may. Each takes resolved paths only, and an `emit` that takes the
// payload of one part.

import { constants } from 'node:fs';
import { open, readdir } from 'node:fs/promises';
import path from 'node:path';

import { PathError } from './confinement.js';

const CHUNK = 16 * 1024;

/** Read a text file; it is cut off after `maxBytes`. */
export async function readFile(location, { maxBytes }, emit) {
  // O_NONBLOCK: a named pipe would keep us waiting for a writer before it could be told from a file.
  const file = await open(location, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    const stat = await file.stat();
    if (!stat.isFile() && !stat.isDirectory()) throw new PathError(`${path.basename(location)} is not a regular file`);
    const { size } = stat;
    const decoder = new TextDecoder();
    let content = '';
    let left = maxBytes;
    while (left > 0) {
      const { bytesRead, buffer } = await file.read(Buffer.alloc(Math.min(CHUNK, left)));
      if (bytesRead === 0) break;
      left -= bytesRead;
      const text = decoder.decode(buffer.subarray(0, bytesRead), { stream: true });
      content += text;
      if (text !== '') emit({ content: text });
    }
    const truncated = size > maxBytes;
    // The last character may be cut in two by the limit; half of it is left out.
    if (!truncated) content += decoder.decode();
    return { content, size, truncated };
  } finally {
    await file.close();
  }
}

/** Write a text file, new or over an old one. */
export async function writeFile(location, content) {
  const { O_CREAT, O_NOFOLLOW, O_TRUNC, O_WRONLY } = constants;
  const file = await open(location, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW, 0o666);
  try {
    await file.writeFile(content, 'utf8');
    return { bytes: Buffer.byteLength(content) };
  } finally {
    await file.close();
  }
}

/** The entries of one folder, folders first, then by name. */
export async function listDirectory(location, emit) {
  const entries = (await readdir(location, { withFileTypes: true })).map((entry) => ({
    name: entry.name,
    type: typeOf(entry),
  }));
  const rank = ({ type }) => (type === 'directory' ? 0 : 1);
  entries.sort((a, b) => rank(a) - rank(b) || (a.name < b.name ? -1 : 1));
  for (const entry of entries) emit(entry);
  return { entries };
}

/** Lines that hold a text, in all files below a folder; stops at `maxMatches`. */
export async function searchFiles(root, text, { maxBytes, maxMatches }, emit) {
  const matches = [];
  for await (const location of filesBelow(root)) {
    const { content } = await readFile(location, { maxBytes }, () => {});
    if (content.includes('\0')) continue; // no text
    for (const [index, line] of content.split('\n').entries()) {
      if (!line.includes(text)) continue;
      if (matches.length === maxMatches) return { matches, truncated: true };
      const match = { file: path.relative(root, location), line: index + 1, text: line.trimEnd().slice(0, 500) };
      matches.push(match);
      emit(match);
    }
  }
  return { matches, truncated: false };
}

/** Files below a folder in the order of their names, without following links. */
async function* filesBelow(folder) {
  const entries = await readdir(folder, { withFileTypes: true });
  entries.sort((a, b) => (a.name < b.name ? -1 : 1));
  for (const entry of entries) {
    const location = path.join(folder, entry.name);
    if (entry.isDirectory()) yield* filesBelow(location);
    else if (entry.isFile()) yield location;
  }
}

function typeOf(entry) {
  if (entry.isDirectory()) return 'directory';
  if (entry.isFile()) return 'file';
  return entry.isSymbolicLink() ? 'link' : 'other';
}
