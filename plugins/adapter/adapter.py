"""`PluginAdapter`: any plugin, with every hook present and every default supplied.

This is the only thing that the rest of Callboard sees of a plugin. It knows once and for all, from the
moment it is made, what the plugin offers and how it wants to be called, and it is the one place where a
hook that a plugin leaves out gets an answer.

It keeps no state of the plugin's and starts no thread: a call's state is handed in, and the runner of a tool
decides where. The state is the plugin's to change while a tool runs, so hand it a copy if a failed call is
not to leave traces.
"""

from __future__ import annotations

from inspect import isawaitable
from typing import TYPE_CHECKING, Any, Final

from ...base.errors import ContractError
from ...base.validation import a_type, require, require_mapping
from ..contract.call_modes import is_async
from ..contract.hook_table import RUNNING_HOOKS, offered
from ..functions.function_tool import function_tool, is_function
from ..results.hook_faults import Report, log_fault
from .enablement import NO, tags_refuse
from .formatting import Formatter
from .hook_set import HookSet
from .instances import make_instance
from .prepare import Preparation
from .runner import ToolRunner

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Callable, Collection, Iterator

    from ..contract.call_modes import CallMode
    from ..contract.invocation import Invocation
    from ..results.chunks import Chunk
    from ..results.normalise import NormalisedResult

Json = dict[str, Any]

PROGRAM: Final = "program"
"""The source of plugins that the program itself made and registered."""


