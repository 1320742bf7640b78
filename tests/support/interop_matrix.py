"""What every conversion may lose, from each format to each other: asked of the code, and written as a page.

``python tests/support/interop_matrix.py`` writes the tables in ``docs/formats.md`` anew.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from callboard.interop.conversion import LossCode
from callboard.interop.default_registry import DEFAULT_TOOL_INTEROP_REGISTRY as REGISTRY
from callboard.interop.default_registry import ToolInteropTarget
from callboard.interop.errors import ConversionError, HostedError, LossRefusedError
from callboard.interop.format_ids import canonical_format
from callboard.interop.formats.built_in import BUILT_IN
from interop_probes import PROBES

if TYPE_CHECKING:
    from callboard.interop.errors import Kind

PAGE = Path(__file__).parents[2] / "docs" / "formats.md"
BEGIN, END = "<!-- written by `make matrix` -->", "<!-- end of what `make matrix` writes -->"

SHORT = {
    "openai.chat_completions.function": "chat",
    "openai.chat_completions.custom": "chat-c",
    "openai.chat_legacy.function": "chat-l",
    "openai.responses.function": "resp",
    "openai.responses.custom.tool_schema": "resp-c",
    "openai.responses.custom": "resp-c",
    "openai.responses.namespace": "resp-n",
    "anthropic.messages.tool": "anth",
    "gemini.generate_content.function": "gem",
    "gemini.generate_content.function_openapi": "gem-o",
    "openai.responses.hosted": "resp-h",
    "openai.responses.action": "resp-a",
    "anthropic.messages.hosted": "anth-h",
    "gemini.generate_content.hosted": "gem-h",
    "bedrock.converse.hosted": "bedr-h",
    "bedrock.converse.tool": "bedr",
    "mcp.2025_11_25.tool": "mcp25",
    "mcp.2026_07_28.tool": "mcp26",
    "mcp.sampling.tool_result": "mcp-s",
    "amplifier.tool": "amp",
    "ollama.chat.tool": "olla",
    "cohere.chat.tool": "coh",
    "ag_ui.tool": "agui",
    "ai_sdk.ui.tool": "aisdk",
    "core.tool_result": "core",
    "core.provider_native_tool_result": "native",
    "core.host_result": "host",
}
"""What a format is called in the tables."""

LETTERS = {
    LossCode.TEXT_WRAPPED: "W",
    LossCode.GRAMMAR: "G",
    LossCode.STRICT: "S",
    LossCode.OUTPUT_SCHEMA: "O",
    LossCode.NAMESPACE: "N",
    LossCode.ROOT_COMBINATORS: "R",
    LossCode.KEYWORDS: "K",
    LossCode.DESCRIPTION: "D",
    LossCode.EXTRAS: "X",
    LossCode.ITEM: "T",
    LossCode.SIGNATURE: "Y",
    LossCode.CALL_ID: "I",
    LossCode.ERROR_FLAG: "E",
    LossCode.STRUCTURE: "J",
    LossCode.MEDIA: "M",
    LossCode.UNREAD: "U",
    LossCode.BOUNDARIES: "B",
    LossCode.HOSTED: "H",
}

MODELS = {"gemini.generate_content.function": "gemini-3-pro-preview"}
"""The model that a conversion is for, where one of them asks for more than others."""

_TITLES = {"schema": "Tools", "call": "Calls", "result": "Results"}

Cell = frozenset[str] | None
"""The codes of what may be lost; ``None`` if the target cannot say it."""


def formats(kind: Kind) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the formats that can be read, and those that can be written."""
    readers = getattr(BUILT_IN, f"{kind}_accessors")
    writers = getattr(BUILT_IN, f"{kind}_adapters")
    return (
        tuple(dict.fromkeys(reader.format for reader in readers)),
        tuple(dict.fromkeys(writer.target for writer in writers)),
    )


@cache
def matrix(kind: Kind) -> dict[tuple[str, str], Cell]:
    """Return what is lost of the probes, by the format they are in and the one they go to."""
    _, targets = formats(kind)
    cells: dict[tuple[str, str], Cell] = {}
    for probe in PROBES[kind]:
        source = read_as(kind, probe)
        for target in targets:
            lost = losses(kind, probe, target)
            known = cells.get((source, target))
            cells[source, target] = known if lost is None else (known or frozenset()) | lost
    return cells


def read_as(kind: Kind, value: Any) -> str:
    """Return the format that a value is read in."""
    of = {"schema": REGISTRY.inspect_schema, "call": REGISTRY.inspect_call, "result": REGISTRY.inspect_result}
    return canonical_format(kind, of[kind](value).format)


def losses(kind: Kind, value: Any, target: str) -> Cell:
    """Return the codes of what one value loses on its way; ``None`` if it cannot be said there."""
    to, only = ToolInteropTarget(target, MODELS.get(target)), [target]
    try:
        if kind == "schema":  # a namespace may have to be taken apart: only the conversion of many does
            REGISTRY.convert_schemas([value], to, only, refuse_losses=True)
            return frozenset()
        if kind == "call":
            lost = REGISTRY.convert_tool_call(value, to, only, turn=1).losses
        else:
            lost = REGISTRY.convert_result(value, to, only, call=_answered(value)).losses
    except (LossRefusedError, HostedError) as refusal:
        lost = refusal.losses
    except ConversionError:
        return None
    return frozenset(str(loss.code) for loss in lost)


def _answered(result: Any) -> dict[str, Any]:
    call_id = REGISTRY.inspect_result(result).call_id or "c"
    return {"id": call_id, "type": "function", "function": {"name": "ls", "arguments": "{}"}}


def tables() -> str:
    """Return the tables of all kinds, with what the letters mean, as Markdown."""
    legend = [f"| {letter} | `{code}` |" for code, letter in LETTERS.items()]
    return "\n\n".join(
        [
            "\n".join(["| letter | what may be lost: `Loss.code` |", "|---|---|", *legend]),
            *(f"### {_TITLES[kind]}\n\n{_table(kind)}" for kind in _TITLES),
        ]
    )


def _table(kind: Kind) -> str:
    sources, targets = formats(kind)
    cells = matrix(kind)
    lines = [f"| from \\ to | {' | '.join(SHORT[target] for target in targets)} |"]
    lines.append("|---" * (len(targets) + 1) + "|")
    for source in dict.fromkeys(canonical_format(kind, source) for source in sources):
        row = (_cell(source, target, cells[source, target]) for target in targets)
        lines.append(f"| {SHORT[source]} | {' | '.join(row)} |")
    return "\n".join(lines)


def _cell(source: str, target: str, lost: Cell) -> str:
    if source == target:
        return "copy"
    if lost is None:
        return "✗"
    return "".join(letter for code, letter in LETTERS.items() if code in lost) or "="


def page_with_tables(page: str) -> str:
    """Return a page with the tables in it as they are now."""
    before, rest = page.split(BEGIN)
    _, after = rest.split(END)
    return f"{before}{BEGIN}\n\n{tables()}\n\n{END}{after}"


if __name__ == "__main__":
    PAGE.write_text(page_with_tables(PAGE.read_text()))
