"""Groups of hosts that are restarted together or share a budget: read from the configuration.

A group is named by the plugins that are in it, with their option ``group``. It may be in another group; those
are put first, whatever order they were written in.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from ..supervision.restart.spec import ROOT, GroupSpec
from .errors import ConfigurationError, refused, require_known, require_object

if TYPE_CHECKING:
    from collections.abc import Iterable

_TEXTS = ("strategy", "restart", "on_limit", "start", "group")
_SECONDS = ("period", "cool_down")
KEYS = (*_TEXTS, *_SECONDS, "intensity")


def read_groups(given: Any, path: str) -> tuple[GroupSpec, ...]:
    """Read the groups, by name; outer ones come before the ones in them.

    Raises:
        ConfigurationError: something in them is wrong.
    """
    require_object(given, path)
    specs = {name: _read(name, value, f"{path}.{name}") for name, value in given.items()}
    placed: dict[str, GroupSpec] = {}
    for name in specs:
        _place(name, specs, placed, f"{path}.{name}", ())
    return tuple(placed.values())


def _read(name: str, given: Any, path: str) -> GroupSpec:
    if not isinstance(given, Mapping) or not name:
        raise refused(given, path, "an object with a name")
    require_known(given, KEYS, path=path)
    for key, value in given.items():
        _check(key, value, f"{path}.{key}")
    settings = {key: value for key, value in given.items() if key != "group"}
    try:
        return GroupSpec(name, parent=given.get("group", ROOT), **settings)
    except ValueError as error:
        raise ConfigurationError(f"{path}: {error}", path=path) from error


def _check(key: str, value: Any, path: str) -> None:
    number = isinstance(value, int | float) and not isinstance(value, bool)
    if key in _TEXTS and not (isinstance(value, str) and value):
        raise refused(value, path, "a text")
    if key in _SECONDS and not number:
        raise refused(value, path, "a number of seconds")
    if key == "intensity" and value is not None and not (number and isinstance(value, int)):
        raise refused(value, path, "a whole number, or null")


def _place(
    name: str, specs: Mapping[str, GroupSpec], placed: dict[str, GroupSpec], path: str, inner: tuple[str, ...]
) -> None:
    if name in placed:
        return
    if name in inner:
        ring = " in ".join((*inner[inner.index(name) :], name))
        raise ConfigurationError(f"{path}.group goes round in a ring: {ring}", path=f"{path}.group")
    parent = specs[name].parent
    if parent != ROOT:
        require_group(parent, specs, f"{path}.group")
        _place(parent, specs, placed, path, (*inner, name))
    placed[name] = specs[name]


def require_group(name: str, groups: Iterable[str], path: str) -> None:
    """Refuse the name of a group that does not exist.

    Raises:
        ConfigurationError: says which there are.
    """
    known = list(groups)
    if name not in known:
        there = ", ".join(repr(each) for each in known) or "none; they stand under 'supervision.groups'"
        raise ConfigurationError(f"{path} is {name!r}; there is no such group, there are: {there}", path=path)
