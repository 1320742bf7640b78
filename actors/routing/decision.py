"""Which tool takes a call: a pure function over names and claims.

The rule is the specification's: first the claims, then the name.

1. A plugin that says ``True`` takes the call. If several do, the one among them that offers the
   call's name; if that does not decide, the call is ambiguous.
2. Otherwise the plugin that offers the call's name and did not say ``False``. If several do,
   the call is ambiguous.
3. Otherwise there is no tool for it.

Which calls a plugin is asked about is its `Scope`. One that is asked about its own calls alone sees none that is another's, so
nothing that it says can tell those apart: names of others are not for it to have.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

from ...base.errors import PluginError
from ...base.frozen import frozen
from ...plugins.contract.invocation import ALL, OWN

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from ...plugins.contract.invocation import Scope
    from ..catalog.catalog import ToolDescriptor

Claims = Mapping[str, bool | None]
"""What plugins have said of a call, by their names; ``None`` is no opinion."""


KnownAs = Mapping[str, tuple[str, ...]]
"""The other names of a plugin's tools, by those under which they are offered."""


@frozen
class Taken:
    """This plugin takes the call."""

    plugin: str


@frozen
class NoTool:
    """No plugin takes it. ``rejected_by`` offer its name, but said no to this call."""

    rejected_by: tuple[str, ...] = ()


@frozen
class Ambiguous:
    """These plugins have equal right to it."""

    plugins: tuple[str, ...]


Choice = Taken | NoTool | Ambiguous


def _by_name(tools: Mapping[str, tuple[str, ...]]) -> Mapping[str, tuple[str, ...]]:
    by_name: dict[str, tuple[str, ...]] = {}
    for plugin, names in tools.items():
        for name in names:
            by_name[name] = (*by_name.get(name, ()), plugin)
    return by_name


_FOLLOWS: Mapping[str, tuple[str, ...]] = MappingProxyType({})


@frozen
class Routes:
    """Who offers which name, and who wants to be asked. Immutable: a new one replaces it.

    Attributes:
        tools: tool names by plugin, in the order of registration.
        claimers: the plugins that have `can_handle_tool_call`; which calls they are asked about says `asked`.
        by_name: plugins by tool name. It follows from ``tools`` and is made from them, unless the caller knows what has
            changed since the last time gives it: among a thousand plugins that is a hundred times the work.
        known_as: by plugin and tool name, the other names of a tool, if it has any.
        own: those of ``claimers`` that are asked about their own calls alone; see `Scope`.
    """

    tools: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    claimers: tuple[str, ...] = ()
    by_name: Mapping[str, tuple[str, ...]] = field(default_factory=lambda: _FOLLOWS)
    known_as: Mapping[str, KnownAs] = field(default_factory=dict)
    own: frozenset[str] = frozenset()

    def __post_init__(self) -> None:
        if self.by_name is _FOLLOWS:
            object.__setattr__(self, "by_name", _by_name(self.tools))

    def including(
        self,
        plugin: str,
        names: Iterable[str],
        *,
        claims: bool,
        known_as: KnownAs | None = None,
        scope: Scope = ALL,
    ) -> Routes:
        """The routes with a plugin added, or its names replaced; then it keeps its place."""
        names = tuple(names)
        claimers = (*self._claimers_without(plugin), *((plugin,) if claims else ()))
        tools = {**self.tools, plugin: names}
        also = self._known_as_without(plugin)
        if known_as:
            also = {**also, plugin: known_as}
        own = self.own - {plugin} | ({plugin} if claims and scope == OWN else set())
        if plugin in self.tools:
            return Routes(tools, claimers, known_as=also, own=own)
        by_name = dict(self.by_name)
        for name in names:
            by_name[name] = (*by_name.get(name, ()), plugin)
        return Routes(tools, claimers, by_name, also, own)

    def without(self, plugin: str) -> Routes:
        """The routes without a plugin."""
        tools, by_name = dict(self.tools), dict(self.by_name)
        for name in set(tools.pop(plugin, ())):
            by_name[name] = tuple(each for each in by_name[name] if each != plugin)
            if not by_name[name]:
                del by_name[name]
        left, also = self._claimers_without(plugin), self._known_as_without(plugin)
        return Routes(tools, left, by_name, also, self.own - {plugin})

    def _known_as_without(self, plugin: str) -> Mapping[str, KnownAs]:
        if plugin not in self.known_as:
            return self.known_as
        return {each: names for each, names in self.known_as.items() if each != plugin}

    def _claimers_without(self, plugin: str) -> tuple[str, ...]:
        if plugin not in self.claimers:
            return self.claimers
        return tuple(each for each in self.claimers if each != plugin)

    def offering(self, name: str | None) -> tuple[str, ...]:
        """The plugins that offer a name."""
        return () if name is None else self.by_name.get(name, ())

    def asked(self, name: str | None) -> tuple[str, ...]:
        """The plugins that are asked whether a call of this name is theirs."""
        if not self.own:
            return self.claimers
        offered_by = self.offering(name)
        return tuple(each for each in self.claimers if each not in self.own or offered_by in ((), (each,)))

    def only(self, name: str | None) -> str | None:
        """The plugin that takes each call of a name; ``None`` if that is not certain before claims are asked."""
        offered_by = () if name is None or self.asked(name) else self.by_name.get(name, ())
        return offered_by[0] if len(offered_by) == 1 else None

    def check(self, plugin: str, names: Sequence[str], *, claims: bool, scope: Scope = ALL) -> None:
        """Refuse a plugin whose calls could not be told from another's.

        Names may be shared as long as at most one of the sharers has no claims, or is not asked about calls of others: the
        others say which calls are theirs, and it takes the rest.

        Raises:
            NameTaken: they could not.
        """
        if doubled := sorted({name for name in names if names.count(name) > 1}):
            raise NameTaken(f"plugin {plugin!r} offers {doubled[0]!r} twice", plugin=plugin, tool=doubled[0])
        telling = {*self.claimers} - self.own
        for name in names:
            silent = [p for p in self.by_name.get(name, ()) if p != plugin and p not in telling]
            if silent and not (claims and scope == ALL):
                unasked = [*([plugin] if claims else []), *(each for each in silent if each in self.own)]
                remedy = (
                    f'write "claims": "all" in the entry of {unasked[0]!r}, which has it asked about the calls of others'
                    if unasked
                    else "give a plugin of your own a can_handle_tool_call that tells their calls apart"
                )
                raise NameTaken(
                    f"plugin {plugin!r} offers the tool {name!r}, which {silent[0]!r} offers already; "
                    f"rename one (an MCP server's by 'rename' under 'tools' in its entry), or {remedy}",
                    plugin=plugin,
                    tool=name,
                )


