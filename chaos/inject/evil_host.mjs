// A tool host that goes wrong on schedule; the twin of `evil_host.py`, which see.
//
// `node evil_host.mjs NAME SCHEDULE BOOK`: the host's name, the file of its fault schedule, and the
// file in which it keeps count, since what it has done must outlive its generations.
//
// It uses Node alone, and none of Callboard: what is to be trusted with the proof of a thing should
// not be made of it.
import { spawn } from 'node:child_process';
import * as fs from 'node:fs';
import { createInterface } from 'node:readline';

const COUNTS = ['spawn', 'call', 'in', 'out', 'byte'];
const ENTRIES = 40;
const ENTRY = 12;
const [STATUS, USED, SEEN] = [0, 1, 2];
const [WAITING, DUE, DONE] = [0, 1, 2];

const GENERATION = new Set([
  'exit', 'signal', 'pause', 'hang', 'stderr_flood', 'orphan', 'grow_memory', 'close_stdin',
  'close_stdout', 'kill_parent',
]); // prettier-ignore
const ANSWER = new Set([
  'slow', 'partial_line', 'truncate', 'garbage', 'duplicate_reply', 'wrong_id', 'wrong_version',
  'stdout_flood', 'part_flood', 'reply_flood',
]); // prettier-ignore

/** What has happened, in all generations. Written before the consequences, so that no death undoes it. */
class Book {
  constructor(path, entries) {
    this.file = fs.openSync(path, 'r+');
    this.entries = entries;
    const head = Buffer.alloc(ENTRIES);
    fs.readSync(this.file, head, 0, ENTRIES, 0);
    this.total = Object.fromEntries(COUNTS.map((what, i) => [what, Number(head.readBigUInt64LE(i * 8))]));
    this.generation = Object.fromEntries(COUNTS.map((what) => [what, 0]));
  }

  /** It has happened again. */
  count(what, more = 1) {
    this.generation[what] += more;
    this.total[what] += more;
    const field = Buffer.alloc(8);
    field.writeBigUInt64LE(BigInt(this.total[what]));
    fs.writeSync(this.file, field, 0, 8, COUNTS.indexOf(what) * 8);
  }

  /** Status, uses and sightings of each entry. */
  read() {
    const data = Buffer.alloc(this.entries * ENTRY);
    if (data.length > 0) fs.readSync(this.file, data, 0, data.length, ENTRIES);
    return Array.from({ length: this.entries }, (_, i) => [0, 4, 8].map((at) => data.readUInt32LE(i * ENTRY + at)));
  }

  /** Write them down for one entry. */
  put(entry, fields) {
    const data = Buffer.alloc(ENTRY);
    fields.forEach((value, i) => data.writeUInt32LE(value, i * 4));
    fs.writeSync(this.file, data, 0, ENTRY, ENTRIES + entry * ENTRY);
  }
}

/** Which entries of the schedule have come true, and which of those are still to be carried out. */
class Fates {
  constructor(schedule, book) {
    this.book = book;
    this.entries = schedule.entries;
    this.lookUp();
  }

  /** Read what the book says: an earlier generation or the board's side may have written there. */
  lookUp() {
    this.fields = this.book.read();
    this.due = [...this.fields.keys()].filter((number) => this.fields[number][STATUS] === DUE);
    this.waiting = {};
    for (const [number, { trigger }] of this.entries.entries()) {
      if (this.fields[number][STATUS] === WAITING) (this.waiting[trigger.on] ??= []).push(number);
    }
  }

  /** Something that triggers count has happened: note what has come true by it. */
  comes(on, about) {
    if (this.waiting[on] === undefined) return;
    this.waiting[on] = this.waiting[on].filter((number) => {
      const { trigger } = this.entries[number];
      if (!this.#concerns(trigger, about) || !this.#reached(number, trigger)) return true;
      this.#put(number, STATUS, DUE);
      this.due.push(number);
      return false;
    });
  }

  #concerns(trigger, about) {
    if (about !== undefined && about !== (trigger.name ?? trigger.way ?? 'in')) return false;
    return (trigger.generation ?? this.book.total.spawn) === this.book.total.spawn;
  }

