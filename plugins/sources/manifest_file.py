"""A manifest on disk: read whole, or refused with one sentence that says what to do.

Both manifests, ``package.json`` and ``agent_plugin.json``, are read through here, and so are the paths in
them: what a package names has to lie in the package, symbolic links resolved.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ...base.errors import JsonValueError, PluginLoadError
from ...base.json import load_json
from ...base.paths import resolved
from ...base.validation import a_type

if TYPE_CHECKING:
    from pathlib import Path


MAX_BYTES = 4 * 1024 * 1024
"""A manifest; those of real packages have some kilobytes."""


def read_manifest_file(directory: Path, name: str, remedy: str) -> dict[str, Any]:
    """Return the JSON object in ``directory / name``.

    Args:
        directory: the package.
        name: the manifest's file name.
        remedy: what to do if there is none, as a clause.

    Raises:
        PluginLoadError: there is no such directory or file, it is longer than `MAX_BYTES`, or it holds no JSON object.
    """
    plugin = str(directory)
    file = directory / name
    if not directory.is_dir():
        kind = "is a file, not a directory" if directory.exists() else "does not exist"
        raise PluginLoadError(f"the plugin directory {plugin} {kind}; correct the path", plugin=plugin)
    try:
        if file.exists() and not file.is_file():  # a pipe would be waited for, without end
            raise PluginLoadError(f"{file} is no file; name a package that has one", plugin=plugin)
        with file.open("rb") as opened:
            text = opened.read(MAX_BYTES + 1)
    except FileNotFoundError:
        raise PluginLoadError(f"{directory} has no {name}; {remedy}", plugin=plugin) from None
    except OSError as error:
        raise PluginLoadError(
            f"{file} cannot be read ({error.strerror}); make it readable", plugin=plugin
        ) from error
    if len(text) > MAX_BYTES:
        raise PluginLoadError(
            f"{file} has more than {MAX_BYTES >> 20} MB; it has to be shorter", plugin=plugin
        )
    try:
        manifest = load_json(text)
    except JsonValueError as error:
        raise PluginLoadError(f"{file} is {error}; correct it", plugin=plugin) from error
    if not isinstance(manifest, dict):
        raise PluginLoadError(f"{file} holds {a_type(manifest)}, not an object; correct it", plugin=plugin)
    return manifest


def inside(directory: Path, path: str, file: Path, key: str) -> Path:
    """Return ``directory / path``, resolved, which need not exist.

    Args:
        directory: the package.
        path: as the manifest says it.
        file: the manifest, for the error.
        key: where in the manifest, for the error.

    Raises:
        PluginLoadError: it lies outside the package, also where only a symbolic link leads out; or it is none.
    """
    if "\0" in path:
        raise PluginLoadError(f"{key} in {file} is {path!r}; no path has a NUL in it", plugin=str(directory))
    root = directory.resolve()
    found = resolved(root / path)
    if not found.is_relative_to(root):
        raise PluginLoadError(
            f"{key} in {file} is {path!r}, which leads out of the package, to {found}; name a path inside it",
            plugin=str(directory),
        )
    return found
