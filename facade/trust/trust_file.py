"""What the user has agreed to have fetched and built, in a file of the user's own: digests, with what each stands for.

The file is `trust.json` in `callboard` in the user's state folder. One that is damaged, too large, or that others may have changed
trusts nothing, and that is told. One that a newer Callboard has written trusts nothing either, and nothing is added to it.
"""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from ..base.errors import CallboardError, JsonValueError
from ..base.files.versions import NewerVersion, Versions
from ..base.foreign import Log
from ..base.json import dump_json, load_json
from ..base.private_files import make_private_folder, open_private, who_may_change
from ..hosts.packages.lock import only_one

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from ..hosts.packages.consent import Step

logger: Log = Log("callboard")

MOST_BYTES = 4 * 1024 * 1024
MOST = 5_000
"""Steps that are kept; the oldest are forgotten, and asked about again."""

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


VERSIONS: Final[Versions[dict[str, Any]]] = Versions("the trust file", 1, newer=TrustNewer)


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
        """The digests of all trusted steps; none if the file cannot be relied on, which is logged as a warning."""
        try:
            return frozenset(self._read())
        except TrustNewer as error:
            logger.warning("nothing is trusted: %s", error)
            return frozenset()

    def add(self, steps: Iterable[Step]) -> None:
        """Trust these steps too.

        Raises:
            TrustNewer: the file was written by a newer Callboard, and is left as it is.
            TrustNotKept: the file cannot be written.
        """
        folder = self.file.parent
        try:
            make_private_folder(folder)
            if (who := who_may_change(folder)) is not None:
                raise TrustNotKept(self.file, f"its folder {who}; make it yours alone")
            with only_one(folder / "trust.lock"):
                when = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
                kept = self._read()
                for step in steps:
                    kept.pop(step.digest, None)  # so that it is the youngest
                    kept[step.digest] = {"what": what_is(step), "since": when}
                fresh = self.file.with_suffix(".new")
                fresh.unlink(missing_ok=True)
                with open(fresh, "wb", opener=open_private) as file:
                    youngest = dict(list(kept.items())[-MOST:])
                    file.write(dump_json({"version": VERSIONS.newest, "trusted": youngest}))
                    file.flush()
                    os.fsync(file.fileno())
                fresh.replace(self.file)
        except OSError as error:
            raise TrustNotKept(self.file, f"{error.strerror or error}; make it writable") from error

    def _read(self) -> dict[str, Any]:
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
                    VERSIONS.require(version, self.file)
                    trusted = others.get("trusted")
                    if isinstance(trusted, dict) and all(map(_is_digest, trusted)):
                        return trusted
            return self._nothing("it is damaged")
        except FileNotFoundError:
            return {}
        except OSError as error:
            return self._nothing(f"it cannot be read ({error.strerror})")
        except (JsonValueError, ValueError):
            return self._nothing("it is damaged")

    def _nothing(self, why: str) -> dict[str, Any]:
        logger.warning("nothing is trusted by %s: %s; correct or remove it", self.file, why)
        return {}


def _is_digest(word: str) -> bool:
    return len(word) == _DIGEST and all(letter in "0123456789abcdef" for letter in word)


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
        case _:
            said = f"pip: {', '.join(facts['requirements'])}"
    return said.encode("utf-8", "replace").decode()[:_LONGEST]
