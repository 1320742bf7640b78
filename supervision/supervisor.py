"""The supervisor actor: carries out what `Supervision` decides, and decides nothing itself.

It never blocks and never sleeps: generations are started and stopped by callables that return at once
and report later, and waiting is a timer that sends a message here.
"""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any

from ..base.errors import CallboardError
from ..base.foreign import Log, contain, shown
from . import messages as m
from .admin import count, judge, presence, which
from .core import Supervision
from .effects import Changed, Effects, Finished, Removed, Schedule, StartGeneration, StopGeneration
from .errors import ChildExists, StartFailed, UnknownChild
from .generation import (
    GenerationDeclined,
    GenerationEnded,
    GenerationReady,
    GenerationReporter,
    GenerationWell,
)
from .messages import AddChild, Due, GetStatus, Order
from .restart.exits import Exit, ExitKind, is_out_of_descriptors
from .restart.spec import ROOT
from .runtime.actor_loop import ReplyFuture, SteadyActor
from .runtime.telling import Refusal, tell
from .verbs import Answer, Verb
from .watch import Down, Watches

if TYPE_CHECKING:
    from collections.abc import Callable

    from .generation import ChildSpec, RunningGeneration
    from .runtime.clock import Clock, Timer
    from .runtime.events import EventStream

logger: Log = Log("callboard.supervision")


