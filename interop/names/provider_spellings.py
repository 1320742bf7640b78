"""Which names and ids each provider takes. A name that is legal here is never rewritten.

Where a provider's documents and its servers disagree, or did so once, what stands here is what all of them
take: rewriting is undone when a call comes back, and a refused name fails the whole request.
"""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, Final

from ..format_ids import (
    AG_UI,
    AI_SDK,
    AMPLIFIER,
    ANTHROPIC_MESSAGES,
    BEDROCK_CONVERSE,
    GEMINI,
    MCP,
    OPENAI_CHAT,
    OPENAI_RESPONSES,
    belongs_to,
)
from ..spelling import ANYTHING, STRICT, Spelling

if TYPE_CHECKING:
    from collections.abc import Mapping

MISTRAL: Final = "mistral"
"""Mistral's own servers speak Chat Completions, and take ids of exactly nine letters and digits."""

_WORD: Final = "a-zA-Z0-9_-"
_VISIBLE: Final = "!-~"

NAMES: Final[Mapping[str, Spelling]] = MappingProxyType(
    {
        OPENAI_CHAT: Spelling(_WORD, 64),
        OPENAI_RESPONSES: Spelling(_WORD, 64),
        ANTHROPIC_MESSAGES: Spelling(_WORD, 64),  # its errors say 128, its older documents 64
        GEMINI: Spelling("a-zA-Z0-9_.-", 64, first="a-zA-Z_"),  # 128 and colons in the newer documents alone
        BEDROCK_CONVERSE: Spelling(_WORD, 64),
        MISTRAL: Spelling(_WORD, 64),
        MCP: Spelling("a-zA-Z0-9_.-", 128),
        AMPLIFIER: ANYTHING,
        AG_UI: ANYTHING,
        AI_SDK: ANYTHING,
        "core": ANYTHING,
    }
)
"""Family -> the names of tools that it takes."""

IDS: Final[Mapping[str, Spelling]] = MappingProxyType(
    {
        OPENAI_CHAT: Spelling(_VISIBLE, 40),  # servers that speak it have ids such as functions.ls:0
        OPENAI_RESPONSES: Spelling(_VISIBLE, 64),
        ANTHROPIC_MESSAGES: Spelling(_WORD, 64),
        GEMINI: Spelling(_VISIBLE, 128),
        BEDROCK_CONVERSE: Spelling("a-zA-Z0-9_.:-", 64),
        MISTRAL: Spelling("a-zA-Z0-9", 9, least=9),
        MCP: ANYTHING,
        AMPLIFIER: ANYTHING,
        AG_UI: ANYTHING,
        AI_SDK: ANYTHING,
        "core": ANYTHING,
    }
)
"""Family -> the ids of calls that it takes."""

_STRICT_IDS: Final = Spelling(_WORD, 40)


def names_of(format_id: str) -> Spelling:
    """Return how a family, or a format of one, spells names; the strictest if it is not known."""
    return _of(format_id, NAMES, STRICT)


def ids_of(format_id: str) -> Spelling:
    """Return how a family, or a format of one, spells ids; the strictest if it is not known."""
    return _of(format_id, IDS, _STRICT_IDS)


def _of(format_id: str, table: Mapping[str, Spelling], otherwise: Spelling) -> Spelling:
    return next((spelling for family, spelling in table.items() if belongs_to(format_id, family)), otherwise)
