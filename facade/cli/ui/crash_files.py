"""The crash reports of the last runs, in a private folder: a result has a short one, and says by which name the whole is found."""

from __future__ import annotations

import json
import os
import re
import threading
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from ...base.files.private_files import make_private_folder, open_private
from ...base.foreign import Log
from ...base.json import dump_json
from ...base.locks import RLock
from ...plugins.results.failures import reported

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ...supervision.runtime.events import Event

logger: Log = Log("callboard.crashes")

PATIENCE: Final = 5.0
"""Seconds."""

KINDS: Final = ("host_crashed",)
"""Of events that are heard."""

MOST: Final = 100
"""Reports that are kept; the oldest go."""

_ID = re.compile(r"[0-9a-f]{1,64}")


def crash_folder(environment: Mapping[str, str] = os.environ) -> Path:
    """The usual folder: below ``XDG_STATE_HOME`` if that is absolute, else below ``~/.local/state``."""
    said = Path(environment.get("XDG_STATE_HOME", ""))
    states = said if said.is_absolute() else Path("~/.local/state").expanduser()
    return states / "callboard" / "crashes"


class CrashFiles:
    """The reports of a folder, which is made with the first of them. Any number of processes may use it at once.

    Args:
        folder: for nothing else.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._heard: dict[str, dict[str, Any]] = {}
        self._changed = threading.Condition(RLock())
        self._failed = False

    def hear(self, event: Event) -> None:
        """A subscriber: keeps the report of each crash. That none can be kept is logged once, and costs nothing else."""
        report = event.facts.get("report")
        if event.kind != "host_crashed" or not report:
            return
        with self._changed:
            self._heard[report["id"]] = report
            self._changed.notify_all()
        try:
            self._keep({"time": event.time, **report})
        except OSError as error:
            if not self._failed:
                logger.warning("crash reports cannot be kept in %s: %s", self.folder, error.strerror)
            self._failed = True

    def wait_for(self, crash_id: str) -> dict[str, Any] | None:
        """The report that was heard under this id, or is within `PATIENCE`: a call ends before its host's crash is told.

        What is not told before the board stops is not kept.
        """
        with self._changed:
            self._changed.wait_for(lambda: crash_id in self._heard, PATIENCE)
            return self._heard.get(crash_id)

    def read(self, crash_id: str) -> dict[str, Any] | None:
        """The report of this id, or of the one that begins so; ``None`` if there is none, or several begin so."""
        if not _ID.fullmatch(crash_id):
            return None
        found = [file for file in self._files() if file.stem.startswith(crash_id)]
        return self._read(found[0]) if len(found) == 1 else None

    def all(self) -> list[dict[str, Any]]:
        """All reports, the newest first."""
        reports = [report for file in self._files() if (report := self._read(file)) is not None]
        return sorted(reports, key=lambda report: report["time"], reverse=True)

    def _files(self) -> list[Path]:
        return [file for file in self.folder.glob("*.json") if _ID.fullmatch(file.stem)]

    def _read(self, file: Path) -> dict[str, Any] | None:
        try:
            report: dict[str, Any] = json.loads(file.read_bytes())
        except (OSError, ValueError):  # another process has just cleared it away, or did not end writing it
            return None
        return report

    def _keep(self, report: dict[str, Any]) -> None:
        make_private_folder(self.folder)
        file = self.folder / f"{report['id']}.json"
        with open(file, "wb", opener=open_private) as out:
            out.write(dump_json(report))
        for old in sorted(self._files(), key=_age)[:-MOST]:
            old.unlink(missing_ok=True)


def crash_of(result: Mapping[str, Any]) -> dict[str, Any] | None:
    """The short report in a result of ours; what a tool itself says under that name is none."""
    report = result.get("crash_report")
    return report if reported(result) is not None and isinstance(report, dict) else None


def _age(file: Path) -> float:
    try:
        return file.stat().st_mtime
    except FileNotFoundError:  # another process has just cleared it away
        return 0.0
