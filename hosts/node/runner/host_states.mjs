// States that travel only when they have changed: the client names one that it has sent, or was sent, before.
//
// To know that a large state is the same must not cost what to send it costs. So a tool is given a state whose large
// members are read when the tool asks for them, and one that it never asks for cannot have changed.

import { encode, HostFault } from './host_tool.mjs';

const KEPT = 2; // states of a plugin that are known by name: the one of the present, and the one that may become it

const LARGE = 512; // characters of a member that is worth being read late

const MANY = 64; // members; with more of them, to look at each is as much work as to read all

/** The states of one plugin that can be named. */
export class KnownStates {
  #byName = new Map();

  /**
   * The state of a request with a `state_version`; `params.state` is what the tool is given, afterwards.
   *
   * Throws a `StateUnknown` if it came by name alone, and that name is not known, or not any more.
   */
  given(params) {
    const name = String(params.state_version);
    if (params.state !== undefined) this.#keep(name, snapshotOf(params.state));
    const snapshot = this.#byName.get(name);
    if (snapshot === undefined) throw new HostFault('StateUnknown', `no state is known here as ${JSON.stringify(name)}`);
    return new GivenState(params, snapshot, (id, changed) => this.#keep(id, changed));
  }

  #keep(name, snapshot) {
    this.#byName.delete(name);
    this.#byName.set(name, snapshot);
    for (const oldest of this.#byName.keys()) {
      if (this.#byName.size <= KEPT) return;
      this.#byName.delete(oldest);
    }
  }
}

/** The state that one request was given. */
class GivenState {
  #snapshot;
  #late = new Map();
  #keep;

  constructor(params, snapshot, keep) {
    this.#snapshot = snapshot;
    this.#keep = keep;
    params.state ??= snapshot.open(this.#late);
  }

  /** What the client has to be told of it, as JSON: undefined if it is the same still. From then on `id` is its name. */
  news(state, id) {
    const present = snapshotOf(state, this.#snapshot, this.#late);
    if (present === this.#snapshot) return undefined;
    this.#keep(id, present);
    return present.text;
  }
}

/**
 * A state as it would travel: the former snapshot itself if it is the same still.
 *
 * @param late the members of it that are read when they are asked for.
 */
function snapshotOf(state, former, late) {
  if (Object.keys(state).length > MANY || typeof state.toJSON === 'function') {
    const text = written(state);
    return text === former?.text ? former : new WholeState(text);
  }
  const members = membersOf(state, former, late);
  const before = former?.members?.values() ?? [];
  const same = members.size === former?.members?.size && [...before].every((member) => members.get(member.name) === member);
  return same && inOrder(members, former.members) ? former : new StateByMembers(members);
}

function inOrder(some, others) {
  const names = others.keys();
  return [...some.keys()].every((name) => name === names.next().value);
}

/** By name; those that are the same still are the former ones themselves. */
function membersOf(state, former, late) {
  const members = new Map();
  for (const name of Object.keys(state)) {
    const before = former?.members?.get(name);
    const member = late?.get(name)?.isUntouched(state) ? before : memberOf(name, state[name], before);
    if (member !== undefined) members.set(name, member);
  }
  return members;
}

/** Undefined of what JSON leaves out. */
function memberOf(name, value, before) {
  if (before?.scalar !== undefined && Object.is(value, before.scalar)) return before;
  const text = written({ [name]: value }).slice(1, -1);
  if (text === before?.text) return before;
  return text === '' ? undefined : { name, text, scalar: asScalar(value) };
}

/** A state as the texts of its members. Immutable. */
class StateByMembers {
  constructor(members) {
    this.members = members;
  }

  get text() {
    return `{${Array.from(this.members.values(), (member) => member.text).join(',')}}`;
  }

  /**
   * A state for a tool, which may do with it as it likes.
   *
   * @param late takes the members that are read when they are asked for, by name.
   */
  open(late) {
    const state = {};
    for (const [name, { text, scalar }] of this.members) {
      if (scalar === undefined && text.length >= LARGE) late.set(name, new LateMember(state, name, text));
      else define(state, name, { value: scalar ?? read(text, name), writable: true });
    }
    // A tool that prints its state is to see it, and not how it is read.
    if (late.size > 0) define(state, INSPECT, { value: () => ({ ...state }), writable: true, enumerable: false });
    return state;
  }
}

/** A state that is read and written as a whole. Immutable. */
class WholeState {
  constructor(text) {
    this.text = text;
  }

  open() {
    return JSON.parse(this.text);
  }
}

/** A member of a state that is read when it is asked for, and is a plain one from then on. */
class LateMember {
  #name;
  #get;

  constructor(state, name, text) {
    const become = (value) => define(state, name, { value, writable: true });
    this.#name = name;
    this.#get = () => {
      const value = read(text, name);
      become(value);
      return value;
    };
    define(state, name, { get: this.#get, set: become });
  }

  /** Whether nobody has asked for it. */
  isUntouched(state) {
    return Object.getOwnPropertyDescriptor(state, this.#name)?.get === this.#get;
  }
}

const INSPECT = Symbol.for('nodejs.util.inspect.custom');

const define = (state, name, what) =>
  Object.defineProperty(state, name, { configurable: true, enumerable: true, ...what });

const read = (text, name) => JSON.parse(`{${text}}`)[name];

const written = (state) => encode(state, 'InvalidResult', 'the state');

/** As it comes back from JSON; undefined of what is an object, or nothing that JSON says. */
function asScalar(value) {
  if (typeof value === 'string') return value.toWellFormed();
  if (typeof value === 'number') return Number.isFinite(value) ? value + 0 : null; // JSON knows no -0
  return value === null || typeof value === 'boolean' ? value : undefined;
}
