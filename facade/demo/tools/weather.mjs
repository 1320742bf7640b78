import { setTimeout as pause } from 'node:timers/promises';

const STATIONS = ['Florida', 'Flesland', 'Ulriken'];

export default {
  name: 'weather',
  init: (config) => ({ work: config.work }),
  getToolSchemas: () => [
    {
      type: 'function',
      function: {
        name: 'weather',
        description: 'The weather of a city on a day.',
        parameters: {
          type: 'object',
          properties: { city: { type: 'string' }, day: { type: 'string' } },
          required: ['city', 'day'],
        },
      },
    },
  ],
  formatToolCallPreview: (_name, { city, day }) => `Ask ${STATIONS.length} stations for ${city}, ${day}`,
  async executeTool(_name, { city }, { work }, emit) {
    for (const station of STATIONS) {
      await pause(work);
      emit({ type: 'part', payload: `${station} has answered` });
    }
    return { success: true, result: { city, degrees: 7, sky: 'rain', stations: STATIONS.length } };
  },
  formatToolResult: ({ result }) => `${result.city}: ${result.degrees} °C, ${result.sky}`,
};