  #reached(number, trigger) {
    if (trigger.on !== 'point') return this.#left(trigger) <= 0;
    this.#put(number, SEEN, this.fields[number][SEEN] + 1);
    return this.fields[number][SEEN] >= (trigger.n ?? 1);
  }

  #left(trigger) {
    const what = trigger.on === 'frame' ? (trigger.way ?? 'in') : trigger.on;
    return trigger.n - ('generation' in trigger ? this.book.generation : this.book.total)[what];
  }

  /** How many bytes may be written before a trigger wants to be asked. */
  bytesUntilNext() {
    const left = (this.waiting.byte ?? [])
      .map((number) => this.entries[number].trigger)
      .filter((trigger) => this.#concerns(trigger))
      .map((trigger) => this.#left(trigger));
    return Math.min(Infinity, ...left.filter((count) => count > 0));
  }

  /** The faults of these kinds that are due, each as often as it may come. */
  take(kinds) {
    const taken = [];
    for (const number of [...this.due]) {
      const { fault } = this.entries[number];
      if (!kinds.has(fault.do)) continue;
      taken.push(fault);
      this.#put(number, USED, this.fields[number][USED] + 1);
      if (fault.do !== 'refuse_start' || this.fields[number][USED] >= (fault.times ?? 1)) {
        this.#put(number, STATUS, DONE);
        this.due.splice(this.due.indexOf(number), 1);
      }
    }
    return taken;
  }

  #put(number, field, value) {
    this.fields[number][field] = value;
    this.book.put(number, this.fields[number]);
  }
}

const [name, schedulePath, bookPath] = process.argv.slice(2);
const schedule = JSON.parse(fs.readFileSync(schedulePath, 'utf8'));
const book = new Book(bookPath, schedule.entries.length);
const fates = new Fates(schedule, book);
const kept = [];
let generation = 0;
let chance = BigInt(schedule.seed) * 2n + 1n;

// The tools

const tools = {
  echo: (id, args, state) => succeed(id, args, state),
  count(id, args, state) {
    const count = (state.count ?? 0) + (args.by ?? 1);
    succeed(id, count, { ...state, count });
  },
  ledger(id, args, state) {
    point('ledger.before');
    fs.appendFileSync(args.path, `${args.line}\n`);
    point('ledger.after');
    succeed(id, args.line, state);
  },
  stream(id, args, state) {
    for (let number = 0; number < args.parts; number += 1) {
      point('stream.part');
      write({ v: 1, id, event: { type: 'part', payload: number } });
    }
    succeed(id, args.parts, state);
  },
  slow: (id, args, state) => later(args.seconds, () => succeed(id, args.seconds, state)),
};

const names = new Set(Object.keys(tools).map((tool) => `${name}_${tool}`));
const schemaOf = (tool) => ({
  type: 'function',
  function: { name: `${name}_${tool}`, parameters: { type: 'object' } },
});

function serve({ id, method, params }) {
  switch (method) {
    case 'init': {
      // Of the first request alone: what is asked of this process later must not rename it.
      generation = Number.parseInt(id, 10) || 0;
      for (const fault of fates.take(new Set(['die_in_init']))) process.exit(fault.code ?? 1);
      const waits = fates.take(new Set(['slow_start'])).reduce((sum, fault) => sum + fault.seconds, 0);
      later(waits, () => answer(id, {}, {}));
      break;
    }
    case 'get_tool_schemas':
      answer(id, Object.keys(tools).map(schemaOf));
      break;
    case 'execute_tool':
      book.count('call');
      fates.comes('call');
      strike();
      if (names.has(params.tool_name)) {
        tools[params.tool_name.slice(name.length + 1)](id, params.arguments, params.state ?? {});
      } else {
        refuse(id, 'LookupError', `there is no tool '${params.tool_name}'`);
      }
      break;
    default:
      refuse(id, 'MethodNotFound', `there is no method '${method}'`);
  }
}

// How things are said, and how that goes wrong

const refuse = (id, type, detail) => write({ v: 1, id, ok: false, error: { type, detail, stack: '' } });
const succeed = (id, result, state) => answer(id, { success: true, result, generation }, state);

function answer(id, value, state) {
  const message = { v: 1, id, ok: true, result: state === undefined ? { value } : { value, state } };
  const faults = Object.fromEntries(fates.take(ANSWER).map((fault) => [fault.do, fault]));
  if (faults.wrong_id) message.id = 'an id that nobody asked';
  if (faults.wrong_version) message.v = faults.wrong_version.version ?? 2;
  later(faults.slow?.seconds ?? 0, () => spoil(message, faults));
}

function spoil(message, { garbage, partial_line: partial, truncate, duplicate_reply: duplicate, ...floods }) {
  const { stdout_flood: prints, part_flood: parts, reply_flood: replies } = floods;
  let line = encode(message);
  if (garbage) {
    raw(Buffer.concat([rubbish(garbage.bytes ?? 40), Buffer.from(garbage.newline ?? true ? '\n' : '')]));
  }
  if (prints) raw(many(Buffer.from('a flood of words \n'), Math.floor((prints.bytes ?? 1_000_000) / 18) + 1));
  if (parts) {
    const part = { v: 1, id: message.id, event: { type: 'part', payload: 'a flood' } };
    raw(many(encode(part), parts.parts ?? 10_000));
  }
  if (partial) {
    raw(line.subarray(0, Math.min(partial.bytes ?? 10, line.length - 1)));
    process.exit(partial.code ?? 0);
  }
  if (truncate) {
    const most = Math.min(truncate.bytes ?? 10, line.length - 2);
    line = Buffer.concat([line.subarray(0, most), Buffer.from('\n')]);
  }
  say(line);
  for (let times = duplicate ? (duplicate.times ?? 1) : 0; times > 0; times -= 1) say(line);
  if (replies) raw(many(line, replies.times ?? 10_000));
}

