"""The contract of providers, of their extensions and of features: every hook that one may offer.

The protocols are structural, like `ToolPlugin`: nothing need derive from them, and what a plugin leaves
out is supplied by `ProviderAdapter`. A hook may leave out parameters at the end of the list, and ``context``.

One request goes through the hooks in this order, with one state dict. What a hook returns as the state
is handed to the next. Extensions come before the provider, in the order of their registration. Features come
before them in `initialize_request`, and after all in `finalize`; of other hooks but `init` they have none here::

    init ──▶ to_native_messages ──▶ initialize_request ──▶ send_request_stream ──▶ finalize ──▶ from_native_messages

Where all of them may speak (`init`, `initialize_request`, `finalize`), all are asked. Where only one can
(`to_native_messages`, `from_native_messages`), the first that does not answer ``None`` has spoken.

Keys of the state that others may rely on:

- ``request``: ``{"payload": {…}}``, the body that is sent, as far as it is made;
- ``_tools``: the source schemas of the request's tools, as the tools wrote them;
- ``partial``: what came of the answer: ``content``, ``tool_calls`` in the provider's own format.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NoReturn, Protocol

from ...plugins.contract.contract import BasePlugin

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterator

    from ...interop.default_registry import ToolInteropContribution

Json = dict[str, Any]


def _not_implemented(provider: object, hook: str) -> NoReturn:
    # Raised here and not in the hooks: a type checker takes a protocol's method that only raises this for an abstract one, and
    # a provider may leave out either of the two.
    raise NotImplementedError(f"{type(provider).__name__} does not implement {hook}")


class Feature(BasePlugin, Protocol):
    """What adds something to the requests of any provider: to what is sent, and to what comes of it.

    It shares the state of provider and extensions, and neither spells the history nor sends it. On the way out it
    is asked before them, on the way back after them; several features in the order of their registration.
    """

    def get_tool_interop_contribution(self, state: Json) -> ToolInteropContribution | None:
        """Return formats that the request's registry is to know too."""
        return None

    def initialize_request(
        self, native_messages: list[Any], state: Json, *, context: Json | None = None
    ) -> tuple[list[Any], Json] | None:
        """Make the payload; return the history as it is sent, and the state.

        An implementation puts tools in only if there are none yet: ``"tools" not in payload``.
        """
        return None

    def finalize(
        self,
        final_messages: list[Json],
        native_messages: list[Any],
        state: Json,
        *,
        context: Json | None = None,
    ) -> tuple[list[Json], list[Any], Json] | None:
        """Settle what came; return core messages, the native history with the answer, and the state.

        Calls are sanitized here, before they are kept. That cannot make a broken call run: it was
        inspected before. A provider that adds no answer to the history, and no core message, has its
        core message made from ``state["partial"]``.
        """
        return None


class ProviderExtension(Feature, Protocol):
    """What changes how a provider is asked, such as another API of the same provider."""

    def accepted_tool_schema_formats(self, state: Json) -> list[str] | None:
        """Return the formats of tool declarations that can be sent, best first."""
        return None

    def to_native_messages(
        self, messages: list[Json], state: Json, *, context: Json | None = None
    ) -> list[Any] | None:
        """Return the history as the provider writes it; by default as it is. Nothing given is changed."""
        return None

    def from_native_messages(
        self, native_messages: list[Any], state: Json, *, context: Json | None = None
    ) -> list[Json] | None:
        """Return core messages of what `finalize` added to the history."""
        return None


class Provider(ProviderExtension, Protocol):
    """What asks a model. It offers `send_request_stream`, or its asynchronous twin, or both."""

    def send_request_stream(
        self, native_messages: list[Any], state: Json, *, context: Json | None = None
    ) -> Iterator[Json]:
        """Send the request; yield events as they come, and gather the answer in ``state["partial"]``.

        Events are ``text`` and ``reasoning`` (each with ``text``), ``usage``, ``retry``, and ``tool_call``
        (with the whole native ``tool_call``). Of a provider that gathers nothing, the events are gathered.
        ``state["partial"]["stop_reason"]`` says why the model stopped, in any provider's words: see `stop_reasons`.

        Raises:
            ProviderError: it failed. What was gathered until then becomes a message all the same.
        """
        _not_implemented(self, "send_request_stream")

    def send_request_stream_async(
        self, native_messages: list[Any], state: Json, *, context: Json | None = None
    ) -> AsyncIterator[Json]:
        """Do as `send_request_stream`, awaiting."""
        _not_implemented(self, "send_request_stream_async")
