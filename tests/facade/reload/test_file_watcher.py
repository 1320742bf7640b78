"""What changes in a watched folder is noticed."""

from __future__ import annotations

import queue
import threading
from typing import TYPE_CHECKING, Any

import pytest
import watchfiles
from callboard.config.errors import ConfigurationError
from callboard.reload import file_watcher
from scarcity import descriptors_up_to, lowest_free_descriptor

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from watchfiles import Change

PATIENCE = 10.0
LATE = 0.3
"""Seconds that a thread may take until it goes on."""


def test_what_changes_as_soon_as_the_watch_has_begun_is_noticed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = tmp_path / "tool.py"
    source.write_text("before")
    changes: queue.Queue[list[str]] = queue.Queue()
    changed = threading.Event()

    def by_a_late_thread(*folders: Path, **options: Any) -> Iterator[set[tuple[Change, str]]]:
        changed.wait(LATE)
        return watchfiles.watch(*folders, **options)

    monkeypatch.setattr(file_watcher, "watch", by_a_late_thread)

    with file_watcher.SourceWatch([tmp_path], changes.put):
        source.write_text("after")
        changed.set()
        assert changes.get(timeout=PATIENCE) == ["tool.py"]


def test_a_folder_that_the_system_does_not_watch_is_refused_at_the_start(tmp_path: Path) -> None:
    watch = file_watcher.SourceWatch([tmp_path / "gone"], print)

    with pytest.raises(ConfigurationError, match="noticed"):
        watch.__enter__()


def test_a_watch_for_which_the_system_has_no_descriptor_is_refused_at_the_start(tmp_path: Path) -> None:
    with file_watcher.SourceWatch([tmp_path], print):
        pass  # what it imports and reads first needs descriptors too
    watch = file_watcher.SourceWatch([tmp_path], print)

    with (
        descriptors_up_to(lowest_free_descriptor()),
        pytest.raises(ConfigurationError, match=r"noticed.*Too many open files"),
    ):
        watch.__enter__()