const many = (line, times) => Buffer.alloc(line.length * times, line);

/** Bytes by chance; the same for the same seed. */
function rubbish(size) {
  return Buffer.from(
    Array.from({ length: size }, () => {
      chance = (chance * 6364136223846793005n + 1442695040888963407n) & 0xffffffffffffffffn;
      return 97 + Number(chance >> 33n) % 26;
    }),
  );
}

const encode = (message) => Buffer.from(`${JSON.stringify(message)}\n`);
const write = (message) => say(encode(message));

function say(line) {
  book.count('out');
  fates.comes('frame', 'out');
  strike();
  raw(line);
}

/** Write bytes, stopping at each that a trigger waits for. */
function raw(data) {
  for (let left = data; left.length > 0; ) {
    const bite = left.subarray(0, Math.min(fates.bytesUntilNext(), left.length));
    left = left.subarray(bite.length);
    writeAll(bite);
    book.count('byte', bite.length);
    fates.comes('byte');
    strike();
  }
}

/** Write to stdout, if there still is one. A full pipe is waited for: what comes next may be the end. */
function writeAll(data) {
  for (let left = data; left.length > 0; ) {
    try {
      left = left.subarray(fs.writeSync(1, left));
    } catch (error) {
      if (error.code !== 'EAGAIN') return;
    }
  }
}

function later(seconds, action) {
  if (seconds > 0) setTimeout(action, seconds * 1000);
  else action();
}

// What happens to its generation

function point(where) {
  fates.comes('point', where);
  strike();
}

function strike() {
  for (const fault of fates.take(GENERATION)) deeds[fault.do](fault);
}

/** Wait without an end; nothing else runs meanwhile. */
const sleepForEver = () => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);

const deeds = {
  exit: (fault) => process.exit(fault.code ?? 1),
  signal(fault) {
    process.kill(process.pid, fault.number ?? 9);
    sleepForEver();
  },
  pause(fault) {
    if (fault.seconds !== undefined) {
      // nobody who is stopped can go on by himself
      spawn('/bin/sh', ['-c', `sleep ${fault.seconds}; kill -CONT ${process.pid}`], { stdio: 'ignore' }).unref();
    }
    process.kill(process.pid, 'SIGSTOP');
  },
  hang(fault) {
    if (fault.deaf) {
      process.on('SIGTERM', () => {}); // what is handled here is never handled in the loop below
      for (;;);
    }
    const nothing = Buffer.alloc(65_536);
    for (;;) {
      try {
        if (fs.readSync(0, nothing) === 0) process.exit(0);
      } catch (error) {
        if (error.code !== 'EAGAIN') process.exit(0);
        Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5);
      }
    }
  },
  stderr_flood(fault) {
    const size = fault.bytes ?? 200_000;
    const flood = Buffer.from('a flood of words \n'.repeat(Math.ceil(size / 18))).subarray(0, size);
    for (let left = flood; left.length > 0; ) {
      try {
        left = left.subarray(fs.writeSync(2, left));
      } catch (error) {
        if (error.code !== 'EAGAIN') throw error;
      }
    }
  },
  orphan: () => spawn('sleep', ['1000000'], { stdio: ['ignore', 'inherit', 'inherit'], detached: true }).unref(),
  grow_memory: (fault) => kept.push(Buffer.alloc((fault.mebibytes ?? 256) * 1024 * 1024, 1)),
  close_stdin() {
    fs.closeSync(0);
    sleepForEver();
  },
  close_stdout: () => fs.closeSync(1),
  kill_parent: () => process.kill(process.ppid, 'SIGKILL'),
};

process.on('SIGUSR2', () => {
  // the board's side has armed an entry
  fates.lookUp();
  strike();
});
book.count('spawn');
fates.comes('spawn');
strike();
if (fates.take(new Set(['refuse_start'])).length > 0) process.exit(1);

const lines = createInterface({ input: process.stdin, crlfDelay: Infinity });
lines.on('line', (line) => {
  book.count('in');
  fates.comes('frame', 'in');
  strike();
  serve(JSON.parse(line));
});
lines.on('close', () => process.exit(0));
