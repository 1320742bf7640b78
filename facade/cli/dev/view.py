"""What `callboard dev` tells, as it comes: to people, or as NDJSON. From any thread, a whole piece at a time."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

from ...base.locks import Lock
from ...plugins.adapter.formatting import as_text
from ..commands.call import show_result
from ..ui.text import Text

if TYPE_CHECKING:
    from ...authoring.dev_server import LoadedAnew
    from ...plugins.results.call_result import CallResult
    from ..ui.console import SafeConsole
    from ..ui.streams import Streams

Json = dict[str, Any]


class View(Protocol):
    """Who is told."""

    def loaded(self, what: LoadedAnew, changed: list[str], seconds: float) -> None:
        """The plugins were loaded, after a change of these files."""

    def said(self, host: str, line: str) -> None:
        """A line of a host's stderr."""

    def happened(self, kind: str, plugin: str, why: str) -> None:
        """Something that an author should know of."""

    def part(self, part: Any) -> None:
        """A part of the call under way."""

    def ended(self, result: CallResult, reads: Any, state: Json | None, seconds: float) -> None:
        """The call has ended: what the model reads, and the plugin's state if that has changed."""

    def told(self, what: Any) -> None:
        """What was asked for by a command."""

    def refused(self, why: str) -> None:
        """A line that is neither a call nor a command."""


class ForPeople:
    """Writes for people."""

    def __init__(self, console: SafeConsole) -> None:
        self._console = console
        self._lock = Lock()

    def loaded(self, what: LoadedAnew, changed: list[str], seconds: float) -> None:
        after = f"{', '.join(changed)} changed: " if changed else ""
        with self._lock:  # across the printing: what several threads say is not mixed within a line
            if what.tools:
                took = (f"  ({seconds * 1000:,.0f} ms)", "dim")
                self._print(("↻ ", "green"), (after, "dim"), (", ".join(what.tools), "bold"), took)
            for problem in what.problems:
                self._print(("✗ ", "red"), problem)

    def said(self, host: str, line: str) -> None:
        with self._lock:  # across the printing: what several threads say is not mixed within a line
            self._print((f"{host} │ ", "cyan"), (line, "dim"))

    def happened(self, kind: str, plugin: str, why: str) -> None:
        with self._lock:  # across the printing: what several threads say is not mixed within a line
            self._print(("! ", "yellow"), f"{plugin}: ", kind.replace("_", " "), f": {why}" if why else "")

    def part(self, part: Any) -> None:
        with self._lock:  # across the printing: what several threads say is not mixed within a line
            self._print((f"· {as_text(part)}", "dim"))

    def ended(self, result: CallResult, reads: Any, state: Json | None, seconds: float) -> None:
        with self._lock:  # across the printing: what several threads say is not mixed within a line
            show_result(result, seconds, self._console)
            if result.get("success"):
                self._print(("the model reads ", "dim"), as_text(reads))
            if state is not None:
                self._print(("the state is now ", "dim"), as_text(state))

    def told(self, what: Any) -> None:
        with self._lock:  # across the printing: what several threads say is not mixed within a line
            if isinstance(what, str):
                self._console.print(what, soft_wrap=True)
            else:
                self._console.print_json(data=what)

    def refused(self, why: str) -> None:
        with self._lock:  # across the printing: what several threads say is not mixed within a line
            self._print(("✗ ", "red"), why)

    def _print(self, *pieces: str | tuple[str, str]) -> None:
        self._console.print(Text.assemble(*pieces), soft_wrap=True)


class ForPrograms:
    """Writes NDJSON, an object a line."""

    def __init__(self, streams: Streams) -> None:
        self._write = streams.print_json

    def loaded(self, what: LoadedAnew, changed: list[str], seconds: float) -> None:
        self._write({"tools": what.tools, "problems": what.problems, "changed": changed})

    def said(self, host: str, line: str) -> None:
        self._write({"stderr": line, "host": host})

    def happened(self, kind: str, plugin: str, why: str) -> None:
        self._write({"event": kind, "plugin": plugin, "why": why})

    def part(self, part: Any) -> None:
        self._write({"part": part})

    def ended(self, result: CallResult, reads: Any, state: Json | None, seconds: float) -> None:
        self._write({"result": result, "content": reads, **({} if state is None else {"state": state})})

    def told(self, what: Any) -> None:
        self._write({"told": what})

    def refused(self, why: str) -> None:
        self._write({"error": why})
