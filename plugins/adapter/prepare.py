"""A plugin's long-running setup: `prepare` and `prepare_async`, whichever it offers, from either side."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ...base.foreign import blames
from ..contract.call_modes import is_async
from ..contract.hook_table import HOOKS, offered
from ..contract.invocation import compile_hook
from .async_bridge import call_in_thread, settled, settled_here
from .hook_set import json_object, raised

if TYPE_CHECKING:
    from collections.abc import Callable

Json = dict[str, Any]

_SYNC, _ASYNC = "prepare", "prepare_async"


class Preparation:
    """One plugin's setup hooks. A plugin that offers both is asked in the way that suits the caller.

    Raises:
        ContractError: a hook is no method, or cannot be called by the contract.
    """

    def __init__(self, plugin: object, *, name: str) -> None:
        self._name = name
        self._methods: dict[str, tuple[str, Callable[..., Any]]] = {}
        for hook in (_SYNC, _ASYNC):
            method = offered(plugin, hook, name=name)
            if method is not None:
                written = _ASYNC if hook == _ASYNC or is_async(method) else _SYNC
                self._methods[written] = hook, compile_hook(method, HOOKS[hook], plugin=name)

    @property
    def offered(self) -> bool:
        """Whether there is setup to do."""
        return bool(self._methods)

    def run(self, config: Json, state: Json, context: Json | None) -> Json | None:
        """Do the setup in this thread.

        Raises:
            HookError: it raised.
            ContractError: the prepared data is no JSON object.
        """
        if not self.offered:
            return None
        hook, method = self._methods[_SYNC if _SYNC in self._methods else _ASYNC]
        try:
            answer = settled_here(method(config, state, context=context))
        except BaseException as error:  # the plugin's hook
            if not blames(error):
                raise
            raise raised(self._name, hook, error) from error
        return json_object(answer, hook, plugin=self._name) or {}

    async def run_async(self, config: Json, state: Json, context: Json | None) -> Json | None:
        """Do the setup, awaiting. Raises as `run`."""
        if not self.offered:
            return None
        written = _ASYNC if _ASYNC in self._methods else _SYNC
        hook, method = self._methods[written]
        try:
            if written == _SYNC:
                answer = await call_in_thread(lambda: method(config, state, context=context))
            else:
                answer = method(config, state, context=context)
            answer = await settled(answer)
        except (Exception, SystemExit) as error:  # the plugin's hook; a cancel of the task passes
            raise raised(self._name, hook, error) from error
        return json_object(answer, hook, plugin=self._name) or {}
