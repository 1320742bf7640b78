"""Tools, results and parts of a board, as MCP has them. Pure.

What is written holds for both eras of the protocol: a tool has a description and a schema of an object, structured content is an
object.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from ..base.errors import JsonValueError
from ..hosts.mcp.jsonrpc import read_exactly, without_forged_meta
from ..hosts.mcp.results import ServerPart
from ..hosts.mcp_tasks.server_tasks import RELATED
from ..interop.conversion import ToolInteropTarget
from ..interop.errors import InteropError
from ..interop.exact_json import as_utf8, json_text
from ..interop.format_ids import MCP_2025, MCP_2026
from ..plugins.results.codes import Code, Outcome
from .shapes import CALL_RESULT, PROGRESS

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from ..hosts.protocol.wire import RawAnswer
    from ..interop.registry.tool_registry import ToolInteropRegistry

Json = dict[str, Any]

_TARGET, _STATELESS = ToolInteropTarget(MCP_2025), ToolInteropTarget(MCP_2026)
_BLOCKS = ("text", "image", "audio", "resource", "resource_link")
_TOOL = ("name", "title", "description", "inputSchema", "outputSchema", "annotations", "icons", "_meta")
MAY_HAVE_RUN = "It may have run: check before it is called again."


def tools_of(
    schemas: Iterable[tuple[Any, bool, bool]], registry: ToolInteropRegistry, *, handshake: bool
) -> tuple[list[Json], dict[str, str]]:
    """The tools as MCP declares them, and why others cannot be declared, by name.

    Args:
        schemas: each with whether an MCP server has declared it so, and whether that server makes tasks of calls by itself. What a server has declared
            stays as it is, but that a tool which can be called as a task can be called without as well. In the stateless era tools say nothing
            of tasks.
        registry: knows the board's formats.
        handshake: the client speaks a revision up to 2025-11-25, which knows output schemas of objects only.
    """
    tools: list[Json] = []
    left_out: dict[str, str] = {}
    for schema, of_server, makes_tasks in schemas:
        try:
            said = registry.convert_schema(schema, _TARGET if handshake else _STATELESS).value
        except InteropError as error:
            left_out[str(schema.get("name", "?") if isinstance(schema, dict) else "?")] = str(error)
            continue
        if of_server:
            takes_tasks = task_support_of(schema, may=makes_tasks) != "forbidden"
            lost = {"outputSchema"} - said.keys() | ({"execution"} if takes_tasks else set())
            kept = {key: each for key, each in schema.items() if key not in lost}
            both = (
                {"execution": {**schema.get("execution", {}), "taskSupport": "optional"}}
                if takes_tasks and handshake
                else {}
            )
            tools.append(without_forged_meta({**kept, **both}))
            continue
        tool = without_forged_meta({key: said[key] for key in _TOOL if key in said})
        tools.append({**tool, "description": tool.get("description") or tool["name"]})
    return tools, left_out


def task_support_of(schema: Any, *, may: bool = False) -> str:
    """What a tool's server says of tasks: ``optional``, ``required``, or else ``forbidden``; ``may``: it makes tasks of any tool's calls."""
    execution = schema.get("execution") if isinstance(schema, dict) else None
    said = execution.get("taskSupport") if isinstance(execution, dict) else None
    return said if said in {"optional", "required"} else "optional" if may else "forbidden"


def result_of(
    result: Mapping[str, Any],
    plugin: str | None,
    registry: ToolInteropRegistry,
    *,
    structured: bool = False,
) -> Json:
    """The result of ``tools/call``.

    A failure is a result too: its text says to a model what happened, to which plugin, and whether the tool may have run; ``_meta`` says
    it to programs.

    Args:
        result: as a call ends.
        plugin: which one took the call, if any did.
        registry: knows the board's formats.
        structured: the client knows the tool by its output schema, so that any value is structured content; else an object is.
    """
    if not result.get("success"):
        return _failure(result, plugin)
    content, told = result.get("content"), result.get("result")
    if isinstance(content, list) and content and all(map(_is_block, content)):
        written: Json = {"content": without_forged_meta(content)}
        if isinstance(told, dict) or (structured and told is not None):
            written["structuredContent"] = told
        return {**written, "isError": False}
    converted: Json = without_forged_meta(
        registry.convert_result({"success": True, "result": told}, _TARGET).value
    )
    return {**converted, "structuredContent": told} if structured and told is not None else converted


def _is_block(value: Any) -> bool:
    return isinstance(value, dict) and value.get("type") in _BLOCKS


class Refusal(NamedTuple):
    """An error of JSON-RPC; ``data`` is ``None`` if there are none."""

    code: int
    message: str
    data: Any


def as_it_came(line: bytes, *, handshake: bool) -> Json | Refusal | None:
    """Return the result or the error in a server's answer to ``tools/call``, value for value.

    A result lacks nothing of what the client's era needs: ``content``, and from 2026-07-28 on ``resultType``. Before, structured content
    that is no object is text.

    Args:
        line: the answer, as the server wrote it.
        handshake: the client speaks a revision up to 2025-11-25.

    Returns:
        ``None`` if the answer cannot be said again: an integer has too many digits, or the error has no number or no text.
    """
    try:
        answer = read_exactly(line)
    except JsonValueError:
        return None
    if isinstance(error := answer.get("error"), dict) and "result" not in answer:
        code, message = error.get("code"), error.get("message")
        if type(code) is not int or not isinstance(message, str):
            return None
        return Refusal(code, message, error.get("data"))
    result: Json = answer["result"]
    meta = result.get("_meta")
    if isinstance(meta, dict) and meta.pop(RELATED, None) is not None and not meta:
        del result["_meta"]  # the server's task is not the client's
    structured = result.get("structuredContent")
    if "content" not in result or (handshake and not result["content"] and not isinstance(structured, dict)):
        told = [] if structured is None else [{"type": "text", "text": json_text(structured)}]
        result["content"] = told
    if handshake:
        result.pop("resultType", None)
        if not isinstance(structured, dict | None):
            del result["structuredContent"]
    else:
        result.setdefault("resultType", "complete")
    return result


_HALF: Final = re.compile(rb"\\u[dD]")
"""Half of a surrogate pair, perhaps. To search for a pattern takes a third of the time of a copy in small letters."""


def text_as_it_came(raw: RawAnswer, *, handshake: bool) -> bytes | None:
    """As `as_it_came`, the result as the JSON text that the server has written.

    Returns:
        ``None`` if it cannot be given on byte for byte, but perhaps by its values.
    """
    result = raw.value
    if raw.text is None or CALL_RESULT(result) is not None or RELATED in (result.get("_meta") or ()):
        return None
    text = bytes(raw.text)
    if b"\r" in text:
        return None
    if b"\\" in text and _HALF.search(text) is not None:
        return None
    if not handshake:
        return text if "resultType" in result else b"".join((text[:-1], b',"resultType":"complete"}'))
    structured = result.get("structuredContent")
    whole = isinstance(structured, dict) or (bool(result["content"]) and structured is None)
    return text if whole and "resultType" not in result else None


def failure_text(result: Mapping[str, Any], plugin: str | None) -> str:
    """What a failure says to a model: what happened, to which plugin, and whether the tool may have run."""
    said = str(result.get("error") or "the tool failed, and does not say why")
    if plugin is not None and result.get("code") is not None and plugin not in said:
        said = f"{plugin}: {said}"
    doubtful = result.get("outcome") == Outcome.OUTCOME_UNKNOWN and result.get("code") != Code.INVALID_CALL
    return f"{said.rstrip('.')}. {MAY_HAVE_RUN}" if doubtful else said


def _failure(result: Mapping[str, Any], plugin: str | None) -> Json:
    facts = {"code": result.get("code"), "outcome": result.get("outcome"), "plugin": plugin}
    failed: Json = {"content": [{"type": "text", "text": failure_text(result, plugin)}], "isError": True}
    meta = {f"callboard/{key}": value for key, value in facts.items() if value is not None}
    return {**failed, "_meta": meta} if meta else failed


class Progress:
    """The parts of one call as MCP's progress.

    What a server has said goes on as it came. Other parts are counted, as progress has to grow: one without a number, or with a smaller one, is
    one more than the last.
    """

    def __init__(self) -> None:
        self._last: float | None = None

    def next(self, part: Any) -> Json:
        """Return the params of the next part's notification, in which ``progressToken`` is still to be set."""
        if type(part) is ServerPart and PROGRESS(part.params) is None:
            self._last = part.params["progress"]
            return _without_task(part.params)
        said = part if isinstance(part, dict) else {}
        number, total, message = (
            _number(said.get("progress")),
            _number(said.get("total")),
            said.get("message"),
        )
        if number is None or not (number >= 0 if self._last is None else number > self._last):
            self._last = 1 if self._last is None else self._last + 1
        else:
            self._last = number
        if not isinstance(message, str):
            message = part if isinstance(part, str) else None if number is not None else json_text(part)
        told = {"progressToken": None, "progress": self._last, "total": total, "message": as_utf8(message)}
        return {key: each for key, each in told.items() if each is not None or key == "progressToken"}


def _without_task(params: Json) -> Json:
    """Leave out the server's task, which is not the client's."""
    meta = params.get("_meta")
    if meta is None or RELATED not in meta:
        return params
    left = {key: each for key, each in meta.items() if key != RELATED}
    return {key: left if key == "_meta" else each for key, each in params.items() if key != "_meta" or left}


def _number(value: Any) -> float | None:
    return value if isinstance(value, int | float) and not isinstance(value, bool) else None
