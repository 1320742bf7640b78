"""Under which name each tool of a board is offered, for as long as the board lives. Pure.

Models, clients and rules know a tool by its name. A name that was given out therefore stays with its tool: a tool of another plugin that has the
same name is offered under another one, also after the first was removed. While neither of two plugins is in use, `contest` says which has a name.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from ...plugins.contract.invocation import ALL

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from ..endpoint.plugin import PluginHandle
    from ..routing.decision import Routes

MOST_KEPT: Final = 10_000
"""Names of one plugin, ten times as many as it may offer; further ones are not kept. To forget old ones instead would free names that clients
know."""

MOST_PLUGINS: Final = 10_000
"""Plugins of a board, removed ones included; of further plugins no names are kept."""


class ToolNames:
    """See the module. Not thread-safe: its owner holds a lock."""

    def __init__(self) -> None:
        self._kept: dict[str, dict[str, str]] = {}
        self._owners: dict[str, str] = {}

    def keep(self, plugin: str, given: Mapping[str, str], *, only_free: bool = False) -> None:
        """Keep the names under which a plugin's tools are offered, by its own names for them; with ``only_free`` none that another plugin has."""
        if plugin not in self._kept and len(self._kept) >= MOST_PLUGINS:
            return
        kept = self._kept.setdefault(plugin, {})
        for own, name in given.items():
            is_other = only_free and self._owners.get(name, plugin) != plugin
            if is_other or (own not in kept and len(kept) >= MOST_KEPT):
                continue
            kept[own] = name
            self._owners[name] = plugin

    def kept(self, plugin: str, own: str) -> str | None:
        """The name that was given to a tool; ``None`` if none was."""
        return self._kept.get(plugin, {}).get(own)

    def assign(
        self,
        plugin: str,
        names: Iterable[str],
        apart: Callable[[str], str | None],
        taken: Callable[[str], bool],
    ) -> dict[str, str]:
        """Return the name for each tool of a plugin, by its own; nothing is kept.

        Args:
            plugin: whose tools they are.
            names: its own names for them.
            apart: returns another name for a tool; ``None`` if it is offered under its own or not at all.
            taken: whether a tool of another plugin is offered under a name now.
        """
        given = {}
        for own in names:
            wanted = self.kept(plugin, own) or own
            is_free = self._owners.get(wanted, plugin) == plugin and not taken(wanted)
            given[own] = wanted if is_free else apart(own) or wanted
        return given


class Contest(NamedTuple):
    """How a plugin stands to those that offer a name which it wants.

    Attributes:
        taken: names that others have and keep.
        yields: others that are offered under another name from now on, and their own names for those tools.
        displaced: others that may not be offered beside it.
    """

    taken: frozenset[str] = frozenset()
    yields: tuple[tuple[PluginHandle, frozenset[str]], ...] = ()
    displaced: tuple[PluginHandle, ...] = ()


def contest(
    handle: PluginHandle,
    wanted: Mapping[str, str],
    handles: Callable[[], Iterable[PluginHandle]],
    routes: Routes,
    *,
    own_name: Callable[[PluginHandle, str], str | None],
    is_kept: Callable[[PluginHandle, str], bool],
) -> Contest:
    """Decide which plugin has each name that a plugin wants.

    Where a plugin claims calls and is asked about those of others, its claims tell the calls apart. Otherwise a plugin that is in use
    keeps what it has; of two that are not, the one that gives way to none does, and else the first.

    Args:
        handle: the plugin.
        wanted: the names that it wants, by its own names.
        handles: returns the plugins of the board, in the order in which they came; called only if names are shared.
        routes: who offers which name now.
        own_name: returns a plugin's own name for a tool that it offers; ``None`` if there is no such tool.
        is_kept: whether a tool had its name before this start, by its own name.
    """
    shared = [(own, name, plugin) for own, name in wanted.items() for plugin in holders(handle, name, routes)]
    if not shared:
        return Contest()
    order = list(handles())
    there = {each.name: (place, each) for place, each in enumerate(order)}
    mine = order.index(handle)
    taken: set[str] = set()
    yields: dict[str, set[str]] = {}
    displaced: dict[str, PluginHandle] = {}
    for own, name, plugin in shared:
        place, other = there[plugin]
        stays = handle.apart(own) is None
        theirs = None if other.admitted else own_name(other, name)
        if (
            theirs is not None
            and other.apart(theirs) not in {None, name}
            and (stays or (place > mine and not is_kept(other, theirs)))
        ):
            yields.setdefault(plugin, set()).add(theirs)
        elif stays and place > mine and not other.admitted:
            displaced[plugin] = other
        else:
            taken.add(name)
    return Contest(
        frozenset(taken),
        tuple((there[plugin][1], frozenset(names)) for plugin, names in yields.items()),
        tuple(displaced.values()),
    )


def holders(handle: PluginHandle, name: str, routes: Routes) -> list[str]:
    """The other plugins that offer a name, and whose calls by it could not be told from those of this plugin."""
    if handle.claims and handle.scope == ALL:
        return []
    telling = {*routes.claimers} - routes.own
    return [each for each in routes.by_name.get(name, ()) if each != handle.name and each not in telling]


def offered_under(names: Mapping[str, str], name: str) -> str | None:
    """The own name of the tool that is offered under a name; ``None`` if there is none."""
    return next((own for own, offered in names.items() if offered == name), None)


def others_than_own(names: Mapping[str, str]) -> dict[str, str]:
    """A plugin's own names for the tools that are offered under others, by those."""
    return {offered: own for own, offered in names.items() if own != offered}
