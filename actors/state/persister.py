"""What a board does with its state store: recall at the start, save at each commit, tell what is wrong.

A call's answer is told after its state was saved, so what a caller has seen is what the next program
begins with. Where saving fails, the answer is told all the same: the tool has run, its effect is
there, and to call that a failure would have the caller do it again. The state is then kept by the
process alone, which the result says (``state_saved: false``), and an event and the status. It is saved again
after a wait that grows with each failure, whether its plugin is called meanwhile or not, and once more when the board stops.

A state above the limit is another matter: it is the tool that went beyond what was agreed. Such an
answer is an ``invalid_result``, like one whose state is no JSON, and the state before stays.
"""

from __future__ import annotations

import threading
from functools import partial
from typing import TYPE_CHECKING, Any, Final, TypeVar

from ...base.foreign import Log, contain, is_interrupt
from ...base.frozen import frozen
from ...base.json import dump_json
from ...base.locks import Lock
from ...plugins.results.failures import describe
from ...supervision.restart.backoff import Backoff
from .cell import StateCell
from .store import InheritingStore, Saved, StateStoreError, read_state

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ...supervision.runtime.clock import Clock, Timer
    from ...supervision.runtime.events import EventStream
    from .cell import State
    from .store import StateOwner, StateStore

logger: Log = Log("callboard.actors")

Answer = TypeVar("Answer")

MAX_STATE_BYTES = 16 * 1024 * 1024

AGAIN: Final = Backoff(first=0.2, min=0.4, max=10.0, jitter=0.0)
"""How long to wait before what could not be saved is saved again."""

LAST: Final = 5.0
"""Seconds that the last attempt may take, at the stop of the board."""


@frozen(eq=False)
class _Failing:
    """A plugin whose state is not saved.

    Attributes:
        why: what the store said last.
        cell: has the state.
    """

    why: str
    cell: KeptCell