class SupervisorActor(SteadyActor):
    """Starts, watches and restarts its children.

    Args:
        clock: where waiting is put.
        events: where changes are published.
        random: the source of the jitter.
    """

    def __init__(self, clock: Clock, events: EventStream, random: Callable[[], float]) -> None:
        super().__init__(clock)
        self._events = events
        self._supervision = Supervision(random)
        self._specs: dict[str, ChildSpec] = {}
        self._running: dict[tuple[str, int], RunningGeneration] = {}
        self._timers: dict[tuple[bool, str], tuple[int, Timer]] = {}
        self._watches = Watches()
        self._shut_down: ReplyFuture[tuple[str, ...]] | None = None
        self._finished = False
        self._adding: str | None = None
        self._refused: dict[str, str] = {}

    def on_stop(self) -> None:
        """Leave nothing on the clock. Ending the generations is for the caller."""
        for _, timer in self._timers.values():
            timer.cancel()
        self._finish(tuple(child for child, _ in self._running))

    def on_receive(self, message: Any) -> Any:
        """Handle one message.

        An error is a value here, for the caller (see `telling.ask_supervisor`). Raised, it would stop
        the actor if the message was told: pykka lets the *sender's* verb decide that.
        """
        try:
            return self._handle(message)
        except CallboardError as error:
            return Refusal(error)
        except BaseException as error:  # noqa: BLE001 - pykka would stop every actor of the process on SystemExit
            contain(error, logger, "the supervisor failed on %s", shown(message))
            self._tell_failed("supervisor", message, error)
            return Refusal(error)

    def _handle(self, message: Any) -> Any:
        core, now = self._supervision, self._clock.now()
        match message:
            case GenerationReady(child, generation):
                self._do(core.ready(child, generation, now))
            case GenerationDeclined(child, generation):
                self._running.pop((child, generation), None)
                self._do(core.declined(child, generation, now))
            case GenerationWell(child, generation):
                if child in core.children and core.children[child].generation == generation:
                    core.forgive(child)
            case GenerationEnded(child, generation, exit_):
                self._running.pop((child, generation), None)
                self._do(core.ended(child, generation, exit_, now))
            case Due(child, token, group):
                self._do(core.due(child, token, now, group=group))
            case AddChild(spec):
                self._add(spec, now)
            case Order(verb, child, reason):
                self._order(verb, child, reason, now)
            case GetStatus():
                return {child.id: child.as_dict(now) for child in core.children.values()}
            case _:
                return self._answer(message, now)
        return None

    def _answer(self, message: Any, now: float) -> Any:
        core = self._supervision
        match message:
            case m.AddGroup(group):
                return core.add_group(group, now)
            case m.GetGroups():
                return {name: group.as_dict(now) for name, group in core.groups.items() if name != ROOT}
            case m.GetWhich():
                return which(core.children)
            case m.GetCount(name):
                return count(core.groups[name])
            case m.Administer(verb, child, reason):
                return self._administer(verb, child, reason, now)
            case m.WatchChild(child, deliver):
                watch = self._watches.add(child, deliver)
                self._do(())
                return watch
            case m.ShutDown(reason, within):
                if self._shut_down is None:
                    self._shut_down = ReplyFuture()
                    self._do(core.shut_down(now, reason, within))
                return self._shut_down
            case _:
                raise TypeError(f"the supervisor does not know the message {message!r}")

    def _add(self, spec: ChildSpec, now: float) -> None:
        core = self._supervision
        if there := core.children.get(spec.id):
            raise ChildExists(spec.id, presence(there), self._running.get((spec.id, there.generation)))
        effects = core.add(
            spec.id, spec.policy, now, group=spec.group, significant=spec.significant, dynamic=spec.dynamic
        )
        self._specs[spec.id] = spec
        self._adding = spec.id
        self._do(effects)
        self._adding = None
        why = self._refused.pop(spec.id, None)
        if why is not None:
            self._do(core.remove(spec.id, now, why))
            self._do(core.ended(spec.id, 1, Exit(ExitKind.START_FAILED, why), now))
            raise StartFailed(spec.id, why)

    def _administer(self, verb: Verb, child: str, reason: str, now: float) -> Answer:
        answer = judge(verb, self._supervision.children.get(child))
        if answer is Answer.OK:
            order = {Verb.TERMINATE: "stop", Verb.RESTART: "revive", Verb.DELETE: "remove"}[verb]
            self._order(order, child, reason, now)
        return answer

    def _order(self, verb: str, child: str, reason: str, now: float) -> None:
        core = self._supervision
        if child not in core.children:
            raise UnknownChild(child, list(core.children))
        match verb:
            case "stop":
                self._do(core.stop(child, now, reason))
            case "park":
                self._do(core.park(child, now, reason))
            case "restart":
                self._do(core.restart(child, now, reason))
            case "replace":
                self._do(core.replace(child, now, reason))
            case "revive":
                self._do(core.revive(child, now))
            case "probe":
                self._do(core.probe(child, now))
            case "forgive":
                core.forgive(child)
            case "remove":
                self._do(core.remove(child, now, reason))
            case _:
                raise ValueError(f"no such order: {verb!r}")

    def _do(self, effects: Effects) -> None:
        for effect in effects:
            match effect:
                case Changed():
                    self._pass_on(effect)
                case StartGeneration(child, generation):
                    self._start(child, generation)
                case StopGeneration(child, generation, reason, retire):
                    # None when starting it has just failed: then its end is in the mailbox.
                    if running := self._running.get((child, generation)):
                        self._call_out(child, running.retire if retire else running.stop, reason)
                case Schedule(name, token, at, group):
                    due = functools.partial(tell, self.actor_ref, Due(name, token, group))
                    self._take_off((group, name))
                    self._timers[group, name] = token, self._clock.call_at(at, due)
                case Removed(child, group):
                    if not group:
                        self._call_out_watchers(child)
                        self._call_out(child, self._specs.pop(child).on_removed)
                case Finished(_, left):
                    self._finish(left)
        self._tidy()

    def _pass_on(self, news: Changed) -> None:
        if not news.group:
            self._events.publish(news.kind, news.child, **news.facts)
            self._call_out(news.child, self._specs[news.child].on_change, news.kind, news.facts)
        elif news.child != ROOT:  # the root is the board, of which nobody has to be told
            self._events.publish(news.kind, news.child, **news.facts)

    def _tidy(self) -> None:
        """Take timers off the clock that mean nothing any more, and tell who watches the dead."""
        core = self._supervision
        for (group, name), (token, _) in tuple(self._timers.items()):
            owner = (core.groups if group else core.children).get(name)
            if owner is None or owner.token != token:
                self._take_off((group, name))
        for child in self._watches:
            if core.is_dead(child):
                self._call_out_watchers(child)

    def _take_off(self, key: tuple[bool, str]) -> None:
        if timer := self._timers.pop(key, None):
            timer[1].cancel()

    def _call_out_watchers(self, child: str) -> None:
        there = self._supervision.children.get(child)
        reason = there.why if there is not None else "it was removed" if child in self._specs else "not found"
        for watch in self._watches.ended(child):
            self._call_out(child, watch.tell, Down(child, reason))

    def _finish(self, left: tuple[str, ...]) -> None:
        if self._shut_down is not None and not self._finished:
            self._finished = True
            self._shut_down.set(left)

    def _call_out(self, child: str, function: Callable[..., None], *facts: Any) -> None:
        """Call what we were given. If it fails, what is still to be done has to be done all the same."""
        try:
            function(*facts)
        except BaseException as error:  # noqa: BLE001 - a watcher may be the embedder's
            contain(error, logger, "%r: calling %s failed", child, shown(function))
            self._tell_failed(child, function, error)

    def _tell_failed(self, subject: str, what: object, error: BaseException) -> None:
        self._events.publish("actor_failed", subject, message=shown(what), error=shown(error))

    def _start(self, child: str, generation: int) -> None:
        reporter = GenerationReporter(self.actor_ref, child, generation)
        try:
            running = _running_generation(self._specs[child].start(reporter))
        except BaseException as error:  # noqa: BLE001 - what starts a child may be the embedder's
            contain(error, logger, "starting %r failed", child)
            if child == self._adding:  # its adder is told, and it is not kept
                self._refused[child] = shown(error)
                return
            cause = f"starting it failed: {shown(error)}"
            starved = is_out_of_descriptors(error)
            reporter.ended(Exit(ExitKind.START_FAILED, cause, permanent=True, starved=starved))
        else:
            if running is None:
                reporter.declined()
            else:
                self._running[child, generation] = running


def _running_generation(started: RunningGeneration | None) -> RunningGeneration | None:
    """What a child's ``start`` returned, if it can be that."""
    if started is not None and not callable(getattr(started, "stop", None)):
        raise TypeError(f"it returned {started!r:.100}, which is no running generation")
    return started
