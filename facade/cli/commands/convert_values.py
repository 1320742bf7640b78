"""Which formats can be read and written, and what a given value is. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from ...base.suggestions import meant
from ...interop.conversion import Converted, ToolInteropTarget
from ...interop.errors import ConversionError, InteropError, UnknownFormatError, describe
from ...interop.format_ids import MCP, canonical_format, formats_of

if TYPE_CHECKING:
    from ...interop.errors import Kind
    from ...interop.registry.tool_registry import ToolInteropRegistry

KINDS: Final[tuple[Kind, ...]] = ("schema", "call", "result")


class UnknownWire(InteropError):
    """There is no format of that name to read, or to write."""


class UnclearKind(InteropError):
    """A value is no schema, call or result of any format that is known, or could be more than one of them."""


def wires(registry: ToolInteropRegistry) -> dict[str, dict[str, list[str]]]:
    """Return what can be done with each format: ``read`` and ``write``, by kind."""
    found: dict[str, dict[str, list[str]]] = {}
    for contribution in reversed(registry.contributions):
        shelves = contribution.contribution
        by_kind: tuple[tuple[Kind, Any, Any], ...] = (
            ("schema", shelves.schema_accessors, shelves.schema_adapters),
            ("call", shelves.call_accessors, shelves.call_adapters),
            ("result", shelves.result_accessors, shelves.result_adapters),
        )
        for kind, readers, writers in by_kind:
            can = [(reader.format, "read") for reader in readers]
            can += [(writer.target, "write") for writer in writers]
            for name, verb in can:
                verbs = found.setdefault(canonical_format(kind, name), {}).setdefault(kind, [])
                if verb not in verbs:
                    verbs.append(verb)
    return found


def require_wire(registry: ToolInteropRegistry, name: str, verb: str, kind: Kind | None) -> None:
    """Refuse a format, or a family of formats, that has no reader or writer.

    Raises:
        UnknownWire: names the nearest.
    """
    known = {each: [k for k in KINDS if verb in can.get(k, ())] for each, can in wires(registry).items()}
    wanted = KINDS if kind is None else (kind,)
    able = [each for each, kinds in known.items() if set(kinds) & set(wanted)]
    if not any(formats_of(name, [each for each in able if k in known[each]], k) for k in wanted):
        what = f"no {kind}" if kind else "nothing"
        done = {"read": "read", "write": "written"}[verb]
        raise UnknownWire(f"{what} can be {done} as {name!r}; {meant(name, {*able, *_families(registry)})}")


def _families(registry: ToolInteropRegistry) -> set[str]:
    """Return what the formats that can be written are called without their last word, and what both revisions of MCP are."""
    written = [
        each for each, can in wires(registry).items() if any("write" in verbs for verbs in can.values())
    ]
    return {each.rpartition(".")[0] for each in written} | {MCP}


def kind_of(registry: ToolInteropRegistry, value: Any, source: str | None) -> Kind:
    """Return what a value is.

    Raises:
        UnclearKind: that cannot be told by its looks.
    """
    kinds = [kind for kind in KINDS if _is_claimed(registry, kind, value, source)]
    if len(kinds) == 1:
        return kinds[0]
    if kinds:
        raise UnclearKind(f"{describe(value)} could be a {' or a '.join(kinds)}; say which it is by --kind")
    wanted = "of any known format" if source is None else f"of {source}"
    raise UnclearKind(f"{describe(value)} is no schema, call or result {wanted}")


def convert(
    registry: ToolInteropRegistry,
    kind: Kind,
    value: Any,
    *,
    source: str | None,
    target: str,
    number: int,
    call_id: str | None = None,
) -> Converted:
    """Return a value in another format, with what was lost.

    Args:
        registry: knows the formats.
        kind: what the value is.
        value: the value.
        source: its format, if that is known.
        target: the format, or family, that it is to be in.
        number: which of all values it is; a call without an id gets one from that.
        call_id: the id of a call, or of the call that a result answers, if the value does not say it.

    Raises:
        InteropError: it is not what it is said to be, or cannot be said in that format.
    """
    family = ToolInteropTarget(target)
    if kind == "schema":
        return registry.convert_schema(value, family, [target], source_format=source)
    if kind == "call":
        return registry.convert_tool_call(
            value, family, [target], source_format=source, turn=number, call_id=call_id
        )
    try:
        return registry.convert_result(value, family, [target], source_format=source, call_id=call_id)
    except ConversionError as error:
        if call_id is None and _needs_only_an_id(registry, value, target, source):
            raise ConversionError(f"{error}. --call-id says which call it answers") from error
        raise


def needs_call_id(registry: ToolInteropRegistry, kind: Kind, value: Any, source: str | None) -> bool:
    """Say whether a value is a call, or a result, that does not say which call's it is. Raises `InteropError`: it is none."""
    if kind == "schema":
        return False
    inspect = registry.inspect_call if kind == "call" else registry.inspect_result
    return inspect(value, source).call_id is None


def _needs_only_an_id(registry: ToolInteropRegistry, value: Any, target: str, source: str | None) -> bool:
    try:
        registry.convert_result(
            value, ToolInteropTarget(target), [target], source_format=source, call_id="call_1"
        )
    except InteropError:
        return False
    return True


def _is_claimed(registry: ToolInteropRegistry, kind: Kind, value: Any, source: str | None) -> bool:
    inspect = {
        "schema": registry.inspect_schema,
        "call": registry.inspect_call,
        "result": registry.inspect_result,
    }[kind]
    try:
        inspect(value, source)
    except UnknownFormatError:
        return False
    except InteropError:  # it is one, and broken: that is for the conversion to say
        return True
    return True
