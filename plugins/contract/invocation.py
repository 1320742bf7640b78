"""One call as a tool sees it, and methods made callable with it.

`compile_call` turns a method into ``call(invocation, state)``. What the method wants is decided
there, once; the closure that comes out inspects nothing. It calls and no more: awaiting, iterating
and judging the answer are questions of `plugins.adapter.runner`.
"""

from __future__ import annotations

from operator import attrgetter
from typing import TYPE_CHECKING, Any, Final, Literal, NamedTuple

from ...base.frozen import frozen
from .signatures import plan_call

if TYPE_CHECKING:
    from collections.abc import Callable

    from .hook_table import Hook

Json = dict[str, Any]

BY_KEY: Final = "by_key"
"""The option ``idempotent`` of tools that do nothing twice for calls with one key."""

Scope = Literal["all", "own"]
"""Which calls a plugin with `can_handle_tool_call` is asked about: all, or its own, those of no plugin, and those without a name."""

ALL: Final = "all"
OWN: Final = "own"


def scope_of(said: Scope | None, *, sandboxed: bool) -> Scope:
    """What holds for a plugin: what was said of it, or else all calls, and its own alone if it is in a sandbox."""
    return said or (OWN if sandboxed else ALL)


class Invocation(NamedTuple):
    """What a tool call says, apart from how it was written.

    Attributes:
        tool_name: the tool that is meant; ``None`` if the call does not say.
        payload: the arguments (an object), or raw text.
        payload_kind: ``object``, ``text``, or as the call's accessor says.
        payload_format: of raw text, where known.
        payload_metadata: further facts from the call's accessor.
        tool_call: the call as it came.
        tool_schema: the schema it was matched with, if it was.
        prepared: what the plugin's `prepare` returned.
        context: runtime capabilities; may hold live objects.
        key: by which a tool knows a call that it has seen before; ``None`` of one that was given none.
    """

    tool_name: str | None
    payload: Any
    payload_kind: str | None = None
    payload_format: str | None = None
    payload_metadata: Json | None = None
    tool_call: Json | None = None
    tool_schema: Json | None = None
    prepared: Json | None = None
    context: Json | None = None
    key: str | None = None


@frozen
class CompiledCall:
    """A hook that takes a call.

    Attributes:
        call: ``call(invocation, state)``; answers whatever the method answers.
        legacy: it must only be called with an object as payload (see `takes`).
        wants_context: it is given the context.
    """

    call: Callable[[Invocation, Json], Any]
    legacy: bool
    wants_context: bool

    def takes(self, invocation: Invocation) -> bool:
        """Say whether the method can be called with this payload."""
        return not self.legacy or isinstance(invocation.payload, dict)


def compile_call(method: Callable[..., Any], hook: Hook, *, plugin: str) -> CompiledCall:
    """Make a method that implements one of the call hooks callable with an `Invocation`.

    Raises:
        ContractError: no call that the contract allows fits its signature.
    """
    plan = plan_call(method, hook, plugin=plugin)
    return CompiledCall(_closure(method, plan.keywords), plan.legacy, "context" in plan.keywords)


def _closure(method: Callable[..., Any], names: tuple[str, ...]) -> Callable[[Invocation, Json], Any]:
    if not names:
        return lambda invocation, state: method(invocation.tool_name, invocation.payload, state)
    if len(names) == 1:  # attrgetter of one name answers no tuple
        name, read_one = names[0], attrgetter(names[0])
        return lambda invocation, state: method(
            invocation.tool_name, invocation.payload, state, **{name: read_one(invocation)}
        )
    read = attrgetter(*names)
    return lambda invocation, state: method(
        invocation.tool_name, invocation.payload, state, **dict(zip(names, read(invocation), strict=True))
    )


def compile_hook(method: Callable[..., Any], hook: Hook, *, plugin: str) -> Callable[..., Any]:
    """Make a method that implements any other hook callable with all that the hook is offered.

    What comes out takes the hook's positional values and its keywords, and passes on what the method asks for.

    Raises:
        ContractError: no call that the contract allows fits its signature.
    """
    plan = plan_call(method, hook, plugin=plugin)
    if plan.positional == len(hook.positional) and plan.keywords == hook.keywords:
        return method

    def call(*values: Any, **facts: Any) -> Any:
        return method(*values[: plan.positional], **{name: facts[name] for name in plan.keywords})

    return call
