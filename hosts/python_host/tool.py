"""The plugin behind the wire: what each method of the protocol asks of it.

The contract is `PluginAdapter`'s and `HookSet`'s, the same code that a board uses for a plugin in its own
process. Only what is left to a default there is not answered here: the client has the same defaults.
"""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any

from ...plugins.adapter import PluginAdapter
from ...plugins.asking import HookSet
from ...plugins.calling import Invocation
from ...plugins.errors import ContractError, HookError, PluginError
from ..methods import METHODS
from .messages import HostFault
from .running import run_tool

if TYPE_CHECKING:
    from collections.abc import Callable

    from .event_loop import EventLoop
    from .running import Emit

Json = dict[str, Any]

_HINT = "_tool_schema_target_formats"
"""What a client may add to the configuration when it asks for the declarations that a provider can take."""

_NOT_ASKED = ("can_handle_tool_call", "get_tool_interop_contribution", "is_enabled")
"""Hooks that the protocol has no method for."""


class LoadFault(Exception):  # noqa: N818 - the ``__cause__`` is the error
    """The plugin never came to life, and would not if it were tried again; why is the ``__cause__``."""


class HostedPlugin:
    """A plugin that answers requests.

    Args:
        found: what was loaded: a class or an instance.
        name: what it goes by.
        log: told what its author should know.
    """

    def __init__(self, found: Any, name: str, log: Callable[[str], None]) -> None:
        self._found = found
        self._name = name
        self._log = log
        self._lock = threading.Lock()
        self._made: tuple[PluginAdapter, HookSet] | None = None
        self._prepared: Json | None = None
        self._prepared_for: Json | None = None

    def answer(self, method: str, params: Json, emit: Emit, loop: EventLoop) -> Any:
        """Return what a method of the protocol answers.

        A state that comes with the request is the tool's to change.

        Raises:
            HostFault: there is no such method, or no result was returned.
            LoadFault: the plugin breaks the contract or cannot be made.
            BaseException: what the plugin raises.
        """
        if method not in METHODS:
            raise HostFault("MethodNotFound", f"version 1 of the protocol has no method {method}")
        try:
            return self._answer(method, params, emit, loop)
        except HookError as error:
            raised = error.__cause__ or error
        except ContractError as error:
            raise HostFault("InvalidResult", str(error)) from error
        raise raised  # out here, so that nothing of ours is in its context

    def _answer(self, method: str, params: Json, emit: Emit, loop: EventLoop) -> Any:
        adapter, hooks = self._plugin(params.get("config", {}))
        state = params.get("state", {})
        match method:
            case "execute_tool":
                return self._execute(adapter, params, state, emit, loop)
            case "init":
                return self._init(adapter, params.get("config", {}))
            case "get_tool_schemas":
                return adapter.schemas(state, self._prepared)
        if not hooks.offers(method):
            raise HostFault("MethodNotFound", f"the plugin has no hook {method}")
        match method:
            case "get_tags":
                return hooks.ask(method, params.get("config", {}), params.get("models", []))
            case "format_tool_result":
                return hooks.ask(method, params.get("result"), state)
            case "format_tool_call_preview":
                return hooks.ask_call(method, self._invocation(params), state)
            case "to_display_format":
                return hooks.ask(method, params.get("text"), params.get("result"), state)
            case _:
                return hooks.ask(method)

    def _init(self, adapter: PluginAdapter, config: Json) -> Json:
        """Prepare once for a configuration: who asks again with another hint only wants other declarations."""
        state = adapter.init(config)
        own = {key: value for key, value in config.items() if key != _HINT}
        if own != self._prepared_for:
            self._prepared = adapter.prepare(config, state)
            self._prepared_for = own
        return state

    def _execute(
        self, adapter: PluginAdapter, params: Json, state: Json, emit: Emit, loop: EventLoop
    ) -> Json:
        invocation = self._invocation(params)
        stream = params.get("stream") is not False
        answer = run_tool(adapter, invocation, state, stream=stream, emit=emit, loop=loop)
        if not answer.valid:
            raise HostFault("InvalidResult", answer.result["error"], path=answer.result.get("path"))
        return answer.result

    def _invocation(self, params: Json) -> Invocation:
        return Invocation(
            params.get("tool_name"), params.get("arguments", {}), "object", prepared=self._prepared
        )

    def _plugin(self, config: Json) -> tuple[PluginAdapter, HookSet]:
        """Make the plugin when it is first needed, which is at `init`: a class may want its configuration."""
        with self._lock:
            if self._made is None:
                try:
                    adapter = PluginAdapter(self._found, name=self._name, config=config)
                    hooks = HookSet(adapter.plugin, name=self._name)
                except PluginError as error:
                    raise LoadFault from error
                for hook in filter(hooks.offers, _NOT_ASKED):
                    self._log(f"{hook} of plugin {self._name!r} is not asked in a host; calls come by name")
                self._made = adapter, hooks
            return self._made
