import { spawn } from 'node:child_process';

const WAYS = {
  child: () => spawn('sleep', ['1000'], { stdio: 'inherit' }),
  orphan: () => spawn('sh', ['-c', 'sleep 1000 >/dev/null & echo $!'], { stdio: ['ignore', 'pipe', 'inherit'] }),
  detached: () => spawn('sleep', ['1000'], { stdio: 'inherit', detached: true }),
  deaf: () => spawn('sh', ['-c', 'trap "" TERM; sleep 1000; sleep 1000'], { stdio: 'inherit' }),
};

export default {
  init: () => ({}),
  getToolSchemas: () => [],
  async executeTool(toolName) {
    const child = WAYS[toolName]();
    if (toolName !== 'orphan') return { success: true, result: child.pid };
    let said = '';
    for await (const chunk of child.stdout) said += chunk;
    return { success: true, result: Number(said) };
  },
};
