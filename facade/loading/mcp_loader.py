"""Plugins that are MCP servers."""

from __future__ import annotations

import os
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from ..base.errors import PluginLoadError
from ..hosts.mcp.tool import McpToolPlugin
from ..plugins.adapter.adapter import PluginAdapter
from ..plugins.sources.mcp import Unfilled, fill
from .loaded import Loaded

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from ..config.configuration import Configuration
    from ..config.plugin_options import Options
    from ..plugins.sources.mcp import McpSource

START_DEADLINE = 60.0
"""Seconds that a server has at least until it is ready: ``npx`` and ``uvx`` may fetch it first."""

MAX_ENV_FILE_BYTES = 1024 * 1024


def load(source: McpSource, options: Options, _: Configuration) -> Iterator[Loaded]:
    """As `loader.Loader` says."""
    filled = partial(fill, environment=os.environ, folder=source.base, home=Path.home(), separator=os.sep)
    name = options.name or source.id
    try:
        env = (
            {}
            if source.env_file is None
            else _env_file(source.base / Path(filled(source.env_file)).expanduser())
        )
        env |= {key: filled(value) for key, value in source.env}
        server = McpToolPlugin(
            name,
            [filled(word) for word in source.command],
            cwd=_folder(source, filled, source.cwd),
            base=source.base,
            env=env | dict(options.env),
            confinement=options.confinement,
            revision=source.revision,
            roots=[_folder(source, filled, root).as_uri() for root in source.roots],
        )
    except Unfilled as error:
        raise PluginLoadError(f"the MCP server {name!r} {error}", plugin=name) from None
    except ValueError as error:
        raise PluginLoadError(f"the MCP server {name!r}: {error}", plugin=name) from None
    patient = replace(options.host, start_deadline=max(START_DEADLINE, options.host.start_deadline))
    yield Loaded(PluginAdapter(server), server, replace(options, host=patient))


def takes_long(_: McpSource, __: bool | None, ___: Configuration) -> bool:
    """See `loader.Loader`: a server fetches itself, once it is started."""
    return False


def _folder(source: McpSource, filled: Callable[[str], str], said: str) -> Path:
    return source.base / Path(filled(said)).expanduser()


def _env_file(file: Path) -> dict[str, str]:
    """The variables of a file with a ``NAME=value`` a line. Raises `ValueError`."""
    try:
        with file.open("rb") as opened:
            text = opened.read(MAX_ENV_FILE_BYTES + 1).decode("utf-8")
    except OSError as error:
        raise ValueError(f"its 'envFile' {file} cannot be read: {error.strerror}") from error
    if len(text) > MAX_ENV_FILE_BYTES:
        raise ValueError(f"its 'envFile' {file} has more than {MAX_ENV_FILE_BYTES >> 20} MB")
    read = {}
    for line in map(str.strip, text.splitlines()):
        name, equals, value = line.removeprefix("export ").partition("=")
        if equals and not line.startswith("#"):
            value = value.strip()
            quoted = len(value) > 1 and value[0] == value[-1] and value[0] in "\"'"
            read[name.strip()] = value[1:-1] if quoted else value
    return read
