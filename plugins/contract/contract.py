"""The plugin contract: every hook a tool plugin may offer.

`ToolPlugin` is structural. An object need not derive from it, and none of its hooks is asked for by
`isinstance`; a class that does derive from it gains documentation and a type check, no behaviour.
What a plugin leaves out is supplied by `PluginAdapter` alone: the bodies below stand
for "not implemented", and the adapter tells them from a plugin's own by identity (`hooks.offered`).

An optional hook that answers ``None`` says "no opinion", and the default holds.

A hook may take any subset of the keyword arguments shown, and further takes `context` where running
a tool is its business. How it wants to be called is read from its signature once, at registration.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NoReturn, Protocol, TypeVar

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Iterator

Json = dict[str, Any]

_Answer = TypeVar("_Answer")


def _hook(method: Callable[..., _Answer]) -> Callable[..., _Answer]:
    """Let an override take fewer parameters in the eyes of a type checker; what it answers stays checked."""
    return method


def _not_implemented(plugin: object, hook: str) -> NoReturn:
    # Raised here and not in the hooks: pyright takes a protocol's method that only raises this for an abstract one, and no
    # plugin has all four hooks that run a tool.
    raise NotImplementedError(f"{type(plugin).__name__} does not implement {hook}")


class BasePlugin(Protocol):
    """What plugins of all kinds have in common.

    Attributes:
        name: unique among the plugins of a board. A plugin without one goes by its class name.
        version: for people.
    """

    if TYPE_CHECKING:
        name: str = ""  # a value, so that a class without one is not abstract; at run time it has none
    else:
        name: str
    version: str = "0"

    @_hook
    def init(self, config: Json) -> Json | None:
        """Return the initial state, a JSON object. Cheap: no network, no subprocess."""
        return None

    @_hook
    def get_config_schema(self) -> Json | None:
        """Return a JSON Schema of what `init` accepts as configuration."""
        return None

    @_hook
    def get_ui_elements(self) -> list[Json] | None:
        """Return descriptions of user interface elements; opaque to Callboard."""
        return None

    @_hook
    def get_tags(self, config: Json, models: list[Json]) -> list[str] | None:
        """Return the tags that this plugin adds to those in force."""
        return None

    @_hook
    def required_tags(self) -> list[str] | None:
        """Return tags without which the plugin is not enabled."""
        return None

    @_hook
    def forbidden_tags(self) -> list[str] | None:
        """Return tags any of which keeps the plugin from being enabled."""
        return None

    @_hook
    def is_enabled(self, config: Json, tags: list[str], models: list[Json], context: Json) -> bool | None:
        """Enable or disable the plugin whatever the tags say; ``None`` leaves it to them."""
        return None


class ToolPlugin(BasePlugin, Protocol):
    """A plugin that offers tools.

    It has to offer `get_tool_schemas`, and at least one of `execute_tool`, `execute_tool_async`,
    `stream_tool` and `stream_tool_async`. ``state`` is the plugin's own JSON object, made by `init`;
    treat it as immutable by convention.
    """

    @_hook
    def prepare(self, config: Json, state: Json, *, context: Json | None = None) -> Json | None:
        """Do long-running setup, and return JSON-like prepared data for the cheap hooks.

        Live clients and managers do not belong in it; keep those in ``context["tool_runtime"]``.
        """
        return None

    @_hook
    async def prepare_async(self, config: Json, state: Json, *, context: Json | None = None) -> Json | None:
        """Do as `prepare`, awaiting."""
        return None

    @_hook
    def get_tool_schemas(self, state: Json, *, prepared: Json | None = None) -> list[Json]:
        """Return the tools' schemas, in any format that the interop registry knows."""
        raise NotImplementedError

    @_hook
    def get_tool_interop_contribution(self, state: Json) -> Any:
        """Return a `ToolInteropContribution` for schema, call or result formats of the tool's own."""
        return None

    @_hook
    def can_handle_tool_call(
        self,
        tool_name: str | None,
        payload: Any,
        state: Json,
        *,
        payload_kind: str | None = None,
        payload_format: str | None = None,
        payload_metadata: Json | None = None,
        tool_call: Json | None = None,
        tool_schema: Json | None = None,
        prepared: Json | None = None,
    ) -> bool | None:
        """Claim a call (``True``), refuse it (``False``), or leave it to its name (``None``).

        It runs before every routing decision, so it has to be quick and without effects.
        """
        return None

    @_hook
    def execute_tool(
        self,
        tool_name: str | None,
        payload: Any,
        state: Json,
        *,
        payload_kind: str | None = None,
        payload_format: str | None = None,
        payload_metadata: Json | None = None,
        tool_call: Json | None = None,
        prepared: Json | None = None,
        context: Json | None = None,
    ) -> Json:
        """Run the tool, and return ``{"success": true, "result": …}`` or ``{"success": false, "error": "…"}``."""
        _not_implemented(self, "execute_tool")

    @_hook
    async def execute_tool_async(
        self,
        tool_name: str | None,
        payload: Any,
        state: Json,
        *,
        payload_kind: str | None = None,
        payload_format: str | None = None,
        payload_metadata: Json | None = None,
        tool_call: Json | None = None,
        prepared: Json | None = None,
        context: Json | None = None,
    ) -> Json:
        """Do as `execute_tool`, awaiting."""
        _not_implemented(self, "execute_tool_async")

    @_hook
    def stream_tool(
        self,
        tool_name: str | None,
        payload: Any,
        state: Json,
        *,
        payload_kind: str | None = None,
        payload_format: str | None = None,
        payload_metadata: Json | None = None,
        tool_call: Json | None = None,
        prepared: Json | None = None,
        context: Json | None = None,
    ) -> Iterator[Json]:
        """Yield ``{"part": …}`` for each partial result, and last the final result, which has ``"success"``.

        The stream is closed at its final result: what a generator does after that belongs in a ``finally``.
        """
        _not_implemented(self, "stream_tool")

    @_hook
    def stream_tool_async(
        self,
        tool_name: str | None,
        payload: Any,
        state: Json,
        *,
        payload_kind: str | None = None,
        payload_format: str | None = None,
        payload_metadata: Json | None = None,
        tool_call: Json | None = None,
        prepared: Json | None = None,
        context: Json | None = None,
    ) -> AsyncIterator[Json]:
        """Do as `stream_tool`, as an asynchronous generator."""
        _not_implemented(self, "stream_tool_async")

    @_hook
    def format_tool_result(self, result: Json, state: Json) -> Any:
        """Return what the model sees: text, or an explicit provider-native envelope."""
        return None

    @_hook
    def format_tool_call_preview(
        self,
        tool_name: str | None,
        payload: Any,
        state: Json,
        *,
        payload_kind: str | None = None,
        payload_format: str | None = None,
        payload_metadata: Json | None = None,
        tool_call: Json | None = None,
        prepared: Json | None = None,
    ) -> str | None:
        """Return one line for people about a call that is yet to run."""
        return None

    @_hook
    def to_display_format(self, text: str, result: Json, state: Json) -> Json | None:
        """Return what people see of a result; ``text`` is what the model sees, empty for an envelope."""
        return None