class PluginAdapter:
    """One plugin, complete.

    Args:
        plugin: an instance or a class of a tool plugin, or of an Amplifier-style tool; or a function, which is a tool.
        name: the name it is to go by; its own if ``None``, else its class's.
        config: what a class that takes its configuration in its constructor is given.
        report: told of faults that a default made up for.

    Attributes:
        plugin: the plugin object, which wraps the tool if that is Amplifier-style.
        name: the plugin's name.
        former_name: what it was called before; its state may be kept under that. ``None`` if it was never called otherwise.
        rivals: other plugins that are called so, or were: which of them that state belongs to cannot be told.
        source: where it comes from, whatever its version; a state is kept for it by that and its name.
        namesakes: the sources of other plugins that want its name.

    Raises:
        ContractError: it is no plugin, or one of its hooks cannot be called by the contract.
        PluginLoadError: the class could not be instantiated.
        TypeError: the configuration or the name is none.
    """

    def __init__(
        self, plugin: Any, *, name: str | None = None, config: Json | None = None, report: Report = log_fault
    ) -> None:
        require_mapping("the configuration of a plugin", config)
        require(name is None or isinstance(name, str), "the name of a plugin", name, "a text")
        if isinstance(plugin, type):
            plugin = make_instance(plugin, dict(config or {}))
        self.plugin: Any = function_tool(plugin, name=name) if is_function(plugin) else as_tool_plugin(plugin)
        self.name: str = name or _name(self.plugin)
        self.former_name: str | None = None
        self.rivals: tuple[str, ...] = ()
        self.source: str = PROGRAM
        self.namesakes: tuple[str, ...] = ()
        self._hooks = HookSet(self.plugin, name=self.name)
        self._preparation = Preparation(self.plugin, name=self.name)
        self._formatter = Formatter(self._hooks, name=self.name, report=report)
        self._runner = ToolRunner(self.plugin, name=self.name, report=report, words=self._formatter.words)
        self.has_claim: bool = self._hooks.offers("can_handle_tool_call")

    @property
    def version(self) -> str:
        """The plugin's version by what is known now, for one in a host says it there; ``"0"`` if it has none."""
        return str(getattr(self.plugin, "version", "0"))

    def __repr__(self) -> str:
        return f"PluginAdapter({self.name!r}, version={self.version!r})"

    # Setting up

    def init(self, config: Json) -> Json:
        """Return the plugin's initial state, a JSON object of its own; empty if the plugin has none.

        Raises:
            HookError: the hook raised.
            ContractError: the state is no JSON object.
        """
        require_mapping("the configuration of a plugin", config)
        return self._hooks.ask_object("init", dict(config or {})) or {}

    @property
    def has_prepare(self) -> bool:
        """Whether the plugin has long-running setup to do."""
        return self._preparation.offered

    def prepare(self, config: Json, state: Json, context: Json | None = None) -> Json | None:
        """Do the plugin's setup in this thread, and return its prepared data, a JSON object.

        ``None`` if the plugin has no setup. An asynchronous setup runs in an event loop of its own.

        Raises:
            HookError: the hook raised.
            ContractError: the prepared data is no JSON object.
        """
        return self._preparation.run(dict(config), state, context)

    async def prepare_async(self, config: Json, state: Json, context: Json | None = None) -> Json | None:
        """Do as `prepare`, awaiting; a setup that is not asynchronous runs in a worker thread."""
        return await self._preparation.run_async(dict(config), state, context)

    def schemas(self, state: Json, prepared: Json | None = None) -> list[Json]:
        """Return copies of the tools' schemas.

        Raises:
            HookError: the hook raised.
            ContractError: the schemas are not a list of JSON objects.
        """
        return self._hooks.ask_list("get_tool_schemas", dict, state, prepared=prepared)

    def interop_contribution(self, state: Json) -> Any:
        """Return the plugin's interop contribution as it is, or ``None``. Raises `HookError`."""
        return self._hooks.ask("get_tool_interop_contribution", state)

    # Running

    @property
    def objects_only(self) -> bool:
        """Whether the tools can only be given objects: any other payload is answered ``invalid_call``."""
        return self._runner.objects_only

    @property
    def wants_context(self) -> bool:
        """Whether the tools accept a context."""
        return self._runner.wants_context

    def claim(self, invocation: Invocation, state: Json) -> bool | None:
        """Say whether the plugin claims the call, refuses it, or has no opinion (``None``).

        Raises:
            HookError: the hook raised.
            ContractError: it answered with neither a boolean nor ``None``.
        """
        answer = self._hooks.ask_call("can_handle_tool_call", invocation, state)
        return self._opinion("can_handle_tool_call", answer)

    def call_mode(self, *, stream: bool) -> CallMode:
        """Say how a call should be run, for its parts (``stream``) or for its result alone."""
        return self._runner.for_parts if stream else self._runner.for_result

    def execute(self, invocation: Invocation, state: Json) -> NormalisedResult:
        """Run a tool in this thread and wait. Raises what the tool raises, `BaseException` included."""
        return self._runner.execute(invocation, state)

    async def execute_async(self, invocation: Invocation, state: Json) -> NormalisedResult:
        """Do as `execute`, awaiting; a tool that is not asynchronous runs in a worker thread."""
        return await self._runner.execute_async(invocation, state)

    def stream(self, invocation: Invocation, state: Json) -> Iterator[Chunk]:
        """Run a tool in this thread; yield its parts, and last its one result. Raises as `execute`."""
        return self._runner.stream(invocation, state)

    def stream_async(self, invocation: Invocation, state: Json) -> AsyncGenerator[Chunk, None]:
        """Do as `stream`, awaiting; a tool that is not asynchronous runs in worker threads."""
        return self._runner.stream_async(invocation, state)

    # Showing: none of these raises

    def preview(self, invocation: Invocation, state: Json) -> str:
        """Return one line for people about a call that is yet to run; empty by default."""
        return self._formatter.preview(invocation, state)

    def format_result(self, result: Json, state: Json) -> str | Json:
        """Return what the model sees of a result: text, or an explicit provider-native envelope."""
        return self._formatter.result(result, state)

    def display(self, text: str | Json, result: Json, state: Json) -> Json:
        """Return what people see of a result; ``text`` is what `format_result` answered."""
        return self._formatter.display(text, result, state)

    def offers(self, hook: str) -> bool:
        """Say whether the plugin itself implements a hook that answers at once."""
        return self._hooks.offers(hook)

    # Describing and enabling: these raise HookError, and ContractError for an answer of the wrong shape

    def get_config_schema(self) -> Json | None:
        """Return the JSON Schema of the configuration; ``None`` if the plugin has none."""
        return self._hooks.ask_object("get_config_schema")

    def get_ui_elements(self) -> list[Json]:
        """Return descriptions of user interface elements."""
        return self._hooks.ask_list("get_ui_elements", dict)

    def get_tags(self, config: Json, models: list[Json]) -> list[str]:
        """Return the tags that the plugin adds to those in force."""
        return self._hooks.ask_list("get_tags", str, config, models)

    def required_tags(self) -> list[str]:
        """Return the tags that the plugin needs."""
        return self._hooks.ask_list("required_tags", str)

    def forbidden_tags(self) -> list[str]:
        """Return the tags that rule the plugin out."""
        return self._hooks.ask_list("forbidden_tags", str)

    def is_enabled(self, config: Json, tags: Collection[str], models: list[Json], context: Json) -> bool:
        """Decide whether the plugin is enabled: by its own word, else by its tags."""
        return self.refusal(config, tags, models, context) is None

    def refusal(self, config: Json, tags: Collection[str], models: list[Json], context: Json) -> str | None:
        """Say why the plugin is not enabled, as a sentence without its subject; ``None`` if it is."""
        answer = self._hooks.ask("is_enabled", config, list(tags), models, context)
        word = self._opinion("is_enabled", answer)
        if word is not None:
            return None if word else NO
        return tags_refuse(tags, required=self.required_tags(), forbidden=self.forbidden_tags())

    def _opinion(self, hook: str, answer: Any) -> bool | None:
        if answer is None or isinstance(answer, bool):
            return answer
        raise ContractError(
            f"plugin {self.name!r}: {hook} has to return true, false or None; it returned {a_type(answer)}",
            plugin=self.name,
        )


