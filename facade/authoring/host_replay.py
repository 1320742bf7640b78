"""Asking a plugin's host again what it was asked in a recording, one request after the other.

Each request is given the arguments and the state that were recorded, so an answer that differs does so by itself and not for
what came before. Each recorded generation is a generation of its own here too. What was redacted is asked as it stands: `***`.
"""

from __future__ import annotations

import threading
from dataclasses import replace
from itertools import groupby
from typing import TYPE_CHECKING, Any

from ..base.errors import CallboardError
from ..hosts.errors import HostGone
from ..hosts.host import Host
from ..loading.loaded import Loaded
from ..loading.loader import load_entry
from .recording_diff import Exchange, answer_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ..config.configuration import Configuration
    from ..hosts.process.process import ProcessExit
    from ..hosts.protocol.wire import RawAnswer
    from ..hosts.report.crash_report import CrashReport
    from ..hosts.sharing import Program

Json = dict[str, Any]


class NoHost(CallboardError):
    """A recorded host is none of the configuration."""


def replay(
    recorded: list[Exchange], configuration: Configuration, patience: float
) -> Iterator[tuple[Exchange, Exchange]]:
    """Ask again; yields each recorded exchange with what came of it now, generation by generation.

    Args:
        recorded: in order.
        configuration: whose plugins are asked.
        patience: seconds that an answer may take; one that takes longer is none.

    Raises:
        NoHost: there is no plugin of that name, or it has no host; nothing was asked.
        PluginError: a plugin cannot be loaded.
        HostStartError: a host cannot be started.
    """
    programs = _programs(configuration)
    for exchange in recorded:
        if exchange.host not in programs:
            known = ", ".join(sorted(programs)) or "none"
            raise NoHost(f"the recording is of a host {exchange.host!r}; the configuration has {known}")
    by_generation = sorted(recorded, key=lambda exchange: (exchange.generation, exchange.host))
    for (_, name), generation in groupby(
        by_generation, key=lambda exchange: (exchange.generation, exchange.host)
    ):
        yield from _ask(programs[name], list(generation), patience)


def hosts_only(configuration: Configuration) -> Configuration:
    """The configuration with every plugin in a host: what runs here cannot be asked again."""
    entries = ({"plugin": entry} if isinstance(entry, str) else entry for entry in configuration.plugins)
    isolated = ({**entry, "isolate": True} if isinstance(entry, dict) else entry for entry in entries)
    return replace(configuration, plugins=tuple(isolated))


def _programs(configuration: Configuration) -> dict[str, Program]:
    """What each host is started from, by its name: that of its plugin, or of the host that it would share."""
    found: dict[str, Program] = {}
    for entry in hosts_only(configuration).plugins:
        for loaded in load_entry(entry, configuration):
            if isinstance(loaded, Loaded) and loaded.hosted is not None:
                found[loaded.adapter.name] = loaded.hosted
                if loaded.share is not None and (sharing := loaded.hosted.sharing()) is not None:
                    found.setdefault(loaded.share.name, sharing.program(loaded.share.name))
    return found


def _ask(
    program: Program, generation: list[Exchange], patience: float
) -> Iterator[tuple[Exchange, Exchange]]:
    host = Host(program.name, program.command(), _Quiet())
    host.start()
    try:
        for was in generation:
            owner = _Owner(Exchange(was.host, was.generation, was.method, was.params), was.method)
            try:
                request = host.send(was.method, was.params, owner)
            except HostGone:
                yield was, owner.exchange  # it has ended, so there comes no answer
                continue
            if not owner.over.wait(patience):
                host.abandon(request)
            yield was, owner.exchange
    finally:
        host.stop("the replay is over")
        host.join()


class _Owner:
    """Notes what comes of a request."""

    def __init__(self, exchange: Exchange, call_id: str) -> None:
        self.exchange = exchange
        self.call_id = call_id
        self.request_id: str | None = None
        self.raw: RawAnswer | None = None
        self.over = threading.Event()

    def on_part(self, payload: Any, size: int) -> None:
        self.exchange.events.append({"type": "part", "payload": payload})

    def on_answer(self, value: Any, state: Json | None) -> None:
        result = {"value": value} if state is None else {"value": value, "state": state}
        self._end({"result": result})

    def on_refused(self, error: Json) -> None:
        self._end(answer_of({"error": error}))

    def on_breach(self, reason: str, detail: str, facts: dict[str, int]) -> None:
        self._end({"breach": reason, "detail": detail, **facts})

    def on_lost(self, report: CrashReport) -> None:
        self._end(None)

    def on_released(self) -> None:
        """See `RequestOwner`."""

    def on_begun(self) -> None:
        self.exchange.events.append({"type": "ack"})

    def _end(self, answer: Json | None) -> None:
        self.exchange.answer = answer
        self.over.set()


class _Quiet:
    """Listens to a generation that only its requests are of interest of."""

    def on_stray(self, text: str, count: int) -> None:
        """See `HostListener`."""

    def on_dropped(self, reason: str, request_id: str, count: int, told: int) -> None:
        """See `HostListener`."""

    def on_ended(self, exit_: ProcessExit, report: CrashReport, *, breach: str | None) -> None:
        """See `HostListener`."""

    def on_gone(self, leftovers: list[int]) -> None:
        """See `HostListener`."""
