"""All there is in a folder, as a value that can be compared."""

from __future__ import annotations

import hashlib
import stat
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path


def contents(folder: Path) -> dict[str, tuple[str, str]]:
    """Names, with the kind and mode of each and a hash of what is in it."""
    found = {}
    for path in sorted(folder.rglob("*")):
        facts = path.lstat()
        content = path.read_bytes() if stat.S_ISREG(facts.st_mode) else b""
        found[str(path.relative_to(folder))] = (
            stat.filemode(facts.st_mode),
            hashlib.sha256(content).hexdigest(),
        )
    return found
