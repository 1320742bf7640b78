"""What a conversation looks like: events in, spans to append out. Pure; the clock is the caller's.

A turn is shown in blocks with a blank line between them: what the model says, and rows about its calls. What happens to
hosts is a row as well; while a line of the model's is not at its end it waits for that.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from ...agent.sessions.session import call_id, called_name, tool_call_id
from ...plugins.adapter.formatting import as_text
from ..ui.text import Span, clean
from .markdown import Prose
from .rows import asked_for, block, column_of, facts_of, last_words, row, shortened

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

Json = dict[str, Any]

WIDEST = 100

_QUESTION: Final = {"? ": "bold magenta"}

HEARD: Final = {
    "breaker_opened": "{tool} failed too often and is left alone for {retry_in:.0f} s",
    "call_repeated": "{tool} is sent again: {why}",
    "group_parked": "down for now: {why}",
    "hook_failed": "a hook failed on {event}: {error}",
    "host_backoff": "its host is started again in {seconds:.1f} s",
    "host_crashed": "its host died: {cause}",
    "host_parked": "its host is given up for now: {why}",
    "host_ready": "its host is back",
    "host_recycling": "its host is replaced: {why}",
    "plugin_unavailable": "cannot be used: {why}",
    "state_reset": "begins with a fresh state: {why}",
    "thread_fenced": "{tool} went on too long; its thread is given up",
    "tool_quarantined": "{tool} is refused for a while: {why}",
}
"""Kinds of the board's events that are shown, and how; of backoffs only those that a person would notice."""

_MIGHT_HAVE_RUN: Final = {
    "not_sent": "the tool has not seen the call",
    "outcome_unknown": "the tool may have run, in part or in whole",
}
_REFUSED: Final = "the tool's server takes no such call"
_DIED: Final = "no answer: its host died under it"
"""Why, is told by the board."""
_STYLES: Final = {"text": "", "reasoning": "dim italic"}
_ENDINGS: Final = {
    "cancelled": "cancelled",
    "deadline": "the time for a turn is over",
    "max_rounds": "the model was asked as often as it may be in one turn; say something, and it goes on",
    "error": "no answer; /retry asks again",
    "refused": "no answer; say it in another way",
    "empty": "no answer; /retry asks again",
    "length": "the answer was cut off: it reached the limit of its length; say 'go on', or allow more by max_output_tokens",
}


