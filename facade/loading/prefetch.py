"""The plugins of a configuration, loaded one after the other, while what takes long is done ahead and side by side.

Fetching, installing and building takes seconds to minutes for each package, and waits mostly for the network. It needs
nothing of the board, so it is done in threads; everything else, and the order, is as if there were none. Python plugins
that run here are imported one after the other: what an import does may hang on those before it.

An entry that stands for all plugins that are installed is as many entries, so that one of them that fails is one.
"""

from __future__ import annotations

from collections import deque
from concurrent.futures import Future
from contextlib import suppress
from functools import partial
from threading import Thread
from typing import TYPE_CHECKING, Any

from ..base.errors import PluginLoadError
from ..config.errors import ConfigurationError
from ..config.plugin_options import asked_of
from ..plugins.sources.entry_points import ALL, installed_names
from ..sources.entry import FileEntry, parse_entry
from .loader import load_what_can_be, loader_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from ..config.configuration import Configuration
    from .loaded import Made, NotLoaded

_AT_ONCE = 4
"""Threads that load ahead. Most of their time is npm's, and npm takes more than one processor itself."""


def load_ahead(configuration: Configuration) -> Iterator[tuple[Any, Callable[[], list[Made | NotLoaded]]]]:
    """Each entry of a configuration in turn, and what loads it, or waits for that; raises as `load_what_can_be`.

    A consumer that asks for no more ends what was not begun. What was begun goes on by itself, into the cache, and keeps
    no program from ending.
    """
    plugins = [each for entry in configuration.plugins for each in spelled_out(entry)]
    futures: list[Future[list[Made | NotLoaded]] | None] = [
        Future() if _takes_long(entry, configuration) else None for entry in plugins
    ]
    if len(futures) - futures.count(None) <= 1:
        futures = [None] * len(futures)
    entries = list(zip(plugins, futures, strict=True))
    waiting = deque((entry, future) for entry, future in entries if future is not None)
    for number in range(min(_AT_ONCE, len(waiting))):
        Thread(
            target=_work, args=(waiting, configuration), name=f"callboard-load-{number}", daemon=True
        ).start()
    try:
        for entry, future in entries:
            yield entry, partial(load_what_can_be, entry, configuration) if future is None else future.result
    finally:
        waiting.clear()


def _work(waiting: deque[tuple[Any, Future[list[Made | NotLoaded]]]], configuration: Configuration) -> None:
    while True:
        try:
            entry, future = waiting.popleft()
        except IndexError:
            return
        try:
            future.set_result(load_what_can_be(entry, configuration))
        except BaseException as error:  # noqa: BLE001 - it is raised where the entry is asked for
            future.set_exception(error)


def _takes_long(entry: Any, configuration: Configuration) -> bool:
    """Whether something may have to be made for it. What is no entry at all is found out in its turn."""
    with suppress(PluginLoadError, ConfigurationError):
        parsed = parse_entry(entry, configuration.base)
        isolate = asked_of(parsed, configuration).isolate
        return loader_of(parsed.source).takes_long(parsed.source, isolate, configuration)
    return False


def spelled_out(entry: Any) -> list[Any]:
    """The entries that an entry stands for: one for each plugin that is installed, or itself."""
    match entry:
        case str(text) if text == _EVERY:
            return [f"{_ONE}{name}" for name in installed_names()]
        case {"plugin": str(text)} if text == _EVERY and entry.get("name") is None:
            several = [{**entry, "plugin": f"{_ONE}{name}"} for name in installed_names()]
            of_file = isinstance(entry, FileEntry)
            return [FileEntry(each, entry.environment) for each in several] if of_file else several
    return [entry]


_ONE = "entry_point:"
_EVERY = f"{_ONE}{ALL}"
