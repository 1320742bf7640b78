"""The four ways to run a tool, and how to tell from a hook which one it wants.

| `CallMode` | hook | run it |
|---|---|---|
| ``EXECUTE`` | ``execute_tool`` | in a worker thread |
| ``EXECUTE_ASYNC`` | ``execute_tool_async`` | in an event loop |
| ``STREAM`` | ``stream_tool`` | in a worker thread |
| ``STREAM_ASYNC`` | ``stream_tool_async`` | in an event loop |

How a hook is written counts for more than its name: an ``async def execute_tool`` is in the second row, and
an ``execute_tool`` that is a generator function in the third. What cannot be seen, such as a plain function
that returns an awaitable, is run by its name, and its answer is then looked at.
"""

from __future__ import annotations

import inspect
from enum import Enum
from functools import partial
from types import FunctionType, MethodType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable


class CallMode(Enum):
    """How a tool wants to be run: the value is (streams, awaits).

    Attributes:
        streams: it yields chunks rather than returning a result.
        awaits: it needs an event loop.
    """

    EXECUTE = (False, False)
    EXECUTE_ASYNC = (False, True)
    STREAM = (True, False)
    STREAM_ASYNC = (True, True)

    def __init__(self, streams: bool, awaits: bool) -> None:
        self.streams = streams
        self.awaits = awaits


_MODES = {(mode.streams, mode.awaits): mode for mode in CallMode}


def mode_of(hook: str, method: Callable[..., Any]) -> CallMode:
    """Say how ``method``, which implements one of the running hooks, is to be run."""
    yields = _is(inspect.isgeneratorfunction, method) or _is(inspect.isasyncgenfunction, method)
    return _MODES[hook.startswith("stream_") or yields, hook.endswith("_async") or is_async(method)]


def is_async(method: Callable[..., Any]) -> bool:
    """Say whether calling ``method`` certainly gives something to await or to iterate asynchronously."""
    return _is(inspect.iscoroutinefunction, method) or _is(inspect.isasyncgenfunction, method)


def _is(kind: Callable[[object], bool], method: Callable[..., Any]) -> bool:
    """Ask about a method, or about the ``__call__`` of a callable object, which inspect does not look at."""
    while isinstance(method, partial):
        method = method.func
    if isinstance(method, FunctionType | MethodType):
        return kind(method)
    return kind(method) or kind(type(method).__call__)
