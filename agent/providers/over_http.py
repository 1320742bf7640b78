"""A provider that is one wire over HTTP: the hooks of the contract, each a few lines over the pure parts.

The history that is sent is repaired first, whatever was done to it: every call has its one result, where the
provider wants it. What the state holds is JSON, apart from what others put there.

A provider says in ``state["wires"]`` which APIs it can send to, and an extension that spells another one holds
back. Beside the payload, ``state["request"]`` says whose it is (``wire``), and what comes later in the order leaves
it alone.
"""

from __future__ import annotations

from contextlib import aclosing, closing
from typing import TYPE_CHECKING, Any, ClassVar

from ...interop.default_registry import get_registry_from_context
from ...interop.transcripts.repair import repair_transcript
from ..requests.stop_reasons import stop_of
from ..wires.attached import with_attachments
from ..wires.core_history import as_sent, conversion_of, core_messages, read_history
from ..wires.options import CONFIG_SCHEMA, read_options
from .http import HttpShell
from .provider_request import ProviderRequest

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Generator, Mapping

    from ..wires.options import Options
    from ..wires.wire import Wire
    from .http import KeyHeader

Json = dict[str, Any]


class Spelled:
    """The hooks that spell a request and its answer in one wire; they send nothing.

    Attributes:
        wire: the API.
        home: the provider's own address.
        api_key_env: the variable of its key.
    """

    name: ClassVar[str]
    version: ClassVar[str] = "1"
    wire: ClassVar[Wire]
    home: ClassVar[str]
    api_key_env: ClassVar[str]

    def get_tags(self, config: Json, models: list[Json]) -> list[str]:
        """Return what a plugin's ``required_tags`` may count on: these APIs take tools."""
        return ["supports_tools"]

    def accepted_tool_schema_formats(self, state: Json) -> list[str]:
        """Return the formats of declarations that are sent, best first."""
        if not self._can_be_sent(state):
            return []
        custom = self.wire.custom if self._options(state).custom_tools else ()
        return [*custom, *self.wire.schemas]

    def to_native_messages(
        self, messages: list[Json], state: Json, *, context: Json | None = None
    ) -> list[Any] | None:
        """Return the history as this API writes it."""
        if not self._can_be_sent(state):
            return None
        return self.wire.write_history(
            read_history(messages, self.wire, self._options(state), state, context)
        )

    def initialize_request(
        self, native_messages: list[Any], state: Json, *, context: Json | None = None
    ) -> tuple[list[Any], Json]:
        """Make the payload, unless it is made for another API; put tools in if there are none.

        What the history refers to is looked up for the payload alone: the history keeps the references.
        """
        request = state.get("request") or {}
        if not self._can_be_sent(state) or request.get("wire", self.wire.family) != self.wire.family:
            return native_messages, state
        options = self._options(state)
        native = repair_transcript(native_messages, self.wire.family).transcript
        sent = with_attachments(as_sent(native), self.wire.family, provider=options.provider, context=context)
        payload = {**self.wire.write_payload(sent, options), **(request.get("payload") or {})}
        if "tools" not in payload and state.get("_tools"):
            payload["tools"] = conversion_of(self.wire, options, state, context).schemas()
            if self.wire.tool_choice is not None:
                payload.setdefault("tool_choice", self.wire.tool_choice)
        payload |= options.extra
        payload = {key: value for key, value in payload.items() if value is not None}
        request = {**request, "payload": payload, "wire": self.wire.family, "turn": len(native)}
        return native, {**state, "request": request}

    def finalize(
        self,
        final_messages: list[Json],
        native_messages: list[Any],
        state: Json,
        *,
        context: Json | None = None,
    ) -> tuple[list[Json], list[Any], Json]:
        """Sanitize the calls that came, and add the answer to the history, unless an extension has."""
        request, partial = state.get("request") or {}, state.get("partial")
        ours = request.get("wire") == self.wire.family and not request.get("answered")
        if not ours or not isinstance(partial, dict):
            return final_messages, native_messages, state
        registry = get_registry_from_context(context)
        calls = [registry.sanitize_tool_call(call) for call in partial.get("tool_calls") or ()]
        partial = {"content": "", "kept": [], **partial, "tool_calls": as_sent(calls)}
        # What was kept alone would be refused as a message, unless the provider wants to go on from it.
        said = partial["content"] or calls or stop_of(partial).reason == "paused"
        answer = self.wire.write_answer(partial) if said else []
        state = {**state, "partial": partial, "request": {**request, "answered": True}}
        return final_messages, [*native_messages, *answer], state

    def from_native_messages(
        self, native_messages: list[Any], state: Json, *, context: Json | None = None
    ) -> list[Json] | None:
        """Return the core's message of an answer, if it is one of this API."""
        request = state.get("request") or {}
        if request.get("wire") != self.wire.family:
            return None
        options = self._options(state)
        conversion = conversion_of(self.wire, options, state, context)
        spoken = self.wire.read_answer(native_messages)
        turn = request.get("turn", 0)
        return core_messages(spoken, self.wire, conversion, turn=turn, server=options.server)

    def _can_be_sent(self, state: Json) -> bool:
        return self.wire.family in state.get("wires", ())

    def _options(self, state: Json) -> Options:
        return self._read(state.get("config") or {})

    def _read(self, config: Mapping[str, Any]) -> Options:
        named = config.get("provider")  # the name that it is registered under, which errors are to tell
        name = named if isinstance(named, str) and named else self.name
        return read_options(config, provider=name, home=self.home, api_key_env=self.api_key_env)


