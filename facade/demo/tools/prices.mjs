import { setTimeout as pause } from 'node:timers/promises';

const OFFERS = { Vy: 419, Entur: 389, 'Go-Ahead': 349 };

export default {
  name: 'prices',
  init: (config) => ({ work: config.work }),
  getToolSchemas: () => [
    {
      type: 'function',
      function: {
        name: 'ask_prices',
        description: 'Ask those who sell a ticket what it costs.',
        parameters: { type: 'object', properties: { train: { type: 'integer' } }, required: ['train'] },
      },
    },
  ],
  async executeTool(_name, { train }, { work }, emit) {
    for (const [seller, price] of Object.entries(OFFERS)) {
      console.error(`asking ${seller} about train ${train}`);
      await pause(work);
      emit({ type: 'part', payload: `${seller}: ${price} kr` });
    }
    await pause(work);
    return { success: true, result: { train, best: Math.min(...Object.values(OFFERS)), offers: OFFERS } };
  },
};
