"""Carries a fault schedule out on the real hosts of a board, from outside, with real signals.

It can do to any host what a signal can do, and to one whose `Tamper` it holds what a hand on the line
can. What only the host itself can do (close a stream, leave an orphan) is for hosts that read the
schedule themselves: `EvilToolPlugin` does, and is told here of the moments that it cannot know.

A fault that comes due while its host is down waits for the next generation, and so does one that would kill a host which is
dying: nothing can be done to nobody. What is done is
told when it is done: an answer that is to be spoilt counts when it was.
"""

from __future__ import annotations

import math
import signal
from collections import defaultdict
from functools import partial
from typing import TYPE_CHECKING, Self

from ..actors.hosted.hosted_plugin import HostedPlugin
from ..base.locks import RLock
from . import faults as f
from . import triggers as t
from .checker.host_stories import DOWN
from .inject.arming import Arming, Entered, entered_before
from .inject.evil_tool import EvilToolPlugin
from .inject.signals import go_on, pause, send
from .inject.tamper import KINDS, Tamper
from .record import ScheduleError
from .schedules.cues import Cues

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from ..actors.board import Board
    from ..hosts.host import Host
    from ..supervision.restart.policy import RestartPolicy
    from ..supervision.runtime.events import Event
    from .schedule import Entry, Schedule

OUTSIDE = frozenset({"signal", "pause"})
"""The faults that can be done to any process."""

_BORNE = f.Garbage | f.DuplicateReply | f.StdoutFlood | f.PartFlood | f.ReplyFlood

_TRIGGERS = (t.NthCall, t.NthSpawn, t.StateEntered, t.AtTime)


