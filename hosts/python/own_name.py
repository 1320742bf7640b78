"""What a Python plugin that is to run in a host calls itself: the name that it has in this process too.

A name decides where a state is kept, so it must not change with the place where a plugin runs. The code of an isolated plugin
is not imported here. So its text is read, and where that leaves a doubt, the plugin is made in a process of its own, which says its
name and ends. That takes as long as a start of its host, up to the answer to `init`.
"""

from __future__ import annotations

import tempfile
from importlib.machinery import PathFinder, SourceFileLoader
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ...base.errors import CallboardError, JsonValueError, LoadTimeout
from ...base.foreign import Log, is_interrupt
from ...base.json import dump_json, load_json
from ...plugins.sources.python import path_without_packages, read_python_package
from .name_in_source import MOST_BYTES, name_in

if TYPE_CHECKING:
    from collections.abc import Iterable

    from .runner.origin import PythonOrigin
    from .tool import PythonToolPlugin

logger: Log = Log("callboard.hosts")


def own_name(plugin: PythonToolPlugin, config: dict[str, Any] | None, seconds: float) -> str | None:
    """Return the name that a plugin gives itself; ``None`` if it cannot be found out, which is logged as a warning.

    Args:
        plugin: a proxy for it, of whatever name.
        config: what its ``init`` is given; some are made with it.
        seconds: how long it may take to say its name.

    Raises:
        LoadTimeout: the load that this is a part of has no time left.
    """
    name = _read(plugin.origin)
    if name is not None:
        return name
    try:
        return _asked(plugin, config, seconds)
    except LoadTimeout as late:
        waited_for = f"the plugin {plugin.origin.path} has not said its name"
        raise LoadTimeout(late.plugin, late.timeout, waited_for) from late
    except (CallboardError, OSError, ValueError) as error:
        if is_interrupt(error):
            raise
        logger.warning(
            "the plugin %s cannot be asked for its name, and goes by %r: %s. Give it a 'name', by which its state is kept",
            plugin.origin.path, plugin.name, error,
        )  # fmt: skip
        return None


def _read(origin: PythonOrigin) -> str | None:
    module, _, word = origin.path.rpartition(".")
    file = _file_of(module, _folders(origin))
    if file is None and module == origin.module and origin.file is not None:
        file = Path(origin.file)
    if file is None:
        return None
    try:
        with file.open("rb") as text:
            return name_in(text.read(MOST_BYTES + 1), word)
    except OSError as error:  # its host says what is wrong
        if is_interrupt(error):
            raise
        return None


def _folders(origin: PythonOrigin) -> list[str] | None:
    """Where its host looks for modules; ``None`` for where this process does."""
    if origin.package is None:
        return None
    return [*path_without_packages(), str(read_python_package(Path(origin.package)).import_root)]


def _file_of(module: str, folders: Iterable[str] | None) -> Path | None:
    """The text of a module, found without importing anything."""
    place, name = None if folders is None else list(folders), ""
    spec = None
    for part in module.split("."):
        name = f"{name}.{part}" if name else part
        spec = PathFinder.find_spec(name, place)
        if spec is None:
            return None
        place = list(spec.submodule_search_locations or [])
    if spec is None or type(spec.loader) is not SourceFileLoader or spec.origin is None:
        return None
    return Path(spec.origin)


def _asked(plugin: PythonToolPlugin, config: dict[str, Any] | None, seconds: float) -> str:
    # What runs other programs comes with them; most plugins need not be asked.
    from ..packages.command_runner import CommandRunner  # noqa: PLC0415 - see above

    told = dump_json(config or {}, what="$.config")
    command = plugin.asking()
    try:
        with CommandRunner(seconds) as runner, tempfile.TemporaryFile() as given:
            given.write(told)
            given.seek(0)
            ended = runner.run(command, stdin=given.fileno())
    finally:
        if command.after is not None:
            command.after()
    if not ended.well:
        raise CallboardError(f"the process that was to say it {ended.text}: {ended.said[-500:]}")
    try:
        name = load_json(ended.stdout.encode())["name"]
    except (JsonValueError, KeyError, TypeError) as error:
        raise CallboardError("the process that was to say it said something else") from error
    if not isinstance(name, str) or not name:
        raise CallboardError("the process that was to say it said something else")
    return name
