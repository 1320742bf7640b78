"""The answer to ``tools/call`` as that of a tool. Pure.

What a tool says is said once: its structured content if it has any, else its text, else its blocks. Blocks that are no text
(images, audio, resources) are kept beside it under ``content``, for the one who builds the messages of a model.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from ...base.json_size import MAX_VALUES
from ...base.validation import a_type
from ...plugins.hooks.form_safety import host_of
from ..protocol.wire import BegunEvent, ErrorResponse, Malformed, PartEvent, Response
from .jsonrpc import ABSENT, INVALID_PARAMS, METHOD_NOT_FOUND, exactly

if TYPE_CHECKING:
    from ..protocol.wire import Message, RawAnswer

COMPLETE = "complete"

URL_REQUIRED = -32042
"""The code of an error by which a server up to 2025-11-25 sends the user to a page."""

_REFUSALS: Final = frozenset({METHOD_NOT_FOUND, INVALID_PARAMS})
"""Codes of errors by which a server says that the call is none that it takes."""

_LONGEST_ADDRESS: Final = 2000
"""Characters; a longer one is left out, for a part of an address is another address."""

_NO_ANSWER = (
    "the server's answer is none of JSON-RPC 2.0, which needs 'jsonrpc', and a 'result' or an 'error' that is an object; "
    "or it is nested too deep to be read"
)


def message_of(
    request_id: str, result: Any, error: dict[str, Any] | None, raw: RawAnswer | None = None
) -> Message:
    """What an answer means to the one who called the tool; ``raw``, which it was read of, goes with what the server says itself."""
    if type(result) is dict and result.get("resultType", COMPLETE) == COMPLETE:  # then there is no error
        problem = _problem_in(result)
        if problem is not None:
            return _failed(request_id, "InvalidResult", problem)
        return Response(request_id, tool_result(result), None, raw)
    if result is ABSENT:
        return Malformed("wrong_shape", _NO_ANSWER, request_id)
    if error is not None:
        code = error.get("code")
        said = said_by(error) + _pages_of(error)
        kind = "McpInvalidCall" if isinstance(code, int) and code in _REFUSALS else "McpError"
        return _failed(request_id, kind, said, raw)
    if not isinstance(result, dict):
        return _failed(request_id, "InvalidResult", "the result is no object")
    kind = result["resultType"]
    asked = result.get("inputRequests")
    requests = asked.values() if isinstance(asked, dict) else ()
    wanted = sorted({str(each.get("method")) for each in requests if isinstance(each, dict)})
    detail = f"the server answers with {kind!r:.40}, and no result"
    if wanted:
        detail = f"the server asks for input ({', '.join(wanted):.200}), which is not to be had here"
    return _failed(request_id, "InputRequired", detail)


def read_of(
    request_id: str, result: Any, error: dict[str, Any] | None, raw: RawAnswer | None = None
) -> Message:
    """What an answer to any other request than a call means: the result as it is, or the error."""
    message = {"result": result, "error": error}
    if raw is not None and result is not ABSENT:
        message = exactly(raw.line, message)
    result, error = message.get("result"), message.get("error")
    if error is not None:
        return _failed(request_id, "McpError", said_by(error), answer=error)
    if not isinstance(result, dict) or result.get("resultType", COMPLETE) != COMPLETE:
        return message_of(request_id, result, error)
    return Response(request_id, result, None)


def too_many(line: bytes, values: int) -> Malformed:
    """What a line with more values than are read means."""
    detail = f"the server sent a message of {len(line):,} bytes with more than {MAX_VALUES:,} values in it"
    return Malformed(
        "too_many_values", detail, None, {"bytes": len(line), "values": values, "limit": MAX_VALUES}
    )


def said_by(error: dict[str, Any]) -> str:
    """The text of an error of JSON-RPC."""
    message = error.get("message")
    return message if isinstance(message, str) and message else "it does not say why"


def _pages_of(error: dict[str, Any]) -> str:
    """Which pages the user has to open before the call is made again, if the error is about that."""
    data = error.get("data") if error.get("code") == URL_REQUIRED else None
    pages = data.get("elicitations") if isinstance(data, dict) else None
    found = [each.get("url") for each in pages if isinstance(each, dict)] if isinstance(pages, list) else []
    named = ", ".join(url for url in found[:8] if isinstance(url, str) and _is_page(url))
    return f" (open {named}, and call again)" if named else ""


def _is_page(url: str) -> bool:
    try:
        return len(url) <= _LONGEST_ADDRESS and bool(host_of(url))
    except ValueError:  # it could be read in two ways
        return False


def _failed(
    request_id: str, kind: str, detail: str, raw: RawAnswer | None = None, **more: Any
) -> ErrorResponse:
    return ErrorResponse(request_id, {"type": kind, "detail": detail, "stack": "", **more}, raw)


def _problem_in(result: dict[str, Any]) -> str | None:
    """Why a result is none by the protocol. One without ``content`` is taken for empty, as other clients do."""
    content, failed = result.get("content"), result.get("isError", False)
    if failed is not True and failed is not False:
        return f"'isError' of the result is {a_type(failed)}, neither true nor false"
    if "content" not in result:
        return None
    if not isinstance(content, list):
        return f"'content' of the result is {a_type(content)}, not a list of blocks"
    for index, block in enumerate(content):
        if not isinstance(block, dict) or not isinstance(block.get("type"), str):
            return f"'content[{index}]' of the result is no block: an object with a 'type'"
        if block["type"] == "text" and not isinstance(block.get("text"), str):
            return f"'content[{index}]' of the result is a block of text without a text"
    return None


def tool_result(value: dict[str, Any]) -> dict[str, Any]:
    """``{"success", "result"}``, or ``{"success", "error"}`` if the tool says that it failed."""
    content = value.get("content")
    blocks: list[dict[str, Any]] = []
    texts: list[str] = []
    for each in content if isinstance(content, list) else ():
        if isinstance(each, dict):
            blocks.append(each)
            if each.get("type") == "text" and isinstance(text := each.get("text"), str):
                texts.append(text)
    structured = value.get("structuredContent")
    if value.get("isError") is True:
        said = "\n".join(texts) or "the server says that the tool failed, and not why"
        failed: dict[str, Any] = {"success": False, "error": said}
        if structured is not None:
            failed["error_details"] = structured
        return failed
    told = "\n".join(texts) if structured is None else structured
    if len(texts) == len(blocks):
        return {"success": True, "result": told}
    return {"success": True, "result": None if told == "" else told, "content": blocks}


class ServerPart(dict[str, Any]):
    """A part of an answer that was a notification of progress.

    Args:
        part: what a board's own readers get.
        params: of the notification, as the server has said them.

    Attributes:
        params: as given.
    """

    __slots__ = ("params",)

    def __init__(self, part: dict[str, Any], params: dict[str, Any]) -> None:
        super().__init__(part)
        self.params = params


def progress_of(params: dict[str, Any], quiet: set[str]) -> tuple[PartEvent | BegunEvent, ...]:
    """What a notification of progress tells of a call; of one that has ended it is dropped, and counted.

    Args:
        params: of the notification.
        quiet: calls of which it is no more than a sign of life: nobody reads their parts.
    """
    token = params.get("progressToken")
    if not isinstance(token, str):
        return ()
    if token in quiet:
        return (BegunEvent(token),)
    payload = {key: params[key] for key in ("progress", "total", "message") if params.get(key) is not None}
    return (PartEvent(token, ServerPart(payload, params)),)
