"""What the user has agreed to have fetched, built and run, in a file of the user's own: digests of code, with what each stands for.

With each digest stand the conditions under which the code may be built and run: the same or stronger ones are trusted too. What a
version has kept that knew no conditions is trusted outside of sandboxes, and under no others: nobody knows whether there was one.
Its conditions are added when it is used again.

The file is `trust.json` in `callboard` in the user's state folder. One that is damaged, too large, or that others may have changed
trusts nothing, and that is told. One that a newer Callboard has written trusts nothing either, and nothing is added to it.
"""

from __future__ import annotations

import os
import shlex
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from ..base.errors import CallboardError, JsonValueError
from ..base.files.copies import keep_copy
from ..base.files.private_files import make_private_folder, open_private, who_may_change
from ..base.files.versions import NewerVersion, Versions
from ..base.foreign import Log
from ..base.json import dump_json, load_json
from ..hosts.packages.conditions import SANDBOXES, are_conditions, is_as_strong
from ..hosts.packages.lock import only_one
from ..hosts.report.redaction import Redactor

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from ..hosts.packages.consent import Step

logger: Log = Log("callboard")

MOST_BYTES = 4 * 1024 * 1024
MOST = 5_000
"""Steps that are kept; the oldest are forgotten, and asked about again."""

MOST_CONDITIONS = 20
"""Conditions that are kept of one step; the oldest are forgotten too."""

_DIGEST = 64
_LONGEST = 300


class TrustNotKept(CallboardError):
    """What was agreed to cannot be written down.

    Attributes:
        file: where it was to be.
    """

    def __init__(self, file: Path, problem: str) -> None:
        super().__init__(f"the trust in this plan cannot be kept in {file}: {problem}")
        self.file = file


class TrustNewer(TrustNotKept, NewerVersion):
    """The trust file was written by a newer Callboard; see `NewerVersion`."""

    file: Path

    def __init__(self, message: str, *, file: Path, found: int, newest: int) -> None:
        NewerVersion.__init__(self, message, file=file, found=found, newest=newest)


def _without_conditions(trusted: dict[str, Any]) -> dict[str, Any]:
    """Version 2 says the conditions of each step, which nobody knows of what was kept before."""
    return {
        digest: {**(record if isinstance(record, dict) else {}), "conditions": None}
        for digest, record in trusted.items()
    }


VERSIONS: Final[Versions[dict[str, Any]]] = Versions(
    "the trust file", 2, (_without_conditions,), newer=TrustNewer
)


def trust_file(environment: Mapping[str, str] = os.environ) -> Path:
    """The usual file: below ``XDG_STATE_HOME`` if that is absolute, else below ``~/.local/state``."""
    said = Path(environment.get("XDG_STATE_HOME", ""))
    states = said if said.is_absolute() else Path("~/.local/state").expanduser()
    return states / "callboard" / "trust.json"


