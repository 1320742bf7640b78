"""Profiles: what one key of a configuration, ``"profile": "strict"``, sets for all of it. Pure, and tables above all.

A profile gives defaults, and bounds that nothing in the configuration may weaken: what does is refused by its name, in the
configuration as in an entry that a program loads. There is no word that allows it all the same: who needs it leaves the profile out,
and writes down what he wants of it.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

from ..base.suggestions import meant
from ..hosts.limits.limits import size_in_bytes
from ..hosts.sandbox.bwrap import KIND
from ..plugins.sources.mcp import McpSource
from .errors import ConfigurationError, refused

if TYPE_CHECKING:
    from ..plugins.sources.options import PluginOptions
    from ..sources.entry import PluginEntry

Json = dict[str, Any]

STRICT: Final = "strict"
PROFILES: Final = (STRICT,)

MOST_MEMORY: Final = "1GB"
MOST_LINE: Final = 4 * 1024 * 1024
MOST_STRAY: Final = 1_000
MOST_SECONDS: Final = 600.0

SECTIONS: Final[dict[str, Json]] = {
    "plugin_policy": {
        "node_build": False,
        "node_allow_install_scripts": False,
        "python_allow_builds": False,
    },
    "calls": {
        "max_line_bytes": MOST_LINE,
        "max_stray_lines": MOST_STRAY,
        "validate": True,
    },
}
"""What sections begin with, in place of their usual defaults."""

_OF_SYSTEM: Final = sys.platform == "linux"
"""Whether there is a sandbox of the system's. Where that is forbidden all the same, no plugin starts, and its error says what to do."""

LIMITS: Final[Json] = {"memory": "512MB"}


def _true(value: Any) -> str | None:
    return None if value is True else "has to be true"


def _false(value: Any) -> str | None:
    return None if value is False else "has to be false"


def _at_most(most: float) -> Callable[[Any], str | None]:
    def look(value: Any) -> str | None:
        number = isinstance(value, int | float) and not isinstance(value, bool)
        return None if number and value <= most else f"has to be a number, at most {most:,.0f}"

    return look


def _memory(value: Any) -> str | None:
    try:
        small = size_in_bytes(value) <= size_in_bytes(MOST_MEMORY)
    except ValueError:
        return None  # it is refused where limits are read
    return None if small else f"has to be at most {MOST_MEMORY}"


def _limits(value: Any) -> str | None:
    if not isinstance(value, Mapping):
        return None  # it is refused where options are read
    for key in ("memory", "memory_hard"):
        if key in value and (value[key] is None or _memory(value[key])):
            return f"has {value[key]!r:.60} as {key!r}, which has to be at most {MOST_MEMORY}"
    return None


_UNCONFINED = ("child_processes", "addons")
"""What leads out of Node's permission model."""


def _sandbox(value: Any) -> str | None:
    if value is False:
        return "cannot be false; leave it out"
    if _OF_SYSTEM and isinstance(value, Mapping) and value.get("kind", KIND) != KIND:
        return f"is {value['kind']!r:.40}, which withholds less than {KIND!r}"
    if isinstance(value, Mapping) and value.get("seccomp") is False:
        return "has 'seccomp' false, which lets it make all system calls; leave it out"
    led = [key for key in _UNCONFINED if isinstance(value, Mapping) and value.get(key)]
    return f"allows {led[0]!r}, which leads out of the sandbox" if led else None


def _isolate(value: Any) -> str | None:
    return "has to be true" if value is False else None


def _share(value: Any) -> str | None:
    return "puts plugins into one host, where each can read the others" if value else None


def _claims(value: Any) -> str | None:
    return (
        "has a plugin see the calls of all others; write 'own', or leave it out" if value == "all" else None
    )


def _validate(value: Any) -> str | None:
    weak = value is False or (isinstance(value, Mapping) and not all(value.values()))
    return "has to be true for all tools" if weak else None


def _pin(value: Any) -> str | None:
    return f"is {value!r:.60}; it has to be 'withhold'" if value in ("off", "tell") else None


_OF_SECTIONS: Final[dict[str, dict[str, Callable[[Any], str | None]]]] = {
    "plugin_policy": {
        "node_build": _false,
        "node_allow_install_scripts": _false,
        "python_allow_builds": _false,
    },
    "calls": {
        "deadline": _at_most(MOST_SECONDS),
        "max_line_bytes": _at_most(MOST_LINE),
        "max_stray_lines": _at_most(MOST_STRAY),
        "validate": _true,
    },
}
_OF_ENTRIES: Final[dict[str, Callable[[Any], str | None]]] = {
    "sandbox": _sandbox,
    "isolate": _isolate,
    "share": _share,
    "validate": _validate,
    "claims": _claims,
    "limits": _limits,
    "deadline": lambda value: None if value is None else _at_most(MOST_SECONDS)(value),
}
_OF_SERVERS: Final[dict[str, Callable[[Any], str | None]]] = {"pin": _pin}
"""Says of a value why it would weaken the profile; ``None`` if it does not."""


