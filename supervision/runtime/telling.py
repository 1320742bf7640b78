"""Telling an actor something where it may have stopped, and asking the supervisor, who may refuse."""

from __future__ import annotations

from typing import Any

import pykka

from ...base.frozen import frozen


@frozen
class Refusal:
    """The answer to a message that could not be carried out."""

    error: BaseException


def tell(ref: pykka.ActorRef[Any], message: Any) -> bool:
    """Tell an actor something that no longer matters once it has stopped; False if it has."""
    try:
        ref.tell(message)
    except pykka.ActorDeadError:
        return False
    return True


def ask_supervisor(ref: pykka.ActorRef[Any], message: Any, timeout: float = 10.0) -> Any:
    """Ask the supervisor and wait for its answer.

    Raises:
        UnknownChild: the order names a child that does not exist.
        pykka.Timeout, pykka.ActorDeadError: it did not answer, or has stopped.
    """
    answer = ref.ask(message, timeout=timeout)
    if isinstance(answer, Refusal):
        raise answer.error
    return answer
