// Whether Node runs a TypeScript module as it is, by taking the types out. Runs nothing of it.
//
//   node --experimental-vm-modules typescript_check.mjs ENTRY
//
// Writes one JSON object: {"why": null or a text that says what is in the way, "inputs": {path: SHA-256}}.
//
// Stripping serves modules whose types can be blanked out and whose imports name files as they are. It does not serve
// enums, namespaces, parameter properties, decorators; imports without a suffix, or by the suffix of what they would be
// compiled to; and names that are imported, not marked as types, and are nothing but types.

import { createHash } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import { createRequire, isBuiltin, stripTypeScriptTypes } from 'node:module';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { SourceTextModule } from 'node:vm';

const TYPESCRIPT = /\.[cm]?ts$/;
const NAMED = /\bimport\s+(?:[\w$]+\s*,\s*)?\{([^}]*)\}\s*from\b/g;

const inputs = {};
const waiting = [process.argv[2]];
let why = inPackages(waiting[0]) ? `${waiting[0]} is in node_modules, where Node strips no types` : null;
while (why === null && waiting.length > 0) why = look(waiting.pop());
process.stdout.write(JSON.stringify({ why, inputs }));

/** Look at one module and note what it imports; what is in the way of running it as it is, or null. */
function look(path) {
  if (path in inputs) return null;
  const bytes = readFileSync(path);
  inputs[path] = createHash('sha256').update(bytes).digest('hex');
  let code;
  let specifiers;
  try {
    code = stripTypeScriptTypes(bytes.toString());
    const module = new SourceTextModule(code);
    specifiers = module.moduleRequests?.map((request) => request.specifier) ?? module.dependencySpecifiers;
  } catch (error) {
    return `${path}: ${error.message}`;
  }
  const type = onlyAType(code);
  if (type !== undefined) return `${path}: ${type} is imported and never used but as a type`;
  for (const specifier of specifiers) {
    const missing = follow(specifier, path);
    if (missing) return `${path}: ${missing}`;
  }
  return null;
}

function follow(specifier, from) {
  if (isBuiltin(specifier) || specifier.startsWith('#')) return undefined;
  if (!/^(\.{1,2}\/|\/|file:)/.test(specifier)) return isPackage(specifier, from) ? undefined : `there is no package ${specifier}`;
  const path = fileURLToPath(new URL(specifier, pathToFileURL(from)));
  if (!statSync(path, { throwIfNoEntry: false })?.isFile()) return `there is no file ${specifier}`;
  if (!TYPESCRIPT.test(path)) return undefined;
  if (inPackages(path)) return `${specifier} is in node_modules, where Node strips no types`;
  waiting.push(path);
  return undefined;
}

function inPackages(path) {
  return path.replaceAll('\\', '/').includes('/node_modules/');
}

function isPackage(specifier, from) {
  try {
    createRequire(from).resolve(specifier);
    return true;
  } catch (error) {
    return error.code !== 'MODULE_NOT_FOUND'; // such as one that has no face for require
  }
}

/** A name that is imported and does not come up in the code that is left; comments and texts are no code. */
function onlyAType(whole) {
  const code = whole.replace(/\/\*[^]*?\*\/|\/\/.*|'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"/g, '');
  for (const [, names] of code.matchAll(NAMED)) {
    for (const name of names.split(',').map((each) => each.trim().split(/\s+as\s+/).at(-1)).filter(Boolean)) {
      const times = code.match(new RegExp(`(?<![\\w$])${name.replaceAll('$', '\\$')}(?![\\w$])`, 'g'));
      if (times.length === 1) return name;
    }
  }
  return undefined;
}
