"""What a plugin of this process is asked before it runs: whether its configuration fits, its first state, its tools.

Its answers are needed before anything else of it happens, and may never come: see `in_time`.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from .config_check import require_fit
from .in_time import in_time

if TYPE_CHECKING:
    from collections.abc import Callable

    from ..plugins.adapter import PluginAdapter

Json = dict[str, Any]

Answer = TypeVar("Answer")

_REMEDY = "have it end, raise 'load_deadline', or run it in a host ('isolate'); what takes long belongs into 'prepare'"


class Offered(NamedTuple):
    """What a plugin brings: its interop contribution, or ``None``, and the schemas of its tools."""

    contribution: Any
    schemas: list[Json]


def first_state(adapter: PluginAdapter, config: Json, seconds: float | None) -> Json:
    """Hold the configuration to its schema, and return the plugin's initial state.

    Raises:
        ConfigMisfit: the configuration does not fit.
        PluginError: it raised, answered with what is no object, or did not answer in time.
    """
    job = partial(_first_state, adapter, config)
    return _ask(adapter, "init", ("get_config_schema", "init"), job, seconds)


def offered(adapter: PluginAdapter, state: Json, prepared: Json | None, seconds: float | None) -> Offered:
    """Return what the plugin brings. Raises as `first_state`."""
    job = partial(_offered, adapter, state, prepared)
    return _ask(
        adapter, "get_tool_schemas", ("get_tool_interop_contribution", "get_tool_schemas"), job, seconds
    )


def _ask(
    adapter: PluginAdapter,
    said: str,
    hooks: tuple[str, ...],
    job: Callable[[], Answer],
    seconds: float | None,
) -> Answer:
    if not any(map(adapter.offers, hooks)):  # nothing of the plugin's runs
        return job()
    doing = f"plugin {adapter.name!r}: {said}"
    return in_time(job, seconds, plugin=adapter.name, doing=doing, remedy=_REMEDY)


def _first_state(adapter: PluginAdapter, config: Json) -> Json:
    require_fit(adapter.name, adapter.get_config_schema(), config)
    return adapter.init(config)


def _offered(adapter: PluginAdapter, state: Json, prepared: Json | None) -> Offered:
    return Offered(adapter.interop_contribution(state), adapter.schemas(state, prepared))
