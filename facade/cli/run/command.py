"""`callboard run`: tool calls in, parts and tool messages out.

Input is NDJSON: a call in any known format a line, or a message or a whole answer of a model with calls in it. Output is NDJSON
too, each line as soon as it is ready:

* ``{"part": …, "tool_call_id", "tool_name"}`` for a partial result;
* ``{"role": "tool", "content", "toolResult", "metadata"}`` for the end of a call. Every call has one,
  and one that could not be read too, if it has an id to be answered by;
* ``{"error", "code": "invalid_call", "line"}`` for a line that is no call. With ``index`` if it is one
  item of a message's calls.

Blank lines are passed over. Answers of one plugin come in the order of its calls (if it runs one at a
time), those of different plugins as they are ready.
"""

from __future__ import annotations

import functools
import signal

import click

from ...agent.core.core import AgentCore
from ..approval.terminal import TerminalApprover, ask_on_terminal, say_what_nobody_decides
from ..ui.board import open_board
from ..ui.crash_files import CrashFiles, crash_folder
from ..ui.exit_codes import FAILED, WELL, by_signal
from ..ui.files import event_file
from ..ui.line_input import read_lines
from ..ui.options import common, config_argument
from ..ui.signals import Interruption
from ..ui.streams import LineWriter, ReaderGone, Streams, complain, warn_no_more
from .relay import Relay
from .slots import Slots

AT_ONCE = 1000
"""Calls that may be under way, those that wait for their tool included."""


@click.command(short_help="Tool calls in on stdin, one a line; parts and tool messages out.")
@config_argument
@click.option(
    "--in-flight", type=click.IntRange(1), metavar="N", default=AT_ONCE, show_default=True,
    help="Calls under way, waiting included; with more, input is not read.",
)  # fmt: skip
@click.option(
    "--state", type=click.Path(dir_okay=False), metavar="FILE",
    help="Keep the tools' state in this file, from one run to the next.",
)  # fmt: skip
@click.option(
    "--events", type=click.Path(dir_okay=False), metavar="FILE",
    help="Write what happens (starts, crashes, restarts, calls) to this file, an event a line.",
)  # fmt: skip
@common
def run(config: str, in_flight: int, state: str | None, events: str | None) -> int:
    """Run tool calls from stdin with the tools of CONFIG.

    Each line is a tool call in any known format, or a message or an answer of a model with calls in it. Parts and tool
    messages come out as they are ready, one a line; a line that is no call is answered
    {"error": …, "code": "invalid_call", "line": N}.

    Ends at the end of input, when all calls are answered. Exit status: 0 all ended well, 1 some failed, 2 CONFIG is
    wrong, 130 interrupted (calls under way are answered "cancelled").
    """
    with (
        Streams(as_json=True) as streams,
        event_file(events) as subscribers,
        open_board(
            config,
            state,
            subscribers,
            stdin=streams.stdin,
            before=functools.partial(ask_on_terminal, descriptor=streams.stdin, reads=False),
            crashes=(crashes := CrashFiles(crash_folder())),
        ) as board,
    ):
        say_what_nobody_decides(board)
        slots = Slots(in_flight)
        with Interruption(slots.interrupt) as interruption, AgentCore(board=board.board) as core:
            writer = LineWriter(streams.stdout, functools.partial(_on_broken, interruption))
            relay = Relay(core, board.configuration, writer, slots, interruption, crashes=crashes)
            approver = board.approver if isinstance(board.approver, TerminalApprover) else None
            for line in read_lines(streams.stdin, interruption, board.configuration.calls.max_line_bytes):
                if approver is not None and approver.put(line.text.decode(errors="replace")):
                    continue
                relay.take(line)
            if approver is not None:
                approver.put(None)
            relay.finish()
            return _status(interruption.reason, relay.failed)


def _on_broken(interruption: Interruption, error: OSError) -> None:
    # Before the board is stopped: results that are formatted then find no host.
    if isinstance(error, BrokenPipeError):
        warn_no_more()
    interruption.stop(error)


def _status(reason: signal.Signals | Exception | None, failed: int) -> int:
    match reason:
        case None:
            return FAILED if failed else WELL
        case signal.Signals():
            return by_signal(reason)
        case BrokenPipeError():
            raise ReaderGone
        case OSError():
            complain(f"cannot write the answers: {reason.strerror}")
            return FAILED
    raise reason
