"""A board for a command, which says at the start what did not come up: later the reason would be hard to find."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from ...callboard import Callboard
from .crash_files import CrashFiles, crash_folder
from .streams import complain
from .trust import admit

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from ...supervision.runtime.events import Event


@contextmanager
def open_board(
    config: str | Mapping[str, Any],
    state: str | None = None,
    subscribers: Iterable[Callable[[Event], None]] = (),
    *,
    stdin: int | None = None,
    before: Callable[[Callboard], object] = lambda _: None,
    crashes: CrashFiles | None = None,
) -> Iterator[Callboard]:
    """A running board of a configuration.

    Args:
        config: its file, or what would stand in it.
        state: the file of the state store to use, instead of the configured one.
        subscribers: hear of everything from the first plugin on.
        stdin: the descriptor to ask on whether what would be fetched, built and run is trusted.
        before: called with the board before it starts.
        crashes: keeps the reports of crashes; the usual folder if ``None``.

    Raises:
        ConfigurationError: the configuration cannot be used.
        StateStoreError: the state store cannot be opened.
        PluginError: a plugin that it requires cannot be loaded.
        NotTrusted: it would have code fetched or built, and its user has not agreed.
    """
    crashes = crashes or CrashFiles(crash_folder())
    board = Callboard(config, state=state, subscribers=(*subscribers, crashes.hear))
    if isinstance(config, str):  # else it is the command's own
        board.configuration = admit(board.configuration, config, stdin)
    before(board)
    with board:
        told = {failed.plugin for failed in board.failed}  # by the log, which names its source too
        for name, plugin in board.status()["plugins"].items():
            if plugin["available"] or name in told:
                continue
            complain(f"plugin {name!r} did not come up: {why_absent(plugin)}")
        yield board


def why_absent(plugin: Mapping[str, Any]) -> str:
    """Why a plugin, as the board's status tells it, takes no calls; empty when nothing is known."""
    host = plugin.get("host")
    return str(plugin.get("problem") or (host and host.get("why")) or "")
