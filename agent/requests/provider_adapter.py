"""`ProviderAdapter`: one provider, extension or feature, with every hook present and every default supplied.

What a hook answers is checked to be of its shape here, so that a wrong answer names the plugin and
the hook. The values themselves are live: a state dict is handed on, not copied, for features, extensions and
provider share it during a request.
"""

from __future__ import annotations

import inspect
from collections.abc import AsyncIterable, Awaitable, Iterable, Mapping
from typing import TYPE_CHECKING, Any

from ...base.errors import ContractError
from ...base.foreign import Log, blames, contain
from ...base.validation import a_type, require, require_mapping
from ...plugins.adapter.hook_set import json_object, raised
from ...plugins.adapter.instances import make_instance
from ...plugins.contract.call_modes import is_async
from ...plugins.contract.invocation import compile_hook
from ..errors import ProviderError
from .provider_hooks import FEATURE_HOOKS, PROVIDER_HOOKS, SENDING_HOOKS, provider_hook

if TYPE_CHECKING:
    from collections.abc import Callable

    from ...base.errors import HookError

logger: Log = Log("callboard.agent")

Json = dict[str, Any]

_SENT = {
    "send_request_stream": (Iterable, ""),
    "send_request_stream_async": (AsyncIterable, " with async for"),
}