class StateKeeper:
    """See the module. One for each board; thread-safe.

    Args:
        store: keeps the states.
        events: where it tells of what goes wrong, and that it is well again.
        clock: for the wait until a state is saved again.
        limit: the largest state that is kept, in bytes of JSON.
    """

    def __init__(
        self, store: StateStore, events: EventStream, clock: Clock, limit: int = MAX_STATE_BYTES
    ) -> None:
        self.limit = limit
        self._store = store
        self._events = events
        self._clock = clock
        self._lock = Lock()
        self._failing: dict[str, _Failing] = {}
        self._timer: Timer | None = None
        self._streak = 0
        self._closed = False
        try:
            store.attach(self._on_news)
        except BaseException as error:  # the store may be the program's own
            if is_interrupt(error):
                raise
            contain(error, logger, "the state store tells no news")

    def cell(self, owner: StateOwner, state: State) -> KeptCell:
        """The cell of a plugin: with its saved state if there is one, else with ``state``.

        Args:
            owner: the plugin.
            state: what its ``init`` returned.

        Raises:
            StateOfAnotherSource: the state under its name is that of another plugin; it stays as it is.
            StateStoreError: what the store has is no state.
        """
        plugin, former = owner.plugin, owner.former
        before = self._failing.get(plugin)
        if before is not None:
            owner.require(before.cell.source)
        unsaved = None if before is None else before.cell.let_go()
        if before is not None and unsaved is not None:  # it was taken off the board, and comes back
            return self._unsaved_cell(owner, unsaved, before.why)
        saved = self._own("loading", plugin, partial(self._store.load, plugin))
        if former is not None and isinstance(self._store, InheritingStore) and self._store.inherits(former):
            try:
                saved = self._inherit(self._store, plugin, former, saved, owner.rivals)
            except StateStoreError as error:  # it could not be written, and is kept all the same
                return self._unsaved_cell(owner, self._store.load(plugin), str(error))
        if saved is None or saved.source == owner.source:
            return self._cell(owner, state, saved)
        owner.require(saved.source)
        return self._appropriated(owner, saved)

    def _cell(self, owner: StateOwner, state: State, saved: Saved | None) -> KeptCell:
        if saved is None:
            return KeptCell(self, owner, state)
        try:
            return KeptCell(self, owner, read_state(saved.state), saved)
        except ValueError as error:
            why = f"the saved state of {owner.plugin!r} cannot be read: {error}"
            raise StateStoreError(why, store=self._name) from error

    def _appropriated(self, owner: StateOwner, saved: Saved) -> KeptCell:
        """A cell that goes on with a state of no known source, or of that which its entry names; the state is its own from now on."""
        cell = self._cell(owner, {}, saved)
        if saved.source is not None:
            logger.warning(
                "the state of %r, kept for %s, is that of %s now", owner.plugin, saved.source, owner.source
            )
            self._events.publish("state_taken_over", owner.plugin, former=saved.source)
        cell.unsaved = saved._replace(source=owner.source)
        cell.save_again()
        return cell

    def _inherit(
        self, store: InheritingStore, plugin: str, former: str, saved: Saved | None, rivals: Sequence[str]
    ) -> Saved | None:
        """The state that a plugin begins with, where there is one under its former name; what becomes of that one is told."""
        if saved is None and not rivals:
            logger.warning(
                "the state of %r was kept under %r, and is kept under its own name now", plugin, former
            )
            self._events.publish("state_taken_over", plugin, former=former)
            return store.take_over(former, plugin)
        why = (
            f"{plugin!r} has a state of its own"
            if not rivals
            else f"it may be that of {', '.join(map(repr, rivals))}"
        )
        why = (
            f'{why}; to go on with it, write {{"name": {dump_json(former).decode()}}} in the plugin\'s entry'
        )
        logger.warning("the state that is kept under %r is not given to %r: %s", former, plugin, why)
        self._events.publish("state_not_taken_over", plugin, former=former, why=why)
        return saved

    def _unsaved_cell(self, owner: StateOwner, unsaved: Saved | None, why: str) -> KeptCell:
        """A cell whose state is yet to be saved, which is tried again."""
        cell = self._cell(owner, {}, unsaved)
        cell.unsaved = None if unsaved is None else unsaved._replace(source=owner.source)
        self._note_failing(owner.plugin, why, cell)
        return cell

    def save(self, cell: KeptCell, saved: Saved) -> bool:
        """Save a state; False when it could not be, which has been told then, and is tried again. Raises nothing.

        Saves of one cell come one after the other.
        """
        try:
            self._store.save(cell.plugin, saved)
        except BaseException as error:  # as above
            self._note_failing(cell.plugin, _said(error), cell)
            if is_interrupt(error):
                raise
            return False
        if self._failing:
            self._note_saved(cell.plugin)
        return True

    def forget(self, plugin: str) -> None:
        """Have the plugin begin with what its ``init`` returns. Raises `StateStoreError`."""
        if (failing := self._failing.get(plugin)) is not None:
            failing.cell.let_go()  # before it is taken out: a save under way might put it in again
            with self._lock:
                self._failing.pop(plugin, None)
        self._own("forgetting", plugin, partial(self._store.forget, plugin))

    def status(self) -> dict[str, Any]:
        """The store's; why saving fails, if it does, and for which plugins."""
        failing = dict(self._failing)
        why = next((each.why for each in failing.values()), None)
        return {
            **self._status(),
            "failing": why,
            "not_saved": sorted(failing),
            "max_state_bytes": self.limit,
        }

    def close(self) -> None:
        """Try once more what could not be saved, for `LAST` seconds at most, and then no more."""
        with self._lock:
            self._closed = True
            self._cancel()
        if self._failing and (last := self._begin_again()) is not None:
            last.join(LAST)

    @property
    def _name(self) -> str:
        return str(self._status().get("store"))

    def _status(self) -> dict[str, Any]:
        try:
            return dict(self._store.status())
        except BaseException as error:  # as above
            if is_interrupt(error):
                raise
            contain(error, logger, "the state store cannot say how it is")
            return {"store": type(self._store).__name__}

    def _own(self, doing: str, plugin: str, step: Callable[[], Answer]) -> Answer:
        """Do a step of the store's, in the thread of who asks; whatever it raises is an error of the store's."""
        try:
            return step()
        except StateStoreError:
            raise
        except BaseException as error:  # as above
            if is_interrupt(error):
                raise
            why = f"{doing} the state of {plugin!r} raised {describe(error)}"
            raise StateStoreError(why, store=self._name) from error

    def _note_failing(self, plugin: str, why: str, cell: KeptCell) -> None:
        with self._lock:
            known = plugin in self._failing
            self._failing[plugin] = _Failing(why, cell)
            if self._timer is None:
                self._wait()
        if not known:
            logger.error("the state of %r is not saved, and calls go on without: %s", plugin, why)
            self._events.publish("state_store_failing", plugin, why=why)

    def _note_saved(self, plugin: str) -> None:
        with self._lock:
            known = self._failing.pop(plugin, None)
            if (
                self._failing and known is None and self._streak
            ):  # there is room again: the others need not wait
                self._streak = 0
                self._wait()
        if known is not None:
            logger.warning("the state of %r is saved again", plugin)
            self._events.publish("state_store_recovered", plugin)

    # The timer is there from the first failure until nothing fails any more, also while saving again is under way.

    def _wait(self) -> None:
        """Save again after a while. Under the lock."""
        self._cancel()
        if not self._closed:
            when = self._clock.now() + AGAIN.delay(self._streak, _no_jitter)
            self._timer = self._clock.call_at(when, self._begin_again)

    def _cancel(self) -> None:
        timer, self._timer = self._timer, None
        if timer is not None:
            timer.cancel()

    def _begin_again(self) -> threading.Thread | None:
        """In a thread of its own: the clock's must not wait for a disk, nor the main one run what a store may raise."""
        thread = threading.Thread(target=self._again, name="callboard-states", daemon=True)
        try:
            thread.start()
        except RuntimeError as error:  # no thread can be started now
            contain(error, logger, "what could not be saved is saved again later")
            self._after_again()
            return None
        return thread

    def _again(self) -> None:
        try:
            self._save_again()
        finally:
            self._after_again()

    def _after_again(self) -> None:
        with self._lock:
            if self._failing:
                self._streak += 1
                self._wait()
            else:
                self._streak = 0
                self._cancel()

    def _save_again(self) -> None:
        for failing in tuple(self._failing.values()):
            failing.cell.save_again()

    def _on_news(self, kind: str, facts: dict[str, Any]) -> None:
        self._events.publish(kind, "state_store", **facts)


