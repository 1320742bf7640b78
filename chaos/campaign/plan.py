"""What a round of the campaign is to be, as data: plugins with their options, callers, and what happens meanwhile. Pure.

It is drawn from a seed (`drawing`), and the same seed draws the same on every machine. As JSON it stands beside
each violation.
"""

from __future__ import annotations

from dataclasses import asdict, field
from typing import TYPE_CHECKING, Any

from ...base.frozen import frozen

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ..schedule import Schedule
    from ..virtual.virtual_load import CallPlan

Json = dict[str, Any]

KINDS = ("node", "python", "python_async", "thread", "thread_async")
"""What a plugin may be: in a host of its own, written in JavaScript or Python, or in a thread of the board's process."""

OTHER_KINDS = ("mcp",)
"""What a plugin may be if that is asked for: an MCP server, which has no state. They are none of `KINDS`, by whose number plans are drawn."""

WAYS = ("wait", "burst", "parts", "await", "await_parts")
"""How a caller calls: one call after the other (``wait``), all at once (``burst``), reading parts; the same in an event loop."""

DEEDS = ("restart", "park", "reload", "break", "cancel", "remove", "forget")
"""What is done to a plugin by hand.

``park`` is followed by a revival, ``break`` is a reload of a program that cannot be loaded, ``cancel`` gives up all
its open calls, ``remove`` takes it off the board and loads it again, and ``forget`` forgets its state besides.
"""


@frozen
class PluginPlan:
    """One plugin.

    Attributes:
        name: its name; its tool is called ``NAME_work`` and ``NAME_also``.
        kind: one of `KINDS` or `OTHER_KINDS`.
        options: beside its source, as a configuration has them.
    """

    name: str
    kind: str
    options: Json = field(default_factory=dict)

    @property
    def hosted(self) -> bool:
        """Whether it runs in a host."""
        return not self.kind.startswith("thread")

    @property
    def host(self) -> str:
        """The name of the host that it runs in."""
        return str(self.options.get("share") or self.name)


@frozen
class CallerPlan:
    """One caller: a thread of its own.

    Attributes:
        way: one of `WAYS`.
        calls: in the order in which it makes them, each at its time or later.
    """

    way: str
    calls: tuple[CallPlan, ...]


@frozen
class Deed:
    """Something that is done by hand.

    Attributes:
        at: seconds into the run.
        do: one of `DEEDS`.
        plugin: to which plugin, or to the host that it runs in.
        after: seconds until it is undone, where that is so: a parked host is revived.
    """

    at: float
    do: str
    plugin: str
    after: float = 0.0


@frozen
class Plan:
    """See the module.

    Attributes:
        seed: that it was drawn from.
        plugins: in the order in which they are loaded.
        callers: what is asked of them.
        schedule: what is done to their hosts.
        deeds: what is done by hand.
        groups: of hosts, as a configuration has them.
        calls: the configuration's section of that name.
        keeps: states are kept in a file.
        claiming: a further plugin is asked about every call, takes its time over some, and claims none.
        stops: seconds after which the board is stopped under load; ``None`` for when all calls have ended.
    """

    seed: int
    plugins: tuple[PluginPlan, ...]
    callers: tuple[CallerPlan, ...]
    schedule: Schedule
    deeds: tuple[Deed, ...] = ()
    groups: Json = field(default_factory=dict)
    calls: Json = field(default_factory=dict)
    keeps: bool = False
    claiming: bool = False
    stops: float | None = None

    def of(self, name: str) -> PluginPlan:
        """The plugin of that name."""
        return next(plugin for plugin in self.plugins if plugin.name == name)

    @property
    def hosts(self) -> dict[str, list[str]]:
        """Who lives in which host."""
        found: dict[str, list[str]] = {}
        for plugin in self.plugins:
            if plugin.hosted:
                found.setdefault(plugin.host, []).append(plugin.name)
        return found

    def all_calls(self) -> Iterator[CallPlan]:
        """The calls of all callers."""
        for caller in self.callers:
            yield from caller.calls

    def as_dict(self) -> Json:
        """As JSON."""
        return {
            "seed": self.seed,
            "plugins": [{"name": one.name, "kind": one.kind, **one.options} for one in self.plugins],
            "groups": self.groups,
            "calls": self.calls,
            "keeps": self.keeps,
            "claiming": self.claiming,
            "stops": self.stops,
            "callers": [asdict(one) for one in self.callers],
            "schedule": self.schedule.as_dict(),
            "deeds": [asdict(one) for one in self.deeds],
        }
