"""A recording and a replay, as people read them: a line an entry, a line an exchange."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ...plugins.adapter.formatting import as_text
from ..ui.text import Text

if TYPE_CHECKING:
    from ...authoring.recording_diff import Difference, Exchange
    from ...authoring.recording_format import Entry

Json = dict[str, Any]

_MARKS = {
    "started": ("●", "green"),
    "sent": ("→", "cyan"),
    "received": ("←", "blue"),
    "stderr": ("│", "yellow"),
    "ended": ("○", "red"),
}


def entry_line(entry: Entry) -> Text:
    """One entry; the printer crops it."""
    mark, style = _MARKS[entry.kind]
    who = f"{entry.host}/{entry.generation}"
    said = entry.kind if entry.kind == "started" else entry.text
    if entry.message is not None:
        said = _message(entry.message)
    return Text.assemble((f"{entry.at:9.3f} ", "dim"), f"{who} ", (f"{mark} ", style), said)


def _message(message: Json) -> str:
    name = f"#{message.get('id', '?')}"
    if "method" in message:
        return f"{name} {message['method']} {as_text(message.get('params', {}))}"
    if "event" in message:
        return f"{name} {as_text(message['event'])}"
    if message.get("ok"):
        return f"{name} {as_text(message.get('result'))}"
    error = message.get("error")
    shown = (
        {key: value for key, value in error.items() if key != "stack"} if isinstance(error, dict) else error
    )
    return f"{name} error {as_text(shown)}"


def exchange_line(exchange: Exchange, *, same: bool) -> Text:
    """One exchange of a replay."""
    mark = ("= ", "green") if same else ("≠ ", "red")
    asked = as_text(exchange.params.get("arguments")) if exchange.method == "execute_tool" else ""
    tool = f" {exchange.params.get('tool_name')}" if exchange.method == "execute_tool" else ""
    return Text.assemble(
        mark, f"{exchange.host}/{exchange.generation} {exchange.method}{tool} ", (asked, "dim")
    )


def difference_line(difference: Difference) -> Text:
    """Where an answer differs."""
    path = difference.path.removeprefix("$.")
    return Text.assemble(
        f"    {path}: ",
        (_shown(difference.was), "green"),
        (" was recorded; now ", "dim"),
        (_shown(difference.now), "red"),
    )


def _shown(value: Any) -> str:
    return "null" if value is None else as_text(value)
