"""Where plugins are fetched, installed and built if a configuration says nothing else."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping


def cache_folder(environment: Mapping[str, str] = os.environ) -> Path:
    """The usual folder: ``callboard/plugins`` in the user's cache folder.

    That is ``XDG_CACHE_HOME``, if it says where, and ``~/.cache`` otherwise. By the XDG rules a path that is not absolute
    says nothing: it would be another folder for each working directory.
    """
    said = Path(environment.get("XDG_CACHE_HOME", ""))
    caches = said if said.is_absolute() else Path("~/.cache").expanduser()
    return caches / "callboard" / "plugins"
