"""The options of one plugin, checked key by key.

They are those of `register` and `load` too. What they mean is for the rooms above to say; here they
are only made certain to be of their kind, so that a misspelt option never passes for one that is not given.
"""

from __future__ import annotations

import re
from dataclasses import field, fields
from typing import TYPE_CHECKING, Any, Final, Literal

from ...base.errors import PluginLoadError
from ...base.frozen import frozen
from ...base.option_values import flag, mapping, seconds, text, whole
from ...base.suggestions import meant
from ..contract.invocation import ALL, BY_KEY, OWN

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from ..contract.invocation import Scope

Json = dict[str, Any]


@frozen(kw_only=True)
class PluginOptions:
    """What may be said about a plugin beside where it comes from.

    Attributes:
        config: for the plugin's `init`.
        name: the name it is to go by; its own if ``None``.
        concurrency: calls of it that may be under way at once; the board's default if ``None``.
        deadline: seconds a call may take from its submission to its end; the board's default if ``None``.
        idle_deadline: seconds that a call which has begun in its host may go without a part; no limit if ``None``.
        start_deadline: seconds that its host has from its start until it is ready; the board's default if ``None``.
        idempotent: its tools that do no harm when they run twice: their names, or ``True`` for all; `BY_KEY`: calls that have a key.
        required: the board does not start without it.
        mailbox_size: calls that may wait for it; the board's default if ``None``.
        restart: settings of its host's restart policy, as in the ``supervision`` section; not looked at here.
        env: environment variables for its host.
        inherit: names of variables that its host gets as this program has them, if it has them.
        limits: limits of its host, by name; not looked at here.
        group: the group of hosts that its host is supervised in; not looked at here.
        standby: how many further hosts are kept started and loaded, to take over: 0 or 1.
        share: the host that it lives in: one with all plugins of the same word, or of ``True``; one of its own if
            ``False``; by default tools of one package share one, and others have their own.
        repeats: how often an idempotent call is sent again after a crash; once if ``None``.
        breaker: settings of its tools' breakers, ``True`` for the usual ones; not looked at here.
        quarantine: settings of its quarantine, ``False`` for none; not looked at here.
        while_down: what becomes of calls while its host is down: ``hold``, ``refuse``, or, in a
            program, a callable that answers them.
        hold: calls that may wait while its host is down; as many as in its mailbox if ``None``.
        claims: which calls it is asked about, if it has `can_handle_tool_call`: ``all``, or its ``own`` and those of nobody; ``own``
            in a sandbox, else ``all``, if ``None``.
        state_from: the source whose kept state it may go on with, beside its own.
        reload: settings of reloads of its host, ``True`` to have it reloaded when its files change; not looked at here.
        validate: whether arguments are held to the tools' schemas, or that by tool name; as the board
            does by default if ``None``.
        isolate: a Python plugin is to run in a host of its own, or in this process; any other runs in a host anyway.
        sandbox: what a Node plugin may do, ``True`` for the least, or the sandbox of the system's that it is put into; not
            looked at here.
        secrets: where its secrets come from, by name; not looked at here.
    """

    config: dict[str, Any] = field(default_factory=dict)
    name: str | None = None
    concurrency: int | None = None
    deadline: float | None = None
    idle_deadline: float | None = None
    start_deadline: float | None = None
    idempotent: frozenset[str] | bool | Literal["by_key"] = False
    required: bool = False
    mailbox_size: int | None = None
    restart: dict[str, Any] = field(default_factory=dict)
    env: dict[str, str] = field(default_factory=dict)
    inherit: tuple[str, ...] = ()
    limits: dict[str, Any] = field(default_factory=dict)
    standby: int = 0
    share: str | bool | None = None
    group: str | None = None
    repeats: int | None = None
    breaker: dict[str, Any] | bool = False
    quarantine: dict[str, Any] | bool = True
    while_down: str | Callable[[dict[str, Any]], Any] = "hold"
    hold: int | None = None
    isolate: bool | None = None
    sandbox: dict[str, Any] | str | bool | None = None
    secrets: dict[str, Any] = field(default_factory=dict)
    validate: bool | dict[str, bool] | None = None
    claims: Scope | None = None
    state_from: str | None = None
    reload: dict[str, Any] | bool = False


def parse_options(
    options: Mapping[str, Any],
    *,
    plugin: str,
    also: frozenset[str] = frozenset(),
    written: Mapping[str, Any] | None = None,
) -> PluginOptions:
    """Read the options of one plugin.

    Args:
        options: by name; ``None`` stands for the default.
        plugin: whose they are, for errors.
        also: other keys that may have been meant by an unknown one.
        written: the options as their user wrote them, which a refusal tells: nothing is filled in there.

    Raises:
        PluginLoadError: an option is not known (names the nearest), or is of the wrong kind.
    """
    known = {each.name for each in fields(PluginOptions)}
    read: dict[str, Any] = {}
    for key, value in options.items():
        if key not in known:
            raise PluginLoadError(
                f"unknown option {key!r} for plugin {plugin}; {meant(str(key), known | also)}", plugin=plugin
            )
        if value is None:
            continue
        try:
            read[key] = OPTIONS[key][0](value)
        except ValueError as error:
            told = value if written is None else written.get(key, value)
            raise PluginLoadError(
                f"option {key!r} of plugin {plugin} is {told!r:.100}; it has to be {error}", plugin=plugin
            ) from None
    return PluginOptions(**read)


