"""Where in a call its arguments stand, and what it means that they do not stand there."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final

from .arguments import Arguments, malformed, parse_arguments
from .marks import METADATA

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping


def arguments_of(
    call: Mapping[str, Any],
    key: str,
    known: Collection[str],
    *,
    required: bool,
    around: Mapping[str, Any] = MappingProxyType({}),
    decode_twice: bool = False,
) -> Arguments:
    """Read the arguments of a call from the object that holds them.

    Missing and null arguments are ``{}`` only if the form makes them optional and they do not stand elsewhere: as a text, object
    or list under an unknown key, or as anything under a key by which other forms call them, there or in the object around.
    Arguments that are blank or an empty object are ``{}`` only if nothing stands elsewhere either; a key that holds nothing
    counts beside missing ones alone. A caller that puts its arguments elsewhere would else run its tool without any, and be
    told of success.

    Args:
        call: the object with the arguments.
        key: where they belong.
        known: all other keys that the form has.
        required: the form has no call without arguments.
        around: the object around the call, if it is in one. Servers add texts and objects of their own there.
        decode_twice: see `parse_arguments`.
    """
    value = call.get(key)
    read = None if value is None else parse_arguments(value, decode_twice=decode_twice)
    if read is not None and (read.kind != "object" or read.payload):
        return read
    strays = strays_of(call, (*known, key), around=around, holding=read is not None)
    if not strays and (read is not None or not required):
        return read or Arguments("object", {}, None, None)
    beside = ", but has " + ", ".join(f"{name[:60]!a}" for name in strays[:_MOST_TOLD]) if strays else ""
    raw = None if read is None else read.raw
    return malformed(raw, "no_arguments", f"the call has no {key!r}{beside}", found=strays[:_MOST_TOLD])


def strays_of(
    call: Mapping[Any, Any],
    known: Collection[str],
    *,
    around: Mapping[Any, Any] = MappingProxyType({}),
    holding: bool = True,
) -> list[str]:
    """Return the keys under which the arguments of a call, or a piece of them, may stand in the wrong place.

    Args:
        call: the object with the arguments.
        known: all keys that the form has.
        around: the object around the call.
        holding: leave out keys that hold nothing: a blank text, an empty object or list.
    """
    strays = [
        name
        for name, item in call.items()
        if isinstance(name, str)
        and name not in known
        and not _is_added(name)
        and (isinstance(item, dict | str | list) or _is_said(name, item))
        and (not holding or _holds(item))
    ]
    strays += [
        name
        for name, item in around.items()
        if isinstance(name, str)
        and item is not call
        and name not in strays
        and _is_said(name, item)
        and (not holding or _holds(item))
    ]
    return strays


def _is_added(name: str) -> bool:
    return name in _ADDED or name.startswith(_VENDORS)


def _holds(item: Any) -> bool:
    """Say whether a value is anything but a blank text, an empty object or an empty list."""
    return bool(item.strip()) if isinstance(item, str) else not isinstance(item, dict | list) or bool(item)


def _is_said(name: str, item: Any) -> bool:
    return item is not None and (name in _ARGUMENTS or name.lower().startswith("arg"))


_ARGUMENTS: Final = frozenset(
    {
        "input",
        "parameters",
        "params",
        "kwargs",
        "payload",
        "tool_input",
        "toolInput",
        "rawInput",
        "partial_json",
    }
)
"""Keys under which some form has its arguments, beside those that begin with ``arg``."""

_ADDED: Final = frozenset(
    {
        METADATA,
        "_meta",
        "cache_control",
        "callProviderMetadata",
        "extra_content",
        "extras",
        "parsed_arguments",
        "provider_data",
        "providerMetadata",
        "providerOptions",
        "provider_specific_fields",
        "signature",
        "thoughtSignature",
        "thought_signature",
    }
)
"""What servers, gateways and clients add to calls of any form; it holds no arguments that the call lacks."""

_VENDORS: Final = ("x_", "x-")
"""How keys begin that a vendor adds by convention."""

_MOST_TOLD: Final = 5
