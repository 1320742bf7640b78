"""What has become of a plugin's calls: counted, and timed, for each of its tools.

A call *waits* from its submission until it is given to its tool for the last time, or until its end if
it never was; calls that were refused without a place in the mailbox have not waited. It *runs* from
then until its result can be had, the commit of its state included.

A `Histogram` has counts in fixed buckets on a logarithmic scale. They are the same everywhere (10 µs to 1,000 s,
three to a factor of ten), so histograms can be added up and compared. A percentile is an estimate: right as to the
bucket, and within it as if the durations lay evenly on the scale. The maximum is exact.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from typing import TYPE_CHECKING, Any, Final

from ...base.foreign import in_main_thread
from ...plugins.results.failures import ending_of

if TYPE_CHECKING:
    from collections.abc import Iterable
    from contextlib import AbstractContextManager

    from ..calls.call import Call
    from ..calls.stage import Result


BOUNDS: Final = (*(float(f"{digit}e{power}") for power in range(-5, 3) for digit in (1, 2, 5)), 1000.0)
"""The upper bounds of the buckets, in seconds, each bound included; one more bucket has all above."""

_PERCENTILES: Final = {"p50": 0.5, "p95": 0.95, "p99": 0.99}


class Histogram:
    """How long something took, over and over. Not thread-safe: callers use a lock that they have anyway.

    Attributes:
        counts: by bucket, the one above all bounds last.
        sum: of all durations, in seconds.
        max: the longest.
    """

    __slots__ = ("counts", "max", "sum")

    def __init__(self) -> None:
        self.counts: list[int] = [0] * (len(BOUNDS) + 1)
        self.sum: float = 0.0
        self.max: float = 0.0

    def add(self, seconds: float) -> None:
        """Count one duration; one below 0 counts as 0."""
        if seconds > 0.0:
            self.counts[bisect_left(BOUNDS, seconds)] += 1
            self.sum += seconds
            if seconds > self.max:  # noqa: PLR1730 - a call of max costs as much as all the rest
                self.max = seconds
        else:
            self.counts[0] += 1

    def copy(self) -> Histogram:
        """Another one that says the same."""
        other = Histogram.__new__(Histogram)
        other.counts, other.sum, other.max = self.counts.copy(), self.sum, self.max
        return other

    @property
    def count(self) -> int:
        """How many there are."""
        return sum(self.counts)

    def percentile(self, share: float) -> float | None:
        """About how long the shortest ``share`` (0 to 1) of them took at most; ``None`` of nothing."""
        rank = share * self.count
        below = 0
        for index, count in enumerate(self.counts):
            if count and below + count >= rank:
                return min(_within(index, (rank - below) / count, self.max), self.max)
            below += count
        return None

    def as_dict(self) -> dict[str, Any]:
        """As JSON: ``count``, ``sum``, ``max``, ``p50``, ``p95``, ``p99``, and ``buckets``.

        ``buckets`` has the counts by upper bound, ``inf`` for the last; empty ones are left out, and
        nothing is summed up.
        """
        estimates = {name: self.percentile(share) for name, share in _PERCENTILES.items()}
        buckets = {
            repr(bound): count
            for bound, count in zip((*BOUNDS, float("inf")), self.counts, strict=True)
            if count
        }
        return {
            "count": self.count,
            "sum": round(self.sum, 6),
            "max": round(self.max, 6),
            **{name: None if value is None else round(value, 6) for name, value in estimates.items()},
            "buckets": buckets,
        }


def merged(histograms: Iterable[Histogram]) -> Histogram:
    """All of them together, as a new one."""
    whole = Histogram()
    for one in histograms:
        whole.counts = [mine + theirs for mine, theirs in zip(whole.counts, one.counts, strict=True)]
        whole.sum += one.sum
        whole.max = max(whole.max, one.max)
    return whole


def _within(index: int, share: float, longest: float) -> float:
    """The point of a bucket below which ``share`` of it lies."""
    if index == 0:
        return share * BOUNDS[0]
    lower = BOUNDS[index - 1]
    upper = BOUNDS[index] if index < len(BOUNDS) else max(longest, lower)
    return float(lower * (upper / lower) ** share)


MAX_TOOLS: Final = 256
"""Tools that are told apart; a plugin that claims calls may be asked for any name at all."""

UNNAMED: Final = ""
"""Stands for the tool of calls that name none, and for all tools beyond `MAX_TOOLS`."""


class _OfTool:
    __slots__ = ("ended", "last", "runs", "waits")

    def __init__(self) -> None:
        self.ended: dict[str, int] = {}
        self.waits = Histogram()
        self.runs = Histogram()
        self.last: Call | None = None

    def copy(self) -> _OfTool:
        other = _OfTool.__new__(_OfTool)
        other.ended, other.last = self.ended.copy(), None
        other.waits, other.runs = self.waits.copy(), self.runs.copy()
        return other

    def add(self, call: Call, how: str, now: float) -> None:
        self.ended[how] = self.ended.get(how, 0) + 1
        if call.began is not None:
            self.waits.add(call.began - call.submitted)
            self.runs.add(now - call.began)
        elif call.sequence:
            self.waits.add(now - call.submitted)


class CallMetrics:
    """See the module. Thread-safe, if it is given a lock.

    Each call counts once, also where a signal handler has raised in the midst of this in the main thread, and it is told again. So
    what is counted there takes its place in one assignment, together with the call that it was counted for.

    Args:
        lock: held for each look and each count.
    """

    def __init__(self, lock: AbstractContextManager[object]) -> None:
        self._lock = lock
        self._open: set[Call] = set()
        self._tools: dict[str, _OfTool] = {}

    def submit(self, call: Call) -> None:
        """A call has been submitted."""
        with self._lock:
            if "counted" not in call.noted:  # it may have ended already
                self._open.add(call)
            call.noted.add("submitted")

    def end(self, call: Call, result: Result, now: float) -> None:
        """A call has ended: ``success``, ``failure`` (the tool's own) or one of our codes."""
        how = "success" if result.get("success") else ending_of(result)
        with self._lock:
            name = self._name_of(call)
            tool = self._tools.get(name) or _OfTool()
            if tool.last is not None:
                self._has_counted(tool.last)
            if "counted" not in call.noted:
                if in_main_thread():
                    tool = tool.copy()
                    tool.add(call, how, now)
                    tool.last = call
                else:
                    tool.add(call, how, now)
                self._tools[name] = tool
            self._has_counted(call)
            tool.last = None

    def _has_counted(self, call: Call) -> None:
        call.noted.add("counted")
        self._open.discard(call)

    def _name_of(self, call: Call) -> str:
        name = call.tool_name or UNNAMED
        return name if name in self._tools or len(self._tools) < MAX_TOOLS else UNNAMED

    def as_dict(self) -> dict[str, Any]:
        """Counts and times as JSON, of the plugin and by tool."""
        with self._lock:
            of_all = list(self._tools.values())
            ended = sum((Counter(tool.ended) for tool in of_all), Counter[str]())
            calls = {
                "submitted": ended.total() + len(self._open),
                "ended": ended.total(),
                "by_result": dict(ended),
            }
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
