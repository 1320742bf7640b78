"""What a caller gives `AgentCore`, refused at once if it is something else.

A turn runs on other threads, and what is wrong with it comes up there, as an attribute that something lacks. Only what
is given wrong again and again is looked at: a list of messages for a session, a name for a configuration, an event of
`threading` for a cancellation, a text of digits for a number.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from numbers import Real
from typing import Any

from ..plugins.given import require, shown
from .cancellation import Cancellation
from .session import Session


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


def require_context(context: Any) -> None:
    """Raises `TypeError`: it can be added to no context."""
    require(context is None or isinstance(context, Mapping), "context", context, "a mapping")


def require_limits(max_rounds: Any, cancel: Any, deadline: Any) -> None:
    """Raises `TypeError` or `ValueError`: one of them cannot limit a turn."""
    if not isinstance(max_rounds, int):
        raise TypeError(f"max_rounds is {shown(max_rounds)}; it has to be a whole number")
    if cancel is not None and not isinstance(cancel, Cancellation):
        raise TypeError(
            f"cancel is {shown(cancel)}; it has to be a Cancellation, whose cancel() ends the turn"
        )
    if deadline is None:
        return
    if not isinstance(deadline, Real):
        raise TypeError(f"deadline is {shown(deadline)}; it has to be a number of seconds")
    if math.isnan(deadline) or deadline < 0:
        raise ValueError(f"deadline is {deadline}; it has to be a number of seconds from now")
