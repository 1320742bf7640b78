// What the host takes of Node, its way in and out, and its end. Nothing here knows what a line means.

// --- Node's own modules --------------------------------------------------------------------------
//
// What the host takes of Node's own modules, where an `import` of these would cost each start of a host milliseconds.
//
// To import one of them is to read every name that it exports, and behind some of these a good part of Node is loaded
// only when they are read: the promises and streams of `fs`, the worker threads of `util`. Here nothing is read but
// what is named, and before a plugin can put something else in its place.

const get = process.getBuiltinModule;

const { closeSync, constants, fstatSync, openSync, readdirSync, readFileSync, writeSync } = get('node:fs');
const { Socket } = get('node:net');
export const { inspect, types } = get('node:util');

// --- The streams ---------------------------------------------------------------------------------
//
// The protocol's way in and out. Everything about descriptors, chunks and full pipes is here, and nothing about what
// a line means.

/** Say something to people: stderr is theirs. */
export const log = (text) => console.error(`[tool host] ${text}`);

/**
 * Take stdin and stdout away from the plugin; has to come before it is loaded.
 *
 * Each line of stdin goes to `onLine` as bytes that are good until it returns. `onEnd` is told, perhaps more than
 * once, when either end is gone; its argument is a reason worth telling, if there is one. Returns the Outlet.
 */
export function claimStreams(onLine, onEnd) {
  const moved = movePipes();
  const { stdin, stdout } = moved ? {} : process;
  Object.defineProperty(process, 'stdout', { get: () => process.stderr, configurable: true, enumerable: true });
  const input = moved ? listenToPipe(moved.input, lineCutter(onLine)) : stdin.on('data', lineCutter(onLine));
  input.on('end', () => onEnd()).on('close', () => onEnd());
  input.on('error', (error) => onEnd(`stdin cannot be read: ${error.message}`));
  const waiter = () => (moved ? new Socket({ fd: moved.output, readable: false, writable: true }) : stdout);
  return new Outlet(moved ? moved.output : 1, waiter, onEnd);
}

/**
 * Open both pipes anew, under numbers that no child inherits, and make 0 /dev/null and 1 stderr.
 *
 * Then neither a print nor a child with `stdio: 'inherit'` speaks into the protocol, eats its requests or holds its
 * pipes open. Nothing but a pipe can be opened anew: undefined for sockets, files and terminals, where JavaScript
 * alone is redirected.
 */
function movePipes() {
  const { O_APPEND, O_NONBLOCK, O_RDONLY, O_WRONLY } = constants;
  const [stdin, stdout, stderr] = [0, 1, 2].map((fd) => fstatSync(fd));
  if (!stdin.isFIFO() || !stdout.isFIFO()) return undefined;
  // A file opened twice would be written twice from its beginning, one writer over the other.
  const strays = stderr.isFIFO() || stderr.isCharacterDevice() ? '/proc/self/fd/2' : '/dev/null';
  try {
    // What can fail has to fail while 0 and 1 are whole. Without O_NONBLOCK, a pipe nobody reads would be waited for.
    closeSync(openSync('/dev/null', O_RDONLY));
    closeSync(openSync(strays, O_WRONLY | O_APPEND | O_NONBLOCK));
    const input = openSync('/proc/self/fd/0', O_RDONLY | O_NONBLOCK);
    const output = openSync('/proc/self/fd/1', O_WRONLY | O_NONBLOCK);
    closeSync(0);
    openSync('/dev/null', O_RDONLY); // takes the lowest number that is free, which is 0
    closeSync(1);
    openSync(strays, O_WRONLY | O_APPEND);
    return { input, output };
  } catch {
    return undefined; // no /proc, or no right to open these: the same as no pipes
  }
}

/** Read a pipe into one buffer, used over and over; a stream would make a new one for each request. */
function listenToPipe(fd, hear) {
  const buffer = Buffer.allocUnsafeSlow(65536);
  const callback = (size) => {
    hear(buffer.subarray(0, size));
    return true;
  };
  return new Socket({ fd, readable: true, writable: false, onread: { buffer, callback } }).resume();
}

