"""What a plugin did wrong where the call could go on without it: a formatter that raised, a part that is no JSON.

Such a fault costs no answer, so it is told and not raised. Who is told is the embedder's choice;
without one it is the log.
"""

from __future__ import annotations

from collections.abc import Callable

from ...base.foreign import Log
from ...base.frozen import frozen

_log = Log(__name__)


@frozen
class HookFault:
    """A fault that a default made up for.

    Attributes:
        plugin: the plugin's name.
        hook: the hook at fault.
        problem: what it did and what was done about it, as a sentence for people.
    """

    plugin: str
    hook: str
    problem: str


Report = Callable[[HookFault], None]
"""Who is told of faults; it must not raise."""


def log_fault(fault: HookFault) -> None:
    """Log a fault as a warning."""
    _log.warning("%s", fault.problem)
