"""What a board and its hooks have agreed on: the events, the actions, and what a board knows of a hook. Pure.

Who registers hooks needs this. What carries an event through them, `chain`, comes with the first.
"""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, Any, Final

from ...base.frozen import frozen

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

Json = dict[str, Any]

PRE: Final = "tool:pre"
POST: Final = "tool:post"
ERROR: Final = "tool:error"
EVENTS: Final = (PRE, POST, ERROR)


class Action(StrEnum):
    """What a hook wants."""

    CONTINUE = "continue"
    DENY = "deny"
    MODIFY = "modify"
    ASK = "ask_user"
    INJECT = "inject_context"


@frozen(eq=False)
class Listener:
    """A hook on a board.

    Attributes:
        name: what it is called in results and events.
        event: what it is asked about.
        hook: the callable: ``hook(event, data)``.
        priority: lower goes first.
        deadline: seconds it has for each answer.
        observes: it watches, and decides nothing.
    """

    name: str
    event: str
    hook: Callable[[str, Json], Any]
    priority: int = 0
    deadline: float = 5.0
    observes: bool = False


def in_order(listeners: Iterable[Listener]) -> tuple[Listener, ...]:
    """By priority, and by registration among equals."""
    return tuple(sorted(listeners, key=lambda listener: listener.priority))