def _name(plugin: Any) -> str:
    name = getattr(plugin, "name", None)
    if name is None:
        return type(plugin).__name__
    if not isinstance(name, str) or not name:
        kind = type(plugin).__name__
        raise ContractError(f"the name of plugin {kind} is {name!r}; it has to be a text", plugin=kind)
    return name


class AmplifierTool:
    """The plugin that an Amplifier-style tool makes: one tool, which takes an object.

    Such a tool has ``name``, ``description``, commonly ``input_schema``, and ``execute(input)``, asynchronous as
    a rule. What tells it from a plugin is shape alone: it has ``execute`` and none of the hooks that run a tool.

    Its declaration looks exactly like an Anthropic one, so it is not handed on as it is: the schema is built in
    the Chat Completions function format, which can be mistaken for nothing else.

    Attributes:
        tool: the tool itself.
        name: its name; the plugin's and the tool's.
        version: its version, if it has one.
    """

    def __init__(self, tool: Any, name: str, execute: Callable[[Json], Any]) -> None:
        self.tool = tool
        self.name = name
        self.version: Any = getattr(tool, "version", "0")
        self._execute = execute
        # Offered under one name only, so that it is run the way it is written.
        setattr(self, "execute_tool_async" if is_async(execute) else "execute_tool", self._run)

    def get_tool_schemas(self) -> list[Json]:
        """Return the tool's one schema, from what the tool says of itself now."""
        function: Json = {"name": self.name}
        description = getattr(self.tool, "description", None)
        if description:
            function["description"] = description
        function["parameters"] = getattr(self.tool, "input_schema", None) or {
            "type": "object",
            "properties": {},
        }
        return [{"type": "function", "function": function}]

    async def answer(self, arguments: Json) -> Any:
        """Run the tool, awaiting it if it is asynchronous."""
        answer = self._execute(arguments)
        return await answer if isawaitable(answer) else answer

    def _run(self, tool_name: str | None, arguments: Json, state: Json) -> Any:
        return self._execute(arguments)


def as_tool_plugin(tool: Any) -> Any:
    """Return a tool plugin: the object itself if it is one, or one made of an Amplifier-style tool.

    Raises:
        ContractError: it is neither, or an Amplifier-style tool without a name.
    """
    kind = type(tool).__name__
    if any(offered(tool, hook, name=kind) for hook in RUNNING_HOOKS):
        return tool
    execute = getattr(tool, "execute", None)
    if not callable(execute):
        raise ContractError(
            f"{kind} is no tool plugin: it has none of {', '.join(RUNNING_HOOKS)}, "
            "and no execute(input) as an Amplifier-style tool has",
            plugin=kind,
        )
    name = getattr(tool, "name", None)
    if not isinstance(name, str) or not name:
        raise ContractError(
            f"{kind} has execute(input), but its name is {name!r}; name the tool", plugin=kind
        )
    return AmplifierTool(tool, name, execute)
