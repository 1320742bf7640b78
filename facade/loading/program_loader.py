"""Plugins that are programs: any that speaks the protocol, and Bash scripts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..base.errors import PluginLoadError
from ..base.paths import resolved
from ..hosts.bash.tool import BashToolPlugin
from ..hosts.command.tool import CommandToolPlugin
from ..hosts.packages.file_tree import refuse_links_out
from ..plugins.adapter.adapter import PluginAdapter
from ..plugins.sources.program import BashSource, CommandSource
from .loaded import Loaded

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from ..config.configuration import Configuration
    from ..config.plugin_options import Options

_EXAMPLE = "a comment '# @tool What it does.' at the top of NAME.sh makes it one"


def load(source: CommandSource | BashSource, options: Options, _: Configuration) -> Iterator[Loaded]:
    """As `loader.Loader` says."""
    match source:
        case CommandSource():
            program = CommandToolPlugin(
                options.name or source.id,
                source.command,
                cwd=source.directory,
                base=source.base,
                env=options.env,
                confinement=options.confinement,
                extended=source.extended,
            )
            yield Loaded(PluginAdapter(program), program, options)
        case BashSource(path, plugin_id):
            _require_scripts(path)
            if options.confinement.sandbox is not None:
                refuse_links_out(path if path.is_dir() else path.parent, str(path))
            scripts = BashToolPlugin(
                options.name or plugin_id, path, env=options.env, confinement=options.confinement
            )
            yield Loaded(PluginAdapter(scripts), scripts, options)


def takes_long(_: CommandSource | BashSource, __: bool | None, ___: Configuration) -> bool:
    """See `loading.Loader`: nothing is made for a program."""
    return False


def _require_scripts(path: Path) -> None:
    """Make sure that there is something to run: a script, or a folder of them.

    Raises:
        PluginLoadError: there is none, or a script of the folder is a link that leads out of it.
    """
    plugin = str(path)
    if not path.exists():
        raise PluginLoadError(f"the Bash plugin {path} does not exist; correct the path", plugin=plugin)
    if path.is_file():
        return
    root = path.resolve()
    scripts = [script for script in sorted(path.glob("*.sh")) if not script.name.startswith("_")]
    if not scripts:
        raise PluginLoadError(f"{path} has no script that could be a tool; {_EXAMPLE}", plugin=plugin)
    for script in scripts:
        found = resolved(script)
        if not found.is_relative_to(root):
            raise PluginLoadError(
                f"{script} is a link that leads out of the plugin, to {found}; put the script into its folder",
                plugin=plugin,
            )
