// Runs first in each Node that npm starts: see npm.py.
//
// A dependency that comes from a repository is prepared by an npm of its own, in the folder that it was fetched into, and
// that npm would take the settings that it finds there for its user's. By the variable it is known, which npm sets for just that.
//
// npm gives a script all that it was given itself, and what its settings say. A script gets no logins of them.

const childProcess = require('node:child_process');
const { rmSync } = require('node:fs');
const { basename, join } = require('node:path');

const SECRET = /^(npm_token|node_auth_token|npm_config_.*(auth|token|password|_key))$/i;
const OURS = process.env.NODE_OPTIONS;

// As `without_logins` in command_runner.py.
const withoutLogin = (name, value) =>
  /proxy$/i.test(name) ? value.replace(/^([a-z][a-z0-9+.-]*:\/\/)?[^]*@/i, '$1') : value.replace(/(?<=:\/\/)[^/?#\s]*@/g, '');

const forScripts = (environment) =>
  Object.fromEntries(
    Object.entries(environment)
      .filter(([name, value]) => !SECRET.test(name) && !(name === 'NODE_OPTIONS' && value === OURS))
      .map(([name, value]) => [name, withoutLogin(name, String(value))]),
  );

const isNpm = /^npm(-cli\.js)?$/.test(basename(process.argv[1] ?? ''));
if (isNpm) {
  const { spawn } = childProcess;
  childProcess.spawn = (program, words, options, ...more) => {
    const isScript = options?.env?.npm_lifecycle_event !== undefined;
    return spawn(program, words, isScript ? { ...options, env: forScripts(options.env) } : options, ...more);
  };
}
if (isNpm && process.env._PACOTE_NO_PREPARE_ !== undefined) rmSync(join(process.cwd(), '.npmrc'), { force: true, recursive: true });
