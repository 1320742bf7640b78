import { setTimeout as pause } from 'node:timers/promises';

const TRAINS = [
  { train: 601, leaves: '08:25', arrives: '14:57' },
  { train: 603, leaves: '12:03', arrives: '18:56' },
  { train: 605, leaves: '15:59', arrives: '22:38' },
];

const line = ({ train, leaves, arrives }) => `${train}  ${leaves} → ${arrives}`;

export default {
  name: 'trains',
  init: (config) => ({ work: config.work }),
  getToolSchemas: () => [
    {
      type: 'function',
      function: {
        name: 'find_trains',
        description: 'Find the trains from one place to another, and tell each as soon as it is found.',
        parameters: {
          type: 'object',
          properties: { start: { type: 'string' }, end: { type: 'string' } },
          required: ['start', 'end'],
        },
      },
    },
  ],
  formatToolCallPreview: (_name, { start, end }) => `Find trains from ${start} to ${end}`,
  async executeTool(_name, _arguments, { work }, emit) {
    for (const each of TRAINS) {
      await pause(work);
      emit({ type: 'part', payload: line(each) });
    }
    return { success: true, result: TRAINS };
  },
  formatToolResult: ({ result }) => result.map(line).join('\n'),
  toDisplayFormat: (text, { result }) => ({ type: 'text', content: text, single_line: `${result.length} trains` }),
};