class Scene:
    """One conversation as it is shown.

    Args:
        width: of the terminal.
    """

    def __init__(self, width: int) -> None:
        self.resize(width)
        self._results = 0
        self._column = 0
        self._prose: Prose | None = None
        self._block = ""
        self._waiting: list[Span] = []
        self._died: dict[str, float] = {}
        self._begin(0.0)

    def resize(self, width: int) -> None:
        """The terminal has another width; what comes from now on is shown in it."""
        self.width: int = min(width, WIDEST)

    def _begin(self, now: float) -> None:
        self._began = now
        self._tokens = [0, 0]
        self._asked = 0
        self._names: dict[str, str] = {}

    def turn_begins(self, now: float, results: int) -> list[Span]:
        """A turn begins: its time runs, and there are so many results already, by which the next are numbered."""
        self._begin(now)
        self._results = results
        self._block = "said"
        return []

    def turn(self, event: Mapping[str, Any], now: float) -> list[Span]:
        """Return how an event of a turn is shown; most of it nothing, if it says nothing to people."""
        match event:
            case {"type": "text" | "reasoning" as kind, "text": str(text)}:
                return self._say(kind, text)
            case {"type": "message", "message": {"role": "tool"} as message}:
                return self._result(message)
            case {"type": "message"}:
                return self._rest_of_prose()
            case {"type": "usage"}:
                return self._count(event)
            case {"type": "done"}:
                return self._end(str(event.get("reason")), now)
        return self._of_call(event) or self._of_model(event)

    def _of_call(self, event: Mapping[str, Any]) -> list[Span]:
        match event:
            case {"type": "tool_call", "tool_call": dict(call)}:
                return self._call(call)
            case {"type": "preview", "preview": preview}:
                return self._row("preview", self._name(event), clean(str(preview)), most=3)
            case {"type": "part", "part": part}:
                again = f"(attempt {event['attempt']}) " if "attempt" in event else ""
                return self._row("part", self._name(event), again + _part_text(part), dim=True, most=6)
        return []

    def _of_model(self, event: Mapping[str, Any]) -> list[Span]:
        match event:
            case {"type": "retry"}:
                why = f"{event.get('reason', '')} ({event.get('code', 'asked again')})"
                said = f"{clean(why)}; asked again in {float(event.get('delay') or 0):.1f} s"
                return self._row("trouble", "model", said, dim=True)
            case {"type": "error" | "no_answer", "error": error}:
                return self._row("failed", "model", clean(str(error)))
        return []

    def board(self, kind: str, subject: str, facts: Mapping[str, Any], at: float) -> list[Span]:
        """Return how an event of the board is shown; nothing while a line of the model's is open, then it comes later."""
        shown = list(self._of_board(kind, subject, facts, at))
        if self._prose is not None and self._prose.open:
            self._waiting += shown
            return []
        return [*self._enter("rows"), *shown] if shown else []

    def paused(self) -> list[Span]:
        """Return what ends the line that is open."""
        return self._rest_of_prose()

    def question(self, lines: list[str]) -> list[Span]:
        """Return how lines of a question to the person are shown."""
        return [*self._enter("rows"), *(Span(f"{line}\n", _QUESTION.get(line[:2], "")) for line in lines)]

    # What the model says

    def _say(self, kind: str, text: str) -> list[Span]:
        shown: list[Span] = []
        if self._block != kind or self._prose is None:
            if not text.strip():
                return []
            shown += self._enter(kind)
            self._prose = Prose(self.width, _STYLES[kind])
            text = text.lstrip("\n")
        shown += self._prose.feed(text)
        if self._waiting and not self._prose.open:
            shown += self._rest_of_prose()
        return shown

    def _rest_of_prose(self) -> list[Span]:
        """End the model's line, and show what has waited for that."""
        prose, self._prose = self._prose, None
        shown = [] if prose is None else prose.end()
        waiting, self._waiting = self._waiting, []
        return [*shown, *self._enter("rows"), *waiting] if waiting else shown

    def _enter(self, kind: str) -> list[Span]:
        shown = self._rest_of_prose()
        before, self._block = self._block, kind
        return [*shown, Span("\n")] if before and before != kind else shown

    # Rows

    def _row(
        self, kind: str, name: str, text: str, *, dim: bool = False, most: int | None = None
    ) -> list[Span]:
        return [*self._enter("rows"), *self._plain_row(kind, name, text, dim=dim, most=most)]

    def _plain_row(
        self, kind: str, name: str, text: str, *, dim: bool = False, most: int | None = None
    ) -> Iterator[Span]:
        self._column = column_of(name, self.width, self._column)
        yield from row(kind, name, text, self.width, column=self._column, dim=dim, most=most)

    def _call(self, call: Json) -> list[Span]:
        name, its_id = clean(called_name(call) or "?"), call_id(call) or ""
        alike = sum(each == name or each.startswith(f"{name} #") for each in self._names.values())
        self._names[its_id] = name = f"{name} #{alike + 1}" if alike else name
        return self._row("asked", name, asked_for(call), dim=True, most=2)

    def _name(self, event: Mapping[str, Any]) -> str:
        return self._names.get(str(event.get("tool_call_id")), clean(str(event.get("tool_name") or "?")))

    def _result(self, message: Json) -> list[Span]:
        self._results += 1
        metadata = message.get("metadata") or {}
        name = self._names.pop(tool_call_id(message) or "", clean(str(metadata.get("tool_name") or "?")))
        code, outcome = facts_of(message)
        short = shortened(metadata.get("display"), str(message.get("content") or ""))
        failed = bool(code) or short.text.startswith("Error: ")
        said = _DIED if code == "host_crashed" else short.text.removeprefix("Error: ")
        shown = self._row("failed" if failed else "well", name, said, most=8)
        more = [f"more: {short.left_out} lines, /show {self._results}"] if short.left_out else []
        if code:
            refused = code == "invalid_call" and outcome == "outcome_unknown"
            more = [f"{code}: {_REFUSED if refused else _MIGHT_HAVE_RUN.get(outcome, outcome)}", *more]
        return [*shown, *self._below(more)]

    def _below(self, lines: list[str]) -> Iterator[Span]:
        """Yield lines of less weight that belong to the row above."""
        margin = 2 + (self._column + 2 if self._column else 0)
        for line in lines:
            yield Span(" " * margin)
            yield from block(line, self.width, margin, dim=True)

    def _of_board(self, kind: str, subject: str, facts: Mapping[str, Any], at: float) -> Iterator[Span]:
        if kind == "host_ready":
            died = self._died.pop(subject, None)
            if died is not None:
                said = f"{HEARD[kind]} after {_time(at - died)} (generation {facts['generation']})"
                yield from self._plain_row("back", subject, said)
        elif kind == "host_crashed":
            self._died.setdefault(subject, at)
            said = f"{HEARD[kind].format(**facts)} (generation {facts['generation']})"
            yield from self._plain_row("died", subject, clean(said))
            yield from self._below([f"│ {line}" for line in last_words(facts.get("report"))])
        elif kind in HEARD and not (kind == "host_backoff" and (facts.get("seconds") or 0) < 1):
            yield from self._plain_row("trouble", subject, clean(HEARD[kind].format(**facts)))

    # The end

    def _count(self, event: Mapping[str, Any]) -> list[Span]:
        self._asked += 1
        for place, key in enumerate(("input_tokens", "output_tokens")):
            count = event.get(key)
            self._tokens[place] += count if isinstance(count, int) else 0
        return []

    def _end(self, reason: str, now: float) -> list[Span]:
        shown = self._rest_of_prose()
        if reason in _ENDINGS:
            shown += self._row("trouble", "turn", _ENDINGS[reason])
        spent = [_time(now - self._began)]
        if self._asked:
            often = f" · asked {self._asked} times" if self._asked > 1 else ""
            spent.insert(0, f"{self._tokens[0]:,} tokens in, {self._tokens[1]:,} out{often}")
        self._block = ""
        return [*shown, Span(f"\n{' · '.join(spent)}\n\n", "dim")]


def _part_text(part: Any) -> str:
    text = part.get("content") or part.get("text") if isinstance(part, dict) else None
    return clean(text if isinstance(text, str) else as_text(part)).rstrip()


def _time(seconds: float) -> str:
    return f"{seconds * 1000:.0f} ms" if seconds < 1 else f"{seconds:.1f} s"
