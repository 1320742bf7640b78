"""The manifests of folders in a package from which npm installs too: its workspaces, and packages named by a path.

npm reads which folders these are from patterns, and from the manifests that it finds there. A second reader of patterns would sooner
or later read them otherwise. So all manifests in a package count that names any folder.
"""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, Any

from ...base.errors import JsonValueError
from ...base.json import load_json
from ...plugins.sources.manifest_file import MAX_BYTES
from ..packages.consent import asked_of_npm
from ..packages.file_tree import own_files

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

_NAME = "package.json"
_PATHS = ("file:", "link:", "portal:", "workspace:", ".", "/", "~")
"""How the version of a package begins that is a path."""


def inner_manifests(directory: Path, manifest: Mapping[str, Any]) -> dict[str, Any]:
    """Return what each manifest below a package asks npm for, by its folder.

    A manifest that is no JSON object, or is too long, counts by its digest.

    Args:
        directory: the package.
        manifest: its own, which is left out.

    Raises:
        PackageError, OSError: its files cannot be looked at; see `own_files`.
    """
    asked = asked_of_npm(manifest)["packages"]
    if "workspaces" not in asked and not any(text.startswith(_PATHS) for text in _texts(asked)):
        return {}
    found = dict(_manifests(directory))
    return {folder: found[folder] for folder in sorted(found)}


def _manifests(directory: Path) -> Iterator[tuple[str, Any]]:
    for file in own_files(directory):
        if file.is_link and (file.path / _NAME).is_file():  # npm follows it
            yield file.name, _asked(file.path / _NAME)
        elif file.path.name == _NAME and file.name != _NAME and file.path.is_file():
            yield file.name.removesuffix(f"/{_NAME}"), _asked(file.path)


def _asked(file: Path) -> Any:
    with file.open("rb") as opened:
        text = opened.read(MAX_BYTES)
        try:
            manifest = None if opened.read(1) else load_json(text)
        except JsonValueError:
            manifest = None
        if not isinstance(manifest, dict):
            opened.seek(0)
            return {"sha256": hashlib.file_digest(opened, "sha256").hexdigest()}
    return {key: value for key, value in asked_of_npm(manifest).items() if value}


def _texts(value: Any) -> Iterator[str]:
    """All texts in a value of a manifest, which is as deep as its reader lets it be."""
    left = [value]
    while left:
        match left.pop():
            case str(text):
                yield text
            case dict(inner):
                left.extend(inner.values())
            case list(several):
                left.extend(several)