class NameTaken(PluginError):
    """Two plugins offer one tool name, and nothing tells their calls apart.

    Attributes:
        tool: the name.
    """

    def __init__(self, message: str, *, plugin: str, tool: str) -> None:
        super().__init__(message, plugin=plugin)
        self.tool = tool


class CallTarget(NamedTuple):
    """What a call may run, as far as that is known before it is given to anybody.

    Attributes:
        plugin: the one that takes it; ``None`` if none does, or more than one with equal right.
        names: what rules about it may name: its own name, and of a plugin that claims it under a name which that
            does not offer, the plugin's and those of all its tools, since which of them runs is its own affair.
        takers: the plugins that it may come to.
        known_as: the other names of those tools, and each name behind that of its plugin, as ``plugin:tool``.
    """

    plugin: str | None
    names: tuple[str, ...]
    takers: tuple[str, ...]
    known_as: tuple[str, ...] = ()

    def covers(self, other: CallTarget) -> bool:
        """Whether the gates that were asked about this were asked about all that the other may run."""
        return {*other.names, *other.known_as} <= {*self.names, *self.known_as}


def target_of(routes: Routes, name: str | None, claims: Claims) -> CallTarget:
    """Say what a call may run. See `choose`."""
    match choose(routes, name, claims):
        case Taken(plugin):
            takers: tuple[str, ...] = (plugin,)
        case Ambiguous(plugins):
            takers = plugins
        case NoTool():
            takers = ()
    names = [] if name is None else [name]
    known_as: list[str] = []
    for taker in takers:
        offered = routes.tools.get(taker, ())
        if name in offered:
            offered = (name,)
        else:
            names += [taker, *offered]
        also = routes.known_as.get(taker, {})
        for each in offered:
            others = also.get(each, ())
            known_as += [*others, *(f"{taker}:{one}" for one in (each, *others))]
    further = tuple(each for each in dict.fromkeys(known_as) if each not in names)
    return CallTarget(takers[0] if len(takers) == 1 else None, tuple(dict.fromkeys(names)), takers, further)


def only_for(claims: Claims, takers: tuple[str, ...]) -> Claims:
    """The claims with which a call comes to these plugins, or goes by its name: should one be gone by then, no other claims it."""
    return {plugin: None if said and plugin not in takers else said for plugin, said in claims.items()}


def choose(routes: Routes, name: str | None, claims: Claims) -> Choice:
    """Say who takes a call.

    Args:
        routes: the plugins there are.
        name: the call's tool name, if it has one.
        claims: what the plugins that were asked said; those not in it have no opinion.
    """
    offered_by = routes.by_name.get(name, ()) if name is not None else ()
    eager = tuple(plugin for plugin in routes.tools if claims.get(plugin) is True) if claims else ()
    if eager and routes.own:  # another plugin may offer the name by now that nobody did when they were asked
        asked = routes.asked(name)
        eager = tuple(plugin for plugin in eager if plugin in asked)
    if len(eager) > 1:
        eager = tuple(plugin for plugin in eager if plugin in offered_by) or eager
    if eager:
        return Taken(eager[0]) if len(eager) == 1 else Ambiguous(eager)
    willing = tuple(plugin for plugin in offered_by if claims.get(plugin) is not False)
    if len(willing) == 1:
        return Taken(willing[0])
    return Ambiguous(willing) if willing else NoTool(offered_by)


def add_routes(
    routes: Routes, plugin: str, tools: tuple[ToolDescriptor, ...], *, claims: bool, scope: Scope = ALL
) -> Routes:
    """The routes with a plugin's tools added or replaced.

    Raises:
        NameTaken: its calls could not be told from another plugin's.
    """
    names = [tool.tool_name for tool in tools]
    routes.check(plugin, names, claims=claims, scope=scope)
    known_as = {tool.tool_name: tool.known_as for tool in tools if tool.known_as}
    return routes.including(plugin, names, claims=claims, known_as=known_as, scope=scope)
