import { connect } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';

const OFFERS = { Vy: 419, Entur: 389, 'Go-Ahead': 349 };

// Nobody answers the line until the demonstration has killed this host; then it is closed, and each wait ends at once.
const hungUp = (line) => new Promise((resolve) => connect(line, '127.0.0.1').on('error', () => {}).on('close', resolve));

export default {
  name: 'prices',
  init: (config) => ({ work: config.work, line: config.line }),
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
  async executeTool(_name, { train }, { work, line }, emit) {
    for (const [seller, price] of Object.entries(OFFERS)) {
      console.error(`asking ${seller} about train ${train}`);
      await pause(work);
      if (seller !== 'Vy') await hungUp(line);
      emit({ type: 'part', payload: `${seller}: ${price} kr` });
    }
    await pause(work);
    return { success: true, result: { train, best: Math.min(...Object.values(OFFERS)), offers: OFFERS } };
  },
};