class Nemesis:
    """See the module. It acts from the moment it is made until `close`.

    A host that plugins share goes by its own name; calls of any of them are its calls.

    Args:
        board: whose hosts; all of them have to be on it.
        schedule: what is done to them.
        tampers: the hands on the lines, by host.
        note: told the host and what is done to it.
        spare: do nothing to a host that would be parked for it; `held` counts what was left out.

    Attributes:
        done: the faults that were done, by host.
        held: the faults that were held back; whoever wants as many all the same has others done.

    Raises:
        ScheduleError: an entry is for no host of the board, or for one that it cannot be done to.
    """

    def __init__(
        self,
        board: Board,
        schedule: Schedule,
        *,
        tampers: Mapping[str, Tamper] | None = None,
        note: Callable[[str, str], None] = lambda _host, _what: None,
        spare: bool = False,
    ) -> None:
        self.done: list[tuple[str, f.Fault]] = []
        self.held: list[tuple[str, f.Fault]] = []
        self._board = board
        self._tampers = dict(tampers or {})
        self._note = note
        self._spare = spare
        self._lock = RLock()
        self._healed = False
        self._paused: set[int] = set()
        self._states = Entered()
        self._pending: dict[str, list[f.Fault]] = defaultdict(list)
        self._next: dict[str, list[f.Fault]] = defaultdict(list)
        self._struck: dict[tuple[str, int], tuple[float, f.Fault]] = {}
        self._ended: set[tuple[str, int]] = set()
        self._ready_since: dict[str, float] = {}
        self._blows: dict[str, list[float]] = defaultdict(list)
        self._homes = {
            name: handle.host_name
            for name, handle in board.plugin_manager.handles().items()
            if isinstance(handle, HostedPlugin)
        }
        # Where several share a host, any of them that is in it shows the host's process.
        handles = sorted(board.plugin_manager.handles().values(), key=lambda handle: handle.available)
        self._plugins = {
            handle.host_name: handle.plugin for handle in handles if isinstance(handle, HostedPlugin)
        }
        self._require_possible(schedule)
        evil = [plugin for plugin in self._plugins.values() if isinstance(plugin, EvilToolPlugin)]
        self._arming = Arming(board, evil, lambda name, fault: self._note(name, describe(fault)))
        self._cues = {
            name: Cues(schedule.of(name))
            for name, plugin in self._plugins.items()
            if not isinstance(plugin, EvilToolPlugin)
        }
        for name, tamper in self._tampers.items():
            tamper.told = partial(self._spoilt, name)
        self._subscription = board.subscribe(self._on_event, {*t.STATE_OF, *DOWN, "call_started"})
        self._catch_up()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def told(self) -> list[tuple[str, str]]:
        """What was done, and to which host, in words; in order."""
        return [(name, describe(fault)) for name, fault in self.done[:]]

    @property
    def kills(self) -> int:
        """How many generations have ended after a fault that ends one was done to them; each counts once."""
        with self._lock:
            return len(self._struck.keys() & self._ended)

    def at_next_call(self, name: str, fault: f.Fault) -> None:
        """Do something to a host at the next call that it is given."""
        with self._lock:
            self._next[name].append(fault)

    def forget(self, name: str) -> None:
        """What is to be done to a host, and was not yet, is not done: what the schedule has for it neither."""
        with self._lock:
            self._next.pop(name, None)
            self._pending.pop(name, None)
            if name in self._cues:
                self._cues[name].forget()
        if name in self._tampers:
            self._tampers[name].heal()

    def to_come(self, name: str) -> int:
        """How many ends of a host's generations are still to be told: of what was done to it, or waits for its next generation.

        They are told by events, which may come when the next generation has long been there.
        """
        with self._lock:
            waiting = sum(map(is_deadly, self._pending.get(name, ())))
            return waiting + sum(self._is_dying(*struck) for struck in self._struck if struck[0] == name)

    def spared_for(self, name: str) -> float:
        """Seconds for which a host cannot be ended without being parked for it; infinite if that is always so."""
        with self._lock:
            policy, now = self._policy(name), self._board.clock.now()
            recent = self._recent(name, now)
            if not self._spare or len(recent) < policy.intensity:
                return 0.0
            if not policy.intensity:
                return math.inf
            after = [recent[-policy.intensity] + policy.period + _MARGIN]
            if name in self._ready_since:
                after.append(self._ready_since[name] + policy.stable_for + _MARGIN)
            return max(0.0, min(after) - now)

    def heal(self) -> None:
        """Do no more, and let go on what was stopped."""
        with self._lock:
            self._healed = True
            self._pending.clear()
            self._next.clear()
            paused, self._paused = self._paused, set()
        self._arming.close()
        for cues in self._cues.values():
            cues.healed = True
        for tamper in self._tampers.values():
            tamper.heal()
        for pid in paused:
            go_on(pid)

    def close(self) -> None:
        """As `heal`, and hear no more."""
        self.heal()
        self._subscription.close()

    # What there is to do

    def _require_possible(self, schedule: Schedule) -> None:
        for number, entry in enumerate(schedule.entries):
            path = f"entries[{number}]"
            if entry.host is not None and entry.host not in self._plugins:
                there = ", ".join(sorted(self._plugins)) or "none"
                raise ScheduleError(f"{path}.host", f"there is no host {entry.host!r}; there are: {there}")
            for name in [entry.host] if entry.host is not None else self._plugins:
                self._require_doable(entry, name, path)

    def _require_doable(self, entry: Entry, name: str, path: str) -> None:
        if isinstance(self._plugins[name], EvilToolPlugin):
            return
        possible = OUTSIDE | (KINDS if name in self._tampers else frozenset())
        if entry.fault.kind not in possible:
            can = ", ".join(sorted(possible))
            why = f"{entry.fault.kind!r} cannot be done to {name!r} from outside; this can: {can}"
            raise ScheduleError(f"{path}.fault", why)
        if not isinstance(entry.trigger, _TRIGGERS):
            why = f"{entry.trigger.kind!r} cannot be seen from outside; these can: call, spawn, state, time"
            raise ScheduleError(f"{path}.trigger", why)

    def _catch_up(self) -> None:
        """The hosts were started before anybody listened."""
        now = self._board.clock.now()
        for name, generation, state in entered_before(self._board):
            self._enter(name, generation, state)
        for name, cues in self._cues.items():
            for seconds in cues.times():
                self._board.clock.call_at(now + seconds, partial(self._at_time, name, now))

    # When

    def _on_event(self, event: Event) -> None:
        if event.kind in DOWN:
            with self._lock:
                self._ended.add((event.subject, event.facts["generation"]))
                self._ready_since.pop(event.subject, None)
        state = t.STATE_OF.get(event.kind)
        if state is not None:
            self._enter(event.subject, event.facts["generation"], state)
        elif event.kind == "call_started" and (name := self._homes.get(event.subject, "")) in self._cues:
            with self._lock:  # across the faults: each is counted before the next is decided
                self._do_all(name, [*self._cues[name].at_call(), *self._next.pop(name, [])])

    def _enter(self, name: str, generation: int, state: str) -> None:
        with self._lock:  # across the faults, as where a call starts
            if name not in self._cues or not self._states.is_new(name, generation, state):
                return
            cues = self._cues[name]
            faults = cues.at_spawn() if state == "starting" else []
            faults += cues.at_state(state)
            if state == "ready":
                self._ready_since[name] = self._board.clock.now()
                faults = [*self._pending.pop(name, []), *faults]
            self._do_all(name, faults)

    def _at_time(self, name: str, began: float) -> None:
        with self._lock:  # across the faults, as where a call starts
            self._do_all(name, self._cues[name].at_time(self._board.clock.now() - began))

    # What is done

    def _do_all(self, name: str, faults: list[f.Fault]) -> None:
        for fault in faults:
            host = self._present(name)
            if host is None or (is_deadly(fault) and self._is_dying(name, host.generation)):
                self._pending[name].append(fault)
            elif not self._healed:
                self._do(name, host.pid, host.generation, fault)

    def _present(self, name: str) -> Host | None:
        """The present generation of a host. Its plugins may have been taken off and loaded again."""
        for handle in self._board.plugin_manager.handles().values():
            if isinstance(handle, HostedPlugin) and handle.host_name == name and handle.plugin.host:
                return handle.plugin.host
        return None

    def _do(self, name: str, pid: int, generation: int, fault: f.Fault) -> None:
        if self._spare and self._would_be_parked(name, fault):
            self.held.append((name, fault))
            return
        match fault:
            case f.Signal() | f.Pause():
                self._did(name, generation, fault)
            case _:
                self._tampers[name].spoil_next(fault)
                return
        match fault:
            case f.Signal(number):
                send(pid, number)
            case f.Pause(seconds):
                self._paused.add(pid)
                pause(pid)
                if seconds is not None:
                    self._board.clock.call_at(self._board.clock.now() + seconds, partial(self._go_on, pid))

    def _is_dying(self, name: str, generation: int) -> bool:
        """Whether its end is still to be told; one that has caught the signal lives on, and no other."""
        struck = self._struck.get((name, generation))
        if struck is None or (name, generation) in self._ended:
            return False
        at, fault = struck
        if fault == _CANNOT_BE_CAUGHT or self._board.clock.now() - at < _DYING:
            return True
        host = self._present(name)
        return host is None or host.generation != generation

    def _did(self, name: str, generation: int | None, fault: f.Fault) -> None:
        """Tell, before it can show."""
        self.done.append((name, fault))
        if generation is not None and is_deadly(fault):
            self._struck.setdefault((name, generation), (self._board.clock.now(), fault))
        self._note(name, describe(fault))

    def _spoilt(self, name: str, fault: f.Fault, pid: int) -> None:
        """In the thread of a pump: an answer was spoilt."""
        host = self._present(name)
        generation = host.generation if host is not None and host.pid == pid else None
        with self._lock:  # across the note, as where a fault is done
            self._did(name, generation, fault)

    def _go_on(self, pid: int) -> None:
        with self._lock:
            if pid not in self._paused:
                return
            self._paused.discard(pid)
        go_on(pid)

    def _would_be_parked(self, name: str, fault: f.Fault) -> bool:
        """Whether the restart budget of a host is spent by what has been done to it."""
        if isinstance(fault, _BORNE) or (isinstance(fault, f.Pause) and fault.seconds):
            return False  # it lives on
        now = self._board.clock.now()
        recent = self._recent(name, now)
        if len(recent) >= self._policy(name).intensity:
            return True
        recent.append(now)
        return False

    def _recent(self, name: str, now: float) -> list[float]:
        """When something was done to a host that its budget still has to bear; a stable generation has given it back."""
        policy, since = self._policy(name), self._ready_since.get(name)
        stable = since is not None and now - since >= policy.stable_for + _MARGIN
        # The period slides over hosts that were ready only: see `restart.policy`.
        period = math.inf if since is None else policy.period + _MARGIN
        kept = [] if stable else [at for at in self._blows[name] if now - at <= period]
        self._blows[name] = kept
        return kept

    def _policy(self, name: str) -> RestartPolicy:
        supervised_host = self._board.plugin_manager.host_registry.named(name)
        assert supervised_host is not None
        return supervised_host.policy


_DYING = 5.0
"""Seconds in which a host ends that has got a deadly signal, if it ends for that."""

_CANNOT_BE_CAUGHT = f.Signal(9)  # SIGKILL, which Windows has no name for

_MARGIN = 1.0
"""Seconds by which the board may have noted a time later than it was."""


def is_deadly(fault: f.Fault) -> bool:
    """Whether it ends the generation that it is done to, if it is not caught there."""
    return isinstance(fault, f.Signal | f.PartialLine)


def describe(fault: f.Fault) -> str:
    """A fault in a few words."""
    match fault:
        case f.Signal(number):
            return signal.Signals(number).name
        case f.Pause(None):
            return "SIGSTOP"
        case f.Pause(seconds):
            return f"SIGSTOP for {seconds:g} s"
    facts = ", ".join(f"{key} {value}" for key, value in fault.as_dict("do").items() if key != "do")
    return fault.kind.replace("_", " ") + (f" ({facts})" if facts else "")
