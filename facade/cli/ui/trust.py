"""Whether a command may have code fetched and built: what a configuration asks for is trusted once, by the digest of each step.

With a terminal (stdin and stderr) the plan is shown there and asked about; the answer that is taken without one is no. Without a
terminal it is refused, with the command to type.
"""

from __future__ import annotations

import os
import select
import sys
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


def admit(configuration: Configuration, place: str, stdin: int | None = None) -> Configuration:
    """The configuration, held to what its user has agreed to.

    Args:
        configuration: as it was read.
        place: what its user calls it.
        stdin: the descriptor to ask on; nobody is asked if ``None``.

    Raises:
        NotTrusted: its user has not agreed to it.
        TrustNotKept: what was agreed to cannot be written down.
    """
    admission = Admission(configuration, place, TrustFile(trust_file()))
    if admission.untrusted and (_is_said() or (stdin is not None and _ask(admission, stdin))):
        admission.trust()
    return admission.admitted()


def admit_at(place: Path, stdin: int) -> Admit:
    """As `admit`, for a `DevServer`; the first configuration is asked about, the others come while something else is typed."""
    return lambda configuration, asks: admit(configuration, str(place), stdin if asks else None)


def _is_said() -> bool:
    context = click.get_current_context(silent=True)
    return context is not None and context.ensure_object(Settings).trust


def _ask(admission: Admission, stdin: int) -> bool:
    """Show the plan and ask about it, if there is a person. No key is a yes that was not pressed after it was shown."""
    if not (os.isatty(stdin) and sys.stderr is not None and sys.stderr.isatty()):
        return False
    lines = list(lines_of(admission.plan, admission.trusted))
    if len(lines) > _MOST or any(len(line) > _LONGEST for line in lines):
        return False  # no yes to what cannot be shown whole: 'callboard plan' does
    sys.stderr.write("This would be fetched, built and run:\n\n")
    for line in lines:
        sys.stderr.write(f"  {clean(line).replace(chr(10), '␤')}\n")
    _forget_typed(stdin)
    sys.stderr.write("\nDo you trust it? [y/N] ")
    sys.stderr.flush()
    return _line(stdin).strip().lower() in {b"y", b"yes"}


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
