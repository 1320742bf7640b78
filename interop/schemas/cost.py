"""How much work it is to hold a value to a schema, known before any value is.

A few lines of schema can ask for more work than a lifetime has. In one way they say so by themselves:
``a`` is all of ``b`` and ``b``, ``b`` is all of ``c`` and ``c``, and so on. In another it takes a value:
a tree whose two alternatives both look into the same branch doubles the work with each level. So what is
known is how often, at most, a value at each depth is looked at, and the sizes of a value's levels tell
the rest.

It is an upper bound. Nothing is executed, and a validator that remembers what it has seen does less.
"""

from __future__ import annotations

from collections import Counter, deque
from typing import TYPE_CHECKING, Final

from ..errors import UncheckableSchemaError
from ..limits import MAX_DEPTH

if TYPE_CHECKING:
    from .graph import Node

TOO_MUCH: Final = 10**12
"""More is not counted."""

MAX_ENTANGLED: Final = 1_000_000
"""Pairs of schemas of which one applies the other to the same value."""

_Counts = dict[int, int]
"""How often each schema is applied to one value."""


def work_by_depth(graph: list[Node]) -> tuple[int, ...]:
    """Return how many schemas, at most, are applied to one value at depth 0, 1, 2, … up to `MAX_DEPTH`.

    It ends where nothing is asked of deeper values. No number is larger than `TOO_MUCH`.

    Raises:
        UncheckableSchemaError: a schema leads back to itself without going any deeper into the value, or
            they are entangled beyond all reason.
    """
    follows = _what_follows(graph)
    applied = follows[0]
    work = [_total(graph, applied)]
    while len(work) <= MAX_DEPTH:
        before = applied
        applied, most = _one_deeper(graph, follows, applied)
        if not applied:
            break
        work.append(most)
        if applied == before or most == TOO_MUCH:  # from here on it is the same at each depth
            return (*work, *[most] * (MAX_DEPTH + 1 - len(work)))
    return tuple(work)


def _what_follows(graph: list[Node]) -> list[_Counts]:
    """For each schema, what is applied to a value where that is: itself once, and what it leads to."""
    follows: list[_Counts] = [{} for _ in graph]
    pairs = 0
    for number in reversed(_in_order(graph)):
        applied: _Counts = Counter({number: 1})
        for each, times in graph[number].here:
            _add(applied, follows[each], times)
        follows[number] = applied
        pairs += len(applied)
        if pairs > MAX_ENTANGLED:
            raise UncheckableSchemaError("its references are entangled beyond all reason")
    return follows


def _in_order(graph: list[Node]) -> list[int]:
    """The schemas, each before those that it applies to the same value."""
    waits_for = Counter(number for node in graph for number, _ in node.here)
    ready = deque(number for number in range(len(graph)) if not waits_for[number])
    order: list[int] = []
    while ready:
        order.append(number := ready.popleft())
        for each, _ in graph[number].here:
            waits_for[each] -= 1
            if not waits_for[each]:
                ready.append(each)
    if len(order) < len(graph):
        raise UncheckableSchemaError("its references go round in a circle")
    return order


def _one_deeper(graph: list[Node], follows: list[_Counts], applied: _Counts) -> tuple[_Counts, int]:
    """How often, at most, each schema is applied to any one member or item, and how many are, all in all.

    Different members are different values: what is asked of one is no work at another.
    """
    members: _Counts = Counter()
    items: _Counts = Counter()
    named: dict[str | int, _Counts] = {}
    for number, times in applied.items():
        for each in graph[number].members:
            _add(members, follows[each], times)
        for each in graph[number].items:
            _add(items, follows[each], times)
        for name, each in graph[number].named:
            _add(named.setdefault(name, Counter()), follows[each], times)
    most = max(_total(graph, members), _total(graph, items))
    deeper = {each: max(members.get(each, 0), items.get(each, 0)) for each in (*members, *items)}
    for name, counts in named.items():
        _add(counts, members if isinstance(name, str) else items, 1)
        most = max(most, _total(graph, counts))
        for each, times in counts.items():
            deeper[each] = max(deeper.get(each, 0), times)
    return deeper, most


def _add(counts: _Counts, others: _Counts, times: int) -> None:
    for each, count in others.items():
        counts[each] = min(counts.get(each, 0) + count * times, TOO_MUCH)


def _total(graph: list[Node], counts: _Counts) -> int:
    return min(sum(times * graph[number].weight for number, times in counts.items()), TOO_MUCH)