/** Cut chunks into lines wherever they come; lines are cut before they are decoded, so no character is. */
function lineCutter(onLine) {
  let held = [];
  return (chunk) => {
    let start = 0;
    for (let end = chunk.indexOf(10); end !== -1; end = chunk.indexOf(10, start)) {
      const rest = chunk.subarray(start, end);
      const line = held.length === 0 ? rest : Buffer.concat([...held, rest]);
      held = [];
      start = end + 1;
      onLine(line);
    }
    if (start < chunk.length) held.push(Buffer.from(chunk.subarray(start)));
  };
}

const NOTHING = Buffer.alloc(0);

/** Milliseconds without progress that a slow reader is granted when the process ends. */
const PATIENCE = 2000;

/**
 * Writes to stdout at once and in order, and keeps what a full pipe does not take: the event loop never blocks.
 *
 * Not through a stream: what a stream still holds is lost in `process.exit`, and nobody can tell how much that was.
 */
class Outlet {
  #fd;
  #openWaiter;
  #waiter;
  #onEnd;
  #lent = false; // the first byte of #rest is with the waiter
  #rest = NOTHING;
  #queued = [];

  constructor(fd, openWaiter, onEnd) {
    this.#fd = fd;
    this.#openWaiter = openWaiter;
    this.#onEnd = onEnd;
  }

  send(text) {
    const bytes = Buffer.from(text);
    if (this.#rest.length > 0) {
      this.#queued.push(bytes);
    } else {
      this.#rest = bytes;
      this.#drain();
    }
  }

  /** Write what is left, for the process ends; blocks, but not for a reader that has stopped reading. */
  flush() {
    if (this.#lent && this.#waiter.writableLength === 0) this.#advance(1);
    this.#lent = false;
    const clock = new Int32Array(new SharedArrayBuffer(4));
    for (let patience = PATIENCE; this.#rest.length > 0 && patience > 0; ) {
      if (this.#write()) {
        patience = PATIENCE;
      } else {
        Atomics.wait(clock, 0, 0, 1);
        patience -= 1;
      }
    }
  }

  #drain() {
    while (this.#rest.length > 0) {
      if (!this.#write() && this.#rest.length > 0) return this.#waitForRoom();
    }
  }

  /** Node tells when something has been written, not when there is room. One byte goes whole or not at all. */
  #waitForRoom() {
    this.#waiter ??= this.#openWaiter().on('error', (error) => this.#lose(error));
    this.#lent = true;
    this.#waiter.write(this.#rest.subarray(0, 1), (error) => {
      if (error || !this.#lent) return;
      this.#lent = false;
      this.#advance(1);
      this.#drain();
    });
  }

  /** Write what the pipe takes; false when it takes nothing now. */
  #write() {
    try {
      this.#advance(writeSync(this.#fd, this.#rest));
      return true;
    } catch (error) {
      if (error.code !== 'EAGAIN') this.#lose(error);
      return false;
    }
  }

  #advance(count) {
    if (count < this.#rest.length) this.#rest = this.#rest.subarray(count);
    else if (this.#queued.length > 0) this.#rest = Buffer.concat(this.#queued.splice(0));
    else this.#rest = NOTHING;
  }

  #lose(error) {
    this.#rest = NOTHING;
    this.#queued = [];
    this.#onEnd(error.code === 'EPIPE' ? undefined : `stdout cannot be written: ${error.message}`);
  }
}

// --- The end -------------------------------------------------------------------------------------
//
// The end of the host: when there is nobody to be answered, and what then becomes of what the tools have started.

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
 * Kill what the tool has started: our descendants, and all processes of the session that we lead.
 *
 * One by one, since a signal to the whole group would end us too, before what is answered is written. Again and again,
 * since they may start others meanwhile, but not for ever: our parent may kill the session after us.
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
    return []; // a system without /proc; there it is for our parent
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
