"""What all commands have in common: the options `--debug` and `-v`, taken before and after the command."""

from __future__ import annotations

import logging
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

import click

from .files import ConfigFile
from .streams import log_as_json

if TYPE_CHECKING:
    from collections.abc import Callable

Function = TypeVar("Function", bound="Callable[..., Any]")

_LEVELS = (logging.WARNING, logging.INFO, logging.DEBUG)


@dataclass(slots=True)
class Settings:
    """What was said about the command as a whole.

    Attributes:
        debug: errors are to be shown with their traceback.
        verbosity: how often ``-v`` was given.
        trust: what the configuration would have fetched, built and run is trusted for this run.
    """

    debug: bool = False
    verbosity: int = 0
    trust: bool = False


def common(function: Function) -> Function:
    """Give a command the common options."""
    debug = click.option(
        "--debug",
        is_flag=True,
        expose_value=False,
        callback=_note_debug,
        help="Show errors with their traceback.",
    )
    verbose = click.option(
        "-v", "--verbose", count=True, expose_value=False, callback=_note_verbosity,
        help="Log to stderr; twice for all there is.",
    )  # fmt: skip
    log_format = click.option(
        "--log-format", type=click.Choice(["text", "json"]), expose_value=False, callback=_note_log_format,
        help="How the log on stderr is written; json is an object a line.",
    )  # fmt: skip
    return debug(log_format(verbose(function)))


def seconds(text: str) -> float:
    """The type of an option that is a number of seconds above 0."""
    try:
        number = float(text)
    except ValueError:
        raise click.BadParameter(f"{text!r} is no number of seconds, such as 0.5") from None
    if not number > 0:  # which NaN is not either
        raise click.BadParameter(f"it is {text}; it has to be more than 0 seconds")
    return number


json_option: Callable[[Function], Function] = click.option(
    "--json", "as_json", is_flag=True, help="Write NDJSON instead of text."
)
"""For the commands that report: they write text, to a pipe too, if it is not given."""


def trust_option(function: Function) -> Function:
    """Give a command that loads plugins the option by which what it would fetch, build and run is trusted; see `ui.trust`."""
    return click.option(
        "--trust",
        is_flag=True,
        expose_value=False,
        callback=_note_trust,
        help="Trust what would be fetched, built and run, this time; 'callboard plan' shows it.",
    )(function)


def config_argument(function: Function) -> Function:
    """Give a command that loads plugins their configuration file, and `trust_option`.

    What is wrong with the file is for the reader of configurations to say.
    """
    return click.argument("config", type=ConfigFile())(trust_option(function))


def quiet() -> None:
    """Log no warnings in a command that tells of them itself; what ``-v`` asked for is logged all the same.

    No command tells of packages and their cache, so what is logged of those stays.
    """
    if not click.get_current_context().ensure_object(Settings).verbosity:
        logging.getLogger("callboard").setLevel(logging.ERROR)
        packages = logging.getLogger("callboard.packages")
        packages.setLevel(
            packages.level or logging.WARNING
        )  # on a terminal their progress is told, see `tell_progress`


def _note_debug(context: click.Context, _: click.Parameter, value: bool) -> None:
    if value:
        context.ensure_object(Settings).debug = True


def _note_log_format(_: click.Context, __: click.Parameter, value: str | None) -> None:
    if value == "json":
        log_as_json()


def _note_trust(context: click.Context, _: click.Parameter, value: bool) -> None:
    if value:
        context.ensure_object(Settings).trust = True


def _note_verbosity(context: click.Context, _: click.Parameter, value: int) -> None:
    settings = context.ensure_object(Settings)
    settings.verbosity += value
    level = _LEVELS[min(settings.verbosity, len(_LEVELS) - 1)]
    logging.getLogger("callboard").setLevel(level)
