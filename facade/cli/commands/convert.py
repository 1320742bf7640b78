"""`callboard convert`: tool schemas, calls and results from one wire format to another.

JSON values come in on stdin, one a line, or one after the other over any lines, or in a list. They go out
on stdout, one a line, in their order; what a format could not carry is told on stderr, by code, and so is
what is no value, or cannot be said. Nothing else is lost for that.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import click

from ...base.errors import CallboardError
from ...interop.default_registry import DEFAULT_TOOL_INTEROP_REGISTRY as REGISTRY
from ..ui.exit_codes import FAILED, WELL
from ..ui.json_values import Broken, values_in
from ..ui.options import common, json_option
from ..ui.streams import Streams, complain
from ..ui.text import Text
from .convert_values import KINDS, UnknownWire, convert, kind_of, needs_call_id, require_wire, wires

if TYPE_CHECKING:
    from ..ui.console import SafeConsole

_BITE = 1 << 20


@click.command("convert", short_help="Schemas, calls and results from one wire format to another.")
@click.option(
    "--from",
    "source",
    metavar="FORMAT",
    help="The format that the values have; told by their looks without it.",
)
@click.option(
    "--to", "target", metavar="FORMAT", help="The format, or family of formats, that they are to have."
)
@click.option("--kind", type=click.Choice(KINDS), help="What the values are; told by their looks without it.")
@click.option(
    "--call-id",
    "call_ids",
    metavar="ID",
    multiple=True,
    help="The id of a call, for a call or a result that does not say it; give one for each, in their order.",
)
@click.option("--strict", is_flag=True, help="Exit with 1 if anything is lost on the way.")
@click.option(
    "--list", "show", is_flag=True, help="List the formats, and what can be read and written in each."
)
@json_option
@common
def convert_command(
    *,
    source: str | None,
    target: str | None,
    kind: Any,
    call_ids: tuple[str, ...],
    strict: bool,
    show: bool,
    as_json: bool,
) -> int:
    """Convert tool schemas, tool calls and tool results from stdin.

    Values are JSON: one a line, or one after the other over any lines, or in a list. Each comes out as one line, in
    order. What its new format cannot carry is told on stderr, with the line that the value began in:

    \b
        callboard convert --from mcp --to openai.responses < tools.json
        callboard: line 1: lost extras: annotations

    A result of MCP or of the core does not say which call it answers, and most formats have to: --call-id says it.

    A value that is broken, or cannot be said in that format, is told too, and left out; all others come out. Exit status:
    0 all were converted, 1 some were not (or lost something, with --strict), 2 there is no such format.
    """  # noqa: D301 - click wants the character, not a backslash
    if show:
        return _list(as_json=as_json)
    if target is None:
        raise click.UsageError("--to says which format the values are to have; --list shows them all")
    try:
        if source is not None:
            require_wire(REGISTRY, source, "read", kind)
        require_wire(REGISTRY, target, "write", kind)
    except UnknownWire as error:
        raise click.UsageError(str(error)) from error
    with Streams(as_json=True) as streams:
        failed, ids = False, list(call_ids)
        for number, found in enumerate(values_in(_all_of(streams.stdin))):
            if isinstance(found, Broken):
                complain(f"line {found.line}: {found.why}")
                failed = True
                continue
            try:
                what = kind or kind_of(REGISTRY, found.value, source)
                needed = bool(ids) and needs_call_id(REGISTRY, what, found.value, source)
                converted = convert(
                    REGISTRY,
                    what,
                    found.value,
                    source=source,
                    target=target,
                    number=number,
                    call_id=ids.pop(0) if needed else None,
                )
            except CallboardError as error:
                complain(f"line {found.line}: {error}")
                failed = True
                continue
            streams.print_json(converted.value)
            for loss in converted.losses:
                complain(f"line {found.line}: lost {loss.code}: {loss.detail}")
            failed = failed or (strict and bool(converted.losses))
    return FAILED if failed else WELL


def _all_of(descriptor: int) -> bytes:
    pieces = []
    while piece := os.read(descriptor, _BITE):
        pieces.append(piece)
    return b"".join(pieces)


def _list(*, as_json: bool) -> int:
    with Streams(as_json=as_json) as out:
        known = wires(REGISTRY)
        if out.people:
            _show(known, out.console)
        else:
            for name, can in known.items():
                out.print_json({"format": name} | {kind: can.get(kind, []) for kind in KINDS})
    return WELL


def _show(known: dict[str, dict[str, list[str]]], console: SafeConsole) -> None:
    # No table: one would cut words to fit, and each of these lines is of use only if it is whole.
    head = ("format", *(f"{kind}s" for kind in KINDS))
    rows = [(name, *(", ".join(can.get(kind, ())) or "-" for kind in KINDS)) for name, can in known.items()]
    widths = [max(map(len, column)) for column in zip(head, *rows, strict=True)]
    for row in (head, *rows):
        line = "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
        console.print(Text(line, style="dim" if row is head else ""), soft_wrap=True)
