"""Notices when the files of a plugin have changed."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import TYPE_CHECKING, Self

from watchfiles import DefaultFilter, watch

from ..config.errors import ConfigurationError

if TYPE_CHECKING:
    from collections.abc import Callable, Container, Iterable

_STEP, _QUIET = 50, 400
"""Milliseconds: without a change before one is reported, and the most that many changes are waited for."""


class _Sources(DefaultFilter):
    """What a plugin is made of: not what is installed, made of it, or only read by people.

    A ``dist`` counts: what Callboard builds lies in the cache, so an author who writes there wants that to be run.
    """

    ignore_dirs = (*DefaultFilter.ignore_dirs, "build", ".ruff_cache")
    ignore_entity_patterns = (*DefaultFilter.ignore_entity_patterns, r"\.md$", r"\.log$", r"^4913$")


class _Stop:
    """The event that ends a watch. It also shows when the system has begun to report changes.

    `watch` asks whether the event is set as soon as it has registered the folders. Its first report would come too late to show that.
    """

    def __init__(self) -> None:
        self.asked_for = threading.Event()
        self._is_set = threading.Event()

    def set(self) -> None:
        self._is_set.set()

    def is_set(self) -> bool:
        self.asked_for.set()
        return self._is_set.is_set()


class SourceWatch:
    """Calls ``changed`` with the names of changed files, from a thread of its own, from ``with`` to its end.

    Args:
        folders: looked at with all that is below them; names are relative to the first that has the file.
        changed: may take its time; what changes meanwhile is reported next.
        apart: folders among them that are none of its business, such as the cache.
        only: these files of the folders alone, and nothing below the folders.

    Raises:
        ConfigurationError: at ``with``, if the system refuses to watch the folders.
    """

    def __init__(
        self,
        folders: Iterable[Path],
        changed: Callable[[list[str]], None],
        *,
        apart: Iterable[Path] = (),
        only: Container[Path] | None = None,
    ) -> None:
        self._folders = tuple(folders)
        self._changed = changed
        self._recursive = only is None
        self._filter = (
            _Sources(ignore_paths=[str(folder) for folder in apart])
            if only is None
            else lambda _, path: Path(path) in only
        )
        self._over = _Stop()
        self._failure: Exception | None = None
        self._thread = threading.Thread(target=self._run, name="callboard-source-watch", daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        try:
            self._over.asked_for.wait()  # else what is changed at once would be missed
        except BaseException:  # interrupted: nobody will end it
            self.end()
            raise
        if self._failure is not None:
            raise ConfigurationError(
                f"changed files would not be noticed: {self._failure}", path="$"
            ) from self._failure
        return self

    def __exit__(self, *_: object) -> None:
        self.end()
        self.join()

    def end(self) -> None:
        """Watch no more; a report that is under way is not waited for."""
        self._over.set()

    def join(self, timeout: float | None = None) -> None:
        """Wait until no report is under way."""
        if self._thread is not threading.current_thread() and self._thread.is_alive():
            self._thread.join(timeout)

    def _run(self) -> None:
        try:
            self._watch()
        except (OSError, RuntimeError) as error:  # the latter where the system gives no watch at all
            self._failure = error
            if self._over.asked_for.is_set():
                raise  # the folder went; nobody waits
        finally:
            self._over.asked_for.set()

    def _watch(self) -> None:
        for changes in watch(
            *self._folders, watch_filter=self._filter, step=_STEP, debounce=_QUIET, stop_event=self._over,
            raise_interrupt=False, recursive=self._recursive,
        ):  # fmt: skip
            paths = {Path(path) for _, path in changes}
            there = {path for path in paths if path.exists()}  # an editor's own files come and go
            self._changed(sorted(self._called(path) for path in there or paths))

    def _called(self, path: Path) -> str:
        inside = (path.relative_to(folder) for folder in self._folders if path.is_relative_to(folder))
        return next(inside, path).as_posix()
