"""A performance, watched on a terminal: its picture is drawn anew until it has ended."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rich.live import Live

if TYPE_CHECKING:
    from collections.abc import Callable

    from rich.console import Console, RenderableType

    from .background import Performance

_FRAMES_A_SECOND = 8


def watch(performance: Performance[Any], draw: Callable[[], RenderableType], console: Console) -> None:
    """Draw until the performance has ended, and once more."""
    # Drawn by this thread alone: one of Live's own would be counted as left behind.
    live = Live(
        console=console,
        auto_refresh=False,
        redirect_stdout=False,
        redirect_stderr=False,
        vertical_overflow="crop",
    )
    with performance, live:
        while not performance.wait(1 / _FRAMES_A_SECOND):
            live.update(draw(), refresh=True)
        live.update(draw(), refresh=True)
