"""Bugs that are planted into the library, one at a time: each function patches the process that it is called in.

Each breaks one of the README's promises, whose number stands before it. `planted.json` says which commands of the kit
convict each, and `planted.py` compares that with what the commands say.
"""

from __future__ import annotations

import atexit
import itertools
import os
from collections import OrderedDict
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

from callboard.actors.calls.call import Call
from callboard.actors.calls.unread_parts import UnreadParts
from callboard.actors.endpoint.endpoint import Endpoint, ToolSettings
from callboard.actors.endpoint.mailbox import Mailbox
from callboard.actors.hosted.request import HostedRun
from callboard.actors.hosted.sender import Sender
from callboard.actors.hosted.tool_actor import HostedToolActor
from callboard.actors.local.thread_tool_actor import ThreadToolActor
from callboard.actors.local.workers import Workers
from callboard.actors.state.cell import StateCell
from callboard.hosts.process import process
from callboard.hosts.process.posix_process import PolledProcess
from callboard.hosts.protocol.peer import Peer
from callboard.plugins.results.codes import Code
from callboard.plugins.results.failures import failure
from callboard.supervision import fates
from callboard.supervision.restart.policy import Park, Restart
from callboard.supervision.transitions import Transitions

if TYPE_CHECKING:
    from collections.abc import Callable


class Bug(NamedTuple):
    """A bug: ``plant`` it, and the promise of that number is broken."""

    promise: int
    plant: Callable[[], None]


BUGS: dict[str, Bug] = {}
"""By the name that the launcher is given."""


def breaks(promise: int) -> Callable[[Callable[[], None]], Callable[[], None]]:
    """Register a bug that breaks the README's promise of this number."""

    def register(plant: Callable[[], None]) -> Callable[[], None]:
        BUGS[plant.__name__] = Bug(promise, plant)
        return plant

    return register


@breaks(2)
def parts_out_of_order() -> None:
    """The last two unread parts change places."""
    keep = UnreadParts.keep

    def swapped(parts: UnreadParts, chunk: dict[str, Any], size: int) -> int:
        dropped = keep(parts, chunk, size)
        if len(parts) > 1:
            parts[-1], parts[-2] = parts[-2], parts[-1]
        return dropped

    UnreadParts.keep = swapped


@breaks(2)
def part_lost() -> None:
    """Every fifth part is lost."""
    keep, numbers = UnreadParts.keep, itertools.count(1)

    def lossy(parts: UnreadParts, chunk: dict[str, Any], size: int) -> int:
        return 0 if next(numbers) % 5 == 0 else keep(parts, chunk, size)

    UnreadParts.keep = lossy


@breaks(1)
def answered_twice() -> None:
    """A callback at the end of a call is called twice."""
    add = Call.add_done_callback

    def twice(call: Call, function: Callable[[], None]) -> None:
        add(call, function)
        add(call, function)

    Call.add_done_callback = twice


@breaks(1)
def answer_of_another() -> None:
    """Every seventh answer of a host is the answer before it."""
    in_truth, numbers, kept = HostedRun.on_answer, itertools.count(1), []

    def another(run: HostedRun, value: Any, state: Any) -> None:
        kept.append(value)
        in_truth(run, kept[-2] if next(numbers) % 7 == 0 else value, state)

    HostedRun.on_answer = another


@breaks(3)
def calls_out_of_order() -> None:
    """Mailboxes give the last call first, those of thread tools too."""
    for name in ("take", "take_all"):
        in_order = getattr(Mailbox, name)

        def last_first(mailbox: Mailbox, in_order: Any = in_order) -> Any:
            with mailbox._lock:
                mailbox._calls = OrderedDict(reversed(mailbox._calls.items()))
            return in_order(mailbox)

        setattr(Mailbox, name, last_first)


