// The end of the host: when there is nobody to be answered, and what then becomes of what the tools have started.

import { readdirSync, readFileSync } from './host_node.mjs';
import { log } from './host_streams.mjs';

const PARENT_CHECK = 1000; // milliseconds between two looks at who our parent is

const exit = process.exit.bind(process); // a plugin may put its own in its place
let ending = false;

/** Nobody is there to be answered: end, and leave nothing behind. */
export function leave(reason) {
  if (ending) return;
  ending = true;
  if (reason) log(reason);
  endFamily();
  exit(0);
}

/** Say how the program is used, and end. */
export function leaveMisused(text) {
  console.error(text);
  return exit(2);
}

/** Make up for an end of stdin that a sibling with the same pipe keeps from coming, and let no last words be lost. */
export function watchTheEnd(outlet) {
  const parent = process.ppid;
  setInterval(() => process.ppid !== parent && leave(), PARENT_CHECK).unref();
  process.on('exit', () => {
    ending = true;
    outlet.flush();
  });
}

/**
 * Kill what the tool has started: our descendants, and whoever is in the session that we lead.
 *
 * One by one, since a signal to the whole group would end us too, before what is answered is written. Again and again,
 * since they may start others meanwhile, but not for ever: whoever started us may kill the session after us.
 */
function endFamily() {
  const killed = new Set();
  for (let round = 0; round < 20; round += 1) {
    const fresh = family().filter((pid) => !killed.has(pid));
    if (fresh.length === 0) return;
    for (const pid of fresh) {
      killed.add(pid);
      try {
        process.kill(pid, 'SIGKILL');
      } catch (error) {
        if (error.code !== 'ESRCH') log(`cannot end process ${pid}: ${error.message}`);
      }
    }
  }
}

function family() {
  const parents = new Map();
  const members = new Set();
  let names;
  try {
    names = readdirSync('/proc');
  } catch {
    return []; // a system without /proc; there it is for whoever started us
  }
  for (const pid of names.map(Number).filter(Number.isInteger)) {
    let stat;
    try {
      stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    } catch {
      continue; // has ended since
    }
    // The program's name stands in brackets, and may hold blanks and brackets itself.
    const [, parent, , session] = stat.slice(stat.lastIndexOf(')') + 2).split(' ').map(Number);
    parents.set(pid, parent);
    if (session === process.pid) members.add(pid);
  }
  for (const pid of parents.keys()) {
    for (let above = parents.get(pid); above !== undefined; above = parents.get(above)) {
      if (above === process.pid) members.add(pid);
    }
  }
  members.delete(process.pid);
  return [...members];
}
