"""The declarations that a plugin has for one provider: other ones, perhaps, than those it is registered with.

A plugin may look at ``_tool_schema_target_formats`` in its configuration and declare its tools as the provider
can take them: a freeform tool, say, or a function with one text. The board knows no provider when it is
given its plugins. So a plugin is asked again for the formats of a request: by an `init` with the hint, whose
state is used for that question and dropped. What the running tool has as its state is not touched.

A plugin is asked once for each list of formats, and again when a life of its host brings other tools.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from ...base.errors import CallboardError, PluginError
from ...base.foreign import Log
from ..catalog.argument_validation import checks_of

if TYPE_CHECKING:
    from collections.abc import Iterable
    from contextlib import AbstractContextManager

    from ...plugins.adapter.adapter import PluginAdapter
    from ..catalog.catalog import Catalog, ToolDescriptor
    from ..endpoint.plugin import PluginHandle
    from .survey import Survey

logger = Log("callboard.actors")

HINT = "_tool_schema_target_formats"
"""The key of a plugin's configuration that says which formats of declarations its provider takes, best first."""

_SECONDS = 10.0
_MOST = 16
"""Lists of formats that are remembered of one plugin."""

Tools = tuple["ToolDescriptor", ...]


class _Variant(NamedTuple):
    """What a plugin declares for one list of formats, and what it was registered with then."""

    registered: Tools
    tools: Tools


class Variants:
    """See the module. Any thread.

    Args:
        catalog: what the plugins are registered with.
        survey: asks them.
        lock: the plugin_manager's.
    """

    def __init__(self, catalog: Catalog, survey: Survey, lock: AbstractContextManager[Any]) -> None:
        self._catalog = catalog
        self._survey = survey
        self._lock = lock
        self._known: dict[tuple[str, tuple[str, ...]], _Variant] = {}

    def of(self, members: Iterable[PluginHandle], formats: tuple[str, ...]) -> dict[str, Tools]:
        """The tools of each member, declared for these formats; those it is registered with if there is no other way.

        Args:
            members: who is asked.
            formats: what the provider takes, best first; empty if that is not known.
        """
        registered = {member.name: self._catalog.offers.get(member.name, ()) for member in members}
        tools = dict(registered)
        unknown = []
        for member in members:
            if not formats or not registered[member.name] or _initialised_with(member) == formats:
                continue
            known = self._known.get((member.name, formats))
            if known is not None and known.registered is registered[member.name]:
                tools[member.name] = known.tools
            elif member.endpoint.adapter.offers("init"):
                unknown.append(member)
        answers = self._survey.ask(
            unknown,
            "declarations",
            lambda member, adapter: _declared(member, adapter, formats),
            about=formats,
            timeout=_SECONDS,
        )
        for member in unknown:
            answer = answers[member.name]
            if not isinstance(answer, PluginError):
                found = self._take(member, formats, registered[member.name], answer)
                tools[member.name] = found
        return tools

    def _take(
        self, member: PluginHandle, formats: tuple[str, ...], registered: Tools, schemas: list[dict[str, Any]]
    ) -> Tools:
        if schemas == [tool.schema for tool in registered]:
            tools = registered
        else:
            try:
                tools = self._catalog.describe(member.name, schemas)
            except CallboardError as error:
                logger.warning("what plugin %r declares for %s is not used: %s", member.name, formats, error)
                tools = registered
        with self._lock:
            if tools is not registered and self._catalog.offers.get(member.name) is registered:
                self._widen_checks(member, tools)
            while len(self._known) >= _MOST * (1 + len(self._catalog.offers)):
                self._known.pop(next(iter(self._known)))
            self._known[member.name, formats] = _Variant(registered, tools)
        return tools

    def _widen_checks(self, member: PluginHandle, tools: Tools) -> None:
        """Let calls through that fit what they were declared with for some request."""
        endpoint, inspect = member.endpoint, self._catalog.registry.inspect_schema
        functions = {tool.tool_name for tool in tools if inspect(tool.schema).kind != "text"}
        endpoint.objects_only = frozenset(endpoint.objects_only & functions)
        if endpoint.checks is not None:
            endpoint.checks = endpoint.checks.or_those(
                checks_of(tools, inspect, endpoint.settings.validate), functions
            )


def _declared(member: PluginHandle, adapter: PluginAdapter, formats: tuple[str, ...]) -> list[dict[str, Any]]:
    state = adapter.init({**member.config, HINT: list(formats)})
    return adapter.schemas(state, member.endpoint.prepared)


def _initialised_with(member: PluginHandle) -> tuple[Any, ...]:
    given = member.config.get(HINT)
    return tuple(given) if isinstance(given, list | tuple) else ()
