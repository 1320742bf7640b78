import { spawnSync } from 'node:child_process';
import { readSync } from 'node:fs';

export default {
  init: () => ({}),
  getToolSchemas: () => [],
  executeTool(toolName) {
    if (toolName === 'descriptor') return { success: true, result: readSync(0, Buffer.alloc(100)) };
    const { stdout } = spawnSync('cat', [], { stdio: ['inherit', 'pipe', 'inherit'] });
    return { success: true, result: stdout.length };
  },
};
