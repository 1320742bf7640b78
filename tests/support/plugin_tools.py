"""Small plugins, written in every way that a tool can be written."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

from callboard.plugins.adapter.adapter import PluginAdapter
from callboard.plugins.contract.invocation import Invocation

if TYPE_CHECKING:
    from collections.abc import Callable

    from callboard.plugins.results.hook_faults import HookFault

GOOD = {"success": True, "result": "done"}
CALL = Invocation("echo", {"value": "hello"}, "object")


def plugin(**hooks: Any) -> Any:
    """A plugin named ``tool`` that offers just these hooks; they take no ``self``."""
    methods = {name: staticmethod(hook) if callable(hook) else hook for name, hook in hooks.items()}
    return type("Tool", (), {"name": "tool", **methods})()


def adapted(*, report: Callable[[HookFault], None] | None = None, **hooks: Any) -> PluginAdapter:
    """The adapter of `plugin`; it can run a tool even if no hook is given that does."""
    if not any(name.startswith(("execute_tool", "stream_tool")) for name in hooks):
        hooks["execute_tool"] = lambda tool_name, payload, state: dict(GOOD)
    if report is None:
        return PluginAdapter(plugin(**hooks))
    return PluginAdapter(plugin(**hooks), report=report)


async def collect(stream: Any) -> list[Any]:
    """All that an asynchronous stream yields."""
    return [chunk async for chunk in stream]


def both_ways(adapter: PluginAdapter, invocation: Invocation = CALL) -> list[list[Any]]:
    """The chunks of one call, run from a thread and run from an event loop."""
    return [
        list(adapter.stream(invocation, {})),
        asyncio.run(collect(adapter.stream_async(invocation, {}))),
    ]
