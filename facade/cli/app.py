"""The command line as a whole: its commands, what they have in common, and how errors are told.

Whatever ends a command comes out here, as one sentence and an exit status. A traceback is shown only
when `--debug` asks for it.
"""

from __future__ import annotations

import signal
import sys
import traceback
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from importlib import import_module
from typing import TYPE_CHECKING, Any, cast

import click

from ..base.errors import CallboardError
from ..chaos.checker.exits import READER_GONE
from ..version import __version__
from .ui.console import safe_streams
from .ui.exit_codes import BUG, FAILED, WELL, WRONG, by_signal
from .ui.options import Settings, common
from .ui.streams import (
    OutputLost,
    ReaderGone,
    complain,
    drop_unread,
    open_missing_streams,
    tell_progress,
    warn_on_stderr,
)

if TYPE_CHECKING:
    from collections.abc import Sequence


COMMANDS = {
    "run": ("run.command:run", "Tool calls in on stdin, one a line; parts and tool messages out."),
    "demo": ("demo.command:demo", "Tools under load while their hosts are killed, and the proof."),
    "mcp": ("mcp.command:mcp", "Serve the tools of a configuration to clients of MCP."),
    "chat": ("chat.command:chat", "A conversation with a model that has the tools of CONFIG."),
    "chaos": ("chaos.command:chaos", "Your own tools while their hosts are killed, and the proof."),
    "new": ("commands.new:new", "A plugin to begin with, tests and all."),
    "dev": ("dev.command:dev", "A plugin at work while you write it."),
    "inspect": ("inspect.command:inspect", "What goes between Callboard and its hosts."),
    "check": ("commands.check:check", "All that is wrong with configurations, with lines; starts nothing."),
    "schema": ("commands.check:schema", "The JSON Schema of configurations, for editors."),
    "plan": ("commands.planning:plan", "What would be fetched, built and run; runs nothing."),
    "trust": (
        "commands.planning:trust",
        "Trust what would be fetched, built or run, and declared tools.",
    ),
    "tools": ("commands.tools:tools", "The tools of a configuration; --format for their schemas."),
    "call": ("commands.call:call", "One call, parts shown as they come."),
    "convert": (
        "commands.convert:convert_command",
        "Schemas, calls and results from one wire format to another.",
    ),
    "crash": ("crash.command:crash", "The whole report of a crash, by its id; or the last crashes."),
    "doctor": ("doctor.command:doctor", "What works here, and the remedy for what does not."),
    "npm": ("commands.npm:npm", "npm, on the Node that runs the tools."),
    "cache": ("commands.cache:cache", "What was built for plugins; list it, clean it."),
    "completion": (
        "commands.completion:completion",
        "A script with which your shell completes this command line.",
    ),
}
"""Each command, in the order in which they are listed: its module below this folder with its name in there, and what it does."""


OPTIONAL = {"httpx": "httpx", "prompt_toolkit": "prompt-toolkit", "watchfiles": "watchfiles"}
"""What only some commands import, and what brings it."""


class _OnDemand(Mapping[str, click.Command]):
    """The commands, each imported when it is asked for: all together would take longer than most do their work."""

    def __getitem__(self, name: str) -> click.Command:
        module, _, attribute = COMMANDS[name][0].partition(":")
        try:
            command: click.Command = getattr(import_module(f".{module}", __package__), attribute)
        except ModuleNotFoundError as error:
            package = (error.name or "").partition(".")[0]
            if package not in OPTIONAL:
                raise
            return _stand_in(name, package)
        return command

    def __iter__(self) -> Iterator[str]:
        return iter(COMMANDS)

    def __len__(self) -> int:
        return len(COMMANDS)


def _stand_in(name: str, package: str) -> click.Command:
    """For a command whose package is not there; the others, and the list of all, are none the worse for it."""
    needs = f"needs the package {package!r}; run: pip install {OPTIONAL[package]}"

    def refuse() -> int:
        complain(f"'callboard {name}' {needs}")
        return WRONG

    anything = {"ignore_unknown_options": True, "help_option_names": []}
    words = click.Argument(["words"], nargs=-1, expose_value=False, type=click.UNPROCESSED)
    return click.Command(name, callback=refuse, params=[words], help=f"({needs})", context_settings=anything)


class _InOrder(click.Group):
    """Lists the commands in their order: the main one first."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(self.commands)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """As click does, and imports none of them: that takes longer than to write the page."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, said) for name, (_, said) in COMMANDS.items()])

    def make_context(self, *given: Any, **more: Any) -> click.Context:
        """As click does; so the help text of all, and the version, are written."""
        with _to_a_reader():
            return super().make_context(*given, **more)

    def invoke(self, ctx: click.Context) -> Any:
        """As click does; so every command runs, and the help text of one is written."""
        with _to_a_reader():
            return super().invoke(ctx)


@contextmanager
def _to_a_reader() -> Iterator[None]:
    """Take what click writes itself for output like any other: it ends a command whose reader has gone with status 1."""
    try:
        yield
        if sys.stdout is not None:  # at its end Python would find out too late for a status of ours
            sys.stdout.flush()
    except BrokenPipeError as error:
        raise ReaderGone from error


@click.group(cls=_InOrder, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(__version__, message="callboard %(version)s")
@common
def command_line() -> None:
    """Run the tools of an LLM agent as supervised actors.

    Every call ends, once, with an answer that says what happened, and the next call works, whatever a
    tool does.

    CONFIG is a JSON or TOML file that lists the plugins. Output is text, and NDJSON if --json asks for it; run and convert
    write NDJSON always. Exit status: 0 all went well, 1 something failed, 2 the configuration or the command line is
    wrong, 77 chaos could not test everything.
    """


command_line.commands = cast("dict[str, click.Command]", _OnDemand())  # click only ever reads it


def main(arguments: Sequence[str] | None = None) -> int:
    """Carry out a command line, that of the process when ``None``; returns the exit status."""
    open_missing_streams()
    try:
        with safe_streams():
            warn_on_stderr()
            tell_progress()
            return _carry_out(arguments)
    finally:
        drop_unread()


def _carry_out(arguments: Sequence[str] | None) -> int:
    settings = Settings()
    try:
        status = command_line.main(arguments, prog_name="callboard", obj=settings, standalone_mode=False)
    except click.ClickException as error:
        error.show()
        return error.exit_code
    except click.Abort:
        complain("interrupted")
        return by_signal(signal.SIGINT)
    except ReaderGone:
        return READER_GONE
    except OutputLost as error:
        complain(str(error))
        return FAILED
    except CallboardError as error:
        if settings.debug:
            traceback.print_exc()
        for sentence in (str(error), *getattr(error, "__notes__", ())):
            complain(sentence)
        return WRONG
    except Exception as error:  # noqa: BLE001 - the last one who can say it in a sentence
        if settings.debug:
            traceback.print_exc()
        else:
            complain(f"a fault of its own: {type(error).__name__}: {error} (--debug shows where)")
        return BUG
    return status if isinstance(status, int) else WELL
