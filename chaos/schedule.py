"""A fault schedule: what goes wrong with which host, and when; as data.

It is the whole of what chance decided in a run. Saved with a report and run again it brings the
same faults at the same moments. It says nothing of how a fault is carried out, so one schedule
serves a host in memory and a real one.

What a reader would get wrong: every entry happens once. A host that is to crash at each of three
calls has three entries.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, TypeAlias

from ..base.files.versions import NewerVersion, Versions
from ..base.frozen import frozen
from .faults import FAULTS, Fault
from .record import ScheduleError, read_datum
from .triggers import TRIGGERS, Trigger

if TYPE_CHECKING:
    from collections.abc import Iterable

FORMAT = 2
"""The version of the JSON form."""


class ScheduleNewer(ScheduleError, NewerVersion):
    """A fault schedule was written by a newer Callboard; see `NewerVersion`."""

    def __init__(self, problem: str, **facts: Any) -> None:
        NewerVersion.__init__(self, f"format: {problem}", **facts)
        self.path: str = "format"
        self.problem: str = problem


@frozen
class Entry:
    """One thing that goes wrong.

    Attributes:
        trigger: when.
        fault: what.
        host: whose; ``None`` for every host, each with counts of its own.
    """

    trigger: Trigger
    fault: Fault
    host: str | None = None

    def __post_init__(self) -> None:
        if not isinstance(self.trigger, Trigger):
            raise ScheduleError("trigger", f"it is {self.trigger!r:.80}, which is no trigger")
        if not isinstance(self.fault, Fault):
            raise ScheduleError("fault", f"it is {self.fault!r:.80}, which is no fault")
        host: Any = self.host
        if host is not None and (not isinstance(host, str) or not host):
            raise ScheduleError("host", f"it is {host!r:.80}; it must be a host's name")

    def as_dict(self) -> dict[str, Any]:
        """As JSON."""
        whose = {} if self.host is None else {"host": self.host}
        return {"trigger": self.trigger.as_dict("on"), "fault": self.fault.as_dict("do"), **whose}

    @classmethod
    def from_dict(cls, value: Any) -> Entry:
        """Read one. Raises `ScheduleError`."""
        if not isinstance(value, dict):
            raise ScheduleError("", f"it is {value!r:.80}, not an object")
        _refuse_unknown(value, ("trigger", "fault", "host"))
        for key in ("trigger", "fault"):
            if key not in value:
                raise ScheduleError(key, "it is missing")
        try:
            trigger = read_datum(value["trigger"], "on", TRIGGERS)
        except ScheduleError as error:
            raise error.within("trigger") from None
        try:
            fault = read_datum(value["fault"], "do", FAULTS)
        except ScheduleError as error:
            raise error.within("fault") from None
        return cls(trigger, fault, value.get("host"))


EntryGiven: TypeAlias = Entry | tuple[Trigger, Fault] | tuple[Trigger, Fault, str | None]
"""An entry, or what one is made of."""


@frozen
class Schedule:
    """See the module.

    Attributes:
        seed: of what the faults themselves leave to chance, such as the bytes of garbage.
        entries: what goes wrong; of those that come true at one moment, the first goes first.
    """

    seed: int
    entries: tuple[Entry, ...]

    def __init__(self, seed: int = 0, entries: Iterable[EntryGiven] = ()) -> None:
        """Take entries, or ``(trigger, fault)`` and ``(trigger, fault, host)`` for them.

        Raises:
            ScheduleError: something is not what it has to be; its ``path`` says what.
        """
        if type(seed) is not int:
            raise ScheduleError("seed", f"it is {seed!r:.80}; it must be a whole number")
        made = []
        for number, entry in enumerate(entries):
            try:
                made.append(entry if isinstance(entry, Entry) else Entry(*entry))
            except TypeError:
                problem = f"it is {entry!r:.80}; it must be a trigger, a fault and perhaps a host"
                raise ScheduleError(f"entries[{number}]", problem) from None
            except ScheduleError as error:
                raise error.within(f"entries[{number}]") from None
        object.__setattr__(self, "seed", seed)
        object.__setattr__(self, "entries", tuple(made))

    def of(self, host: str) -> Schedule:
        """What of it is for one host."""
        return Schedule(self.seed, (entry for entry in self.entries if entry.host in {None, host}))

    def as_dict(self) -> dict[str, Any]:
        """As JSON."""
        return {
            "format": FORMAT,
            "seed": self.seed,
            "entries": [entry.as_dict() for entry in self.entries],
        }

    @classmethod
    def from_dict(cls, value: Any) -> Schedule:
        """Read one, as `as_dict` gives it, or gave it in an older version. One without ``format`` is of the newest.

        Raises:
            ScheduleNewer: its format is newer.
            ScheduleError: something is not what it has to be; its ``path`` says what.
        """
        if not isinstance(value, dict):
            raise ScheduleError("", f"a schedule is an object; this is {value!r:.80}")
        try:  # before its fields are looked at: a newer version may have others
            found = _VERSIONS.require(value.get("format", FORMAT))
        except ValueError as error:
            raise ScheduleError("format", str(error)) from None
        value = _VERSIONS.migrated(value, found)
        _refuse_unknown(value, ("format", "seed", "entries"))
        entries = value.get("entries", [])
        if not isinstance(entries, list):
            raise ScheduleError("entries", f"it is {entries!r:.80}, not a list")
        made = []
        for number, entry in enumerate(entries):
            try:
                made.append(Entry.from_dict(entry))
            except ScheduleError as error:
                raise error.within(f"entries[{number}]") from None
        return cls(value.get("seed", 0), made)

    def to_json(self) -> str:
        """As a text, for a file or a command line."""
        return json.dumps(self.as_dict())

    @classmethod
    def from_json(cls, text: str | bytes) -> Schedule:
        """Read a text. Raises `ScheduleError`."""
        try:
            value = json.loads(text)
        except ValueError as error:
            raise ScheduleError("", f"this is no JSON: {error}") from None
        return cls.from_dict(value)


def _say_generation(value: dict[str, Any]) -> dict[str, Any]:
    """Version 1 said ``life`` for what is a ``generation``; at its end it said ``generation`` too. What is malformed stays so."""
    entries = value.get("entries")
    if not isinstance(entries, list):
        return value
    return {**value, "entries": [_entry_of_1(entry) for entry in entries]}


def _entry_of_1(entry: Any) -> Any:
    match entry:
        case {"trigger": {"life": life, **trigger}} if "generation" not in trigger:
            return {**entry, "trigger": {**trigger, "generation": life}}
    return entry


_VERSIONS = Versions("the fault schedule", FORMAT, (_say_generation,), ScheduleNewer)


def _refuse_unknown(value: dict[str, Any], known: tuple[str, ...]) -> None:
    for key in value:
        if key not in known:
            raise ScheduleError(str(key), f"there is no such field; there are: {', '.join(known)}")
