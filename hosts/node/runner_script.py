"""The program that runs JavaScript tools: ten modules, or the one that is made of them.

Node takes half a millisecond for each module that it loads, and a host is started whenever one has died. So a build joins
them (`node_making`), into a folder beside the sources that no repository keeps. What is made says of which sources it was
made; it is run for just these, and whoever has changed one runs the sources until the next build.
"""

from __future__ import annotations

import functools
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

ROOT = Path(__file__).with_name("runner")

ENTRY = "host.mjs"

MADE = "dist"
"""The folder for what is made, beside the sources."""


@functools.cache
def host_script(root: Path = ROOT) -> Path:
    """The runner, which needs nothing but Node: what was made, if that was made of the sources that are there."""
    made = root / MADE / ENTRY
    try:
        with made.open(encoding="utf-8") as file:
            fresh = file.readline() == heading(sources(root))
    except FileNotFoundError:
        fresh = False
    return made if fresh else root / ENTRY


def sources(root: Path = ROOT) -> dict[str, str]:
    """The texts of the modules, by the names of their files."""
    return {path.name: path.read_text("utf-8") for path in sorted(root.glob("host*.mjs"))}


def heading(texts: Mapping[str, str]) -> str:
    """The first line of what is made of these modules, and of no others."""
    import hashlib  # noqa: PLC0415 - brings OpenSSL

    told = "".join(f"{name}\0{text}\0" for name, text in texts.items())
    return f"// Made of the modules beside this folder, {hashlib.sha256(told.encode()).hexdigest()}: change those.\n"