def _texts(value: Any) -> dict[str, str]:
    if not isinstance(value, dict) or not all(
        isinstance(each, str) for pair in value.items() for each in pair
    ):
        raise ValueError("a mapping of texts to texts")
    for name, said in value.items():
        if not name or "=" in name or "\0" in name:
            raise ValueError(f"names without '=' and texts without NUL, which {name!r} is not")
        if "\0" in said:
            raise ValueError(f"names without '=' and texts without NUL, which that of {name!r} is not")
    return dict(value)


def _variables(value: Any) -> tuple[str, ...]:
    if (
        not isinstance(value, list | tuple)
        or not all(isinstance(name, str) and _VARIABLE.fullmatch(name) for name in value)
        or len(set(value)) < len(value)
    ):
        raise ValueError(
            "a list of names of variables, each once, such as ['SSH_AUTH_SOCK']; patterns are not read, and values stand in 'env'"
        )
    return tuple(value)


def _names(value: Any) -> frozenset[str] | bool | Literal["by_key"]:
    if isinstance(value, bool):
        return value
    if value == BY_KEY:
        return BY_KEY
    if isinstance(value, list | tuple | set | frozenset) and all(isinstance(each, str) for each in value):
        return frozenset(value)
    raise ValueError(f"true, false, {BY_KEY!r} or a list of tool names")


def _group(value: Any) -> str | bool:
    if not isinstance(value, str | bool) or value == "":
        raise ValueError("true, false or the name of a host")
    return value


def _hosts(value: Any) -> int:
    if not isinstance(value, int) or value not in {0, 1}:
        raise ValueError("0 or 1")
    return int(value)


def _settings(value: Any) -> dict[str, Any] | bool:
    if not isinstance(value, bool | dict):
        raise ValueError("true, false or a mapping")  # noqa: TRY004 - one error of all readers
    return value if isinstance(value, bool) else mapping(value)


def _sandbox(value: Any) -> dict[str, Any] | str | bool:
    if value == "bwrap":
        return str(value)
    if not isinstance(value, bool | dict):
        raise ValueError("true, false, 'bwrap' or a mapping")  # noqa: TRY004 - one error of all readers
    return value if isinstance(value, bool) else mapping(value)


def _by_tool(value: Any) -> dict[str, bool] | bool:
    if isinstance(value, bool):
        return value
    if isinstance(value, dict) and all(
        isinstance(key, str) and isinstance(each, bool) for key, each in value.items()
    ):
        return dict(value)
    raise ValueError("true, false or a mapping of tool names to true or false")


def _claims(value: Any) -> str:
    if value in (ALL, OWN):
        return str(value)
    raise ValueError("'all' or 'own'")


def _while_down(value: Any) -> Any:
    if value in ("hold", "refuse") or callable(value):
        return value
    raise ValueError("'hold', 'refuse' or a callable")


_NAME_OF_VARIABLE: Final = r"[^=*?$\s\u0000]+"
_VARIABLE: Final = re.compile(_NAME_OF_VARIABLE)

_TEXT: Final[Json] = {"type": "string", "minLength": 1}
_FLAG: Final[Json] = {"type": "boolean"}
_MAPPING: Final[Json] = {"type": "object"}
_SECONDS: Final[Json] = {"type": "number", "exclusiveMinimum": 0}
_SWITCHED: Final[Json] = {"type": ["boolean", "object"]}


def _from(least: int) -> Json:
    return {"type": "integer", "minimum": least}


OPTIONS: Final[dict[str, tuple[Callable[[Any], Any], Json]]] = {
    "config": (mapping, _MAPPING),
    "name": (text, _TEXT),
    "concurrency": (whole(1), _from(1)),
    "deadline": (seconds, _SECONDS),
    "idle_deadline": (seconds, _SECONDS),
    "start_deadline": (seconds, _SECONDS),
    "idempotent": (
        _names,
        {"anyOf": [_FLAG, {"const": BY_KEY}, {"type": "array", "items": {"type": "string"}}]},
    ),
    "required": (flag, _FLAG),
    "mailbox_size": (whole(1), _from(1)),
    "restart": (mapping, _MAPPING),
    "env": (
        _texts,
        {
            "type": "object",
            "propertyNames": {"pattern": r"^[^=\u0000]+$"},
            "additionalProperties": {"type": "string", "pattern": r"^[^\u0000]*$"},
        },
    ),
    "inherit": (
        _variables,
        {
            "type": "array",
            "items": {"type": "string", "pattern": f"^{_NAME_OF_VARIABLE}$"},
            "uniqueItems": True,
        },
    ),
    "limits": (mapping, _MAPPING),
    "standby": (_hosts, {"type": "integer", "enum": [0, 1]}),
    "share": (_group, {"type": ["boolean", "string"], "minLength": 1}),
    "group": (text, _TEXT),
    "isolate": (flag, _FLAG),
    "sandbox": (_sandbox, {"anyOf": [_FLAG, {"const": "bwrap"}, _MAPPING]}),
    "secrets": (mapping, _MAPPING),
    "repeats": (whole(0), _from(0)),
    "breaker": (_settings, _SWITCHED),
    "quarantine": (_settings, _SWITCHED),
    "while_down": (_while_down, {"enum": ["hold", "refuse"]}),
    "hold": (whole(0), _from(0)),
    "validate": (_by_tool, {"type": ["boolean", "object"], "additionalProperties": _FLAG}),
    "state_from": (text, _TEXT),
    "claims": (_claims, {"enum": [ALL, OWN]}),
    "reload": (_settings, _SWITCHED),
}
"""Each option: what reads it, and the JSON Schema of what that takes in a file. What stands in a mapping is for the rooms above."""
