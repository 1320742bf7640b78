"""What a board does with its state store: recall at the start, save at each commit, tell what is wrong.

A call's answer is told after its state was saved, so what a caller has seen is what the next program
begins with. Where saving fails, the answer is told all the same: the tool has run, its effect is
there, and to call that a failure would have the caller do it again. The state is then kept by the
process alone, which the result says (``state_saved: false``), and an event and the status.

A state above the limit is another matter: it is the tool that went beyond what was agreed. Such an
answer is an ``invalid_result``, like one whose state is no JSON, and the state before stays.
"""

from __future__ import annotations

import threading
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

from ...base.foreign import Log, contain, is_interrupt
from ...base.json import dump_json
from ...plugins.results.failures import describe
from .cell import StateCell
from .store import InheritingStore, Saved, StateStoreError, read_state

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ...supervision.runtime.events import EventStream
    from .cell import State
    from .store import StateStore

logger = Log("callboard.actors")

Answer = TypeVar("Answer")

MAX_STATE_BYTES = 16 * 1024 * 1024


class StateKeeper:
    """See the module. One for each board; thread-safe.

    Args:
        limit: the largest state that is kept, in bytes of JSON.
    """

    def __init__(self, store: StateStore, events: EventStream, limit: int = MAX_STATE_BYTES) -> None:
        self.limit = limit
        self._store = store
        self._events = events
        self._lock = threading.Lock()
        self._failing: str | None = None
        try:
            store.attach(self._on_news)
        except BaseException as error:  # the store may be the program's own
            if is_interrupt(error):
                raise
            contain(error, logger, "the state store tells no news")

    def cell(
        self, plugin: str, state: State, former: str | None = None, rivals: Sequence[str] = ()
    ) -> KeptCell:
        """The cell of a plugin: with its saved state if there is one, else with ``state``.

        Args:
            plugin: its name.
            state: what its ``init`` returned.
            former: what it was called before; a state under that is taken over, if it can only be this plugin's.
            rivals: other plugins that it could belong to.

        Raises:
            StateStoreError: what the store has is no state.
        """
        saved = self._own("loading", plugin, partial(self._store.load, plugin))
        if former is not None and isinstance(self._store, InheritingStore) and self._store.inherits(former):
            saved = self._inherit(self._store, plugin, former, saved, rivals)
        if saved is None:
            return KeptCell(self, plugin, state)
        try:
            return KeptCell(self, plugin, read_state(saved.state), saved)
        except ValueError as error:
            why = f"the saved state of {plugin!r} cannot be read: {error}"
            raise StateStoreError(why, store=self._name) from error

    def _inherit(
        self, store: InheritingStore, plugin: str, former: str, saved: Saved | None, rivals: Sequence[str]
    ) -> Saved | None:
        """The state that a plugin begins with, where there is one under its former name; what becomes of that one is told."""
        if saved is None and not rivals:
            try:
                store.take_over(former, plugin)
            except StateStoreError as error:  # it is kept with the next state that can be
                self._note(plugin, str(error))
            saved = store.load(plugin)
            logger.warning(
                "the state of %r was kept under %r, and is kept under its own name now", plugin, former
            )
            self._events.publish("state_taken_over", plugin, former=former)
            return saved
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

    def save(self, plugin: str, saved: Saved) -> bool:
        """Save a state; False when it could not be, which has been told then. Raises nothing."""
        try:
            self._store.save(plugin, saved)
        except BaseException as error:  # as above
            self._note(plugin, _said(error))
            if is_interrupt(error):
                raise
            return False
        if self._failing is not None:
            self._note(plugin, None)
        return True

    def forget(self, plugin: str) -> None:
        """Have the plugin begin with what its ``init`` returns. Raises `StateStoreError`."""
        self._own("forgetting", plugin, partial(self._store.forget, plugin))

    def status(self) -> dict[str, Any]:
        """The store's, and why saving fails, if it does."""
        return {**self._status(), "failing": self._failing, "max_state_bytes": self.limit}

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

    def _note(self, plugin: str, why: str | None) -> None:
        with self._lock:
            was, self._failing = self._failing, why
        if was is None and why is not None:
            logger.error("the state of %r is not saved, and calls go on without: %s", plugin, why)
            self._events.publish("state_store_failing", plugin, why=why)
        elif was is not None and why is None:
            logger.warning("states are saved again")
            self._events.publish("state_store_recovered", plugin)

    def _on_news(self, kind: str, facts: dict[str, Any]) -> None:
        self._events.publish(kind, "state_store", **facts)


def _said(error: BaseException) -> str:
    return str(error) if isinstance(error, StateStoreError) else describe(error)


class KeptCell(StateCell):
    """A cell whose commits are saved. A state that has not changed is not saved again.

    Args:
        saved: what ``state`` was saved as; ``None`` if it was not.
    """

    def __init__(self, keeper: StateKeeper, plugin: str, state: State, saved: Saved | None = None) -> None:
        super().__init__(state, 0 if saved is None else saved.version)
        self.recalled = saved is not None
        self.limit = keeper.limit
        self._keeper = keeper
        self._plugin = plugin
        self._text = None if saved is None else saved.state

    def _is_saved(self) -> bool:
        return self._text is not None

    def _save(self, text: bytes, version: int, generation: int) -> bool:
        if text == self._text:
            return True
        saved = self._keeper.save(self._plugin, Saved(text, version, generation))
        self._text = text if saved else None
        return saved