class ProviderAdapter:
    """One provider, one extension or one feature, complete.

    Args:
        plugin: an instance or a class.
        name: the name it is to go by; its own if ``None``, else its class's.
        config: what its `init` is given, and a class that takes its configuration in its constructor.
        extension: it changes how a provider is asked, and asks no model itself.
        feature: it adds to requests; of a feature only `FEATURE_HOOKS` are looked at.

    Attributes:
        plugin: the plugin object.
        name: its name.
        version: its version; ``"0"`` if it has none.
        extension: it changes how a provider is asked, and asks no model itself.
        made: it was made here, of its class; the holder of the adapter closes it. Any other has an owner.

    Raises:
        ContractError: it is no provider, or one of its hooks cannot be called by the contract.
        PluginLoadError: the class could not be instantiated.
        TypeError: the configuration or the name is none.
    """

    def __init__(
        self,
        plugin: Any,
        *,
        name: str | None = None,
        config: Json | None = None,
        extension: bool = False,
        feature: bool = False,
    ) -> None:
        require_mapping("the configuration of a provider", config)
        require(name is None or isinstance(name, str), "the name of a provider", name, "a text")
        self._config = dict(config or {})
        self.plugin: Any = make_instance(plugin, self._config) if isinstance(plugin, type) else plugin
        self.name: str = name or str(getattr(self.plugin, "name", "") or type(self.plugin).__name__)
        self.version: str = str(getattr(self.plugin, "version", "0"))
        self.extension = extension
        self.made: bool = isinstance(plugin, type)
        self._hooks: dict[str, Callable[..., Any]] = {}
        asks_nobody = extension or feature
        left_out = PROVIDER_HOOKS.keys() - FEATURE_HOOKS if feature else SENDING_HOOKS if extension else ()
        for hook in PROVIDER_HOOKS.values():
            method = provider_hook(self.plugin, hook.name, name=self.name)
            if method is None or hook.name in left_out:
                continue
            if hook.at_once and is_async(method):
                raise self._wrong(f"{hook.name} is asynchronous; it has to answer at once")
            self._hooks[hook.name] = compile_hook(method, hook, plugin=self.name)
        if not asks_nobody and self._hooks.keys().isdisjoint(SENDING_HOOKS):
            raise self._wrong(f"a provider has to offer one of {', '.join(SENDING_HOOKS)}")

    @property
    def config(self) -> Json:
        """What it was registered with."""
        return dict(self._config)

    def close(self) -> BaseException | None:
        """Close the plugin if it was made here and can be closed; return an interrupt that came out of it."""
        close = getattr(self.plugin, "close", None) if self.made else None
        try:
            if callable(close):
                close()
        except BaseException as error:  # noqa: BLE001 - an interrupt is for the caller, who may have more to close
            # A provider's code; whatever it holds on to is no reason to leave the rest open.
            return contain(error, logger, "closing the provider %r failed", self.name)
        return None

    def __repr__(self) -> str:
        return f"ProviderAdapter({self.name!r}, version={self.version!r})"

    def offers(self, hook: str) -> bool:
        """Say whether the plugin itself implements a hook."""
        return hook in self._hooks

    # Each raises HookError, with the plugin's exception as its cause, and ContractError for a wrong answer.

    def init(self, config: Json) -> Json:
        """Return the state that a request begins with, from the plugin's configuration and the request's."""
        return json_object(self._ask("init", {**self._config, **config}), "init", plugin=self.name) or {}

    def accepted_tool_schema_formats(self, state: Json) -> list[str]:
        """Return the formats of declarations that can be sent, best first; none by default."""
        hook = "accepted_tool_schema_formats"
        answer = self._ask(hook, state)
        if answer is None:
            return []
        if not isinstance(answer, list | tuple) or not all(isinstance(each, str) for each in answer):
            raise self._misshapen(hook, "a list of strings", answer)
        return list(answer)

    def interop_contribution(self, state: Json) -> Any:
        """Return what the plugin adds to the registry as it is, or ``None``."""
        return self._ask("get_tool_interop_contribution", state)

    def to_native_messages(self, messages: list[Json], state: Json, context: Json | None) -> list[Any] | None:
        """Return the history as the provider writes it; ``None`` if the plugin leaves that to others."""
        return self._messages("to_native_messages", messages, state, context=context)

    def initialize_request(
        self, native_messages: list[Any], state: Json, context: Json | None
    ) -> tuple[list[Any], Json]:
        """Return the history as it is sent, and the state; by default both as they are."""
        hook = "initialize_request"
        match self._ask(hook, native_messages, state, context=context):
            case None:
                return native_messages, state
            case (list() as native, dict() as new):
                return native, new
            case answer:
                raise self._misshapen(hook, "(native_messages, state)", answer)

    def finalize(
        self,
        final_messages: list[Json],
        native_messages: list[Any],
        state: Json,
        context: Json | None,
    ) -> tuple[list[Json], list[Any], Json]:
        """Return core messages, the native history and the state; by default all as they are."""
        hook = "finalize"
        match self._ask(hook, final_messages, native_messages, state, context=context):
            case None:
                return final_messages, native_messages, state
            case (list() as final, list() as native, dict() as new):
                return final, native, new
            case answer:
                raise self._misshapen(hook, "(final_messages, native_messages, state)", answer)

    def from_native_messages(
        self, native_messages: list[Any], state: Json, context: Json | None
    ) -> list[Json] | None:
        """Return core messages of native ones; ``None`` if the plugin leaves that to others."""
        return self._messages("from_native_messages", native_messages, state, context=context)

    def send(self, hook: str, native_messages: list[Any], state: Json, context: Json | None) -> Any:
        """Return what one of the `SENDING_HOOKS` answers, to be iterated; what it raises is the caller's to sort out."""
        answer = self._hooks[hook](native_messages, state, context=context)
        wanted, how = _SENT[hook]
        if isinstance(answer, wanted) and not isinstance(answer, str | bytes | Mapping):
            return answer
        if inspect.iscoroutine(answer):
            answer.close()  # one that is dropped unclosed warns
        raise self._misshapen(hook, f"events to iterate{how}", answer)

    def failed(self, hook: str, error: BaseException) -> HookError:
        """Return the error that says that a hook raised ``error``, which has to be its cause."""
        return raised(self.name, hook, error)

    def _messages(self, hook: str, *values: Any, context: Json | None) -> list[Any] | None:
        answer = self._ask(hook, *values, context=context)
        if answer is not None and not isinstance(answer, list):
            raise self._misshapen(hook, "a list of messages", answer)
        return answer

    def _ask(self, hook: str, *values: Any, **facts: Any) -> Any:
        method = self._hooks.get(hook)
        if method is None:
            return None
        try:
            answer = method(*values, **facts)
        except ProviderError:
            raise
        except BaseException as error:  # the provider's hook
            if not blames(error):
                raise
            raise raised(self.name, hook, error) from error
        if isinstance(answer, Awaitable):
            if hasattr(answer, "close"):
                answer.close()  # a coroutine that is dropped unclosed warns
            raise self._wrong(f"{hook} answered with something to await; it has to answer at once")
        return answer

    def _misshapen(self, hook: str, wanted: str, answer: Any) -> ContractError:
        return self._wrong(f"{hook} has to return {wanted}; it returned {a_type(answer)}")

    def _wrong(self, problem: str) -> ContractError:
        return ContractError(f"provider {self.name!r}: {problem}", plugin=self.name)
