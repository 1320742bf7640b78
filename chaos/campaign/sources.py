"""The files of a round: its ledger, the modules that its plugins are loaded from, and the configuration of the board."""

from __future__ import annotations

import os
import sys
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ...base.locks import Lock
from ..load.claiming_neighbour import ClaimingNeighbour

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .plan import Plan, PluginPlan

Json = dict[str, Any]

MODULE = Path(__file__).with_name("ledger_tool.mjs")
"""The tool in JavaScript."""

SERVER = Path(__file__).with_name("ledger_server.py")
"""The tool as an MCP server."""

_NEIGHBOUR = f"{ClaimingNeighbour.__module__}.{ClaimingNeighbour.__name__}"

_START = 5.0

_CLASSES = {"": "LedgerTool", "async": "AsyncLedgerTool"}


class Sources:
    """See the module.

    Args:
        plan: of the round.
        folder: for the files; it has to be there.

    Attributes:
        ledger: the file in which the tools write down their runs.
    """

    def __init__(self, plan: Plan, folder: Path) -> None:
        self.ledger: Path = folder / "ledger"
        self.ledger.touch()
        self._plan, self._folder = plan, folder
        self._changes = 0
        self._lock = Lock()
        for plugin in plan.plugins:
            if plugin.kind == "node":
                self._module(plugin.name).write_bytes(MODULE.read_bytes())

    def configuration(self) -> Json:
        """The board's."""
        claiming = [{"plugin": _NEIGHBOUR}] if self._plan.claiming else []
        return {
            "plugins": [*claiming, *(self.entry(plugin.name) for plugin in self._plan.plugins)],
            "calls": self._plan.calls,
            "supervision": {"groups": self._plan.groups},
            "start_deadline": 30.0,
            **({"state": str(self._folder / "state.db")} if self._plan.keeps else {}),
        }

    def entry(self, name: str) -> Json:
        """What a plugin is loaded from, with its options."""
        plugin = self._plan.of(name)
        if plugin.kind == "mcp":
            # A handshake whose answer was spoilt ends by its deadline: in good time, and not after the minute that servers have.
            source = {"mcp": {"command": [sys.executable, str(SERVER), name]}, "start_deadline": _START}
            return {**source, "name": name, "required": True, **plugin.options}
        config = {"name": name, "alone": plugin.hosted}
        return {**self._source(plugin), "config": config, "required": True, **plugin.options}

    def _source(self, plugin: PluginPlan) -> Json:
        if plugin.kind == "node":
            return {"node_tool": {"file": str(self._module(plugin.name)), "id": plugin.name}}
        path = f"{__package__}.ledger_tool.{_CLASSES[plugin.kind.partition('_')[2]]}"
        return {"plugin": path, "name": plugin.name, **({"isolate": True} if plugin.hosted else {})}

    def _module(self, name: str) -> Path:
        return self._folder / f"{name}.mjs"

    def write(self, mark: str) -> None:
        """Append a line to the ledger, among those of the tools."""
        descriptor = os.open(self.ledger, os.O_WRONLY | os.O_APPEND)
        try:
            os.write(descriptor, mark.encode())
        finally:
            os.close(descriptor)

    @contextmanager
    def changed(self, name: str, *, broken: bool) -> Iterator[None]:
        """Change the module that a plugin is loaded from; one that is ``broken`` is mended again at the end."""
        file = self._module(name)
        if not file.exists():
            yield
            return
        self._changes += 1
        text = MODULE.read_text(encoding="utf-8")
        self._replace(file, "this is no module" if broken else f"{text}// change {self._changes}\n")
        try:
            yield
        finally:
            if broken:
                self._replace(file, text)

    def _replace(self, file: Path, text: str) -> None:
        """In one step: a host that starts meanwhile reads the one or the other."""
        fresh = file.with_suffix(".fresh")
        with self._lock:  # two writers have one name for the fresh file
            fresh.write_text(text, encoding="utf-8")
            fresh.replace(file)
