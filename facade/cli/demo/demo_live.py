"""The live picture of the demonstration: a row a tool, of fixed widths, so that only numbers move."""

from __future__ import annotations

from collections import deque
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from rich.console import Group
from rich.table import Table
from rich.text import Text

from ...demo.plan import LANES

if TYPE_CHECKING:
    from rich.console import RenderableType

    from ...demo.show import Show

Json = dict[str, Any]

_WIDEST = 100
_NEWS = 6
_BAR = 10
_FULL = 26
"""Calls that fill the bar."""
_EVERY = 0.4
"""Seconds between two points of the curves."""

_NOT_YET: Json = {"running": 0, "waiting": 0}
_EIGHTHS = " ▏▎▍▌▋▊▉█"
_HEIGHTS = "▁▂▃▄▅▆▇█"
_STATES = {"ready": ("●", "green"), "starting": ("◌", "yellow"), "backoff": ("◌", "yellow")}


class Picture:
    """Draws a show. Keeps the past of the curves, so draw with one of it, and often.

    Args:
        show: what is drawn.
        width: of the terminal.
    """

    def __init__(self, show: Show, width: int) -> None:
        self._show = show
        self._width = min(width, _WIDEST) - 1
        self._points = 10 if self._width < _WIDEST - 1 else 28
        self._past: deque[tuple[float, dict[str, int]]] = deque([(0.0, {})], maxlen=self._points + 1)

    def draw(self) -> RenderableType:
        """The picture of this moment."""
        self._note(self._show.plugins)
        return Group(self._title(), self._progress(), "", self._rows(), "", self._news())

    def _note(self, plugins: Json) -> None:
        now = self._show.elapsed
        if plugins and now - self._past[-1][0] >= _EVERY:
            self._past.append((now, {name: plugin["calls"]["ended"] for name, plugin in plugins.items()}))

    def _rates(self, name: str | None) -> list[float]:
        """Calls a second of one tool, or of all, from point to point."""
        rates = []
        points = list(self._past)
        for (before, then), (after, now) in pairwise(points):
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

    def _progress(self) -> Text:
        plan, record = self._show.plan, self._show.record
        calls = (
            f"{len(record.ended):7,}" if plan.calls is None else f"{len(record.ended):7,} / {plan.calls:,}"
        )
        said = f"{calls} calls  {len(record.kills):3} / {plan.kills} kills  {self._show.elapsed:5.1f} s"
        room = max(0, self._width - 1 - len(said))
        done = round(min(1.0, self._show.progress) * room)
        return Text.assemble(" ", ("━" * done, "green"), ("━" * (room - done), "bright_black"), said)

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
        for lane in LANES:
            plugin = self._show.plugins.get(lane.name, _NOT_YET)
            rates = self._rates(lane.name)
            curve = Text.assemble(f"{_recent(rates):5,.0f} ", (_curve(rates, highest, self._points), "cyan"))
            table.add_row(
                "", Text(lane.name, "bold"), *_life(plugin), _load(plugin), curve, *_crashes(plugin)
            )
        return table

    def _news(self) -> Text:
        lines = list(self._show.news)[-_NEWS:]
        text = Text(no_wrap=True, overflow="ellipsis")
        for when, whom, what in lines:
            text.append(f" {when:5.1f} s  ", "dim").append(f"{whom:<7}").append(f"{what}\n", _style_of(what))
        return text.append("\n" * (_NEWS - len(lines)))


def _life(plugin: Json) -> tuple[str, str, Text, str]:
    """Pid, generation, and the state with its mark."""
    host = plugin.get("host")
    if host is None:
        known = "runs_in" in plugin
        return "", "", Text("●" if known else "", "green"), "thread" if known else ""
    mark, style = _STATES.get(host["state"], ("○", "red"))
    return str(host.get("pid", "")), str(host["generation"]), Text(mark, style), host["state"]


def _load(plugin: Json) -> Text:
    """The calls that are open: under way, and waiting."""
    count = plugin["running"] + plugin["waiting"]
    eighths = min(_BAR * 8, count * _BAR * 8 // _FULL)
    bar = _EIGHTHS[8] * (eighths // 8) + (_EIGHTHS[eighths % 8] if eighths % 8 else "")
    return Text.assemble((f"{bar:<{_BAR}}", "blue"), f"{count:4}")


def _crashes(plugin: Json) -> tuple[str, Text]:
    host = plugin.get("host")
    if host is None:
        return "", Text()
    last = host["last_crash"]
    return str(host["crashes"]), Text(last["exit"].removeprefix("signal ") if last else "", "dim")


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
