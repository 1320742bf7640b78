"""The part of a board that asks its plugins: what they say of themselves, and the cheap hooks that others run on them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

from ..base.errors import PluginError
from .plugins.config_schema import require_fit

if TYPE_CHECKING:
    from collections.abc import Callable

    from ..plugins.adapter.adapter import PluginAdapter
    from .plugins.manager import PluginManager
    from .plugins.survey import Survey
    from .threads.hook_pool import HookThreads

Answer = TypeVar("Answer")


class AsksPlugins:
    """See the module. Whoever is one has a plugin_manager, and sets ``survey`` and ``_threads``."""

    plugin_manager: PluginManager
    survey: Survey
    _threads: HookThreads

    def adapter(self, name: str) -> PluginAdapter:
        """A plugin with all its hooks, for formatting and previews.

        Raises:
            KeyError: there is no such plugin.
        """
        return self.plugin_manager.member(name).endpoint.adapter

    def run_hook(
        self, name: str, hook: Callable[[PluginAdapter, dict[str, Any]], Answer], timeout: float = 5.0
    ) -> Answer:
        """Run one of a plugin's cheap hooks (formatting, a preview) with a copy of its state.

        It runs on a thread of its own, so that one that hangs costs its caller ``timeout`` seconds
        and nobody else anything.

        Raises:
            KeyError: there is no such plugin.
            HookFailed: it raised, or did not return in time.
        """
        endpoint = self.plugin_manager.member(name).endpoint
        return self._threads.call(name, lambda: hook(endpoint.adapter, endpoint.cell.copy()), timeout)

    def check_config(self, name: str, timeout: float = 5.0) -> None:
        """Hold the configuration of a plugin in a host to its schema; one of this process is held to it before its `init`.

        One without a configuration is asked only if its host says that there is a schema: hosts of version 1 owe no
        answer to that question. What cannot be asked is let be, for this is help, and no condition.

        Raises:
            KeyError: there is no such plugin.
            ConfigMisfit: it does not fit.
        """
        member = self.plugin_manager.member(name)
        if not member.config and not member.has_config_schema:
            return
        answer = self.survey.ask(
            [member], "configuration schema", lambda _, adapter: adapter.get_config_schema(), timeout=timeout
        )[name]
        if not isinstance(answer, PluginError):
            require_fit(name, answer, member.config)

    def ui_elements(self, timeout: float = 5.0) -> dict[str, list[dict[str, Any]]]:
        """What each plugin says of its user interface, of those that say something and can be asked."""
        answers = self.survey.ask(
            self.plugin_manager.members().values(),
            "user interface elements",
            lambda _, adapter: adapter.get_ui_elements(),
            needs=("get_ui_elements",),
            timeout=timeout,
        )
        return {name: said for name, said in answers.items() if said and not isinstance(said, PluginError)}

    def state_of(self, name: str) -> dict[str, Any]:
        """A copy of a plugin's committed state. Raises `KeyError`."""
        return self.plugin_manager.member(name).endpoint.cell.copy()
