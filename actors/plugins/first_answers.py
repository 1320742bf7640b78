"""What a plugin of this process is asked before it runs: whether its configuration fits, its first state, its tools.

Its answers are needed before anything else of it happens, and may never come: see `in_time`.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from ...base.errors import ContractError, JsonValueError, PluginError
from ...base.json import copy_json, dump_inner
from ..threads.timeout import in_time
from .config_schema import require_fit

if TYPE_CHECKING:
    from collections.abc import Callable

    from ...plugins.adapter.adapter import PluginAdapter
    from ..threads.hook_pool import Pending


Json = dict[str, Any]

Answer = TypeVar("Answer")

_REMEDY = "have it end, raise 'load_deadline', or run it in a host ('isolate'); what takes long belongs into 'prepare'"


class Offered(NamedTuple):
    """What a plugin brings: its interop contribution, or ``None``, and the schemas of its tools."""

    contribution: Any
    schemas: list[Json]


class First(NamedTuple):
    """The initial state, which is what its schemas were asked for with, and what the plugin brings; ``None`` of one that has to be prepared before that is asked."""

    state: Json
    offered: Offered | None


def first_answers(adapter: PluginAdapter, config: Json, seconds: float | None) -> First:
    """Hold the configuration to its schema, and ask for the initial state, and for the tools if nothing is to be prepared.

    Raises:
        ConfigMisfit: the configuration does not fit.
        PluginError: it raised, answered in the wrong shape, or did not answer in time.
    """
    hooks = "get_config_schema", "init", *(() if adapter.has_prepare else _OFFERING)
    return _ask(adapter, hooks, partial(_first_answers, adapter, config), seconds)


def offered(adapter: PluginAdapter, state: Json, prepared: Json | None, seconds: float | None) -> Offered:
    """Return what a plugin brings that has been prepared. Raises `PluginError` as `first_answers`."""
    return _ask(adapter, _OFFERING, partial(_offered, adapter, state, prepared), seconds)


_OFFERING = ("get_tool_interop_contribution", "get_tool_schemas")


def _ask(
    adapter: PluginAdapter, hooks: tuple[str, ...], job: Callable[[], Answer], seconds: float | None
) -> Answer:
    asked = [hook for hook in hooks if adapter.offers(hook)]
    if not asked:  # nothing of the plugin's runs
        return job()
    doing = f"plugin {adapter.name!r}: asking it for {' and '.join(asked)}"
    return in_time(job, seconds, plugin=adapter.name, doing=doing, remedy=_REMEDY)


def first_state(adapter: PluginAdapter, state: Json) -> Json:
    """Return the state that a plugin begins with: a copy, for it may have kept this one.

    Raises:
        ContractError: what it has made of its state is no JSON, or nested too deep.
    """
    try:
        copy: Json = copy_json(state, what="$.state")
        dump_inner(copy, what="$.state")
    except JsonValueError as error:
        raise ContractError(
            f"plugin {adapter.name!r}: its state cannot be kept: {error}", plugin=adapter.name
        ) from error
    return copy


def _first_answers(adapter: PluginAdapter, config: Json) -> First:
    require_fit(adapter.name, adapter.get_config_schema(), config)
    state = adapter.init(config)
    return First(state, None if adapter.has_prepare else _offered(adapter, state, None))


def _offered(adapter: PluginAdapter, state: Json, prepared: Json | None) -> Offered:
    return Offered(adapter.interop_contribution(state), adapter.schemas(state, prepared))


Prepared = Json | PluginError | None
"""What a set-up returned, or why it failed."""


def set_up(adapter: PluginAdapter, config: Json, state: Json, context: Json) -> Prepared:
    """Return what a plugin prepares, or why it cannot, in the words of its adapter."""
    try:
        return adapter.prepare(config, state, context)
    except PluginError as error:
        return error


def outcome(setting_up: Pending[Prepared]) -> Json | None:
    """Wait for a set-up, and return what it has prepared. Raises `PluginError` if it has come to nothing."""
    prepared = setting_up.wait()
    if isinstance(prepared, PluginError):
        raise prepared
    return prepared
