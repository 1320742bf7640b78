"""The calls that are measured: what a model would send, and a board that answers it."""

from __future__ import annotations

import itertools
import time
from collections import deque
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import orjson
from callboard import Callboard
from harness import timed

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from harness import Block

TOOL = Path(__file__).with_name("tool.mjs")

SMALL = {"text": "x" * 39}
"""Arguments that make a request of 150 bytes on the wire."""

WINDOW = 64
"""Calls in flight at once, where there are several."""

RESTART_AT_ONCE = {"backoff": {"first": 0.0}, "stable_for": 1e-9}
"""Each crash is the first after a stable generation, for which there is no wait: not even for a timer that is due at once."""

_numbers = itertools.count(1)


def text_of(size: int) -> dict[str, Any]:
    """Arguments of about ``size`` bytes."""
    return {"text": "x" * size}


def tool_call(arguments: dict[str, Any], name: str = "echo") -> dict[str, Any]:
    """The call as a provider's wire carries it: an id, a name, and the arguments as JSON text."""
    function = {"name": name, "arguments": orjson.dumps(arguments).decode()}
    return {"id": f"call_{next(_numbers)}", "type": "function", "function": function}


@contextmanager
def node_board(**options: Any) -> Iterator[Callboard]:
    """A board with the JavaScript tool in a host of its own; ``options`` as `Callboard.load`."""
    with Callboard() as board:
        board.load({"node_tool": {"file": str(TOOL)}}, **options)
        yield board


def board_turn(board: Callboard, count: int, arguments: dict[str, Any]) -> Block:
    """Run ``count`` calls one after the other; the seconds of each."""
    calls = iter([tool_call(arguments) for _ in range(count)])
    return timed(lambda: run(board, next(calls)), count)


def window_turn(board: Callboard, count: int) -> Block:
    """Run ``count`` calls with `WINDOW` of them in flight; calls a second."""
    return rate(board.submit, [tool_call(SMALL) for _ in range(count)])


def rate(submit: Callable[[Any], Any], calls: Sequence[Any]) -> Block:
    """Calls a second; each call's answer is waited for, the oldest first."""
    under_way: deque[Any] = deque()
    begin = time.perf_counter()
    for call in calls:
        if len(under_way) == WINDOW:
            under_way.popleft().result()
        under_way.append(submit(call))
    while under_way:
        last = under_way.popleft().result()
    found = len(calls) / (time.perf_counter() - begin)
    if last["success"] is not True:
        raise RuntimeError(f"a measured call failed: {last}")
    return [found]


def run(board: Callboard, call: dict[str, Any]) -> Any:
    """Run one call and return what the tool said; a benchmark of failures measures nothing."""
    result = board.submit(call).result()
    if result["success"] is not True:
        raise RuntimeError(f"a measured call failed: {result}")
    return result["result"]
