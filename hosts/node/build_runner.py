"""Makes the one module of the Node host's modules, for the build: `setup.py` calls it. Nothing calls it later."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from .join_modules import joined
from .runner_script import ENTRY, MADE, ROOT, heading, sources

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

_APART = ("host_syntax.mjs",)
"""Programs of their own, which the host looks for beside itself."""


def make(root: Path = ROOT) -> None:
    """Make it, beside the sources. Raises `ValueError` if they cannot be joined; see `joined`."""
    folder = root / MADE
    folder.mkdir(exist_ok=True)
    for name, text in made_of(sources(root)).items():
        fresh = folder / f"{name}.{os.getpid()}"
        fresh.write_text(text, "utf-8")
        fresh.replace(folder / name)  # whoever starts a host meanwhile has the whole of one or of the other


def made_of(texts: Mapping[str, str]) -> dict[str, str]:
    """The files that are made of these modules, by their names; the entry last, since the others have to be there."""
    return {name: texts[name] for name in _APART} | {ENTRY: heading(texts) + joined(texts, ENTRY)}
