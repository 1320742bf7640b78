// A tool that does to its state as it is told: {"steps": [[what, key, value], …]}.

const DO = {
  read: (state, key) => state[key]?.length,
  set: (state, key, value) => (state[key] = value),
  push: (state, key, value) => Array.isArray(state[key]) && state[key].push(value),
  remove: (state, key) => delete state[key],
  // What does not come back from JSON.
  leave_out: (state, key) => (state[key] = undefined),
};

export default {
  init: (config) => config.state,
  getToolSchemas: () => [{ type: 'function', function: { name: 'change', parameters: { type: 'object' } } }],
  async executeTool(name, { steps = [], fail = false, wait = 0 }, state) {
    const seen = JSON.stringify(state);
    for (const [what, key, value] of steps) DO[what](state, key, value);
    if (wait > 0) await new Promise((resolve) => setTimeout(resolve, wait));
    if (fail) throw new Error('told to fail');
    return { success: true, result: JSON.parse(seen) };
  },
};
