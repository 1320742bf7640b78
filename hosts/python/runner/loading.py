"""Whether this process is a host that is about to load its plugin.

A program whose class runs in a host is loaded there again. If it starts hosts as it is loaded, and not only when
it is run, each of them would load it once more, and so on without end.
"""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

_under_way: list[bool] = []
_refused: list[bool] = []


@contextmanager
def loading() -> Iterator[None]:
    """While the plugin is loaded."""
    _under_way.append(True)
    try:
        yield
    finally:
        _under_way.pop()
        _refused.clear()


def is_loading() -> bool:
    """Whether this is such a process, at such a time."""
    return bool(_under_way)


def refuse() -> None:
    """Remember that a host was to be started all the same: what the program was told then need not be told twice."""
    _refused.append(True)


def has_refused() -> bool:
    """Whether that has happened since the loading began."""
    return bool(_refused)
