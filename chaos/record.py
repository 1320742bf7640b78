"""Small records that are checked when they are made, and go to JSON and back.

Triggers and faults are such records. Each field says in its metadata what it may be, so that a
schedule written by hand is refused with the place of the mistake and not run in some other sense.
"""

from __future__ import annotations

import dataclasses
from math import isfinite
from typing import TYPE_CHECKING, Any, ClassVar, Self

from ..base.errors import CallboardError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping


class ScheduleError(CallboardError):
    """A fault schedule is not what it has to be.

    Attributes:
        path: where, such as ``entries[2].fault.code``; empty for the whole.
        problem: what is wrong there.
    """

    def __init__(self, path: str, problem: str) -> None:
        super().__init__(f"{path}: {problem}" if path else problem)
        self.path = path
        self.problem = problem

    def within(self, path: str) -> ScheduleError:
        """The same mistake, seen from the whole of which this was a part."""
        joint = "." if self.path and not self.path.startswith("[") else ""
        return ScheduleError(f"{path}{joint}{self.path}", self.problem)


def whole(default: int, *, least: int = 1, most: int = 2**53) -> Any:
    """A field that holds a whole number."""
    return dataclasses.field(default=default, metadata={"is": int, "least": least, "most": most})


def required(*, least: int = 1, most: int = 2**53) -> Any:
    """A field that holds a whole number and has to be given."""
    return dataclasses.field(metadata={"is": int, "least": least, "most": most})


def maybe_whole(*, least: int = 1) -> Any:
    """A field that holds a whole number or nothing."""
    return dataclasses.field(default=None, metadata={"is": int, "least": least, "most": 2**53})


def span(*default: float | None, least: float = 0.0) -> Any:
    """A field that holds a span of time in seconds; one with the default ``None`` may be left out."""
    metadata = {"is": float, "least": least, "most": 1e9}
    return (
        dataclasses.field(default=default[0], metadata=metadata)
        if default
        else dataclasses.field(metadata=metadata)
    )


def one_of(names: Iterable[str], *default: str) -> Any:
    """A field that holds one of these names."""
    metadata = {"is": str, "names": tuple(names)}
    return (
        dataclasses.field(default=default[0], metadata=metadata)
        if default
        else dataclasses.field(metadata=metadata)
    )


def text(*default: str) -> Any:
    """A field that holds a string."""
    metadata = {"is": str}
    return (
        dataclasses.field(default=default[0], metadata=metadata)
        if default
        else dataclasses.field(metadata=metadata)
    )


def flag(*, default: bool) -> Any:
    """A field that holds true or false."""
    return dataclasses.field(default=default, metadata={"is": bool})


class Datum:
    """What all of them have in common; each is a frozen dataclass.

    Attributes:
        kind: its name in JSON.
    """

    __slots__ = ()
    kind: ClassVar[str]

    def __post_init__(self) -> None:
        for field in dataclasses.fields(self):  # type: ignore[arg-type] # each subclass is a dataclass
            _check(field, getattr(self, field.name))

    def as_dict(self, tag: str) -> dict[str, Any]:
        """As JSON: the kind under ``tag``, then the fields that do not have their default."""
        fields = dataclasses.fields(self)  # type: ignore[arg-type] # each subclass is a dataclass
        told = {field.name: getattr(self, field.name) for field in fields}
        defaults = {field.name: field.default for field in fields}
        return {tag: self.kind} | {name: value for name, value in told.items() if value != defaults[name]}

    @classmethod
    def from_facts(cls, facts: Mapping[str, Any]) -> Self:
        """Make one of JSON, the kind taken out. Raises `ScheduleError`."""
        known = {field.name: field for field in dataclasses.fields(cls)}  # type: ignore[arg-type] # see above
        for name in facts:
            if name not in known:
                there = ", ".join(known) or "none"
                raise ScheduleError(name, f"{cls.kind!r} has no such field; there are: {there}")
        for name, field in known.items():
            if field.default is dataclasses.MISSING and name not in facts:
                raise ScheduleError(name, f"{cls.kind!r} needs it")
        return cls(**facts)


def read_datum(value: Any, tag: str, kinds: Mapping[str, type[Datum]]) -> Any:
    """The trigger or fault that a piece of JSON describes. Raises `ScheduleError`."""
    if not isinstance(value, dict):
        raise ScheduleError("", f"it is {value!r:.80}, not an object with {tag!r}")
    kind = value.get(tag)
    if not isinstance(kind, str) or kind not in kinds:
        raise ScheduleError(tag, f"it is {kind!r:.80}; it must be one of: {', '.join(kinds)}")
    return kinds[kind].from_facts({name: fact for name, fact in value.items() if name != tag})


def _check(field: dataclasses.Field[Any], value: Any) -> None:
    rule, name = field.metadata, field.name
    if value is None and field.default is None:
        return
    match rule["is"]():
        case bool():
            if not isinstance(value, bool):
                raise ScheduleError(name, f"it is {value!r:.80}; it must be true or false")
        case str():
            if not isinstance(value, str) or not value:
                raise ScheduleError(name, f"it is {value!r:.80}; it must be a string that is not empty")
            if "names" in rule and value not in rule["names"]:
                raise ScheduleError(name, f"it is {value!r}; it must be one of: {', '.join(rule['names'])}")
        case number:
            fits = isinstance(value, int) if isinstance(number, int) else isinstance(value, (int, float))
            if isinstance(value, bool) or not fits or not isfinite(value):
                what = "a whole number" if isinstance(number, int) else "a number"
                raise ScheduleError(name, f"it is {value!r:.80}; it must be {what}")
            if not rule["least"] <= value <= rule["most"]:
                raise ScheduleError(
                    name, f"it is {value}; it must be from {rule['least']:g} to {rule['most']:g}"
                )
