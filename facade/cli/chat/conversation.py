"""A conversation at work: lines in, turns and commands carried out. What it tells, a `View` shows."""

from __future__ import annotations

import signal
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ...agent.loop.turn_effects import Reason
from ...agent.sessions.file import SessionFileError
from ...base.errors import CallboardError
from ...base.suggestions import meant
from ...plugins.results.codes import Code
from ..commands.tools import tool_rows
from ..ui.signals import Interruption
from .events import Ended, Interrupted, PendingQuestion, TurnThread
from .input import COMMANDS, Order, Said, help_lines, read_line

if TYPE_CHECKING:
    from collections.abc import Callable

    from ...agent.sessions.session import Session
    from ...callboard import Callboard
    from ...configured_agent import Agent
    from .events import Item, News
    from .session_files import Keeping
    from .view import View

Json = dict[str, Any]

_PATIENCE = 5.0
"""Seconds that a crashed call's result waits at most for the crash to be reported, which a busy machine may delay."""


class Conversation:
    """Carries out lines, one after the other, from the main thread.

    Args:
        board: whose tools they are.
        agent: asks the model.
        keeping: where the conversation is kept.
        view: shows what comes.
        news: what comes.
        decide: answers questions; with none there are none.
        heard: is told each event of a turn, before it is shown.
        typed: lines stand on the terminal already.

    Attributes:
        session: so far.
        failed: turns without an answer, and lines that could not be carried out.
        interrupted: the last line's turn was ended by the user.
        over: the user has left.
    """

    commands: tuple[str, ...] = tuple(COMMANDS)

    def __init__(
        self,
        board: Callboard,
        agent: Agent,
        keeping: Keeping,
        view: View,
        news: News,
        *,
        decide: Callable[[PendingQuestion], None] | None = None,
        heard: Callable[[Json], None] | None = None,
        typed: bool = False,
    ) -> None:
        self._board = board
        self._agent = agent
        self._keeping = keeping
        self._view = view
        self._news = news
        self._decide = decide
        self._heard = heard
        self._typed = typed
        self._unkept = False
        self._crashed: set[str] = set()
        self.session: Session = keeping.begin()
        self.failed: int = 0
        self.interrupted: bool = False
        self.over: bool = False

    def names(self) -> tuple[str, ...]:
        """What a line may begin with, beside commands."""
        return ()

    def carry_out(self, line: str) -> None:
        """Do what a line says; returns when that is done."""
        self.interrupted = False
        self.show_news()
        match read_line(line):
            case Said(text):
                self._view.said(text, typed=self._typed, results=len(self._results()))
                self._turn(self._agent.core.add_message(self.session, "user", text))
            case Order() as order:
                try:
                    self._obey(order)
                except CallboardError as error:
                    self._refuse(str(error))

    def show_news(self) -> None:
        """Show what has happened between two turns."""
        for item in self._news.here():
            self._take(item)

    # A turn

    def _turn(self, session: Session) -> None:
        self.session = session
        self._crashed.clear()
        self._keep()
        run = partial(_run, self._agent, session)
        with Interruption(self._news.interrupt) as interruption, TurnThread(run, self._news) as turn:
            error = self._follow(turn)
        self.over = self.over or interruption.reason is signal.SIGTERM
        if isinstance(error, CallboardError):
            self._refuse(str(error))
        elif error is not None:
            raise error

    def _follow(self, turn: TurnThread) -> BaseException | None:
        """Take what comes of a turn until it has ended; returns what it raised."""
        while not isinstance(item := self._news.take(), Ended):
            if isinstance(item, Interrupted):
                self.interrupted = True
                self._view.interrupted()
                turn.cancellation.cancel()
            else:
                self._take(item)
        return item.error

    def _take(self, item: Item) -> None:
        match item:
            case PendingQuestion():
                if self._decide is not None:
                    self._decide(item)
            case dict():
                self._hear(item)
            case Interrupted() | Ended():  # of a turn that is over
                pass
            case event:
                self._crashed.add(event.subject if event.kind == "host_crashed" else "")
                self._view.board(event)

    def _hear(self, event: Json) -> None:
        if self._heard is not None:
            self._heard(event)
        if event["type"] == "message":
            self._show_crash_first(event["message"])
            self.session = self.session.with_message(event["message"])
            self._keep()
        elif event["type"] == "done":
            self.session = event["session"]
            self.failed += event["reason"] not in {Reason.ANSWERED, Reason.CANCELLED}
        self._view.turn(event)

    def _show_crash_first(self, message: Json) -> None:
        """Of a call that a crash has cost, why comes before what it cost."""
        metadata = message.get("metadata") or {}
        plugin = metadata.get("tool_plugin")
        if plugin in self._crashed or (metadata.get("failure") or {}).get("code") != Code.HOST_CRASHED:
            return
        crash = self._news.crash_of(str(plugin), _PATIENCE)
        if crash is not None:
            self._view.board(crash)

    def _keep(self) -> None:
        if self._unkept:
            return
        try:
            self._keeping.keep(self.session)
        except SessionFileError as error:
            self._unkept = True  # what comes after a gap is no history
            self._refuse(f"{error}; the conversation is not kept any more (/save FILE)")

    # Commands

    def _obey(self, order: Order) -> None:
        match order:
            case Order("show", number):
                self._show(number)
            case Order("save", name):
                self._save(name)
            case Order("retry"):
                self._retry()
            case Order("new"):
                self._begin_anew()
            case Order("exit" | "quit"):
                self.over = True
            case Order(name):
                self._tell(name or "help")

    def _tell(self, topic: str) -> None:
        match topic:
            case "tools":
                told: Any = tool_rows(self._board)
            case "status":
                told = {name: _state_of(plugin) for name, plugin in self._board.status()["plugins"].items()}
            case "session":
                told = self._about_session()
            case "help":
                told = help_lines()
            case other:
                self._refuse(f"there is no command '/{other}'; {meant(other, COMMANDS)}")
                return
        self._view.told(topic, told)

    def _begin_anew(self) -> None:
        aside = self._change(self._agent.session())
        before = f"; the one before is in {aside}" if aside else ""
        self._view.told("new", f"a new conversation{before}")

    def _about_session(self) -> Json:
        where = self._keeping.where(self.session)
        return {
            "id": self.session.id,
            "file": "nowhere; /save FILE keeps it" if where is None or self._unkept else str(where),
            "messages": len(self.session.messages),
            "model": str(self._agent.config.get("model", "the provider's own")),
        }

    def _show(self, number: str) -> None:
        results = self._results()
        shown = int(number) if number.isdecimal() else len(results) if not number else 0
        if not 1 <= shown <= len(results):
            there = f"there are results 1 to {len(results)}" if results else "there is no result yet"
            self._refuse(f"no result {number!r}; {there}" if number else there)
            return
        self._view.told("show", results[shown - 1])

    def _results(self) -> list[Json]:
        return [message for message in self.session.messages if message["role"] == "tool"]

    def _save(self, name: str) -> None:
        if not name:
            self._refuse("say where: /save FILE")
            return
        self._keeping.move(Path(name).expanduser(), self.session)
        self._unkept = False
        self._view.told("save", f"kept in {name} from now on")

    def _retry(self) -> None:
        messages = self.session.messages
        said = max((n for n, message in enumerate(messages) if message["role"] == "user"), default=-1)
        if said < 0:
            self._refuse("nothing was said yet")
            return
        again = replace(self.session, messages=messages[: said + 1])
        if again != self.session:
            again = self._agent.core.fork(again)
            self._change(again)
        self._view.said(str(messages[said]["content"]), typed=False, results=len(self._results()))
        self._turn(again)

    def _change(self, session: Session) -> Path | None:
        """Go on with another conversation; returns where the one before was put."""
        aside = self._keeping.begin_anew(session)
        self.session = session
        return aside

    def _refuse(self, why: str) -> None:
        self.failed += 1
        self._view.refused(why)


def _run(agent: Agent, session: Session, cancellation: Any) -> Any:
    return agent.run(session, cancel=cancellation)


def _state_of(plugin: Json) -> str:
    """How a plugin is, on a line."""
    calls = plugin["calls"]["ended"]
    said = f"{calls:,} call{'' if calls == 1 else 's'} answered"
    if plugin["running"] + plugin["waiting"]:
        said += f", {plugin['running']} under way, {plugin['waiting']} waiting"
    host = plugin.get("host")
    if host is None:
        return f"in a thread; {said}"
    crashes = f", {host['crashes']} crash{'' if host['crashes'] == 1 else 'es'}" if host["crashes"] else ""
    return (
        f"host {host['state']} (generation {host['generation']}, pid {host.get('pid', '-')}){crashes}; {said}"
    )
