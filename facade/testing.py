"""For tests of tools: what their calls say, asserted in a line. The fixtures `board` and `board_tools` go with it.

They come with Callboard's pytest plugin, which pytest loads by itself.
"""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from .direct_calls import ToolFailed

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from .callboard import Callboard
    from .plugins.results.call_result import CodeLiteral, OutcomeLiteral
    from .plugins.results.codes import Code, Outcome

__all__ = ["Failure", "failing", "parts_and_result"]


class Failure:
    """What `failing` has caught.

    Attributes:
        error: the `ToolFailed`, once the block has ended.
    """

    error: ToolFailed


@contextmanager
def failing(
    code: Code | CodeLiteral | None = None, *, outcome: Outcome | OutcomeLiteral | None = None
) -> Iterator[Failure]:
    """Expect that a call within the block fails so.

    Args:
        code: such as ``host_crashed``, or a `Code`; ``None`` for the tool's own failure.
        outcome: ``not_sent`` or ``outcome_unknown``; ``None`` for either.

    Raises:
        AssertionError: no call failed, or it failed otherwise; then the `ToolFailed` is its cause.
    """
    failure = Failure()
    try:
        yield failure
    except ToolFailed as error:
        failure.error = error
        if error.code != code or outcome not in (None, error.outcome):
            wanted = f"{code or 'a failure of its own'}{f', {outcome}' if outcome else ''}"
            raise AssertionError(
                f"{error.tool} failed with {error.code}, {error.outcome} ({error}); expected was {wanted}"
            ) from error
    else:
        raise AssertionError(f"no call failed; expected was {code or 'a failure of its own'}")


def parts_and_result(
    board: Callboard, tool: str, arguments: Mapping[str, Any] | None = None, /, **named: Any
) -> tuple[list[Any], Any]:
    """Call a tool; returns its parts, in order, and what it returned.

    Args:
        board: runs.
        tool: its name.
        arguments: as for `Callboard.call`.
        named: as there.

    Raises:
        ToolFailed: the call has failed.
    """
    function = {"name": tool, "arguments": {**(arguments or {}), **named}}
    *parts, result = board.stream({"type": "function", "function": function})
    if not result["success"]:
        raise ToolFailed(tool, result)
    return [each["part"] for each in parts], result.get("result")
