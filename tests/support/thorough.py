"""How much of a rule one run tries.

``make test`` tries each rule once: each value of each column of a product, some examples of a law, a short load.
``make test-thorough`` tries all there is, and repeats at its full cost what another test holds already.
"""

from __future__ import annotations

import itertools
import os
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

RUN = os.environ.get("CALLBOARD_TESTS", "usual")
"""``quick``, ``usual`` or ``thorough``, by the target of the Makefile."""

THOROUGH = RUN == "thorough"

thorough = pytest.mark.thorough
"""For a test that only a thorough run needs, as a decorator or as a mark of one parameter."""


def times(usual: Any, thorough: Any) -> Any:
    """How often, how many or how long."""
    return thorough if THOROUGH else usual


def each_once(*columns: Iterable[Any]) -> list[tuple[Any, ...]]:
    """The product of the columns; or, usually, as few rows as have each value of each column."""
    values: list[Sequence[Any]] = [list(column) for column in columns]
    if THOROUGH:
        return list(itertools.product(*values))
    longest = max(len(column) for column in values)
    return [tuple(column[row % len(column)] for column in values) for row in range(longest)]


def every(step: int, values: Iterable[Any]) -> list[Any]:
    """All values; or, usually, the first of each ``step`` of them."""
    return list(values)[:: 1 if THOROUGH else step]