class OverHttp(Spelled):
    """A provider; its connections are kept until it is closed.

    Args:
        shell: sends the requests; one of its own by default.

    Attributes:
        key: the header of its key.
        wires: the APIs of the server that it can send to: its own, and those that an extension may spell.
    """

    key: ClassVar[KeyHeader]
    wires: ClassVar[tuple[Wire, ...]]

    def __init__(self, *, shell: HttpShell | None = None) -> None:
        self._shell = shell or HttpShell(self.key)

    def __repr__(self) -> str:
        return f"{type(self).__name__}()"

    def close(self) -> None:
        """Close its connections. It can be used again, and opens new ones then."""
        self._shell.close()

    def get_config_schema(self) -> Json:
        """Return the JSON Schema of the configuration."""
        return CONFIG_SCHEMA

    def init(self, config: Json) -> Json:
        """Return the state of a request: the configuration, which is checked here."""
        self._read(config)
        return {"config": dict(config), "wires": [wire.family for wire in self.wires]}

    def send_request_stream(
        self,
        native_messages: list[Any],
        state: Json,
        *,
        context: Json | None = None,
    ) -> Generator[Json, None, None]:
        """Send the payload; yield events, and leave what came in ``state["partial"]``."""
        asking, options = self._asking(state)
        try:
            with closing(self._shell.stream(asking, options)) as events:
                yield from events
        finally:
            state["partial"] = asking.partial

    async def send_request_stream_async(
        self,
        native_messages: list[Any],
        state: Json,
        *,
        context: Json | None = None,
    ) -> AsyncGenerator[Json, None]:
        """Do as `send_request_stream`, awaiting."""
        asking, options = self._asking(state)
        try:
            async with aclosing(self._shell.stream_async(asking, options)) as events:
                async for event in events:
                    yield event
        finally:
            state["partial"] = asking.partial

    def _asking(self, state: Json) -> tuple[ProviderRequest, Options]:
        request, options = state.get("request") or {}, self._options(state)
        family = request.get("wire", self.wire.family)
        wire = next((wire for wire in self.wires if wire.family == family), self.wire)
        return ProviderRequest(wire, options, request.get("payload") or {}, self._shell.jitter), options
