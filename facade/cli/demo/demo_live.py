"""The live picture of the demonstration: a row a tool, of fixed widths, so that only numbers move."""

from __future__ import annotations

from collections import deque
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from rich.console import Group
from rich.table import Table

from ...chaos.checker.facts import Answered, Broken, Happened
from ...demo.plan import LANES
from ..chaos.chaos_live import draw_progress, last_crash, present_generation
from ..ui.text import Text

if TYPE_CHECKING:
    from rich.console import RenderableType

    from ...chaos.checker.facts import Fact
    from ...trial.trial import Trial

Json = dict[str, Any]

_WIDEST = 100
_NEWS = 6
_BAR = 10
_FULL = 20
"""Calls that fill the bar."""
_EVERY = 0.4
"""Seconds between two points of the curves."""
_EXIT_NEWS = 2.0
"""Seconds between two pieces of news that a tool tried to end the process, which it does all the time."""

_EIGHTHS = " ▏▎▍▌▋▊▉█"
_HEIGHTS = "▁▂▃▄▅▆▇█"


class Picture:
    """Draws the demonstration. Keeps the past of the curves, so draw with one of it, and often.

    Args:
        trial: what is drawn.
        width: of the terminal.
    """

    def __init__(self, trial: Trial, width: int) -> None:
        self._trial = trial
        self._width = min(width, _WIDEST) - 1
        self._points = 10 if self._width < _WIDEST - 1 else 28
        self._past: deque[tuple[float, dict[str, int]]] = deque([(0.0, {})], maxlen=self._points + 1)
        self._news = News()

    def draw(self) -> RenderableType:
        """The picture of this moment."""
        self._note()
        progress = draw_progress(self._trial, self._trial.plan.calls + len(LANES), self._width)
        return Group(self._title(), progress, "", self._rows(), "", self._news.draw())

    def _note(self) -> None:
        now, load_test, recorder = self._trial.elapsed, self._trial.load_test, self._trial.recorder
        if recorder is not None:
            self._news.read(recorder.facts)
        if load_test is not None and now - self._past[-1][0] >= _EVERY:
            self._past.append((now, {name: front.ended for name, front in load_test.fronts.items()}))

    def _rates(self, name: str | None) -> list[float]:
        """Calls a second of one tool, or of all, from point to point."""
        rates = []
        for (before, then), (after, now) in pairwise(self._past):
            names = now if name is None else (name,)
            rates.append(sum(now.get(each, 0) - then.get(each, 0) for each in names) / (after - before))
        return rates

    def _title(self) -> Text:
        left = Text.assemble(
            (" Callboard", "bold"), ("  tools under load while their hosts are killed", "dim")
        )
        rate = _recent(self._rates(None))
        right = Text.assemble((f"{rate:,.0f}", "bold"), (" calls/s", "dim"))
        return _spread(left, right, self._width)

    def _rows(self) -> Table:
        table = Table(box=None, padding=(0, 1, 0, 0), header_style="dim", pad_edge=False, width=self._width)
        table.add_column("", width=1)
        table.add_column("tool", width=6, no_wrap=True)
        table.add_column("pid", width=7, justify="right", no_wrap=True)
        table.add_column("gen", width=3, justify="right", no_wrap=True)
        table.add_column("", width=1)
        table.add_column("state", width=8, no_wrap=True)
        table.add_column("open calls", width=_BAR + 4, no_wrap=True)
        table.add_column("calls/s", width=self._points + 6, no_wrap=True)
        table.add_column("crashes", width=7, justify="right", no_wrap=True)
        table.add_column("last", no_wrap=True, overflow="ellipsis", ratio=1)
        highest = max((rate for lane in LANES for rate in self._rates(lane.name)), default=0.0)
        load_test = self._trial.load_test
        plugins, fronts = ({}, {}) if load_test is None else (self._trial.plugins(), load_test.fronts)
        for lane in LANES:
            rates, front = self._rates(lane.name), fronts.get(lane.name)
            curve = Text.assemble(f"{_recent(rates):5,.0f} ", (_curve(rates, highest, self._points), "cyan"))
            load = _load(0 if front is None else front.made - front.ended)
            host = plugins.get(lane.name, {}).get("host")
            is_there = present_generation(host) if lane.name in plugins else ("", "", "", "")
            crashes = str(host["crashes"]) if host else ""
            table.add_row("", Text(lane.name, "bold"), *is_there, load, curve, crashes, last_crash(host))
        return table


class News:
    """The last remarkable things that were noted."""

    def __init__(self) -> None:
        self._lines: deque[tuple[float, str, str]] = deque(maxlen=_NEWS)
        self._read = 0
        self._killed: dict[str, float] = {}
        self._exit_told = -_EXIT_NEWS

    def read(self, facts: list[Fact]) -> None:
        """Take what was noted since."""
        for fact in facts[self._read :]:
            self._read += 1
            if what := self._remark(fact):
                self._lines.append((fact.at, fact.plugin, what))

    def _remark(self, fact: Fact) -> str | None:
        match fact:
            case Broken():
                self._killed[fact.plugin] = fact.at
            case Happened() if fact.kind == "host_crashed":
                under_way = len(fact.facts["report"]["in_flight"])
                calls = "call" if under_way == 1 else "calls"
                return f"crashed: {fact.facts['report']['exit']}, {under_way} {calls} under way"
            case Happened() if fact.kind == "host_ready" and fact.plugin in self._killed:
                took = (fact.at - self._killed[fact.plugin]) * 1000
                return f"ready again after {took:,.0f} ms, generation {fact.facts['generation']}"
            case Answered() if "SystemExit" in fact.error and fact.at - self._exit_told > _EXIT_NEWS:
                self._exit_told = fact.at
                return "called sys.exit(): tool_raised, and the next call works"
        return None

    def draw(self) -> Text:
        """The lines."""
        text = Text(no_wrap=True, overflow="ellipsis")
        for when, whom, what in self._lines:
            text.append(f" {when:5.1f} s  ", "dim").append(f"{whom:<7}").append(f"{what}\n", _style_of(what))
        return text.append("\n" * (_NEWS - len(self._lines)))


def _load(count: int) -> Text:
    """The calls that are open: under way, and waiting."""
    eighths = min(_BAR * 8, count * _BAR * 8 // _FULL)
    bar = _EIGHTHS[8] * (eighths // 8) + (_EIGHTHS[eighths % 8] if eighths % 8 else "")
    return Text.assemble((f"{bar:<{_BAR}}", "blue"), f"{count:4}")


def _recent(rates: list[float]) -> float:
    """The mean of the last second or so."""
    last = rates[-3:]
    return sum(last) / len(last) if last else 0.0


def _curve(rates: list[float], highest: float, points: int) -> str:
    heights = (_HEIGHTS[min(7, int(rate / highest * 8))] if highest else _HEIGHTS[0] for rate in rates)
    return "".join(heights).rjust(points)


def _style_of(what: str) -> str:
    if what.startswith("crashed"):
        return "red"
    return "green" if what.startswith("ready") else "dim"


def _spread(left: Text, right: Text, width: int) -> Text:
    """Two texts at the two ends of a line."""
    return Text.assemble(left, " " * max(1, width - left.cell_len - right.cell_len), right)
