"""What has become of a plugin's calls: counted, and timed, for each of its tools.

A call *waits* from its submission until it is given to its tool for the last time, or until its end if
it never was; calls that were refused without a place in the mailbox have not waited. It *runs* from
then until its result can be had, the commit of its state included.
"""

from __future__ import annotations

import threading
from collections import Counter
from typing import TYPE_CHECKING, Any, Final

from ...plugins.results.failures import ending_of
from .histogram import Histogram, merged

if TYPE_CHECKING:
    from ..calls.call import Call
    from ..calls.stage import Result

MAX_TOOLS: Final = 256
"""Tools that are told apart; a plugin that claims calls may be asked for any name at all."""

UNNAMED: Final = ""
"""Stands for the tool of calls that name none, and for all tools beyond `MAX_TOOLS`."""


class _OfTool:
    __slots__ = ("ended", "runs", "waits")

    def __init__(self) -> None:
        self.ended: Counter[str] = Counter()
        self.waits = Histogram()
        self.runs = Histogram()


class CallMetrics:
    """See the module. Thread-safe."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self.submitted = 0
        self._tools: dict[str, _OfTool] = {}

    def submit(self) -> None:
        """A call has been submitted."""
        with self._lock:
            self.submitted += 1

    def end(self, call: Call, result: Result, now: float) -> None:
        """A call has ended: ``success``, ``failure`` (the tool's own) or one of our codes."""
        how = ending_of(result)
        began = call.began
        with self._lock:
            tool = self._tools.get(call.tool_name or UNNAMED)
            if tool is None:
                tool = self._new(call.tool_name or UNNAMED)
            tool.ended[how] += 1
            if began is not None:
                tool.waits.add(began - call.submitted)
                tool.runs.add(now - began)
            elif call.sequence:
                tool.waits.add(now - call.submitted)

    def _new(self, name: str) -> _OfTool:
        if len(self._tools) >= MAX_TOOLS:
            name = UNNAMED
        return self._tools.setdefault(name, _OfTool())

    def as_dict(self) -> dict[str, Any]:
        """Counts and times as JSON, of the plugin and by tool."""
        with self._lock:
            of_all = list(self._tools.values())
            ended = sum((tool.ended for tool in of_all), Counter[str]())
            calls = {"submitted": self.submitted, "ended": ended.total(), "by_result": dict(ended)}
            waits, runs = merged(tool.waits for tool in of_all), merged(tool.runs for tool in of_all)
            by_tool = {
                name: {
                    "by_result": dict(tool.ended),
                    "wait": tool.waits.as_dict(),
                    "run": tool.runs.as_dict(),
                }
                for name, tool in self._tools.items()
            }
        return {"calls": calls, "wait": waits.as_dict(), "run": runs.as_dict(), "by_tool": by_tool}
