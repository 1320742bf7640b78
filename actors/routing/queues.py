"""Calls that wait for their turn, in a queue for each plugin: a pure machine.

::

    enter ─▶ undecided, in the queues of all plugins that offer its name
                │ decide
                ▼
             decided, in the queue of the plugin that takes it ──▶ its turn ──leave──▶ gone

A queue has its calls in the order in which they entered, whenever they came to it. A queue gives a turn to its first call once that is
decided, and no other turn until that call has left. So a call waits only for calls that entered before it: nothing here can
deadlock. A decided call that no plugin takes is in no queue, and has its turn at once.

A step that was interrupted may be taken again: a call's place changes in one assignment, and all else is derived from the places.
"""

from __future__ import annotations

import itertools
from bisect import bisect_left, insort
from typing import TYPE_CHECKING, Generic, NamedTuple, TypeVar

if TYPE_CHECKING:
    from collections.abc import Iterable

Item = TypeVar("Item")


class _Place(NamedTuple):
    number: int
    plugins: tuple[str, ...]
    decided: bool


class PluginQueues(Generic[Item]):
    """See the module. Not thread-safe."""

    def __init__(self) -> None:
        self._numbers = itertools.count()
        self._places: dict[Item, _Place] = {}
        # In ascending order. One that an interrupted step has left behind is removed when it comes first.
        self._queues: dict[str, list[tuple[int, Item]]] = {}
        self._turns: dict[str, Item] = {}

    def enter(self, item: Item, plugins: Iterable[str]) -> None:
        """Add a call behind all others, undecided.

        Args:
            item: the call; not in here already.
            plugins: those that offer its name.
        """
        place = _Place(next(self._numbers), tuple(plugins), decided=False)
        for plugin in place.plugins:
            self._stand(plugin, place.number, item)
        self._places[item] = place

    def decide(self, item: Item, plugin: str | None) -> list[Item]:
        """Note which plugin takes a call, also another one than before; return the calls whose turn it is now.

        Args:
            item: the call. One that has left is ignored.
            plugin: takes it; ``None`` if none does.
        """
        before = self._places.get(item)
        if before is None:
            return []
        plugins = () if plugin is None else (plugin,)
        for each in plugins:
            if each not in before.plugins:
                self._stand(each, before.number, item)
        self._places[item] = _Place(before.number, plugins, decided=True)
        freed = self._let_go([each for each in before.plugins if each != plugin], before.number)
        return [*freed, *self._advance(plugins)] if plugins else [item, *freed]

    def leave(self, item: Item) -> list[Item]:
        """Remove a call, wherever it stands; return the calls whose turn it is now."""
        place = self._places.pop(item, None)
        return [] if place is None else self._let_go(place.plugins, place.number)

    def turns(self) -> list[Item]:
        """All calls whose turn it is; also those that an interrupted step was to return."""
        self._advance(list(self._queues))
        free = [item for item, place in self._places.items() if place.decided and not place.plugins]
        return free + [item for plugin, item in self._turns.items() if self._stands(plugin, item)]

    def _stand(self, plugin: str, number: int, item: Item) -> None:
        queue = self._queues.setdefault(plugin, [])
        if queue and queue[-1][0] > number:
            insort(queue, (number, item))
        else:  # nearly always
            queue.append((number, item))

    def _let_go(self, plugins: Iterable[str], number: int) -> list[Item]:
        for plugin in plugins:
            queue = self._queues.get(plugin, [])
            place = bisect_left(queue, (number,))
            if place < len(queue) and queue[place][0] == number:
                del queue[place]
        return self._advance(plugins)

    def _stands(self, plugin: str, item: Item) -> bool:
        place = self._places.get(item)
        return place is not None and plugin in place.plugins

    def _advance(self, plugins: Iterable[str]) -> list[Item]:
        return [item for plugin in plugins for item in self._next(plugin)]

    def _next(self, plugin: str) -> list[Item]:
        """The call that gets the turn now; none if another has it, or the first call is not decided."""
        if plugin in self._turns:
            if self._stands(plugin, self._turns[plugin]):
                return []
            self._turns.pop(plugin, None)
        queue = self._queues.get(plugin, [])
        while queue and not self._stands(plugin, queue[0][1]):
            del queue[0]
        if not queue:
            self._queues.pop(plugin, None)
            return []
        first = queue[0][1]
        if not self._places[first].decided:
            return []
        self._turns[plugin] = first
        return [first]
