"""The command line as a whole: its commands, what they have in common, and how errors are told.

Whatever ends a command comes out here, as one sentence and an exit status. A traceback is shown only
when `--debug` asks for it.
"""

from __future__ import annotations

import signal
import traceback
from typing import TYPE_CHECKING

import click

from ..plugins.errors import CallboardError
from ..version import __version__
from .cache import cache
from .call import call
from .chaos import chaos
from .common import Settings, common
from .convert import convert_command
from .demo import demo
from .doctor import doctor
from .exits import BUG, FAILED, WELL, WRONG, by_signal
from .output import OutputLost, complain, open_missing_streams, tell_progress, warn_on_stderr
from .run import run
from .tools import tools

if TYPE_CHECKING:
    from collections.abc import Sequence


class _InOrder(click.Group):
    """Lists the commands as they were added: the main one first."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click's signature
        return list(self.commands)


@click.group(cls=_InOrder, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(__version__, message="callboard %(version)s")
@common
def command_line() -> None:
    """Run the tools of an LLM agent as supervised actors.

    Every call ends, once, with an answer that says what happened, and the next call works, whatever a
    tool does.

    CONFIG is a JSON file that lists the plugins. Output is for people on a terminal, and NDJSON when it is
    piped or --json asks for it. Exit status: 0 all went well, 1 something failed, 2 the configuration or the
    command line is wrong.
    """


for _command in (run, demo, chaos, tools, call, convert_command, doctor, cache):
    command_line.add_command(_command)


def main(arguments: Sequence[str] | None = None) -> int:
    """Carry out a command line, that of the process when ``None``; returns the exit status."""
    open_missing_streams()
    settings = Settings()
    warn_on_stderr()
    tell_progress()
    try:
        status = command_line.main(arguments, prog_name="callboard", obj=settings, standalone_mode=False)
    except click.ClickException as error:
        error.show()
        return error.exit_code
    except click.Abort:
        complain("interrupted")
        return by_signal(signal.SIGINT)
    except BrokenPipeError:  # whoever read has seen enough
        return FAILED
    except OutputLost as error:
        complain(str(error))
        return FAILED
    except CallboardError as error:
        if settings.debug:
            traceback.print_exc()
        complain(str(error))
        return WRONG
    except Exception as error:  # noqa: BLE001 - the last one who can say it in a sentence
        if settings.debug:
            traceback.print_exc()
        else:
            complain(f"a fault of its own: {type(error).__name__}: {error} (--debug shows where)")
        return BUG
    return status if isinstance(status, int) else WELL
