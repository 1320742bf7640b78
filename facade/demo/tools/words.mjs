import { countedTool } from './counted.mjs';

export default countedTool({
  name: 'count_words',
  description: 'Count the words of a text.',
  async work({ text, work }, _state, _emit, pause) {
    await pause(work);
    return { words: text.split(/\s+/).filter(Boolean).length };
  },
});
