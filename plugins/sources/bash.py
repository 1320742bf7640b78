"""The scripts of a Bash plugin, as far as they can be judged without Bash: that they are there, and in its folder.

What they are as tools they say themselves, to the host that runs them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...base.errors import PluginLoadError
from ...base.paths import resolved

if TYPE_CHECKING:
    from pathlib import Path

_EXAMPLE = "a comment '# @tool What it does.' at the top of NAME.sh makes it one"


def require_scripts(path: Path) -> None:
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
