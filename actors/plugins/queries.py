"""What a board asks of its plugins beside calls: what they are, and the cheap hooks that format and preview."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

from ...base.errors import PluginError
from .config_schema import require_fit

if TYPE_CHECKING:
    from collections.abc import Callable

    from ...plugins.adapter.adapter import PluginAdapter
    from ..threads.hook_pool import HookPool
    from .manager import PluginManager
    from .scatter_gather import ScatterGather

Answer = TypeVar("Answer")

Json = dict[str, Any]


class Queries:
    """See the module. Any thread.

    Args:
        plugin_manager: the plugins.
        scatter_gather: asks several of them.
        threads: where hooks run.
    """

    def __init__(
        self, plugin_manager: PluginManager, scatter_gather: ScatterGather, threads: HookPool
    ) -> None:
        self._plugins = plugin_manager
        self._scatter_gather = scatter_gather
        self._threads = threads

    def adapter(self, name: str) -> PluginAdapter:
        """A plugin with all its hooks, for formatting and previews.

        Raises:
            KeyError: there is no such plugin.
        """
        return self._plugins.handle(name).endpoint.adapter

    def run_hook(
        self, name: str, hook: Callable[[PluginAdapter, dict[str, Any]], Answer], timeout: float = 5.0
    ) -> Answer:
        """Run one of a plugin's cheap hooks (formatting, a preview) with a copy of its state.

        It runs on a thread of its own, so that one that hangs costs its caller ``timeout`` seconds
        and no other call anything.

        Raises:
            KeyError: there is no such plugin.
            HookFailed: it raised, or did not return in time.
        """
        endpoint = self._plugins.handle(name).endpoint
        return self._threads.call(name, lambda: hook(endpoint.adapter, endpoint.cell.copy()), timeout)

    def check_config(self, name: str, timeout: float = 5.0) -> None:
        """Hold the configuration of a plugin in a host to its schema; one of this process is held to it before its `init`.

        One without a configuration is asked only if its host says that there is a schema: hosts of version 1 owe no
        answer to that question. What cannot be asked is let be, for this is help, and no condition.

        Raises:
            KeyError: there is no such plugin.
            ConfigMisfit: it does not fit.
        """
        handle = self._plugins.handle(name)
        if not handle.config and not handle.has_config_schema:
            return
        answer = self._scatter_gather.ask(
            [handle], "configuration schema", lambda _, adapter: adapter.get_config_schema(), timeout=timeout
        )[name]
        if not isinstance(answer, PluginError):
            require_fit(name, answer, handle.config)

    def ui_elements(self, timeout: float = 5.0) -> dict[str, list[dict[str, Any]]]:
        """What each plugin says of its user interface, of those that say something and can be asked."""
        answers = self._scatter_gather.ask(
            self._plugins.handles().values(),
            "user interface elements",
            lambda _, adapter: adapter.get_ui_elements(),
            needs=("get_ui_elements",),
            timeout=timeout,
        )
        return {name: said for name, said in answers.items() if said and not isinstance(said, PluginError)}

    def describe(self, name: str, config: Json, models: list[Json], timeout: float) -> Json:
        """What a plugin says of itself beside its tools, as JSON; asked where it runs.

        Raises:
            KeyError: there is no such plugin.
            HookFailed: a hook raised, or they did not return in time.
        """

        def ask(adapter: PluginAdapter, state: Json) -> Json:
            del state
            return {
                "plugin": adapter.name,
                "version": adapter.version,
                "config_schema": adapter.get_config_schema(),
                "ui_elements": adapter.get_ui_elements(),
                "tags": adapter.get_tags(config, models),
                "required_tags": adapter.required_tags(),
                "forbidden_tags": adapter.forbidden_tags(),
            }

        return self.run_hook(name, ask, timeout)
