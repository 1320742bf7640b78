"""The options that a board takes by name, with the types of what it accepts: for type checkers, and not imported at run time.

`parse_options` reads those of plugins, and `PluginOptions` says what each means; ``None`` stands for the default. Those of calls are
the arguments of `Board.submit`, those of hooks the arguments of `Hooks.add`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Literal, TypedDict

if TYPE_CHECKING:
    from .invocation import Scope

Json = dict[str, Any]

HookEvent = Literal["tool:pre", "tool:post", "tool:error"]
"""The events of `EVENTS`. A test holds the two to each other."""

Hook = Callable[[str, Json], Any]
"""A callable that is asked about calls: ``hook(event, data)``."""


class RunOptions(TypedDict, total=False):
    """Say how calls are run: the options of a module that is written for Amplifier."""

    concurrency: int | None
    deadline: float | None
    idempotent: bool | Literal["by_key"] | list[str] | tuple[str, ...] | set[str] | frozenset[str] | None
    mailbox_size: int | None
    repeats: int | None
    breaker: Json | bool | None
    quarantine: Json | bool | None
    while_down: Literal["hold", "refuse"] | Callable[[Json], Any] | None
    hold: int | None
    validate: dict[str, bool] | bool | None
    claims: Scope | None
    state_from: str | None


class HostedOptions(RunOptions, total=False):
    """Say how calls and a host are run: the options of a plugin that is made with all else that its host needs."""

    idle_deadline: float | None
    start_deadline: float | None
    restart: Json | None
    limits: Json | None
    standby: Literal[0, 1] | None
    share: str | bool | None
    group: str | None
    reload: Json | bool | None


class ToolOptions(HostedOptions, total=False):
    """Say how calls and a host are run, and what the host may do: the options of a function."""

    isolate: bool | None
    env: dict[str, str] | None
    inherit: list[str] | None
    sandbox: Json | Literal["bwrap"] | bool | None
    secrets: Json | None


class RegisterOptions(ToolOptions, total=False):
    """The options of `Callboard.register`, beside ``config``."""

    name: str | None


class LoadOptions(RegisterOptions, total=False):
    """The options of `Callboard.load`, beside ``config`` and ``timeout``."""

    required: bool | None


class CallOptions(TypedDict, total=False):
    """The options of one call."""

    deadline: float | None
    context: Json | None
    streaming: bool
    key: str | None


class HookOptions(TypedDict, total=False):
    """The options of a hook."""

    priority: int
    deadline: float
    observes: bool
    name: str | None
