"""What `callboard dev` does with a line: it calls a tool, or carries out one of its own commands."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

import click

from ...agent.core.core import AgentCore
from ...authoring.call_syntax import Asked, NotUnderstood, Order, read_typed
from ...base.suggestions import meant
from ..commands.call import request_for, takes_text
from ..ui.signals import CancelOnInterrupt

if TYPE_CHECKING:
    from ...actors.calls.call import Call
    from ...authoring.dev_server import DevServer
    from .view import View

COMMANDS = ("tools", "schema", "state", "forget", "reload", "help", "quit")

HELP = """\
TOOL name=text name:=json   call a tool
TOOL {"name": "text"}       the same, with the arguments as JSON
/tools                      what can be called
/schema TOOL                what a tool takes
/state                      what each plugin keeps from call to call
/forget                     load again, with the states that init makes
/reload                     load again; a changed file does the same
/quit                       leave; Ctrl-D does the same"""


class Work:
    """Carries out lines, one after the other.

    Attributes:
        failed: calls that failed, and lines that were none.
        over: the user asked to leave, or has left.
    """

    commands = COMMANDS

    def __init__(self, bench: DevServer, view: View) -> None:
        self._bench = bench
        self._view = view
        self._core = AgentCore(board=bench.board)
        self._states: dict[str, Any] = {}
        self._interrupt: CancelOnInterrupt | None = None
        self.failed: int = 0
        self.over: bool = False

    def load(self, changed: list[str], *, forget_state: bool = False) -> None:
        """Load the plugins, since these files have changed, and tell what came of it."""
        began = time.monotonic()
        loaded = self._bench.load(forget_state=True) if forget_state else self._bench.reload()
        self._states = self._bench.states()
        self._view.loaded(loaded, changed, time.monotonic() - began)

    @property
    def longest(self) -> int:
        """The most bytes that a line may have: a message with it could not be sent."""
        return self._bench.configuration.calls.max_line_bytes

    def names(self) -> tuple[str, ...]:
        """What a call may begin with."""
        return self._bench.tools()

    def carry_out(self, line: str) -> None:
        """Do what a line says; returns when that is done. An interrupt ends the call under way."""
        try:
            match read_typed(line):
                case Asked() as asked:
                    self._call(asked)
                case Order() as order:
                    self._obey(order)
        except (NotUnderstood, click.UsageError) as error:
            self._refuse(error.message if isinstance(error, click.UsageError) else str(error))

    def leave(self) -> None:
        """Carry out no more, and cancel the call under way; from any thread, and from a signal handler."""
        self.over = True
        if self._interrupt is not None:
            self._interrupt.cancel()

    def _call(self, asked: Asked) -> None:
        tools = self._bench.tools()
        if asked.tool not in tools:
            self._refuse(f"there is no tool {asked.tool!r}; {meant(asked.tool, tools)}")
            return
        raw = takes_text(self._bench.board, asked.tool)
        request = request_for(asked.tool, (asked.text,) if raw else asked.words, takes_text=raw)
        began = time.monotonic()
        with CancelOnInterrupt(self._bench.give_up) as interrupt:
            self._interrupt = interrupt
            if self.over:  # since the line was taken
                interrupt.cancel()
            call = self._bench.submit(request)
            interrupt.watch(call)
            message = self._listen(call)
        result = call.result()
        self.failed += not result["success"]
        self._view.ended(result, message["content"], self._changed_state(call), time.monotonic() - began)

    def _listen(self, call: Call) -> dict[str, Any]:
        message: dict[str, Any] = {}
        for answer in self._core.answers(call):
            if "part" in answer:
                self._view.part(answer["part"])
            message = answer
        return message

    def _changed_state(self, call: Call) -> dict[str, Any] | None:
        """The state of the plugin that took the call, if it is not what it was."""
        states, before = self._bench.states(), self._states
        self._states = states
        name = call.plugin_name
        return states.get(name) if name is not None and states.get(name) != before.get(name) else None

    def _obey(self, order: Order) -> None:
        match order.name:
            case "tools":
                self._view.told("\n".join(self._bench.tools()) or "there is none")
            case "schema":
                schema = self._bench.schema(order.about)
                if schema is None:
                    self._refuse(
                        f"there is no tool {order.about!r}; {meant(order.about, self._bench.tools())}"
                    )
                else:
                    self._view.told(schema)
            case "state":
                self._view.told(self._bench.states())
            case "forget" | "reload":
                self.load([], forget_state=order.name == "forget")
            case "help" | "":
                self._view.told(HELP)
            case "quit":
                self.over = True
            case other:
                self._refuse(f"there is no command '/{other}'; {meant(other, COMMANDS)}")

    def _refuse(self, why: str) -> None:
        self.failed += 1
        self._view.refused(why)
