// A TypeScript module with the files that it imports, made one JavaScript module by esbuild.
//
//   node typescript_bundle.mjs ESBUILD ENTRY OUTPUT
//
// Writes OUTPUT and its source map, and to stdout one JSON object: {"inputs": {path: SHA-256}, "outside": [path]}.
// Fails with esbuild's own words on stderr.
//
// The output may lie anywhere: installed packages stay where they are and are imported by their place there, as they are
// found from the file that imports them; `import.meta` tells of the file that it stands in.

import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { basename, dirname, extname, join, resolve, sep } from 'node:path';
import { pathToFileURL } from 'node:url';

const [esbuildPath, entry, output] = process.argv.slice(2);
const { default: esbuild } = await import(pathToFileURL(esbuildPath).href);

const inputs = {};
const outside = new Set();
const META = { url: '__callboard_url', filename: '__callboard_filename', dirname: '__callboard_dirname' };
const IMPORTS = new Set(['import-statement', 'dynamic-import']);

const places = {
  name: 'places',
  setup(build) {
    build.onResolve({ filter: /.*/ }, async (request) => {
      const { path, kind, importer, resolveDir, pluginData } = request;
      if (kind === 'entry-point' || pluginData === places) return undefined;
      if (isBuiltin(path)) return { path, external: true };
      const found = await build.resolve(path, { kind, importer, resolveDir, pluginData: places });
      // What cannot be found is left for Node to complain of when it is run, which it may never be.
      if (found.errors.length > 0) return path.startsWith('.') ? { errors: found.errors } : { path, external: true };
      const installed = found.path.split(sep).includes('node_modules') && extname(found.path) !== '.json';
      if (!installed && extname(found.path) !== '.node') return found;
      outside.add(found.path);
      return { path: IMPORTS.has(kind) ? pathToFileURL(found.path).href : found.path, external: true };
    });
    build.onLoad({ filter: /\.[cm]?[jt]sx?$/ }, ({ path }) => {
      const bytes = note(path);
      const loader = extname(path).replace(/^\.[cm]?/, '');
      const code = bytes.toString();
      if (!/\bimport\.meta\b|\b__(file|dir)name\b/.test(code)) return { contents: code, loader };
      const told = { url: pathToFileURL(path).href, filename: path, dirname: dirname(path) };
      const names = Object.keys(META).map((key) => `const ${META[key]} = ${JSON.stringify(told[key])};`);
      const [hashbang] = /^(#!.*\n)?/.exec(code);
      return { contents: hashbang + names.join(' ') + code.slice(hashbang.length), loader };
    });
  },
};

function note(path) {
  const bytes = readFileSync(path);
  inputs[path] = createHash('sha256').update(bytes).digest('hex');
  return bytes;
}

/** What a compiler is told beside the code is an input too. */
function noteSettings() {
  for (let folder = dirname(entry); ; folder = dirname(folder)) {
    const file = join(folder, 'tsconfig.json');
    if (existsSync(file)) return note(file);
    if (folder === dirname(folder)) return undefined;
  }
}

try {
  const result = await esbuild.build({
    entryPoints: [entry],
    outfile: output,
    bundle: true,
    write: false,
    metafile: true,
    platform: 'node',
    format: 'esm',
    target: `node${process.versions.node}`,
    conditions: ['node-addons'], // which also keeps esbuild's own "module" out: Node does not know it
    define: {
      'import.meta.url': META.url,
      'import.meta.filename': META.filename,
      'import.meta.dirname': META.dirname,
      __filename: META.filename,
      __dirname: META.dirname,
    },
    keepNames: true,
    sourcemap: 'external',
    plugins: [places],
    logLevel: 'silent',
  });
  for (const path of Object.keys(result.metafile.inputs).map((each) => resolve(each))) {
    if (!(path in inputs) && existsSync(path)) note(path);
  }
  noteSettings();
  write(result.outputFiles);
  process.stdout.write(JSON.stringify({ inputs, outside: [...outside] }));
} catch (error) {
  const told = error.errors ? await esbuild.formatMessages(error.errors, { kind: 'error' }) : [error.stack];
  process.stderr.write(told.join('\n'));
  process.exitCode = 1;
}

function write(files) {
  const map = JSON.parse(files.find((file) => file.path.endsWith('.map')).text);
  map.sources = map.sources.map((source) => pathToFileURL(resolve(dirname(output), source)).href);
  writeFileSync(`${output}.map`, JSON.stringify(map));
  let code = files.find((file) => !file.path.endsWith('.map')).text;
  if (code.includes('var __require = ')) {
    // In front of the first line, not above it: the lines of the map stay true.
    const from = JSON.stringify(pathToFileURL(entry).href);
    code = `import { createRequire as __callboard_require } from 'node:module'; const require = __callboard_require(${from}); ${code}`;
  }
  writeFileSync(output, `${code}//# sourceMappingURL=${basename(output)}.map\n`);
}