@breaks(3)
def thread_calls_swapped() -> None:
    """A thread of this process takes the second of two calls that wait before the first."""
    run_one, held = Workers._run_one, {}

    def swapped(workers: Workers, endpoint: Any, call: Call, loop: Any) -> bool:
        held.setdefault(workers, False)
        if held[workers] or not (mailbox := endpoint.mailbox)._calls:
            return run_one(workers, endpoint, call, loop)
        with mailbox._lock:
            later = next(iter(mailbox._calls), None)
            if later is not None:
                del mailbox._calls[later]
                mailbox._calls[call] = None
                mailbox._calls.move_to_end(call, last=False)
                mailbox._taken.discard(call)
                mailbox._taken.add(later)
        return run_one(workers, endpoint, later or call, loop)

    Workers._run_one = swapped


@breaks(3)
def two_at_once() -> None:
    """A plugin may run one more call than its concurrency."""
    in_truth = Mailbox.__init__

    def wider(mailbox: Mailbox, limit: int, concurrency: int, grant: Any) -> None:
        in_truth(mailbox, limit, concurrency + 1, grant)

    Mailbox.__init__ = wider


@breaks(1)
def place_leaked() -> None:
    """A call that is put back, as after a crash, keeps its place."""
    put_back = Mailbox.put_back

    def leak(mailbox: Mailbox, call: Call) -> Any:
        if call in mailbox._taken:
            mailbox._taken.add(Call(call.id, call.invocation))
        return put_back(mailbox, call)

    Mailbox.put_back = leak


@breaks(1)
def interrupt_keeps_place(patch: Callable[[Any, str, Any], object] = setattr) -> None:
    """A call that an interrupt has withdrawn keeps its place."""
    recover = Endpoint.recover

    def leak(endpoint: Endpoint, call: Call) -> None:
        recover(endpoint, call)
        endpoint.mailbox._taken.add(Call(call.id, call.invocation))

    patch(Endpoint, "recover", leak)


@breaks(4)
def state_lost() -> None:
    """Every fifth commit of a state does nothing."""
    commit, numbers = StateCell.commit, itertools.count(1)

    def lossy(cell: StateCell, *given: Any, **options: Any) -> Any:
        return None if next(numbers) % 5 == 0 else commit(cell, *given, **options)

    StateCell.commit = lossy


@breaks(5)
def not_sent_lie() -> None:
    """A call that was lost in a crash is answered ``not_sent``."""

    def lie(run: HostedRun, report: Any) -> None:
        run._end(failure(Code.HOST_UNAVAILABLE, report.summary))

    HostedRun.on_lost = lie


@breaks(5)
def repeated() -> None:
    """Every call is sent again after a crash, whether its tool is idempotent or not."""
    ToolSettings.is_idempotent = lambda *_: True


@breaks(7)
def crash_not_told() -> None:
    """No ``host_crashed`` is published."""
    of = fates.Fates.of

    def silent(one: fates.Fates, *given: Any) -> Any:
        return tuple(effect for effect in of(one, *given) if getattr(effect, "kind", "") != "host_crashed")

    fates.Fates.of = silent


@breaks(7)
def budget_ignored() -> None:
    """A host is never parked for its crashes."""
    decide = fates.decide

    def endless(policy: Any, history: Any, exit_: Any, now: float, random: Any) -> Any:
        decided = decide(policy, history, exit_, now, random)
        return Restart(0.01, decided.history) if isinstance(decided, Park) else decided

    fates.decide = endless


@breaks(7)
def backoff_ignored() -> None:
    """A host is started again at once."""
    decide = fates.decide

    def at_once(*given: Any) -> Any:
        decided = decide(*given)
        return replace(decided, delay=0.0) if isinstance(decided, Restart) else decided

    fates.decide = at_once


@breaks(7)
def generation_skipped() -> None:
    """A restart passes over a generation."""
    start = Transitions.start

    def skip(transitions: Transitions, child: Any, now: float) -> Any:
        child.generation += child.generation > 0
        return start(transitions, child, now)

    Transitions.start = skip


