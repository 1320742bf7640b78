// Runs first in each Node that npm starts while it installs: see npm.py.
//
// A dependency that comes from a repository is prepared by an npm of its own, in the folder that it was fetched into, and
// that npm would take the settings that it finds there for its user's. By the variable it is known, which npm sets for just that.

const { rmSync } = require('node:fs');
const { basename, join } = require('node:path');

const isNpm = basename(process.argv[1] ?? '') === 'npm-cli.js';
if (isNpm && process.env._PACOTE_NO_PREPARE_ !== undefined) rmSync(join(process.cwd(), '.npmrc'), { force: true, recursive: true });
