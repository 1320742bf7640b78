"""What a generation of a host may use, and what is to be done when it has used it. Pure.

Two kinds of limit. At a *soft* one the generation is recycled: its successor is started, and it ends when its
calls have. Nobody loses anything, so it is no crash and spends nothing of the restart budget. At a *hard* one
it is ended now, with the calls that are under way: they would take the machine along. Memory has both, and
processor time is hard only while a call is under way: what computes then may never come to an end by itself.

Memory is the resident memory of the host process alone, without that of its children.
"""

from __future__ import annotations

import re
from dataclasses import fields, replace
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from ...base.frozen import frozen

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

FRAMES: Final = 32
"""Frames of a host that are kept for its crash report, if nothing else is said."""

MAX_FRAMES: Final = 256
"""Frames that can be kept: a report goes with every call that a crash costs."""

_UNITS = {"": 1, "b": 1, "kb": 1 << 10, "mb": 1 << 20, "gb": 1 << 30}
_SMALLEST = 1 << 20
_SIZE = re.compile(r"(\d+(?:\.\d+)?)\s*([kmg]?i?b?)", re.IGNORECASE)


class Exceeded(NamedTuple):
    """A limit that a generation has come to.

    Attributes:
        limit: which: ``memory``, ``memory_hard``, ``cpu_seconds``, ``descriptors``, ``age`` or ``calls``.
        bound: what it may use, in bytes, seconds or pieces.
        measure: what it has used.
        hard: it is to be ended now.
    """

    limit: str
    bound: float
    measure: float
    hard: bool = False

    @property
    def cause(self) -> str:
        """What happened, in a sentence that names the limit, its value and the measure."""
        how, unit = _WORDS[self.limit]
        return f"its limit {self.limit!r} of {unit(self.bound)} is passed: {how} {unit(self.measure)}"


def _size(number: float) -> str:
    return f"{number / (1 << 20):,.0f} MB"


def _seconds(number: float) -> str:
    return f"{number:,.1f} s"


def _pieces(number: float) -> str:
    return f"{number:,.0f}"


_WORDS: dict[str, tuple[str, Callable[[float], str]]] = {
    "memory": ("it holds", _size),
    "memory_hard": ("it holds", _size),
    "cpu_seconds": ("it has computed", _seconds),
    "descriptors": ("it has open", _pieces),
    "age": ("it has lived", _seconds),
    "calls": ("it was given", _pieces),
}


@frozen
class Limits:
    """What each generation of a host may use; ``None`` for no limit.

    Attributes:
        memory: bytes of resident memory after which it is recycled.
        memory_hard: bytes after which it is ended at once; twice ``memory`` when ``None``.
        cpu_seconds: processor time. Past it an idle generation is recycled, and one with calls ended at once.
        descriptors: open file descriptors after which it is recycled.
        age: seconds since it was ready after which it is recycled.
        calls: how many it is given until it is recycled. Those that come while its successor starts
            are given to it too.
        jitter: ``age`` and ``calls`` become larger by a random part of up to this, so that hosts of one
            age do not all go at once.
        drain: seconds that calls under way have to end in.
        overlap: the successor is started before it ends. False for a tool that holds something
            exclusively: then calls wait from its last one until the successor is ready.
    """

    memory: int | None = None
    memory_hard: int | None = None
    cpu_seconds: float | None = None
    descriptors: int | None = None
    age: float | None = None
    calls: int | None = None
    jitter: float = 0.1
    drain: float = 10.0
    overlap: bool = True

    def __post_init__(self) -> None:
        for name in ("memory", "memory_hard", "cpu_seconds", "descriptors", "age", "calls"):
            value = getattr(self, name)
            if value is not None and not value > 0:
                raise ValueError(f"{name!r} is {value}; it has to be more than 0")
        if not 0 <= self.jitter <= 1:
            raise ValueError(f"'jitter' is {self.jitter}; it has to be from 0 to 1")
        if not self.drain >= 0:
            raise ValueError(f"'drain' is {self.drain}; it has to be 0 seconds or more")
        if self.memory is not None and self.memory_hard is not None and self.memory_hard < self.memory:
            raise ValueError("'memory_hard' is below 'memory', which would never be come to then")

    @property
    def sampled(self) -> bool:
        """Whether the process has to be looked at from time to time."""
        looked_at = (self.memory, self.memory_hard, self.cpu_seconds, self.descriptors)
        return looked_at != (None, None, None, None)

    @property
    def most_memory(self) -> int | None:
        """Bytes after which it is ended at once."""
        if self.memory_hard is not None or self.memory is None:
            return self.memory_hard
        return 2 * self.memory

    def drawn(self, random: Callable[[], float]) -> Limits:
        """The limits of one generation: with the jitter in them, from floats in ``[0, 1)``."""
        age = None if self.age is None else self.age * (1 + self.jitter * random())
        calls = None if self.calls is None else round(self.calls * (1 + self.jitter * random()))
        return replace(self, age=age, calls=calls, jitter=0.0)


