"""How the providers spell calls and results whose messages are lists of blocks: Anthropic, Bedrock, Gemini."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from ...base.frozen import frozen
from ..names.gemini_spelling import said, spelt
from .chat_messages import text_or_none
from .pairing import Rules

if TYPE_CHECKING:
    from collections.abc import Callable

Block = dict[str, Any]
Known = tuple[str | None, str | None]
"""The id of a call and the name of its tool, as far as they are said."""


@frozen
class Dialect:
    """One provider's spelling.

    Attributes:
        rules: what it asks of ids.
        blocks: the key of a message's blocks.
        calling: the role whose messages have calls.
        answering: the roles whose messages may have results; the first is that of new ones.
        in_order: results stand in the order of the calls.
        joins: messages of one role that follow each other are one turn to the provider.
        call: reads a call; ``None`` for any other block.
        result: reads a result; ``None`` for any other block.
        hosted: reads the id of a call that the provider runs itself; ``None`` for any other block.
        call_with: a call with that id.
        result_with: a result with that id, none where it is ``None``, and of that tool, where results say it.
        made_up: a result, of an id, a tool and a text.
        text: a block of text.
    """

    rules: Rules
    blocks: str
    calling: str
    answering: tuple[str, ...]
    in_order: bool
    joins: bool
    call: Callable[[Block], Known | None]
    result: Callable[[Block], Known | None]
    hosted: Callable[[Block], str | None]
    call_with: Callable[[Block, str | None], Block]
    result_with: Callable[[Block, str | None, str | None], Block]
    made_up: Callable[[str | None, str | None, str], Block]
    text: Callable[[str], Block]


def _of_type(kind: str, key: str) -> Callable[[Block], Known | None]:
    def read(block: Block) -> Known | None:
        known = text_or_none(block.get(key)), text_or_none(block.get("name"))
        return known if block.get("type") == kind else None

    return read


def _under(kind: str, key: str) -> Callable[[Block], Known | None]:
    def read(block: Block) -> Known | None:
        inner = said(block, kind)
        if not isinstance(inner, dict):
            return None
        return text_or_none(inner.get(key)), text_or_none(inner.get("name"))

    return read


def _with(key: str) -> Callable[[Block, str | None], Block]:
    return lambda block, its: block if text_or_none(block.get(key)) == its else {**block, key: its}


def _with_under(kind: str, key: str) -> Callable[[Block, str | None], Block]:
    def write(block: Block, its: str | None) -> Block:
        place = spelt(block, kind)
        inner = block[place]
        if text_or_none(inner.get(key)) == its:
            return block
        others = {name: item for name, item in inner.items() if name != key}
        return {**block, place: others if its is None else {**others, key: its}}

    return write


def _gemini_result(block: Block, its: str | None, name: str | None) -> Block:
    written = _with_under("functionResponse", "id")(block, its)
    place = spelt(written, "functionResponse")
    response = written[place]
    if name is None or response.get("name") == name:
        return written
    return {**written, place: {**response, "name": name}}


def _hosted_by_anthropic(block: Block) -> str | None:
    return text_or_none(block.get("id")) if block.get("type") in {"server_tool_use", "mcp_tool_use"} else None


def _hosted_by_bedrock(block: Block) -> str | None:
    use = block.get("toolUse")
    if isinstance(use, dict) and use.get("type") == "server_tool_use":
        return text_or_none(use.get("toolUseId"))
    return None


def _of_anthropic(its: str | None, _: str | None, text: str) -> Block:
    return {"type": "tool_result", "tool_use_id": its, "content": text, "is_error": True}


def _of_bedrock(its: str | None, _: str | None, text: str) -> Block:
    return {"toolResult": {"toolUseId": its, "content": [{"text": text}], "status": "error"}}


def _of_gemini(its: str | None, name: str | None, text: str) -> Block:
    response: Block = {"name": name, "response": {"error": text}}
    return {"functionResponse": response if its is None else {**response, "id": its}}


ANTHROPIC: Final = Dialect(
    rules=Rules(unique=True),
    blocks="content",
    calling="assistant",
    answering=("user",),
    in_order=False,
    joins=True,
    call=_of_type("tool_use", "id"),
    result=_of_type("tool_result", "tool_use_id"),
    hosted=_hosted_by_anthropic,
    call_with=_with("id"),
    result_with=lambda block, its, _: _with("tool_use_id")(block, its),
    made_up=_of_anthropic,
    text=lambda text: {"type": "text", "text": text},
)
BEDROCK: Final = Dialect(
    rules=Rules(unique=True),
    blocks="content",
    calling="assistant",
    answering=("user",),
    in_order=False,
    joins=False,
    call=_under("toolUse", "toolUseId"),
    result=_under("toolResult", "toolUseId"),
    hosted=_hosted_by_bedrock,
    call_with=_with_under("toolUse", "toolUseId"),
    result_with=lambda block, its, _: _with_under("toolResult", "toolUseId")(block, its),
    made_up=_of_bedrock,
    text=lambda text: {"text": text},
)
GEMINI: Final = Dialect(
    rules=Rules(optional=True, by_name=True),
    blocks="parts",
    calling="model",
    answering=("user", "function"),
    in_order=True,
    joins=False,
    call=_under("functionCall", "id"),
    result=_under("functionResponse", "id"),
    hosted=lambda _: None,
    call_with=_with_under("functionCall", "id"),
    result_with=_gemini_result,
    made_up=_of_gemini,
    text=lambda text: {"text": text},
)
