import { textTool } from './textTool.js';

const segments = (text, granularity) => [...new Intl.Segmenter('en', { granularity }).segment(text)];

export const echo = (text) => ({ text });

// By what a reader takes for one character: reversing code units would tear accents and emoji apart.
export const reverse = (text) => ({
  text: segments(text, 'grapheme')
    .map(({ segment }) => segment)
    .reverse()
    .join(''),
});

export const countWords = (text) => ({
  words: segments(text, 'word').filter(({ isWordLike }) => isWordLike).length,
  characters: segments(text, 'grapheme').length,
});

export const echoTool = textTool({ name: 'echo', description: 'Give a text back as it is.', run: echo });

export const reverseTool = textTool({ name: 'reverse', description: 'Turn a text back to front.', run: reverse });

export const countWordsTool = textTool({
  name: 'count_words',
  description: 'Count the words and characters of a text.',
  run: countWords,
});
