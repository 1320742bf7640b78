"""The proxy that makes a tool in a host a `ToolPlugin` like any other.

A proxy stands for the plugin across all generations of its host: `host` is the present generation or
``None``. Its methods block until the host answers, so they are for programs, tests and worker
threads; the actors send their calls to the host directly and use the proxy for the rest
(formatting, previews, tags).

On a board the supervisor starts and replaces the host. Alone, a proxy is a context manager that
starts one unsupervised generation::

    with NodeToolPlugin("upper", "./upper.mjs") as tool:
        state = tool.init({})
        tool.execute_tool("upper", {"text": "hello"}, state)
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

from ..base.foreign import Log
from ..plugins.contract.invocation import Invocation
from .errors import HostGone, HostStartError, HostTimeout, RemoteError
from .protocol.blocking_request import ask
from .protocol.call_params import ALL_FACTS, OBJECTS, add_facts
from .protocol.context_filter import what_crosses
from .protocol.description import PLAIN, Description
from .protocol.methods import METHODS

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from .host import Host
    from .process.process import Command, ProcessExit
    from .process.stop_ladder import StopLadder
    from .process.transport import Carry
    from .protocol.dialect import Dialect
    from .protocol.input_request import InputSource
    from .report.crash_report import CrashReport
    from .sharing import Sharing

logger: Log = Log("callboard.hosts")

Json = dict[str, Any]

LACKING = "MethodNotFound"
"""The error type by which a host says that it does not offer a method. The specification's page knows no other
type than ``Error``, so a host that was written from that page alone cannot say it."""

_OPTIONAL = frozenset(method.name for method in METHODS.values() if not method.required)


def _ignore() -> None:
    """The plugin is on no board."""


class HostedToolPlugin:
    """A `ToolPlugin` whose methods run in a host.

    Args:
        name: the plugin's name, unique on its board.
        command: makes the command line of the next generation; called again for each.
        version: for people; what the plugin says of itself over there takes its place.
        carry: starts a generation from a command line; a real process if ``None``.

    Attributes:
        kind: what its host is, for people: ``node``, ``python``, ``bash``, a ``command``, or any ``program``.
        dialect: makes what its host speaks in a generation, if that is another protocol than ours.
        shared_as: what a host that it shares with others calls it; ``None`` in one of its own.
        address: where it is reached, if it runs elsewhere and is no process of ours.
        on_tools_changed: called when what it speaks to says that its tools are others now; must not block.
        sandboxed: its host may not do all that the user may.
        own_names: its own names for tools that are offered under others, by those.
        input_source: answers what it asks in the middle of a call, if it can; ``None`` for nobody.
    """

    kind = "program"

    def __init__(
        self,
        name: str,
        command: Callable[[], Command],
        *,
        version: str = "0",
        carry: Carry | None = None,
    ) -> None:
        self.name = name
        self.version: str = version
        self.command = command
        self.carry = carry
        self.dialect: Callable[[], Dialect] | None = None
        self.host: Host | None = None
        self.shared_as: str | None = None
        self.address: str | None = None
        self.sandboxed: bool = False
        self.on_tools_changed: Callable[[], object] = _ignore
        self.own_names: Mapping[str, str] = {}
        self.input_source: InputSource | None = None
        self._lacking: set[str] = set()
        self._answered: set[str] = set()
        self._description = PLAIN

    def attach(self, host: Host | None, description: Description = PLAIN) -> None:
        """Name the present generation, and what it says of the plugin; a new one may offer other methods."""
        self.host = host
        self._description = description
        self._lacking.clear()
        self._answered.clear()
        self.version = description.version or self.version

    def limit_memory(self, resident: int) -> None:
        """Have its host keep below so many bytes by itself, as far as its runtime can; from its next generation on."""

    @property
    def left_out(self) -> Mapping[str, str]:
        """Tools that its host has and that are not offered, by name, and why."""
        return {}

    @property
    def differing(self) -> Mapping[str, tuple[str, ...]]:
        """Tools that are not declared as they were kept, by name, and what of them is otherwise."""
        return {}

    @property
    def idle_rules(self) -> Sequence[str]:
        """Rules about its tools that fit none of them, as ``deny 'write_fil'``."""
        return ()

    def known_as(self, tool_name: str) -> tuple[str, ...]:
        """Other names of one of its tools, by which rules may name it; a server's own, if it is offered under another."""
        return ()

    def apart(self, own_name: str) -> str | None:
        """Another name for one of its tools, if another plugin's has its own; ``None`` if it gives way to none."""
        return None

    def remembered(self) -> tuple[list[Json], Mapping[str, str]] | None:
        """What it offered when it was last up, to be offered until it is: its tools, and their names by its own; ``None`` for nothing."""
        return None

    @property
    def begins_otherwise(self) -> bool:
        """Whether the next generation begins in another way, as the last may have ended over how it began."""
        return False

    def sharing(self) -> Sharing | None:
        """What a host needs to take it in beside others; ``None`` of one that can only live alone."""
        return None

    # Required methods

    def init(self, config: Json) -> Json:
        """Load the tool over there; its initial state. Raises as `Host.ask`."""
        value, state = self._ask("init", {"config": config})
        state = state if state is not None else value
        return state if isinstance(state, dict) else {}

    def get_tool_schemas(self, state: Json, *, prepared: Json | None = None) -> list[Json]:
        """The schemas of the tools; of what `prepare` returned as well, if that is given. Raises as `Host.ask`."""
        given = {"prepared": prepared} if prepared else {}
        value, _ = self._ask("get_tool_schemas", {"state": state, **given})
        return value if isinstance(value, list) else []

    def execute_tool(self, tool_name: str | None, arguments: Json, state: Json) -> Any:
        """Run the tool and wait; ``state`` is updated in place. Raises as `Host.ask`."""
        value, new_state = self._ask(
            "execute_tool", {"tool_name": tool_name, "arguments": arguments, "state": state}
        )
        if new_state is not None:
            state.clear()
            state.update(new_state)
        return value

    def prepare(self, config: Json, state: Json) -> Json | None:
        """Have the tool do its long-running set-up; ``None`` if it has none. Raises as `Host.ask`."""
        value = self._ask_extended("prepare", {"config": config, "state": state})
        return value if isinstance(value, dict) else None

    def shutdown(self, state: Json) -> None:
        """Have the tool end what it holds open, if it does that. Raises as `Host.ask`."""
        self._ask_extended("shutdown", {"state": state})

    # Optional methods: the answer of a host that lacks one is None, so that the defaults hold.

    def get_config_schema(self) -> Any:
        """What the tool's configuration may be, as a JSON Schema, or ``None``."""
        return self._ask_optional("get_config_schema", {})

    def get_ui_elements(self) -> Any:
        """User interface elements, or ``None``."""
        return self._ask_optional("get_ui_elements", {})

    def get_tags(self, config: Json, models: list[Json]) -> Any:
        """Tags that the tool adds, or ``None``."""
        return self._ask_optional("get_tags", {"config": config, "models": models})

    def required_tags(self) -> Any:
        """Tags that the tool needs, or ``None``."""
        return self._ask_optional("required_tags", {})

    def forbidden_tags(self) -> Any:
        """Tags that rule the tool out, or ``None``."""
        return self._ask_extended("forbidden_tags", {})

    def is_enabled(self, config: Json, tags: list[str], models: list[Json], context: Json) -> Any:
        """Whether the plugin takes part in a request, or ``None``. Of the context it is told what is JSON."""
        params = {"config": config, "tags": tags, "models": models, "context": what_crosses(context)}
        return self._ask_extended("is_enabled", params)

    def format_tool_result(self, result: Json, state: Json) -> Any:
        """What the model is to see, or ``None``."""
        return self._ask_optional("format_tool_result", {"result": result, "state": state})

    def format_tool_call_preview(self, tool_name: str | None, payload: Any, state: Json, **facts: Any) -> Any:
        """What a person sees before the call runs, or ``None``."""
        return self._ask_of_call("format_tool_call_preview", Invocation(tool_name, payload, **facts), state)

    def can_handle_tool_call(self, tool_name: str | None, payload: Any, state: Json, **facts: Any) -> Any:
        """Whether the call is the plugin's, or ``None``."""
        return self._ask_of_call("can_handle_tool_call", Invocation(tool_name, payload, **facts), state)

    def to_display_format(self, text: str, result: Json, state: Json) -> Any:
        """What a person sees of the result, or ``None``."""
        return self._ask_optional("to_display_format", {"text": text, "result": result, "state": state})

    def _ask_of_call(self, method: str, call: Invocation, state: Json) -> Any:
        """What the plugin says of a call, if it can be asked: version 1 knows of no calls but with arguments."""
        params = {"tool_name": call.tool_name, "arguments": call.payload, "state": state}
        if self.host is not None and "payload" in self.host.features:
            add_facts(params, call, call.prepared, ALL_FACTS)
        elif call.payload_kind not in OBJECTS:
            return None
        return self._ask_extended(method, params)

    def _ask_extended(self, method: str, params: Json) -> Any:
        """The answer of a method that not every host knows of; ``None`` if this one has not said that the plugin has it."""
        if self.host is not None and METHODS[method].beyond_v1 and not self._description.offers(method):
            return None
        return self._ask_optional(method, params)

    def _ask(self, method: str, params: Json) -> tuple[Any, Json | None]:
        host = self.host
        if host is None:
            raise HostGone(f"the host of {self.name!r} is not running", host=self.name)
        if self.shared_as is not None:
            params = params | {"plugin": self.shared_as}
        return ask(host, method, params, METHODS[method].timeout)

    def _ask_optional(self, method: str, params: Json) -> Any:
        """The answer of a method that the host may lack; then ``None``, and it is not asked for it again.

        A host that has not said which methods it has, and so is one of version 1, has two more ways to lack one, as
        long as it has never answered it: any error, and silence. A silent one is asked for none of the others either
        that it has not answered by then: it would cost the time again for each.
        """
        if method in self._lacking:
            return None
        may_lack = self._description.methods is None and method not in self._answered
        try:
            value = self._ask(method, params)[0]
        except RemoteError as error:
            if error.type != LACKING:
                if not may_lack:
                    raise
                # Not a warning: a host that is written from the page alone cannot say it in another way.
                logger.info(
                    "host %r answered %s with an error, and is taken to lack it: %s", self.name, method, error
                )
            self._lacking.add(method)
            return None
        except HostTimeout as error:
            # One that reads one request at a time is silent while it runs a call, and may have the method.
            if not may_lack or self.host is None or self.host.busy:
                raise
            logger.warning("%s; it is taken to lack all methods that it has not answered yet", error)
            self._lacking |= _OPTIONAL - self._answered
            return None
        self._answered.add(method)
        return value

    # Alone, without a board

    def open(self) -> Self:
        """Start one generation, unsupervised.

        Raises:
            HostStartError: it cannot be started, or there is one already.
        """
        if self.host is not None:
            raise HostStartError(
                f"{self.name!r} has a host already; close it first", host=self.name, permanent=True
            )
        from .translating_host import start_host  # noqa: PLC0415 - boards look at what is a proxy, and most of them start no host

        host = start_host(self.name, self.command(), _Unsupervised(), carry=self.carry, dialect=self.dialect)
        host.start()
        self.attach(host)
        return self

    def close(self, ladder: StopLadder | None = None) -> None:
        """End the generation that `open` started, and wait until it is gone."""
        host, self.host = self.host, None
        if host is not None:
            host.stop("closed", ladder)
            host.join()

    def __enter__(self) -> Self:
        return self.open()

    def __exit__(self, *_: object) -> None:
        self.close()


class _Unsupervised:
    """Listens to a generation that nobody restarts: whoever asks it hears of its end."""

    def on_stray(self, text: str, count: int) -> None:
        """Logged by the host already."""

    def on_dropped(self, reason: str, request_id: str, count: int, told: int) -> None:
        """Logged by the host already."""

    def on_ended(self, exit_: ProcessExit, report: CrashReport, *, breach: str | None) -> None:
        """The owners of its requests have been told."""

    def on_gone(self, leftovers: list[int]) -> None:
        """Nothing hangs on it."""
