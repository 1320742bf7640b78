"""A conversation as it is told: to people, or as NDJSON. From one thread."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any, Protocol

from ...agent.sessions.session import Session
from ...plugins.hooks.forms import Form
from ..approval.form_dialogue import FormDialogue
from ..approval.question import Dialogue
from ..commands.tools import show_tools
from ..crash.report import show_crash
from ..ui.text import Span, Text
from .render import Scene
from .rows import facts_of, whole_text

if TYPE_CHECKING:
    from collections.abc import Callable

    from ...plugins.hooks.approval import Question
    from ...supervision.runtime.events import Event
    from ..approval.question import Risk, Step
    from ..ui.console import SafeConsole
    from ..ui.streams import Streams

Json = dict[str, Any]


class View(Protocol):
    """Who is told."""

    def said(self, text: str, *, typed: bool, results: int) -> None:
        """The person has said something, and a turn begins.

        Args:
            text: what was said.
            typed: it stands on the terminal already.
            results: how many results the conversation has so far.
        """

    def turn(self, event: Json) -> None:
        """An event of the turn."""

    def board(self, event: Event) -> None:
        """Something happened to a host, or to a tool."""

    def interrupted(self) -> None:
        """The user wants the turn to end."""

    def told(self, topic: str, what: Any) -> None:
        """What was asked for by a command."""

    def refused(self, why: str) -> None:
        """Something cannot be done."""


class ForPeople:
    """Writes for people; what is written is never changed."""

    def __init__(
        self, console: SafeConsole, risk: Callable[[Question], Risk | None] = lambda _: None
    ) -> None:
        self.console = console
        self._risk = risk
        self.scene: Scene = Scene(console.width)
        self._reports: dict[str, Json] = {}

    def said(self, text: str, *, typed: bool, results: int) -> None:
        self.scene.resize(self.console.width)
        if not typed:
            self.console.print(Text.assemble(("> ", "dim"), (text, "bold")), soft_wrap=True)
        self._write(self.scene.turn_begins(time.monotonic(), results))

    def turn(self, event: Json) -> None:
        self._write(self.scene.turn(event, time.monotonic()))

    def board(self, event: Event) -> None:
        if event.kind == "host_crashed":
            self._reports[event.subject] = event.facts["report"]
        self._write(self.scene.board(event.kind, event.subject, event.facts, event.time))

    def interrupted(self) -> None:
        """See `View`. The terminal has shown it already, wherever it was."""
        self._write([*self.scene.paused(), Span("\n")])

    def question(self, question: Question | Form) -> tuple[Dialogue | FormDialogue, Any]:
        """Return a question to the person, and what is shown of it first."""
        size = self.console.size
        if isinstance(question, Form):
            form = FormDialogue(question, size.width)
            return form, form.begin()
        dialogue = Dialogue(question, self._risk(question), size.width, size.height)
        return dialogue, dialogue.begin()

    def asked(self, step: Step) -> None:
        """Show what of a question comes before what is typed."""
        self._write(self.scene.question(step.lines))

    def answered(self, how: str) -> None:
        """Show what became of a question, where that is not what the user has typed."""
        self.console.print(Text(f"  {how}", "dim"), soft_wrap=True)

    def told(self, topic: str, what: Any) -> None:
        match topic:
            case "tools":
                show_tools(what, self.console)
            case "show":
                self._show_result(what)
            case _ if isinstance(what, dict):
                width = max(map(len, what), default=0)
                for name, value in what.items():
                    self.console.print(
                        Text.assemble((f"{name:<{width}}  ", "dim"), str(value)), soft_wrap=True
                    )
            case _:
                self.console.print(Text(str(what)), soft_wrap=True)
        self.console.print()

    def refused(self, why: str) -> None:
        self.console.print(Text.assemble(("✗ ", "red"), why), soft_wrap=True)
        self.console.print()

    def _show_result(self, message: Json) -> None:
        metadata = message.get("metadata") or {}
        self.console.print(
            Text(whole_text(metadata.get("display"), str(message.get("content") or ""))), soft_wrap=True
        )
        code, outcome = facts_of(message)
        report = self._reports.get(str(metadata.get("tool_plugin")))
        if code == "host_crashed" and report is not None:
            show_crash(report, outcome, self.console)

    def _write(self, spans: list[Span]) -> None:
        if spans:
            self.console.print(Text.assemble(*spans), end="", soft_wrap=True)


class ForPrograms:
    """Writes NDJSON, an object a line, each with its ``type``."""

    def __init__(self, streams: Streams) -> None:
        self._write = streams.print_json

    def said(self, text: str, *, typed: bool, results: int) -> None:
        self._write({"type": "user", "text": text})

    def turn(self, event: Json) -> None:
        """See `View`. A session is told by its id: its messages have been."""
        session = event.get("session")
        self._write({**event, "session": session.id} if isinstance(session, Session) else event)

    def board(self, event: Event) -> None:
        self._write({"type": "board", "kind": event.kind, "subject": event.subject, "facts": event.facts})

    def interrupted(self) -> None:
        """See `View`. How the turn ends says it."""

    def told(self, topic: str, what: Any) -> None:
        self._write({"type": "told", "about": topic, "told": what})

    def refused(self, why: str) -> None:
        self._write({"type": "refused", "error": why})