def judge(
    limits: Limits, *, rss: int, cpu_seconds: float, descriptors: int | None, busy: bool
) -> Exceeded | None:
    """Say which limit a process has come to, the hard ones first; ``None`` if all is well.

    Args:
        limits: of the generation.
        rss: bytes of resident memory.
        cpu_seconds: processor time so far.
        descriptors: open file descriptors; ``None`` if they were not counted, since nothing limits them.
        busy: a call is under way.
    """
    if limits.most_memory is not None and rss > limits.most_memory:
        return Exceeded("memory_hard", limits.most_memory, rss, hard=True)
    if limits.cpu_seconds is not None and cpu_seconds > limits.cpu_seconds:
        return Exceeded("cpu_seconds", limits.cpu_seconds, cpu_seconds, hard=busy)
    if limits.memory is not None and rss > limits.memory:
        return Exceeded("memory", limits.memory, rss)
    if limits.descriptors is not None and descriptors is not None and descriptors > limits.descriptors:
        return Exceeded("descriptors", limits.descriptors, descriptors)
    return None


def read_limits(given: Mapping[str, Any]) -> Limits:
    """Read the option ``limits``; its keys have to be known already.

    Raises:
        ValueError: a value is of the wrong kind or out of range; names the key.
    """
    return Limits(**{key: _READERS[key](key, value) for key, value in given.items() if value is not None})


NAMES = frozenset(field.name for field in fields(Limits))
"""The keys of the option."""


def size_in_bytes(value: int | str) -> int:
    """A size as a number of bytes or a text such as ``256MB``, ``1.5 GiB`` or ``64k``; units are of 1024.

    Raises:
        ValueError: it is neither.
    """
    if isinstance(value, int) and not isinstance(value, bool):
        return value
    found = _SIZE.fullmatch(value.strip()) if isinstance(value, str) else None
    if found is None:
        raise ValueError(f"{value!r} is no size; give a number of bytes, or a text such as '256MB'")
    unit = found[2].lower().replace("i", "")
    return int(float(found[1]) * _UNITS[unit if unit.endswith("b") or not unit else f"{unit}b"])


def _read_size(key: str, value: Any) -> int:
    try:
        size = size_in_bytes(value)
    except ValueError as error:
        raise ValueError(f"{key!r}: {error}") from None
    if 0 < size < _SMALLEST:  # a unit that was forgotten would be a host that never comes up
        raise ValueError(f"{key!r} is {size:,} bytes, and no host is that small; give a unit, as in '256MB'")
    return size


def _read_number(key: str, value: Any) -> float:
    if not isinstance(value, int | float) or isinstance(value, bool) or not value < float("inf"):
        raise ValueError(f"{key!r} is {value!r:.60}; it has to be a number")
    return float(value)


def _read_whole(key: str, value: Any) -> int:
    if not isinstance(value, int) or isinstance(value, bool):
        raise ValueError(f"{key!r} is {value!r:.60}; it has to be a whole number")  # noqa: TRY004 - as its siblings
    return value


def _read_flag(key: str, value: Any) -> bool:
    if not isinstance(value, bool):
        raise ValueError(f"{key!r} is {value!r:.60}; it has to be true or false")  # noqa: TRY004 - as its siblings
    return value


_READERS: dict[str, Callable[[str, Any], Any]] = {
    "memory": _read_size,
    "memory_hard": _read_size,
    "cpu_seconds": _read_number,
    "descriptors": _read_whole,
    "age": _read_number,
    "calls": _read_whole,
    "jitter": _read_number,
    "drain": _read_number,
    "overlap": _read_flag,
}
