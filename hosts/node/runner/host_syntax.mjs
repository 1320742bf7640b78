// Where a module, or one that it imports from beside it, has its syntax error. Runs nothing of them.
//
//   node --experimental-vm-modules host_syntax.mjs <path of the module>
//
// Node tells the place to a terminal when a program cannot be loaded, but not to whoever catches that. Here it is written to
// stderr in the same form: the file and line, the line itself, and a mark below it. Nothing is written if all is well.

import { readFileSync } from 'node:fs';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { SourceTextModule } from 'node:vm';

const seen = new Set();
const waiting = [pathToFileURL(process.argv[2]).href];
while (waiting.length > 0) look(waiting.pop());

function look(url) {
  if (seen.has(url)) return;
  seen.add(url);
  const path = fileURLToPath(url);
  const module = new SourceTextModule(readFileSync(path, 'utf8'), { identifier: path });
  const names = module.moduleRequests?.map((request) => request.specifier) ?? module.dependencySpecifiers;
  const beside = names.filter((name) => /^\.{1,2}\/.*\.m?js$/.test(name));
  waiting.push(...beside.map((name) => new URL(name, url).href));
}
