"""The plugin behind the wire: what each method of the protocol asks of it.

The contract is `PluginAdapter`'s and `HookSet`'s, the same code that a board uses for a plugin in its own
process. Only what is left to a default there is not answered here: the client has the same defaults.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ....base.errors import ContractError, HookError, PluginError
from ....base.locks import Lock
from ....plugins.adapter.adapter import PluginAdapter
from ....plugins.adapter.hook_set import HookSet
from ....plugins.contract.invocation import Invocation
from ....plugins.results.codes import Code
from ....plugins.results.normalise import FORMATTED, Worded, set_apart
from ...protocol.call_params import FACTS
from ...protocol.methods import METHODS
from .calls import Way, run_tool
from .messages import HostFault
from .self_description import description

if TYPE_CHECKING:
    from collections.abc import Callable

    from ....base.event_loop import EventLoop
    from ....plugins.results.call_result import CallResult
    from .calls import Emit
    from .cancellation import Cancellation

Json = dict[str, Any]

_HINT = "_tool_schema_target_formats"
"""What a client may add to the configuration when it asks for the declarations that a provider can take."""

_NOT_ASKED = ("can_handle_tool_call", "get_tool_interop_contribution", "is_enabled")
"""Hooks that version 1 of the protocol has no method for. A client that knows more asks those that are methods by now."""


class LoadFault(Exception):
    """The plugin never came to generation, and would not if it were tried again; why is the ``__cause__``."""


class ServedPlugin:
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
        self._lock = Lock()
        self._made: tuple[PluginAdapter, HookSet] | None = None
        self._prepared: Json | None = None
        self._prepared_for: Json | None = None
        self._client: frozenset[str] | None = None

    def describe(self) -> Json:
        """What a client is told of it; see `description`."""
        return description(self._found)

    def know_client(self, features: frozenset[str]) -> None:
        """The client knows more than version 1, and these features."""
        self._client = features

    def answer(
        self,
        method: str,
        params: Json,
        emit: Emit,
        loop: EventLoop,
        cancellation: Cancellation | None = None,
    ) -> Any:
        """Return what a method of the protocol answers.

        A state that comes with the request is the tool's to change.

        Raises:
            HostFault: there is no such method, no result was returned, or it was cancelled.
            LoadFault: the plugin breaks the contract or cannot be made.
            BaseException: what the plugin raises.
        """
        known = METHODS.get(method)
        if known is None or (known.feature is not None and self._client is None):
            raise HostFault("MethodNotFound", f"version 1 of the protocol has no method {method}")
        try:
            if method == "execute_tool":
                way = Way(params.get("stream") is not False, emit, loop, cancellation)
                return self._execute(params, way)
            return self._answer(method, params)
        except HookError as error:
            raised = error.__cause__ or error
        except ContractError as error:
            raise HostFault("InvalidResult", str(error)) from error
        raise raised  # out here, so that nothing of ours is in its context

    def _answer(self, method: str, params: Json) -> Any:
        config, state = params.get("config", {}), params.get("state", {})
        adapter, hooks = self._plugin(config)
        match method:
            case "init":
                return self._init(adapter, config)
            case "prepare" if adapter.has_prepare:
                return adapter.prepare(config, state)
            case "get_tool_schemas":
                return adapter.schemas(state, params.get("prepared", self._prepared))
            case "can_handle_tool_call" if adapter.has_claim:
                return adapter.claim(self._invocation(params), state)
        if not hooks.offers(method):
            raise HostFault("MethodNotFound", f"the plugin has no hook {method}")
        return self._ask(hooks, method, params, state)

    def _init(self, adapter: PluginAdapter, config: Json) -> Json:
        """Prepare once for a configuration: who asks again with another hint only wants other declarations.

        A client that asks for the preparation by itself hands it back with each request.
        """
        state = adapter.init(config)
        own = {key: value for key, value in config.items() if key != _HINT}
        if own != self._prepared_for and (self._client is None or "prepare" not in self._client):
            self._prepared = adapter.prepare(config, state)
            self._prepared_for = own
        return state

    def _ask(self, hooks: HookSet, method: str, params: Json, state: Json) -> Any:
        match method:
            case "get_tags":
                return hooks.ask(method, params.get("config", {}), params.get("models", []))
            case "is_enabled":
                given = (params.get("tags", []), params.get("models", []), params.get("context", {}))
                return hooks.ask(method, params.get("config", {}), *given)
            case "format_tool_result":
                return hooks.ask(method, params.get("result"), state)
            case "format_tool_call_preview":
                return hooks.ask_call(method, self._invocation(params), state)
            case "to_display_format":
                return hooks.ask(method, params.get("text"), params.get("result"), state)
            case _:
                return hooks.ask(method)

    def _execute(self, params: Json, way: Way) -> CallResult:
        adapter, _ = self._plugin({})
        answer = run_tool(adapter, self._invocation(params), params.get("state", {}), way)
        if answer.valid:
            result = set_apart(answer.result)
            if isinstance(answer, Worded):
                result[FORMATTED] = True
            return result
        # The tool was not called, for it takes no such payload.
        if answer.result.get("code") == Code.INVALID_CALL:
            return {"success": False, "error": answer.result["error"]}
        raise HostFault("InvalidResult", answer.result["error"], path=answer.result.get("path"))

    def _invocation(self, params: Json) -> Invocation:
        """The call as the plugin is given it; of a client of version 1, its arguments and no more."""
        prepared = params.get("prepared", self._prepared)
        if self._client is None or "payload" not in self._client:
            return Invocation(
                params.get("tool_name"), params.get("arguments", {}), "object", prepared=prepared
            )
        return Invocation(
            params.get("tool_name"),
            params.get("arguments", params.get("payload", {})),
            params.get("payload_kind", "object"),
            prepared=prepared,
            **{fact: params.get(fact) for fact in FACTS},
        )

    def _is_asked(self, hook: str) -> bool:
        """Whether this client may ask for a hook that is not of version 1."""
        return self._client is not None and hook in METHODS and METHODS[hook].feature in self._client

    def _plugin(self, config: Json) -> tuple[PluginAdapter, HookSet]:
        """Make the plugin when it is first needed, which is at `init`: a class may want its configuration."""
        with self._lock:  # across the plugin's own code: calls that come at once make one plugin
            if self._made is None:
                try:
                    adapter = PluginAdapter(self._found, name=self._name, config=config)
                    hooks = HookSet(adapter.plugin, name=self._name)
                except PluginError as error:
                    raise LoadFault from error
                for hook in filter(hooks.offers, _NOT_ASKED):
                    if self._is_asked(hook):
                        continue
                    self._log(f"{hook} of plugin {self._name!r} is not asked in a host")
                self._made = adapter, hooks
            return self._made
