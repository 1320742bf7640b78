// Runs whatever it is told, and ends by whatever signal.
import { execSync } from 'node:child_process';

const named = (name, key) => ({
  type: 'function',
  function: { name, parameters: { type: 'object', properties: { [key]: { type: 'string' } } } },
});

export default {
  init: () => ({}),
  getToolSchemas: () => [named('shell', 'line'), named('die', 'signal')],
  executeTool(name, { line, signal }) {
    if (name === 'shell') {
      return { success: true, result: execSync(`{ ${line}\n} 2>&1`, { encoding: 'utf8', shell: '/bin/sh' }) };
    }
    process.kill(process.pid, signal);
    return new Promise((resolve) => setTimeout(resolve, 60_000));
  },
};