def read_profile(value: Any) -> str | None:
    """Read the key ``profile``. Raises `ConfigurationError`."""
    if value is None or value in PROFILES:
        return None if value is None else str(value)
    if isinstance(value, str):
        raise ConfigurationError(
            f"$.profile is {value!r:.60}, which is no profile; {meant(value, PROFILES)}", path="$.profile"
        )
    raise refused(value, "$.profile", f"one of: {', '.join(PROFILES)}")


def under(profile: str | None, given: Mapping[str, Any]) -> Mapping[str, Any]:
    """A configuration with the defaults of a profile.

    Raises:
        ConfigurationError: something in it would weaken the profile; names all of that.
    """
    if profile is None:
        return given
    if weak := _weakenings(given):
        raise ConfigurationError(
            "\n  ".join([f"the profile {profile!r} does not allow it:", *(why for _, why in weak)])
            if len(weak) > 1
            else f"the profile {profile!r} does not allow it: {weak[0][1]}",
            path=weak[0][0],
            paths=[path for path, _ in weak],
        )
    sections = {
        name: {**defaults, **given[name]} if name in given else defaults
        for name, defaults in SECTIONS.items()
        if isinstance(given.get(name, {}), Mapping)
    }
    return {**given, **sections}


def weakenings_of(given: Mapping[str, Any]) -> list[tuple[str, str]]:
    """All that weakens the profile of a configuration: each path, and why it is refused. Nothing if its profile cannot be read."""
    profile = given.get("profile")
    if profile not in PROFILES:
        return []
    return [(path, f"the profile {profile!r} does not allow it: {why}") for path, why in _weakenings(given)]


def _weakenings(given: Mapping[str, Any]) -> list[tuple[str, str]]:
    """What would weaken the profile: each path, and why."""
    found: list[tuple[str, str]] = []
    for section, rules in _OF_SECTIONS.items():
        found += _broken(rules, given.get(section), f"$.{section}")
    plugins = given.get("plugins")
    for index, entry in enumerate(plugins if isinstance(plugins, list | tuple) else ()):
        found += _broken_of_entry(entry, f"$.plugins[{index}]")
    return found


def _broken_of_entry(entry: Any, path: str) -> list[tuple[str, str]]:
    server = entry.get("mcp") if isinstance(entry, Mapping) else None
    return _broken(_OF_ENTRIES, entry, path) + _broken(_OF_SERVERS, server, f"{path}.mcp")


def _broken(rules: Mapping[str, Callable[[Any], str | None]], value: Any, path: str) -> list[tuple[str, str]]:
    if not isinstance(value, Mapping):
        return []  # its reader says what it has to be
    problems = ((key, rules[key](each)) for key, each in value.items() if key in rules)
    return [(f"{path}.{key}", f"{path}.{key} {problem}") for key, problem in problems if problem]


def hardened(profile: str | None, entry: PluginEntry) -> PluginOptions:
    """The options of an entry under a profile.

    Raises:
        ConfigurationError: one of them would weaken it.
    """
    options = entry.options
    if profile is None:
        return options
    names = ("sandbox", "isolate", "share", "validate", "claims", "limits", "deadline")
    given = {name: getattr(options, name) for name in names}
    if isinstance(entry.source, McpSource):  # it alone has pins
        given["mcp"] = {"pin": entry.source.pin}
    weak = _broken_of_entry(given, "$")
    if weak:
        raise ConfigurationError(f"the profile {profile!r} does not allow it: {weak[0][1]}", path=weak[0][0])
    strict = entry.source.strict()
    if strict is None:
        return options
    if _OF_SYSTEM and (options.sandbox is True or isinstance(options.sandbox, Mapping)):
        further = options.sandbox if isinstance(options.sandbox, Mapping) else {}
        options = replace(options, sandbox={"kind": KIND, **further})
    defaults = {**strict, "sandbox": KIND} if _OF_SYSTEM else strict
    set_anew = {name: value for name, value in defaults.items() if name not in given or given[name] is None}
    return replace(options, limits={**LIMITS, **options.limits}, **set_anew)
