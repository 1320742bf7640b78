"""A whole board in virtual time: real actors, real protocol lines, scripted hosts, and a record of it all.

::

    with VirtualBoard(Schedule(1, [(NthCall(2), Exit(3))])) as board:
        board.add_scripted("counter", {"count": count})
        board.execute("counter", "count")            # {"success": True, "result": 1}
        board.execute("counter", "count")            # {"success": False, "code": "host_crashed", …}
        board.clock.advance(60)                      # takes no time

What runs in threads of its own (in-process tools, hooks, claims) works on such a board, and is not in
its order: see `turns`.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import TYPE_CHECKING, Any

from ..actors.board import Board
from ..actors.hosted.hosted_plugin import HostedPlugin
from ..actors.hosting.host_registry import Share
from ..actors.hosting.settings import HostSettings
from ..plugins.adapter.adapter import PluginAdapter
from .schedule import Schedule
from .scripted.script import Script
from .scripted.scripted_host import ScriptedHost
from .scripted.scripted_tool import ScriptedToolPlugin
from .triggers import STATE_OF
from .virtual.clock import VirtualClock
from .virtual.event_stream import VirtualEvents
from .virtual.trace import Happening, Step, steps_of

if TYPE_CHECKING:
    import threading
    from collections.abc import Iterator

    from ..actors.calls.call import Call
    from ..actors.calls.stage import Result
    from ..actors.catalog.catalog import ToolDescriptor
    from ..actors.endpoint.endpoint import ToolSettings
    from ..supervision.restart.policy import RestartPolicy
    from .scripted.scripted_call import Tool

Json = dict[str, Any]

LONG = 3600.0
"""Virtual seconds after which what has not happened is taken never to happen."""


class VirtualBoard(Board):
    """See the module.

    Args:
        schedule: what goes wrong with the scripted hosts.
        seed: of the jitter between restarts.
        options: as `Board`.

    Attributes:
        clock: its time.
        happenings: all that has happened, in order.
        scripted: the scripted plugins by name.
        hosts: the scripted hosts that plugins share, by name.
    """

    clock: VirtualClock

    def __init__(self, schedule: Schedule | None = None, *, seed: int = 0, **options: Any) -> None:
        self.happenings: list[Happening] = []
        self.scripted: dict[str, ScriptedToolPlugin] = {}
        self.hosts: dict[str, ScriptedHost] = {}
        self._schedule = schedule or Schedule(seed)
        clock = options.pop("clock", None) or VirtualClock()
        self._time = clock
        super().__init__(clock=clock, seed=seed, events=VirtualEvents(self._on_event), **options)

    def add_scripted(
        self,
        name: str,
        tools: Mapping[str, Tool],
        *,
        config: Json | None = None,
        policy: RestartPolicy | None = None,
        settings: ToolSettings | None = None,
        host: HostSettings | None = None,
        share: str | None = None,
        wait: bool = True,
        **options: Any,
    ) -> ScriptedToolPlugin:
        """Put a plugin in a scripted host on the board.

        Args:
            name: the plugin's.
            tools: its functions by name; see `scripted_call`.
            config: what its ``init`` is given.
            policy: when its host is started again.
            settings: how its calls are run.
            host: how its host is run; ``config`` is put into it.
            share: the host that it shares with others, by whose name a schedule means it.
            wait: let time pass until its host is ready, or will not be. Not being ready is no error.
            options: as `ScriptedToolPlugin`.

        Raises:
            PluginError: the name, or a tool's, is taken.
            ScheduleError: a fault is for real processes only.
        """
        plugin = ScriptedToolPlugin(
            name, tools, self._time, self._schedule, record=self.record, founds=self._found, **options
        )
        self.scripted[name] = plugin
        self.begin_hosted(
            PluginAdapter(plugin),
            plugin,
            host=host or HostSettings(config or {}),
            policy=policy,
            settings=settings,
            share=None if share is None else Share(share),
        )
        if wait:
            self.settle_hosted(name, required=False)
        return plugin

    def settle_hosted(
        self, name: str, *, required: bool, adapter: PluginAdapter | None = None
    ) -> tuple[ToolDescriptor, ...]:
        """See `Board.settle_hosted`; lets time pass."""
        handle = self.plugin_manager.handle(name)
        assert isinstance(handle, HostedPlugin)
        self.clock.advance_until(handle.settled.is_set, LONG)
        return super().settle_hosted(name, required=required, adapter=adapter)

    def send(
        self,
        plugin: str,
        tool: str,
        arguments: Json | None = None,
        *,
        call: str | None = None,
        deadline: float | None = None,
    ) -> Call:
        """Submit a call; it gets somewhere when time is run. It and its end are recorded.

        Args:
            plugin: whose tool it is, for the record.
            tool: the tool.
            arguments: of the call.
            call: its id; one is made up otherwise.
            deadline: seconds; ``None`` for the tool's default.
        """
        call_id = call or f"call-{self.clock.serial()}"
        facts = {"call": call_id, "tool": tool, "arguments": arguments or {}, "deadline": deadline}
        self.record("asked", plugin, facts)
        handle = self.submit(
            {"type": "function_call", "call_id": call_id, "name": tool, "arguments": arguments or {}},
            deadline=deadline,
        )
        handle.add_done_callback(partial(self._on_answered, plugin, handle))
        return handle

    def execute(
        self, plugin: str, tool: str, arguments: Json | None = None, *, deadline: float | None = None
    ) -> Result:
        """Submit a call, let time pass until it has ended, and return its result.

        Raises:
            TimeoutError: it has not ended in an hour.
        """
        handle = self.send(plugin, tool, arguments, deadline=deadline)
        self.clock.advance_until(handle.done, LONG)
        return handle.result(timeout=0)

    def order(self, verb: str, name: str, reason: str = "by hand") -> list[str]:
        self.record("ordered", name, {"verb": verb})
        return super().order(verb, name, reason)

    def state(self, name: str) -> str:
        """The state of a host, such as ``ready``."""
        return str(self.status()["plugins"][name]["host"]["state"])

    def heal(self) -> None:
        """Let nothing go wrong any more. What has gone wrong already stays so: a hung host hangs."""
        for plugin in self.scripted.values():
            plugin.heal()
        for host in self.hosts.values():
            host.script.heal()
        self.record("healed", "board", {})

    @property
    def steps(self) -> list[Step]:
        """The observable steps so far; each is a moment at which a fault can be put."""
        return steps_of(self.happenings)

    def record(self, kind: str, subject: str, facts: Json) -> None:
        """Note that something has happened, now."""
        self.happenings.append(Happening(round(self._time.elapsed, 6), kind, subject, facts))

    def _found(self, name: str) -> ScriptedHost:
        script = Script(name, {}, self._time, self._schedule, record=self.record)
        script.guests = _Guests(self.scripted)
        host = self.hosts[name] = ScriptedHost(script)
        return host

    def _on_event(self, kind: str, subject: str, facts: Json) -> None:
        self.record(kind, subject, facts)
        played = self.hosts.get(subject) or self.scripted.get(subject)
        if played is not None and (state := STATE_OF.get(kind)) is not None:
            played.script.enter(state)

    def _on_answered(self, plugin: str, call: Call) -> None:
        parts = [chunk["part"] for chunk in call.chunks()]
        facts = {"call": call.id, "result": call.result(), "parts": parts, "attempt": call.attempt}
        self.record("answered", plugin, facts)

    def _wait_ended(self, ended: list[threading.Event], timeout: float) -> None:
        """See `Board._wait_ended`; lets time pass."""
        self.clock.advance_until(lambda: all(each.is_set() for each in ended), timeout)


class _Guests(Mapping[str, Script]):
    """What the scripted plugins of a board play by."""

    def __init__(self, plugins: Mapping[str, ScriptedToolPlugin]) -> None:
        self._plugins = plugins

    def __getitem__(self, name: str) -> Script:
        return self._plugins[name].script

    def __iter__(self) -> Iterator[str]:
        return iter(self._plugins)

    def __len__(self) -> int:
        return len(self._plugins)
