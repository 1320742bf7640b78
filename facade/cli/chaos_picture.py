"""The live picture of a trial: a row a plugin, of fixed widths, so that only numbers move."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rich.console import Group
from rich.table import Table
from rich.text import Text

if TYPE_CHECKING:
    from rich.console import RenderableType

    from ..chaos.siege import Front
    from ..trial import Trial

Json = dict[str, Any]

_WIDEST = 100
_BAR = 20
_NEWS = 6
_STATES = {"ready": ("●", "green"), "starting": ("◌", "yellow"), "backoff": ("◌", "yellow")}
_STYLES = {
    "success": "green",
    "host_crashed": "red",
    "deadline_exceeded": "red",
    "protocol_error": "red",
    "failure": "magenta",
    "tool_raised": "magenta",
}


class Picture:
    """Draws a trial.

    Args:
        trial: what is drawn.
        width: of the terminal.
    """

    def __init__(self, trial: Trial, width: int) -> None:
        self._trial = trial
        self._width = min(width, _WIDEST) - 1

    def draw(self) -> RenderableType:
        """The picture of this moment."""
        title = Text.assemble((" Callboard chaos", "bold"), (f"  {self._trial.plan.config}", "dim"))
        if self._trial.siege is None:
            return Group(title, Text(" the hosts are starting", "dim"))
        return Group(title, self._progress(), "", self._rows(), "", self._endings(), "", self._news())

    def _progress(self) -> Text:
        siege, nemesis = self._trial.siege, self._trial.nemesis
        assert siege is not None
        assert nemesis is not None
        plan = self._trial.plan
        said = f" {siege.ended:6,} / {plan.calls:,} calls  {len(nemesis.done):3} / {plan.kills} faults"
        said += f"  {self._trial.elapsed:5.1f} s"
        room = max(0, self._width - 1 - len(said))
        done = round(min(1.0, siege.ended / plan.calls) * room)
        return Text.assemble(" ", ("━" * done, "green"), ("━" * (room - done), "bright_black"), said)

    def _rows(self) -> Table:
        table = Table(box=None, padding=(0, 1, 0, 0), header_style="dim", pad_edge=False, width=self._width)
        table.add_column("", width=1)
        table.add_column("plugin", min_width=10, no_wrap=True, overflow="ellipsis", ratio=1)
        table.add_column("pid", width=7, justify="right", no_wrap=True)
        table.add_column("gen", width=3, justify="right", no_wrap=True)
        table.add_column("", width=1)
        table.add_column("state", width=8, no_wrap=True)
        table.add_column("calls", width=_BAR + 7, no_wrap=True)
        table.add_column("open", width=4, justify="right", no_wrap=True)
        table.add_column("crashes", width=7, justify="right", no_wrap=True)
        table.add_column("last", width=11, no_wrap=True, overflow="ellipsis")
        assert self._trial.siege is not None
        plugins = self._trial.plugins()
        for name, front in self._trial.siege.fronts.items():
            host = plugins.get(name, {}).get("host")
            pid, generation, mark, state = _life(host)
            last = (host or {}).get("last_crash")
            table.add_row(
                "",
                Text(name, "bold"),
                pid,
                generation,
                mark,
                state,
                _calls(front),
                str(front.made - front.ended),
                str(host["crashes"]) if host else "",
                Text(last["exit"].removeprefix("signal ") if last else "", "dim"),
            )
        return table

    def _endings(self) -> Text:
        assert self._trial.siege is not None
        text = Text(" ")
        counted = sorted(dict(self._trial.siege.counts.endings).items(), key=lambda item: -item[1])
        for ending, count in counted:
            text.append(f"{count:,} ", "bold").append(f"{ending}   ", _STYLES.get(ending, "yellow"))
        return text

    def _news(self) -> Text:
        assert self._trial.nemesis is not None
        lines = self._trial.nemesis.told()[-_NEWS:]
        text = Text(no_wrap=True, overflow="ellipsis")
        for name, what in lines:
            text.append(f" {name:<16} ").append(f"{what}\n", "yellow")
        return text.append("\n" * (_NEWS - len(lines)))


def _life(host: Json | None) -> tuple[str, str, Text, str]:
    """Pid, generation, and the state with its mark."""
    if host is None:
        return "", "", Text("●", "green"), "thread"
    mark, style = _STATES.get(host["state"], ("○", "red"))
    return str(host.get("pid", "")), str(host["generation"]), Text(mark, style), host["state"]


def _calls(front: Front) -> Text:
    done = min(_BAR, round(_BAR * front.ended / max(1, front.quota)))
    return Text.assemble(("━" * done, "blue"), ("━" * (_BAR - done), "bright_black"), f"{front.ended:6,}")
