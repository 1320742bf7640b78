"""Whether a command may have code fetched, built and run: what a configuration asks for is trusted once, by the digest of each step.

With a terminal (stdin and stderr) the plan is shown there and asked about, all of it in one question; the answer that is taken without
one is no. What would be fetched and built is refused then, with the command to type; an entry with a command or an address is left out.
"""

from __future__ import annotations

import os
import select
import sys
from dataclasses import replace
from typing import TYPE_CHECKING

import click

from ...trust.admission import Admission
from ...trust.load_plan import lines_of
from ...trust.trust_file import TrustFile, trust_file
from .options import Settings
from .text import clean

if TYPE_CHECKING:
    from pathlib import Path

    from ...authoring.dev_server import Admit
    from ...config.configuration import Configuration

_MOST = 500
"""Lines of a plan that are shown before the question."""
_LONGEST = 1_000


def admit(
    configuration: Configuration, place: str, stdin: int | None = None, *, trusts: bool | None = None
) -> Configuration:
    """The configuration, held to what its user has agreed to.

    Args:
        configuration: as it was read.
        place: what its user calls it.
        stdin: the descriptor to ask on; nobody is asked if ``None``.
        trusts: all that is found is trusted for this run; what the option ``--trust`` says if ``None``.

    Raises:
        NotTrusted: its user has not agreed to what would be fetched and built.
        TrustNotKept: what was agreed to cannot be written down.
    """
    admission = Admission(configuration, place, TrustFile(trust_file()))
    if admission.untrusted:
        if trusts_all() if trusts is None else trusts:
            admission.trust(keep=False)
        elif stdin is not None and _ask(admission, stdin):
            admission.trust()
    return admission.admitted()


def admit_at(place: Path, stdin: int) -> Admit:
    """As `admit`, for a `DevServer`; the first configuration is asked about, the others come while something else is typed."""
    trusts = trusts_all()
    return lambda configuration, asks: admit(
        configuration, str(place), stdin if asks else None, trusts=trusts
    )


def trusts_all() -> bool:
    """Whether the option ``--trust`` was given to the command of this thread."""
    context = click.get_current_context(silent=True)
    return context is not None and context.ensure_object(Settings).trust


def _ask(admission: Admission, stdin: int) -> bool:
    """Show the plan and ask about it, if there is a person. No key is a yes that was not pressed after it was shown."""
    if not (os.isatty(stdin) and sys.stderr is not None and sys.stderr.isatty()):
        return False
    lines = whole_plan(admission)
    if lines is None:
        return False
    sys.stderr.write("This would be fetched, built and run:\n\n")
    for line in lines:
        sys.stderr.write(f"{line}\n")
    _forget_typed(stdin)
    sys.stderr.write("\nDo you trust it? [y/N] ")
    sys.stderr.flush()
    return _line(stdin).strip().lower() in {b"y", b"yes"}


def whole_plan(admission: Admission) -> list[str] | None:
    """Return the lines of a plan that a person is asked about; ``None`` if it cannot be shown whole, which 'callboard plan' does."""
    lines = list(lines_of(admission.plan, admission.trusted))
    if len(lines) > _MOST or any(len(line) > _LONGEST for line in lines):
        return None
    return [f"  {clean(line).replace(chr(10), '␤')}" for line in lines]


def runs_of(configuration: Configuration, place: str) -> Admission:
    """Return what the commands and addresses of a configuration run. Nobody is asked what a repository or a package is."""
    inline = (
        each for each in configuration.plugins if isinstance(each, dict) and {"mcp", "host"} & each.keys()
    )
    return Admission(replace(configuration, plugins=tuple(inline)), place, TrustFile(trust_file()))


def _forget_typed(stdin: int) -> None:
    """Drop lines that were typed before the question stood there."""
    while select.select([stdin], [], [], 0)[0]:
        if not os.read(stdin, 4096):
            return


def _line(stdin: int) -> bytes:
    """One line, and nothing of what comes after it, which is the command's."""
    typed = b""
    while not typed.endswith(b"\n") and (letter := os.read(stdin, 1)):
        typed += letter
    return typed
