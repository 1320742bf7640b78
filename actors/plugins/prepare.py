"""The long-running set-up of a plugin of this process, as a job for a thread that can be lost."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ...base.errors import PluginError

if TYPE_CHECKING:
    from ...plugins.adapter.adapter import PluginAdapter
    from ..threads.hook_pool import Pending

Json = dict[str, Any]

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
