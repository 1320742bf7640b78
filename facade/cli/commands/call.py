"""`callboard call`: one call by hand."""

from __future__ import annotations

import sys
import time
from functools import partial
from typing import TYPE_CHECKING, Any

import click

from ...base.errors import JsonValueError
from ...base.json import load_json
from ...plugins.adapter.formatting import as_text
from ...plugins.results.codes import Code
from ...plugins.results.failures import reported
from ..approval.terminal import ask_on_terminal, say_what_nobody_decides
from ..crash.report import show_crash
from ..ui.board import open_board
from ..ui.crash_files import CrashFiles, crash_folder, crash_of
from ..ui.exit_codes import FAILED, WELL
from ..ui.options import common, config_argument, json_option, seconds
from ..ui.streams import Streams
from ..ui.text import Text

if TYPE_CHECKING:
    from ...callboard import Callboard
    from ...plugins.results.call_result import CallResult
    from ..ui.console import SafeConsole

Json = dict[str, Any]


@click.command(short_help="One call, parts shown as they come.")
@config_argument
@click.argument("tool")
@click.argument("arguments", nargs=-1)
@click.option(
    "--deadline",
    type=seconds,
    metavar="SECONDS",
    help="How long the call may take.",
)
@json_option
@common
def call(config: str, tool: str, arguments: tuple[str, ...], deadline: float | None, as_json: bool) -> int:
    """Call TOOL of CONFIG once, and show what comes of it.

    ARGUMENTS are a JSON object, or - to read one from stdin, or name=text and name:=json pairs:

    \b
        callboard call agent.json echo '{"value": "hello"}'
        callboard call agent.json echo value=hello
        callboard call agent.json add a:=1 b:=2

    A tool that takes raw text is given the one ARGUMENT as it is. Exit status: 0 the call succeeded, 1 it failed.
    """  # noqa: D301 - click wants the character, not a backslash
    if arguments == ("-",):
        arguments = (sys.stdin.read(),)
        if not arguments[0].strip():
            raise click.UsageError("there is nothing on stdin; - is for arguments that come from there")
    with (
        Streams(as_json=as_json) as out,
        open_board(
            config,
            stdin=out.stdin,
            before=partial(ask_on_terminal, descriptor=out.stdin, reads=True),
            crashes=(crashes := CrashFiles(crash_folder())),
        ) as board,
    ):
        say_what_nobody_decides(board)
        request = request_for(tool, arguments, takes_text=takes_text(board, tool))
        began = time.monotonic()
        running = board.submit(request, deadline=deadline)
        for chunk in running.chunks():
            if out.people:
                out.console.print(Text(f"· {as_text(chunk['part'])}", "dim"), soft_wrap=True)
            else:
                out.print_json(chunk)
        result = running.result()
        short = crash_of(result)
        whole = None if short is None else crashes.wait_for(short["id"])  # as JSON too: it is kept then
        if out.people:
            show_result(result, time.monotonic() - began, out.console, whole)
            if result.get("code") == Code.INVALID_CALL and (hint := hint_for(arguments)) is not None:
                out.console.print(Text(hint, "dim"), soft_wrap=True)
        else:
            out.print_json(result)
        return WELL if result["success"] else FAILED


def takes_text(board: Callboard, tool: str) -> bool:
    """Whether a tool takes raw text, and no arguments."""
    schemas = [each.schema for each in board.tools() if each.tool_name == tool]
    return any(board.registry.inspect_schema(schema).kind == "text" for schema in schemas)


def request_for(tool: str, words: tuple[str, ...], *, takes_text: bool) -> Json:
    """A tool call from the words of a command line.

    Raises:
        click.UsageError: they are no arguments.
    """
    if takes_text:
        if len(words) != 1:
            raise click.UsageError(
                f"{tool!r} takes one text; there are {len(words)} arguments (quote the text)"
            )
        return {"type": "custom_tool_call", "call_id": "call_1", "name": tool, "input": words[0]}
    return {
        "id": "call_1",
        "type": "function",
        "function": {"name": tool, "arguments": read_arguments(words)},
    }


def read_arguments(words: tuple[str, ...]) -> Json:
    """Read the words of a command line as a call's arguments.

    Raises:
        click.UsageError: they are none.
    """
    if len(words) == 1 and words[0].lstrip().startswith("{"):
        return _object(words[0], "ARGUMENTS")
    arguments: Json = {}
    for word in words:
        name, equals, text = word.partition("=")
        if not equals or not name:
            raise click.UsageError(
                f'{word!r} is neither a JSON object nor name=text or name:=json; quote JSON: \'{{"name": "text"}}\''
            )
        if name.endswith(":"):
            arguments[name[:-1]] = _json(text, word)
        else:
            arguments[name] = text
    return arguments


def hint_for(words: tuple[str, ...]) -> str | None:
    """How to write what stands there as a text and reads as other JSON; ``None`` if nothing does."""
    for word in words:
        name, equals, text = word.partition("=")
        if name and equals and not name.endswith(":") and not word.lstrip().startswith("{"):
            try:
                load_json(text)
            except JsonValueError:
                continue
            return f"{word} is a text; write {name}:={text} for what it is in JSON"
    return None


def _object(text: str, where: str) -> Json:
    value = _json(text, where)
    if not isinstance(value, dict):
        raise click.UsageError(f"{where} has to be a JSON object; it is {text.strip()!r:.60}")
    return value


def _json(text: str, where: str) -> Any:
    try:
        return load_json(text)
    except JsonValueError as error:
        raise click.UsageError(f"{where} is {error}") from error


def show_result(result: CallResult, seconds: float, console: SafeConsole, whole: Json | None = None) -> None:
    """Show a result to people; ``whole`` is the report of the crash that it tells of, if that is known."""
    took = f"{seconds * 1000:,.1f} ms"
    if result["success"]:
        shown = (
            result["result"] if "result" in result else {k: v for k, v in result.items() if k != "success"}
        )
        if isinstance(shown, str):
            console.print(shown, soft_wrap=True)
        else:
            console.print_json(data=shown)
        console.print(Text.assemble(("✓ ", "green"), (took, "dim")))
        return
    ours = reported(result) is not None
    facts = [str(result[key]) for key in ("code", "outcome") if ours and key in result]
    said = Text.assemble(
        ("✗ ", "red"), as_text(result.get("error")), (f"  ({', '.join([*facts, took])})", "dim")
    )
    console.print(said, soft_wrap=True)
    for name in ("output", "traceback"):
        if result.get(name):
            console.print(Text(as_text(result[name]).rstrip(), "dim"), soft_wrap=True)
    if (short := crash_of(result)) is not None:
        show_crash(whole or short, result.get("outcome"), console)
