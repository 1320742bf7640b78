"""The hooks of a configuration: callables by their dotted paths, and the rules about approval.

They are imported when a board is started, and before it is: a gate that cannot be found is no gate, so
nothing is started without it.
"""

from __future__ import annotations

from dataclasses import fields
from functools import partial
from typing import TYPE_CHECKING, Any

from ..actors.threads.timeout import in_time
from ..base.errors import PluginLoadError
from ..base.foreign import Log, blames
from ..base.frozen import frozen
from ..plugins.hooks.approval_rules import NAME, ApprovalRules
from ..plugins.hooks.terms import EVENTS, PRE
from ..plugins.results.failures import describe
from .errors import ConfigurationError, refused, require_known, require_object

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Sequence

    from ..actors.board import Board
    from ..actors.catalog.catalog import ToolDescriptor
    from ..actors.services import AsksCallers
    from ..plugins.contract.option_types import HookEvent, HookOptions
    from ..plugins.hooks.approval import Approver

logger: Log = Log("callboard")

Hook = tuple["HookEvent", Any, "HookOptions"]
"""What `Board.hook` takes: the event, the callable, the options."""


@frozen
class HookSettings:
    """A hook of a configuration.

    Attributes:
        event: what it is asked about.
        hook: the dotted path of a callable, or of a class, which is made without arguments.
        priority: lower goes first.
        deadline: seconds that it has for each answer.
        observes: it watches, and decides nothing.
        name: for results and events; ``None`` for its own.
        path: where in the configuration it stands.
    """

    event: HookEvent
    hook: str
    priority: int = 0
    deadline: float = 5.0
    observes: bool = False
    name: str | None = None
    path: str = "$.hooks"


