"""The unknown keys of a configuration, all of them at once, each with the one that was probably meant.

A shape says which keys a place may have. What is no object where one is expected is left to the reader of that place, which
says what it has to be.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import fields
from typing import Any, Final, NamedTuple

from ..actors.endpoint.circuit_breaker import BreakerPolicy
from ..actors.endpoint.crash_attribution import QuarantinePolicy
from ..actors.reload.policy import ReloadPolicy
from ..base.suggestions import meant
from ..hosts.limits.limits import NAMES as LIMITS
from ..hosts.node.sandbox import NAMES as SANDBOX
from ..hosts.sandbox.bwrap import KIND
from ..hosts.sandbox.bwrap import NAMES as SYSTEM_SANDBOX
from ..plugins.hooks.approval_rules import ApprovalRules
from ..plugins.sources.options import PluginOptions
from ..sources.kinds import SOURCE_KEYS, SPELLINGS
from ..supervision.restart.backoff import Backoff
from ..supervision.restart.policy import RestartPolicy
from .agent_section import KEYS as AGENT_KEYS
from .agent_section import PROVIDERS
from .groups import KEYS as GROUP_KEYS
from .hook_section import KINDS
from .state import KEYS as STATE_KEYS


class UnknownKey(NamedTuple):
    """An unknown key.

    Attributes:
        path: where it stands, as ``$.calls.dedline``.
        why: what is wrong, and what was probably meant.
    """

    path: str
    why: str


Shape = Callable[[Any, str], Iterator[UnknownKey]]
"""Finds the unknown keys of a value at a path."""


def anything(_: Any, __: str) -> Iterator[UnknownKey]:
    """A value whose keys, if it has any, are its own."""
    return iter(())


def section(known: Mapping[str, Shape], more: str = "") -> Shape:
    """An object with these keys and no others; ``more`` is said of a key that is near to none of them."""

    def look(value: Any, path: str) -> Iterator[UnknownKey]:
        if not isinstance(value, Mapping):
            return
        for key, each in value.items():
            if key in known:
                yield from known[key](each, f"{path}.{key}")
            else:
                yield _unknown(key, known, path, more)

    return look


def listed(shape: Shape) -> Shape:
    """A list of such values."""

    def look(value: Any, path: str) -> Iterator[UnknownKey]:
        if isinstance(value, list | tuple):
            for index, each in enumerate(value):
                yield from shape(each, f"{path}[{index}]")

    return look


def named(shape: Shape) -> Shape:
    """An object of such values by free names."""

    def look(value: Any, path: str) -> Iterator[UnknownKey]:
        if isinstance(value, Mapping):
            for name, each in value.items():
                yield from shape(each, f"{path}.{name}")

    return look


def _unknown(key: Any, known: Iterable[str], path: str, more: str) -> UnknownKey:
    hint = meant(str(key), known)
    where = "" if path == "$" else f" in {path}"
    also = more if more and not hint.startswith("did you mean") else ""
    return UnknownKey(f"{path}.{key}", f"unknown key {key!r:.60}{where}; {hint}{also}")


def _plain(names: Iterable[str], **inside: Shape) -> dict[str, Shape]:
    return dict.fromkeys(names, anything) | inside


def _of(kind: Any, **inside: Shape) -> Shape:
    return section(_plain((each.name for each in fields(kind)), **inside))


def _provider(value: Any, path: str) -> Iterator[UnknownKey]:
    """Options of the shipped providers are known here; those of others are known to them alone."""
    if not isinstance(value, Mapping) or value.get("type") not in PROVIDERS:
        return iter(())
    # Only a configuration with such a section needs it.
    from ..agent.wires.options import CONFIG_SCHEMA, Timeouts  # noqa: PLC0415 - only a configured agent needs it

    return section(_plain(("type", *CONFIG_SCHEMA["properties"]), timeout=_of(Timeouts)))(value, path)


def _sandbox(value: Any, path: str) -> Iterator[UnknownKey]:
    """Each kind of sandbox has its own keys."""
    of_system = isinstance(value, Mapping) and value.get("kind") == KIND
    return section(_plain(SYSTEM_SANDBOX if of_system else SANDBOX))(value, path)


_RESTART: Final = _of(RestartPolicy, backoff=_of(Backoff))

_ENTRY: Final = section(
    _plain(each.name for each in fields(PluginOptions))
    | _plain(SOURCE_KEYS)
    | {each.under_key.key: section(_plain(each.under_key.keys())) for each in SPELLINGS if each.under_key}
    | {
        "mcp": anything,  # its reader refuses them, and only that entry
        "restart": _RESTART,
        "limits": section(_plain(LIMITS)),
        "sandbox": _sandbox,
        "breaker": _of(BreakerPolicy),
        "quarantine": _of(QuarantinePolicy),
        "reload": _of(ReloadPolicy),
    }
)

_SECTIONS: Final[dict[str, Shape]] = {
    "plugins": listed(_ENTRY),
    "supervision": _of(RestartPolicy, backoff=_of(Backoff), groups=named(section(_plain(GROUP_KEYS)))),
    "state": section(_plain(STATE_KEYS)),
    "agent": section(_plain(AGENT_KEYS, provider=_provider)),
    "hooks": listed(section(_plain(KINDS))),
    "approval": _of(ApprovalRules),
}

_OF_APPLICATION: Final = "; what is your application's own goes into 'app'"


def unknown_keys(
    given: Mapping[str, Any], top: Iterable[str], plain: Mapping[str, type]
) -> tuple[UnknownKey, ...]:
    """Find all unknown keys of a configuration, in the order in which they stand there.

    Args:
        given: the configuration.
        top: the keys it may have.
        plain: those of them that are sections, and the dataclass that each is read into.
    """
    sections = {**_SECTIONS, **{key: _of(kind) for key, kind in plain.items()}}
    return tuple(section(_plain(top, **sections), _OF_APPLICATION)(given, "$"))