def _no_jitter() -> float:
    return 0.0


def _said(error: BaseException) -> str:
    return str(error) if isinstance(error, StateStoreError) else describe(error)


class KeptCell(StateCell):
    """A cell whose commits are saved. A state that has not changed is not saved again.

    Args:
        saved: what ``state`` was saved as; ``None`` if it was not.

    Attributes:
        plugin: the name of the plugin whose state it is.
        source: where that comes from.
        unsaved: what could not be saved so far; ``None`` if all is saved.
    """

    def __init__(
        self, keeper: StateKeeper, owner: StateOwner, state: State, saved: Saved | None = None
    ) -> None:
        super().__init__(state, 0 if saved is None else saved.version)
        self.recalled: bool = saved is not None
        self.limit: int = keeper.limit
        self._keeper = keeper
        self.plugin: str = owner.plugin
        self.source: str = owner.source
        self.unsaved: Saved | None = None
        self._text = None if saved is None else saved.state

    def _is_saved(self) -> bool:
        return self._text is not None

    def _save(self, text: bytes, version: int, generation: int) -> bool:
        if text == self._text and self.unsaved is None:
            return True
        return self._keep(Saved(text, version, generation, self.source))

    def _keep(self, saved: Saved) -> bool:
        """Save it, or keep it to be saved again. Under the lock."""
        self._text, self.unsaved = None, saved
        if self._keeper.save(self, saved):
            self._text, self.unsaved = saved.state, None
        return self.unsaved is None

    def save_again(self) -> None:
        """Save what could not be saved, unless a later state has been saved since."""
        with self._lock:
            if self.unsaved is not None:
                self._keep(self.unsaved)

    def let_go(self) -> Saved | None:
        """Save nothing of this cell any more unless there is a commit; returns what could not be saved."""
        with self._lock:
            unsaved, self.unsaved = self.unsaved, None
            return unsaved
