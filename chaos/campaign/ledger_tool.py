"""A tool that writes down each of its runs in a ledger, and does what its arguments say: ``ledger_tool.mjs`` in Python.

It has two names, which do the same: ``NAME_work`` and ``NAME_also``. The arguments:

* ``ledger``: the file; ``plugin`` and ``call``: whose run it is;
* ``seconds``: how long it takes;
* ``parts``: how many parts it emits before that;
* ``mood``: ``well``; ``fail``, ``raise``, ``invalid`` (it returns what is no result); ``exit`` and ``exit late`` (before
  and after it has written down its end); ``deaf`` (it does not heed a cancel), ``hang`` and ``spin`` (it never ends).

The state counts the runs whose answers were kept. In a thread of the board's process, which nobody can end, it exits by
raising `SystemExit`, and hangs for a second.
"""

from __future__ import annotations

import asyncio
import itertools
import json
import os
import threading
import time
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterator

Json = dict[str, Any]

_BORN = f"{os.getpid()}-{time.monotonic_ns()}"
_NUMBERS = itertools.count(1)
_HANGS = 1.0


class LedgerTool:
    """See the module. Asked for parts it is a generator, which is closed at a part when nobody waits any more."""

    def init(self, config: Json) -> Json:
        """Count from nothing."""
        self._alone = bool(config.get("alone"))
        return {"name": config["name"], "count": 0}

    def get_tool_schemas(self, state: Json) -> list[Json]:
        """One under each name."""
        names = [f"{state['name']}_{name}" for name in ("work", "also")]
        return [
            {"type": "function", "function": {"name": name, "parameters": {"type": "object"}}}
            for name in names
        ]

    def execute_tool(self, tool_name: str | None, payload: Json, state: Json) -> Any:
        """Do as the arguments say; nobody can interrupt it."""
        run = _Run(payload, state, alone=self._alone)
        run.rest()
        return run.end()

    def stream_tool(self, tool_name: str | None, payload: Json, state: Json) -> Iterator[Any]:
        """The same, with parts."""
        run = _Run(payload, state, alone=self._alone)
        try:
            yield from range(1, payload["parts"] + 1)
            run.rest()
        except GeneratorExit:
            run.write_end("stopped")
            raise
        yield run.end()


class AsyncLedgerTool(LedgerTool):
    """The same as a coroutine, which a cancel interrupts."""

    # What is asynchronous alone is asked for.
    stream_tool: None = None  # type: ignore[assignment]
    execute_tool: None = None  # type: ignore[assignment]

    async def stream_tool_async(
        self,
        tool_name: str | None,
        payload: Json,
        state: Json,
    ) -> AsyncIterator[Any]:
        run = _Run(payload, state, alone=self._alone)
        try:
            for number in range(1, payload["parts"] + 1):
                yield number
            await run.rest_async()
        except (GeneratorExit, asyncio.CancelledError):
            run.write_end("stopped")
            raise
        yield run.end()


class _Run:
    """One run, from the line that says that it begins."""

    def __init__(self, payload: Json, state: Json, *, alone: bool) -> None:
        self._given, self._state, self._alone = payload, state, alone
        self._run = f"{_BORN}-{next(_NUMBERS)}"
        of = {name: payload[name] for name in ("call", "plugin")}
        self._write({"mark": "begin", **of, "run": self._run, "pid": os.getpid(), "count": state["count"]})
        state["count"] += 1

    def rest(self) -> None:
        """Take the time that it is to take."""
        if (seconds := self._seconds()) != 0:
            threading.Event().wait(seconds)  # which a signal does not cut short, as little as it does work

    async def rest_async(self) -> None:
        """As `rest`; a ``deaf`` one does not hear that nobody waits any more."""
        if self._given["mood"] in {"deaf", "hang", "spin"}:
            self.rest()
        elif (seconds := self._seconds()) != 0:
            await asyncio.sleep(seconds or 0)

    def _seconds(self) -> float | None:
        if self._given["mood"] in {"hang", "spin"}:
            return None if self._alone else _HANGS
        return float(self._given["seconds"])

    def end(self) -> Any:
        """The answer, once the ledger has it; or no answer, as the arguments say."""
        mood, count = self._given["mood"], self._state["count"]
        match mood:
            case "exit" | "exit late" if not self._alone:
                self.write_end("raise")
                raise SystemExit(3)
            case "exit":
                os._exit(3)
            case "raise":
                self.write_end("raise")
                raise ValueError("as it was asked to")
            case "fail":
                self.write_end("failure")
                return {"success": False, "error": "as it was asked to", "run": self._run, "count": count}
            case "invalid":
                self.write_end("invalid")
                return {"success": True, "result": object()}
        self.write_end("success")
        if mood == "exit late":
            os._exit(3)
        told = {"call": self._given["call"], "run": self._run, "pid": os.getpid(), "count": count}
        return {"success": True, "result": told}

    def write_end(self, how: str) -> None:
        """Write down how it ended."""
        self._write({"mark": "end", "run": self._run, "how": how, "count": self._state["count"]})

    def _write(self, mark: Json) -> None:
        """In one write, to a file that is opened to append: the lines of several processes do not mix."""
        descriptor = os.open(self._given["ledger"], os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
        try:
            os.write(descriptor, json.dumps(mark).encode() + b"\n")
        finally:
            os.close(descriptor)
