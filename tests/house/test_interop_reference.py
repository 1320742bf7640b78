"""The reference lists every built-in format with what can be done in it, and every loss."""

from __future__ import annotations

import re

from callboard.interop.conversion import LossCode
from callboard.interop.format_ids import OPT_IN
from callboard.interop.formats.built_in import BUILT_IN
from house_source import reference

REFERENCE = reference()
KINDS = ("schema", "call", "result")


def table(first_cell: str) -> dict[str, list[str]]:
    """The rows of the table that begins with a heading: the other cells, by the name in the first one."""
    lines = REFERENCE.split(f"\n| {first_cell} |")[1].split("\n\n")[0].splitlines()[2:]
    cells = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]
    return {first.strip("`"): others for first, *others in cells}


def possible(kind: str, format_id: str) -> str:
    read = {accessor.format for accessor in getattr(BUILT_IN, f"{kind}_accessors")}
    written = {adapter.target for adapter in getattr(BUILT_IN, f"{kind}_adapters")}
    if format_id in written:
        return "named" if format_id in OPT_IN else "✓"
    return "read" if format_id in read else ""


def test_every_built_in_format_stands_in_the_reference_with_what_can_be_done_in_it():
    known = {
        member.format if hasattr(member, "format") else member.target
        for kind in KINDS
        for shelf in ("accessors", "adapters")
        for member in getattr(BUILT_IN, f"{kind}_{shelf}")
    }

    told = table("format")

    assert told == {format_id: [possible(kind, format_id) for kind in KINDS] for format_id in known}


def test_every_loss_stands_in_the_reference():
    told = table("loss")

    assert list(told) == [code.value for code in LossCode]
    assert all(re.fullmatch(r"\S.*", words[0]) for words in told.values())