@breaks(6)
def deadline_late() -> None:
    """A call ends two seconds after its deadline."""
    expire = Call._expire

    def late(call: Call) -> None:
        clock, when = clocks[call], call.deadline
        if when is None or clock.now() >= when + 2.0:
            expire(call)
        else:
            call._timer = clock.call_at(when + 2.0, call._expire)

    limit, clocks = Call.limit, {}

    def limited(call: Call, clock: Any, seconds: float | None) -> None:
        clocks[call] = clock
        limit(call, clock, seconds)

    Call._expire, Call.limit = late, limited


@breaks(6)
def deadline_early() -> None:
    """A call ends at half of its deadline."""
    limit = Call.limit
    Call.limit = lambda call, clock, seconds: limit(call, clock, seconds and seconds / 2)


@breaks(1)
def answer_lost() -> None:
    """Every ninth answer of a host is lost, so that its call ends by its deadline."""
    in_truth, numbers = HostedRun.on_answer, itertools.count(1)

    def lost(run: HostedRun, value: Any, state: Any) -> None:
        if next(numbers) % 9:
            in_truth(run, value, state)

    HostedRun.on_answer = lost


@breaks(9)
def sweep_removed() -> None:
    """Orphans of a host are not looked for; this program ends them when the kit has said what it sees."""
    in_truth, hosts = process.end_session, []

    def skip(*host: Any, **found_by: Any) -> list[int]:
        hosts.append((host, found_by))
        return []

    def clear() -> None:
        for host, found_by in hosts:
            in_truth(*host, **found_by)

    process.end_session = skip
    atexit.register(clear)


@breaks(2)
def last_parts_lost() -> None:
    """The parts that a call has emitted before a crash are dropped with it."""
    on_lost = HostedRun.on_lost

    def lossy(run: HostedRun, report: Any) -> None:
        if run.call._chunks:
            run.call._chunks.clear()
        on_lost(run, report)

    HostedRun.on_lost = lossy


@breaks(4)
def state_stale() -> None:
    """A new generation of a host is given the state before the last that was kept."""
    commit, attach = StateCell._commit, Sender.attach

    def remember(cell: StateCell, state: Any, *more: Any) -> bool:
        cell.before = cell.committed[0]
        return commit(cell, state, *more)

    def stale(sender: Sender, endpoint: Any, *more: Any, **options: Any) -> None:
        cell = endpoint.cell
        if hasattr(cell, "before"):
            cell.large, cell.committed = None, (cell.before, cell.committed[1])
        attach(sender, endpoint, *more, **options)

    StateCell._commit, Sender.attach = remember, stale


@breaks(5)
def half_sent_repeated() -> None:
    """Of a write that had left in part when the host ended, all calls are taken for unsent, and sent again."""
    process.unsent_lines = lambda backlog: b"".join(rest.obj for rest in backlog)


@breaks(6)
def grace_ignored() -> None:
    """A tool that goes on beyond its deadline and its grace keeps its thread, or its host."""
    HostedToolActor._on_overdue = ThreadToolActor._fence = lambda *_: None


@breaks(8)
def mailbox_unbounded() -> None:
    """No call is refused for a full mailbox."""
    in_truth = Mailbox.__init__

    def endless(mailbox: Mailbox, limit: int, concurrency: int, grant: Any) -> None:
        in_truth(mailbox, 1_000_000, concurrency, grant)

    Mailbox.__init__ = endless


@breaks(9)
def descriptor_left() -> None:
    """A host's end leaves a descriptor open."""
    close = PolledProcess.close

    def leaky(one: PolledProcess) -> None:
        os.dup(one.popen.stdout.fileno())
        close(one)

    PolledProcess.close = leaky


@breaks(10)
def print_is_a_breach() -> None:
    """A host that prints a line has broken the protocol."""
    in_truth = Peer.__init__

    def strict(peer: Peer, **options: Any) -> None:
        in_truth(peer, **{**options, "max_stray": 0})

    Peer.__init__ = strict


@breaks(7)
def generation_kept() -> None:
    """Every generation of a host is kept when it has ended."""
    in_truth, kept = Peer.__init__, []

    def keep(peer: Peer, **options: Any) -> None:
        in_truth(peer, **options)
        kept.append(peer)

    Peer.__init__ = keep
