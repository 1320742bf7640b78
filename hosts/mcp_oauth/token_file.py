"""What a server's authorization has given us, in a private file in the user's state folder: one for each server, by its address.

The file is read by its owner alone. One that others may have changed, or that is damaged, counts for nothing, and that is logged.
"""

from __future__ import annotations

import hashlib
import os
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from ...base.errors import JsonValueError
from ...base.files.private_files import make_private_folder, open_private, who_may_change
from ...base.foreign import Log
from ...base.json import dump_json, load_json
from ..packages.lock import only_one

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

Json = dict[str, Any]

MOST_BYTES: Final = 1024 * 1024

logger: Log = Log("callboard.hosts")


class TokenFile:
    """The file at a path, which need not exist. Any number of processes may use it at once."""

    def __init__(self, file: Path) -> None:
        self.file = file

    def read(self) -> Json | None:
        """What is kept: ``tokens`` at least, with an ``access_token``; ``None`` if there is nothing that can be relied on."""
        try:
            for path in (self.file.parent, self.file):
                if (who := who_may_change(path)) is not None:
                    return self._nothing(f"{path} {who}")
            with self.file.open("rb") as file:
                kept: Json = load_json(file.read(MOST_BYTES))
        except FileNotFoundError:
            return None
        except OSError as error:
            return self._nothing(f"it cannot be read ({error.strerror})")
        except JsonValueError:
            return self._nothing("it is damaged")
        match kept:
            case {"tokens": {"access_token": str()}}:
                return kept
        return self._nothing("it is damaged")

    def write(self, kept: Json) -> None:
        """Keep this instead. Raises `OSError`."""
        make_private_folder(self.file.parent)
        fresh = self.file.with_suffix(".new")
        fresh.unlink(missing_ok=True)
        with open(fresh, "wb", opener=open_private) as file:
            file.write(dump_json(kept))
            file.flush()
            os.fsync(file.fileno())
        fresh.replace(self.file)

    @contextmanager
    def only_one(self) -> Iterator[None]:
        """Hold it, after everybody who had it before. Raises `OSError`."""
        make_private_folder(self.file.parent)
        with only_one(self.file.with_suffix(".lock")):
            yield

    def _nothing(self, why: str) -> Json | None:
        logger.warning(
            "the authorization in %s counts for nothing: %s; remove it and log in anew", self.file, why
        )
        return None


def token_file(url: str, environment: Mapping[str, str] = os.environ) -> TokenFile:
    """The usual file for a server: below ``XDG_STATE_HOME`` if that is absolute, else below ``~/.local/state``."""
    said = Path(environment.get("XDG_STATE_HOME", ""))
    states = said if said.is_absolute() else Path("~/.local/state").expanduser()
    digest = hashlib.sha256(url.partition("#")[0].encode()).hexdigest()[:32]
    return TokenFile(states / "callboard" / "mcp" / f"{digest}.json")
