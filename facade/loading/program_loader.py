"""Plugins that are programs: any that speaks the protocol, and Bash scripts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..hosts.bash.tool import BashToolPlugin
from ..hosts.command.tool import CommandToolPlugin
from ..plugins.adapter.adapter import PluginAdapter
from ..plugins.sources.bash import require_scripts
from ..plugins.sources.program import BashSource, CommandSource
from .loaded import Loaded

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ..config.configuration import Configuration
    from ..config.plugin_options import Options


def load(source: CommandSource | BashSource, options: Options, _: Configuration) -> Iterator[Loaded]:
    """See `loading.Loader`."""
    match source:
        case CommandSource():
            program = CommandToolPlugin(
                options.name or source.id,
                source.command,
                cwd=source.directory,
                base=source.base,
                env=options.env,
                extended=source.extended,
            )
            yield Loaded(PluginAdapter(program), program, options)
        case BashSource(path, plugin_id):
            require_scripts(path)
            scripts = BashToolPlugin(options.name or plugin_id, path, env=options.env)
            yield Loaded(PluginAdapter(scripts), scripts, options)


def takes_long(_: CommandSource | BashSource, __: bool | None, ___: Configuration) -> bool:
    """See `loading.Loader`: nothing is made for a program."""
    return False