class TrustFile:
    """The file at a path, which need not exist. Any number of processes may use it at once."""

    def __init__(self, file: Path) -> None:
        self.file = file

    def digests(self) -> frozenset[str]:
        """The code digests of all trusted steps; none if the file cannot be relied on, which is logged as a warning."""
        return frozenset(self._relied_on())

    def trusted(self, steps: Iterable[Step]) -> frozenset[str]:
        """The digests of those steps that are trusted under their conditions."""
        kept = self._relied_on()
        return frozenset(
            step.digest
            for step in steps
            if step.code_digest in kept and _is_trusted(step, kept[step.code_digest]["conditions"])
        )

    def carry_over(self, steps: Iterable[Step]) -> None:
        """Keep the conditions of trusted steps of which none were kept before. Raises as `add`."""
        kept = self._relied_on()
        unknown = [
            step
            for step in steps
            if step.code_digest in kept and kept[step.code_digest]["conditions"] is None
        ]
        if unknown:
            self.add(unknown)

    def _relied_on(self) -> dict[str, Any]:
        try:
            return self._read()[0]
        except TrustNewer as error:
            logger.warning("nothing is trusted: %s", error)
            return {}

    def add(self, steps: Iterable[Step]) -> None:
        """Trust these steps too.

        Raises:
            TrustNewer: the file was written by a newer Callboard, and is left as it is.
            TrustNotKept: the file cannot be written.
        """
        when = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())

        def change(kept: dict[str, Any]) -> None:
            for step in steps:
                before = kept.pop(step.code_digest, {})  # so that it is the youngest
                conditions = _added(step, before.get("conditions"))
                kept[step.code_digest] = {"what": what_is(step), "since": when, "conditions": conditions}

        self._change(change)

    def remove(self, steps: Iterable[Step]) -> int:
        """Trust these steps no more, under whichever conditions; return how many were trusted. Raises as `add`."""
        removed: list[Step] = []

        def change(kept: dict[str, Any]) -> None:
            removed.extend(step for step in steps if kept.pop(step.code_digest, None) is not None)

        if self.file.exists():
            self._change(change)
        return len(removed)

    def _change(self, change: Callable[[dict[str, Any]], None]) -> None:
        folder = self.file.parent
        try:
            make_private_folder(folder)
            if (who := who_may_change(folder)) is not None:
                raise TrustNotKept(self.file, f"its folder {who}; make it yours alone")
            with only_one(folder / "trust.lock"):
                kept, version = self._read()
                change(kept)
                content = _written(kept)
                if version < VERSIONS.newest:
                    keep_copy(self.file, version)
                fresh = self.file.with_suffix(".new")
                fresh.unlink(missing_ok=True)
                with open(fresh, "wb", opener=open_private) as file:
                    file.write(content)
                    file.flush()
                    os.fsync(file.fileno())
                fresh.replace(self.file)
        except OSError as error:
            raise TrustNotKept(self.file, f"{error.strerror or error}; make it writable") from error

    def _read(self) -> tuple[dict[str, Any], int]:
        """What is trusted, as the newest version keeps it, and the version of the file."""
        try:
            for path in (self.file.parent, self.file):
                if (who := who_may_change(path)) is not None:
                    return self._nothing(f"{path} {who}")
            with self.file.open("rb") as file:
                content = file.read(MOST_BYTES + 1)
            if len(content) > MOST_BYTES:
                return self._nothing(f"it is larger than {MOST_BYTES >> 20} MB")
            match load_json(content):
                case {"version": version, **others}:
                    found = VERSIONS.require(version, self.file)
                    trusted = others.get("trusted")
                    if isinstance(trusted, dict) and all(map(_is_digest, trusted)):
                        migrated = VERSIONS.migrated(trusted, found)
                        if all(map(_is_record, migrated.values())):
                            return migrated, found
            return self._nothing("it is damaged")
        except FileNotFoundError:
            return {}, VERSIONS.newest
        except OSError as error:
            return self._nothing(f"it cannot be read ({error.strerror})")
        except (JsonValueError, ValueError):
            return self._nothing("it is damaged")

    def _nothing(self, why: str) -> tuple[dict[str, Any], int]:
        logger.warning("nothing is trusted by %s: %s; correct or remove it", self.file, why)
        return {}, VERSIONS.newest


def _is_digest(word: str) -> bool:
    return len(word) == _DIGEST and all(letter in "0123456789abcdef" for letter in word)


def _is_record(record: Any) -> bool:
    if not isinstance(record, dict) or "conditions" not in record:
        return False
    conditions = record["conditions"]
    return conditions is None or (isinstance(conditions, list) and all(map(are_conditions, conditions)))


def _is_trusted(step: Step, agreed: list[Mapping[str, Any]] | None) -> bool:
    if agreed is None:
        return not any(key in step.conditions for key in SANDBOXES)
    return any(is_as_strong(step.conditions, each) for each in agreed)


def _added(step: Step, agreed: list[Mapping[str, Any]] | None) -> list[Mapping[str, Any]]:
    """The conditions of a step with those that were agreed to before, without any that others include."""
    if any(is_as_strong(step.conditions, each) for each in agreed or ()):
        return agreed or []
    others = [each for each in agreed or () if not is_as_strong(each, step.conditions)]
    return [*others, step.conditions][-MOST_CONDITIONS:]


def _written(kept: Mapping[str, Any]) -> bytes:
    """The content of the file. The oldest steps are left out until it can be read again."""
    left = list(kept.items())[-MOST:]
    content = dump_json({"version": VERSIONS.newest, "trusted": dict(left)})
    while len(content) > MOST_BYTES and left:
        left = left[max(1, len(left) // 10) :]
        content = dump_json({"version": VERSIONS.newest, "trusted": dict(left)})
    return content


def what_is(step: Step) -> str:
    """A step in a few words, for who reads the file."""
    facts = step.facts
    match step.kind:
        case "git":
            said = f"{facts['url']} at {facts['commit']}"
        case "release":
            said = f"{facts['package']} {facts['version']} {facts['integrity']}"
        case "npm":
            said = f"npm in {facts['folder']}"
        case "run":
            said = facts.get("address") or f"runs {Redactor().text(shlex.join(facts['command']))}"
        case _:
            said = f"pip: {', '.join(facts['requirements'])}"
    return said.encode("utf-8", "replace").decode()[:_LONGEST]
