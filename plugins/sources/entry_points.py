"""Plugins that installed distributions offer, by an entry point of the group ``callboard.plugins``.

A distribution says so in its ``pyproject.toml``::

    [project.entry-points."callboard.plugins"]
    my_tool = "my_tools.my_tool:MyTool"

Looking for them imports none of them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...base.errors import PluginLoadError
from ...base.frozen import frozen
from ...base.suggestions import meant

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint, EntryPoints

GROUP = "callboard.plugins"

ALL = "*"
"""Stands for every plugin that is installed."""


@frozen
class InstalledPlugin:
    """A plugin that a distribution offers.

    Attributes:
        name: of its entry point.
        path: its dotted path.
        distribution: who offers it.
    """

    name: str
    path: str
    distribution: str


def installed_names() -> list[str]:
    """The names of all plugins that are installed, in alphabetical order."""
    return sorted({each.name for each in _offered()})


def find_installed(name: str) -> InstalledPlugin:
    """The plugin of an entry point's name.

    Raises:
        PluginLoadError: no distribution offers it, or more than one do, or it names no plugin.
    """
    known = _offered()
    found = [_read(each) for each in known.select(name=name)]
    if not found:
        raise PluginLoadError(
            f"no installed package offers a plugin {name!r} ({GROUP}); {meant(name, known.names)}",
            plugin=name,
        )
    if len(found) > 1:
        offers = " and ".join(sorted(f"{each.path} of {each.distribution}" for each in found))
        raise PluginLoadError(
            f"more than one installed package offers a plugin {name!r}: {offers}; name it by its dotted path",
            plugin=name,
        )
    return found[0]


def _offered() -> EntryPoints:
    from importlib.metadata import entry_points  # noqa: PLC0415 - all that reads mails comes with it

    return entry_points(group=GROUP)


def _read(point: EntryPoint) -> InstalledPlugin:
    distribution = point.dist.name if point.dist is not None else "a package"
    # Not `point.module`: how it fails on a malformed value differs between versions of Python.
    read = point.pattern.match(point.value)
    if read is None or not read["attr"]:
        raise PluginLoadError(
            f"the entry point {point.name!r} of {distribution} is {point.value!r}, which names no plugin; it has to be "
            "'package.module:PluginClass'",
            plugin=point.name,
        )
    return InstalledPlugin(point.name, f"{read['module']}.{read['attr']}", distribution)