def _is_seconds(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and 0 < value < float("inf")


KINDS: dict[str, tuple[Callable[[Any], bool], str]] = {
    "event": (lambda value: value in EVENTS, f"one of: {', '.join(EVENTS)}"),
    "hook": (
        lambda value: isinstance(value, str) and "." in value,
        "a dotted path, such as 'my_package.policy.gate'",
    ),
    "priority": (lambda value: isinstance(value, int) and not isinstance(value, bool), "a whole number"),
    "deadline": (_is_seconds, "a number of seconds, more than 0"),
    "observes": (lambda value: isinstance(value, bool), "true or false"),
    "name": (lambda value: isinstance(value, str) and bool(value), "a text"),
}


def read_hooks(given: Any, path: str = "$.hooks") -> tuple[HookSettings, ...]:
    """Read the list. Raises `ConfigurationError`."""
    if not isinstance(given, list | tuple):
        raise refused(given, path, "a list")
    return tuple(_read_hook(each, f"{path}[{index}]") for index, each in enumerate(given))


def _read_hook(given: Any, path: str) -> HookSettings:
    require_object(given, path)
    require_known(given, KINDS, path=path)
    for key in ("event", "hook"):
        if key not in given:
            raise ConfigurationError(f"{path} has no {key!r}; it has to be {KINDS[key][1]}", path=path)
    for key, value in given.items():
        fits, what = KINDS[key]
        if not fits(value):
            raise refused(value, f"{path}.{key}", what)
    return HookSettings(**given, path=path)


def read_approval(given: Any, path: str = "$.approval") -> ApprovalRules:
    """Read the rules about approval. Raises `ConfigurationError`."""
    require_object(given, path)
    require_known(given, [field.name for field in fields(ApprovalRules)], path=path)
    values = dict(given)
    for key in ("ask", "deny"):
        patterns = values.get(key, [])
        if not isinstance(patterns, list | tuple) or not all(isinstance(each, str) for each in patterns):
            raise refused(patterns, f"{path}.{key}", "a list of names or patterns of tools")
        values[key] = tuple(patterns)
    if not _is_seconds(timeout := values.get("timeout", 1.0)):
        raise refused(timeout, f"{path}.timeout", "a number of seconds, more than 0")
    if (default := values.get("default", "deny")) not in ("allow", "deny"):
        raise refused(default, f"{path}.default", "'allow' or 'deny'")
    return ApprovalRules(**values)


def import_hooks(
    hooks: tuple[HookSettings, ...], rules: ApprovalRules, seconds: float | None = None
) -> list[Hook]:
    """Import the hooks, and put the rules first.

    Args:
        hooks: those of the configuration.
        rules: about approval.
        seconds: that each import may take; see `in_time`.

    Raises:
        ConfigurationError: one cannot be imported, made or called, or not in time.
    """
    ready: list[Hook] = [(PRE, rules, {"name": NAME})] if rules.ask or rules.deny else []
    for settings in hooks:
        options: HookOptions = {
            "priority": settings.priority,
            "deadline": settings.deadline,
            "observes": settings.observes,
            "name": settings.name or settings.hook,
        }
        ready.append((settings.event, _imported_in_time(settings, seconds), options))
    return ready


def put_on(board: Board, hooks: list[Hook], approver: Approver | None, callers: AsksCallers | None) -> None:
    """Register the hooks that were imported, and who asks people, and those who call."""
    board.hooks.approver = approver
    board.hooks.callers = callers
    for event, hook, options in hooks:
        board.hooks.add(event, hook, **options)


def idle_rules(rules: ApprovalRules, tools: Iterable[ToolDescriptor]) -> list[str]:
    """The rules about approval that fit none of a board's tools, as ``deny 'write_fil'``."""
    return rules.idle({name for tool in tools for name in (tool.plugin_name, *tool.all_names)})


def warn_of(idle: Iterable[str], where: str) -> None:
    """Log that these rules have no effect: a misspelt one lets run what it was to forbid."""
    for rule in idle:
        logger.warning("%s: the rule %s fits no tool; correct its name, or leave it out", where, rule)


def warn_of_idle(rules: ApprovalRules, tools: Sequence[ToolDescriptor]) -> None:
    """Log which rules about approval have no effect. Of a board without tools nothing is known yet."""
    for rule in idle_rules(rules, tools) if tools else ():
        logger.warning(
            "approval: the rule %s fits no tool so far; correct its name, unless its tool comes later", rule
        )


def warn_of_unasked(rules: ApprovalRules, tools: Sequence[ToolDescriptor], offers: Collection[str]) -> None:
    """Log which rules ask about a tool, of a board that asks nobody but its callers, for what they ``offer``."""
    idle = idle_rules(rules, tools)
    asking = [f"{each!r}" for each in rules.ask if f"ask {each!r}" not in idle]
    if asking:
        logger.warning(
            "approval: %s, so each call that 'ask' fits is %s: %s",
            "nobody but a client that can show forms (elicitation) is asked here"
            if "elicitation" in offers
            else "nobody is asked here",
            "allowed" if rules.default == "allow" else "denied",
            ", ".join(asking),
        )


def _imported_in_time(settings: HookSettings, seconds: float | None) -> Any:
    where = f"{settings.path}.hook"
    doing = f"{where}: importing {settings.hook}"
    remedy = "have it end, or raise 'load_deadline'"
    try:
        return in_time(
            partial(_imported, settings), seconds, plugin=settings.hook, doing=doing, remedy=remedy
        )
    except PluginLoadError as error:
        raise ConfigurationError(str(error), path=where) from error


def _imported(settings: HookSettings) -> Any:
    from ..plugins.sources.python import load_python_object  # noqa: PLC0415 - most boards have no hooks

    where = f"{settings.path}.hook"
    try:
        hook = load_python_object(settings.hook, remedy="install the package that has it, or set PYTHONPATH")
        if isinstance(hook, type):
            hook = hook()
    except PluginLoadError as error:
        said = str(error).removeprefix("cannot load plugin ")
        raise ConfigurationError(f"{where}: cannot load the hook {said}", path=where) from error
    except BaseException as error:  # the hook's own `__init__`
        if not blames(error):
            raise
        raise ConfigurationError(
            f"{where}: making {settings.hook} raised {describe(error)}", path=where
        ) from error
    if not callable(hook):
        raise ConfigurationError(
            f"{where}: {settings.hook} is {hook!r:.60}, which cannot be called", path=where
        )
    return hook
