"""What a caller gives `AgentCore`, refused at once if it is something else.

A turn runs on other threads, and what is wrong with it comes up there, as an attribute that something lacks. Only what
is given wrong again and again is looked at: a list of messages for a session, a name for a configuration, an event of
`threading` for a cancellation, a text of digits for a number.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from ...base.validation import require, require_seconds, shown
from ..loop.cancellation import Cancellation
from ..sessions.session import Session


def require_session(session: Any) -> None:
    """Raises `TypeError`: it is no session."""
    if not isinstance(session, Session):
        raise TypeError(
            f"a session is wanted, and {shown(session)} was given; make one with create_session and add_message"
        )


def require_config(config: Any) -> None:
    """Raises `TypeError`: it is no configuration of a request."""
    if not isinstance(config, Mapping):
        raise TypeError(f'a configuration is wanted, such as {{"model": "…"}}, and {shown(config)} was given')


def require_calls(tool_calls: Any) -> None:
    """Raises `TypeError`: it is no list of calls; one call alone would be read as its keys."""
    if isinstance(tool_calls, Mapping | str | bytes) or not isinstance(tool_calls, Iterable):
        raise TypeError(f"a list of tool calls is wanted, and {shown(tool_calls)} was given")


def require_limits(max_rounds: Any, cancel: Any, deadline: Any) -> None:
    """Raises `TypeError` or `ValueError`: one of them cannot limit a turn."""
    require(isinstance(max_rounds, int), "max_rounds", max_rounds, "a whole number")
    cancels = cancel is None or isinstance(cancel, Cancellation)
    require(cancels, "cancel", cancel, "a Cancellation, whose cancel() ends the turn")
    if deadline is not None:
        require_seconds("deadline", deadline)
