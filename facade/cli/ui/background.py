"""Something long that runs in a thread of its own, while this one has the terminal, draws, and gets an interrupt."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from rich.live import Live

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from rich.console import RenderableType

    from .console import SafeConsole

Outcome = TypeVar("Outcome")

_FRAMES_A_SECOND = 8


class BackgroundTask(Generic[Outcome]):
    """It runs while it is entered.

    Args:
        run: does it; returns ``None`` when it was stopped.
        stop: has ``run`` return soon.
        name: of the thread.
    """

    def __init__(self, run: Callable[[], Outcome | None], stop: Callable[[], None], name: str) -> None:
        self._do = run
        self._stop = stop
        self._outcome: Outcome | None = None
        self._error: BaseException | None = None
        self._thread = threading.Thread(target=self._run, name=name, daemon=True)
        self._over = threading.Event()

    def __enter__(self) -> None:
        self._thread.start()

    def __exit__(self, *_: object) -> None:
        self._stop()  # nothing to stop, unless an interrupt has ended the ``with``
        self._thread.join()

    def wait(self, seconds: float) -> bool:
        """Wait for the end; False when it has not come in so many seconds."""
        return self._over.wait(seconds)

    def until_over(self, seconds: float) -> Iterator[None]:
        """Yield each so many seconds until the end."""
        while not self.wait(seconds):
            yield

    def outcome(self) -> Outcome:
        """How it went, once it is over. Raises what ``run`` raised."""
        if self._error is not None:
            raise self._error
        assert self._outcome is not None
        return self._outcome

    def _run(self) -> None:
        try:
            self._outcome = self._do()
        except Exception as error:  # noqa: BLE001 - raised again by `outcome`
            self._error = error
        finally:
            self._over.set()


def watch(performance: BackgroundTask[Any], draw: Callable[[], RenderableType], console: SafeConsole) -> None:
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
        for _ in performance.until_over(1 / _FRAMES_A_SECOND):
            live.update(draw(), refresh=True)
        live.update(draw(), refresh=True)
