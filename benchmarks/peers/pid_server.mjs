// What the process supervisors keep alive: says its pid to whoever connects. `node pid_server.mjs SOCKET`
import { unlinkSync } from 'node:fs';
import { createServer } from 'node:net';

const path = process.argv[2];
try {
  unlinkSync(path); // left by the one before, which was killed
} catch {
  // the first one finds none
}
createServer((socket) => socket.end(`${process.pid}\n`)).listen(path);
