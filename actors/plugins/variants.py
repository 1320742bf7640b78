"""The declarations that a plugin has for one provider: other ones, perhaps, than those it is registered with.

A plugin may look at ``_tool_schema_target_formats`` in its configuration and declare its tools as the provider
can take them: a freeform tool, say, or a function with one text. The board knows no provider when it is
given its plugins. So a plugin is asked again for the formats of a request: by an `init` with the hint, whose
state is used for that question and dropped. What the running tool has as its state is not touched.

A plugin is asked once for each list of formats, and again when a generation of its host brings other tools.
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
    from .scatter_gather import ScatterGather

logger: Log = Log("callboard.actors")

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
        scatter_gather: asks them.
        lock: the plugin manager's.
    """

    def __init__(
        self, catalog: Catalog, scatter_gather: ScatterGather, lock: AbstractContextManager[Any]
    ) -> None:
        self._catalog = catalog
        self._scatter_gather = scatter_gather
        self._lock = lock
        self._known: dict[tuple[str, tuple[str, ...]], _Variant] = {}

    def of(self, handles: Iterable[PluginHandle], formats: tuple[str, ...]) -> dict[str, Tools]:
        """The tools of each handle, declared for these formats; those it is registered with if there is no other way.

        Args:
            handles: who is asked.
            formats: what the provider takes, best first; empty if that is not known.
        """
        registered = {handle.name: self._catalog.offers.get(handle.name, ()) for handle in handles}
        tools = dict(registered)
        unknown = []
        for handle in handles:
            if not formats or not registered[handle.name] or _initialised_with(handle) == formats:
                continue
            known = self._known.get((handle.name, formats))
            if known is not None and known.registered is registered[handle.name]:
                tools[handle.name] = known.tools
            elif handle.endpoint.adapter.offers("init"):
                unknown.append(handle)
        answers = self._scatter_gather.ask(
            unknown,
            "declarations",
            lambda handle, adapter: _declared(handle, adapter, formats),
            about=formats,
            timeout=_SECONDS,
        )
        for handle in unknown:
            answer = answers[handle.name]
            if not isinstance(answer, PluginError):
                found = self._take(handle, formats, registered[handle.name], answer)
                tools[handle.name] = found
        return tools

    def _take(
        self, handle: PluginHandle, formats: tuple[str, ...], registered: Tools, schemas: list[dict[str, Any]]
    ) -> Tools:
        if schemas == [tool.schema for tool in registered]:
            tools = registered
        else:
            try:
                tools = self._catalog.describe(handle.name, schemas)
            except CallboardError as error:
                logger.warning("what plugin %r declares for %s is not used: %s", handle.name, formats, error)
                tools = registered
        with self._lock:
            if tools is not registered and self._catalog.offers.get(handle.name) is registered:
                self._widen_checks(handle, tools)
            self._forget_oldest()
            self._known[handle.name, formats] = _Variant(registered, tools)
        return tools

    def _forget_oldest(self) -> None:
        while len(self._known) >= _MOST * (1 + len(self._catalog.offers)):
            self._known.pop(next(iter(self._known)))

    def _widen_checks(self, handle: PluginHandle, tools: Tools) -> None:
        """Let calls through that fit what they were declared with for some request."""
        endpoint, inspect = handle.endpoint, self._catalog.registry.inspect_schema
        functions = {tool.tool_name for tool in tools if inspect(tool.schema).kind != "text"}
        endpoint.objects_only = frozenset(endpoint.objects_only & functions)
        if endpoint.checks is not None:
            endpoint.checks = endpoint.checks.or_those(
                checks_of(tools, inspect, endpoint.settings.validate), functions
            )


def _declared(handle: PluginHandle, adapter: PluginAdapter, formats: tuple[str, ...]) -> list[dict[str, Any]]:
    state = adapter.init({**handle.config, HINT: list(formats)})
    return adapter.schemas(state, handle.endpoint.prepared)


def _initialised_with(handle: PluginHandle) -> tuple[Any, ...]:
    given = handle.config.get(HINT)
    return tuple(given) if isinstance(given, list | tuple) else ()
