"""OpenAI Responses, calls to tools of its own that whoever asked has to act on: shells, patches, a computer, approvals.

Such a call names no function: what it is for is its type. It is read as a call to a tool of that name, with the item's
own keys as arguments and the type as a mark (``payload_metadata["action"]``), and goes to whichever plugin offers a tool
of that name or claims the call. Each is answered by an item of its own form. A shell in a container, and a search
for tools, may be the server's own: then they are none of these.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, Final

from ..calls.arguments import fault, leftovers
from ..conversion import HUB, ConversionContext, Converted, Loss, LossCode, lost_extras
from ..errors import ConversionError
from ..exact_json import exact_json
from ..format_ids import OPENAI_RESPONSES, RESPONSES_ACTION
from ..hub import InspectedCall, InspectedResult
from ..names.native_types import ACTIONS, OUTPUTS, is_for_the_client
from ..parts import JsonPart, MediaPart, ResultPart, TextPart, UnreadPart
from ..results.text_fallback import answered_call, as_text

if TYPE_CHECKING:
    from collections.abc import Set as AbstractSet

_TOOLS: Final = {
    "apply_patch_call": "apply_patch",
    "computer_call": "computer",
    "local_shell_call": "local_shell",
    "mcp_approval_request": "mcp_approval",
    "shell_call": "shell",
    "tool_search_call": "tool_search",
}
"""Type of a call -> the tool that it is to."""

_ID_KEYS: Final = {"mcp_approval_request": "id"}
_ANSWERED_KEYS: Final = {"mcp_approval_response": "approval_request_id", "local_shell_call_output": "id"}
"""Type of an item -> the key of the call's id, where it is not ``call_id``."""


class ResponsesActions:
    """Reads such calls."""

    format: ClassVar[str] = RESPONSES_ACTION
    discriminators: ClassVar[AbstractSet[str | None]] = ACTIONS

    def matches(self, value: dict[str, Any]) -> bool:
        """The type says it, unless the server acts itself."""
        return is_for_the_client(value)

    def inspect(self, value: dict[str, Any]) -> InspectedCall:
        """Return what is asked for: all that the item says beside what it is."""
        stated = value["type"]
        id_key = _ID_KEYS.get(stated, "call_id")
        call_id = value.get(id_key)
        own = ("type", "id", "call_id", "status", "caller")
        metadata: dict[str, Any] = {"action": stated}
        for key, name in (("id", "item_id"), ("status", "status"), ("caller", "caller")):
            if key != id_key and value.get(key) is not None:
                metadata[name] = exact_json(value[key], what=f"$.{key}")
        known = isinstance(call_id, str) and bool(call_id)
        if not known:
            metadata["error"] = fault("bad_call", "it has no id, and nothing could answer it")
        return InspectedCall(
            format=RESPONSES_ACTION,
            call_id=call_id if known else None,
            tool_name=_TOOLS[stated],
            namespace=None,
            payload=leftovers(value, own) if known else None,
            payload_kind="object" if known else "malformed",
            payload_format="json" if known else None,
            payload_metadata=metadata,
            raw=None,
        )

    def sanitize(self, value: dict[str, Any]) -> dict[str, Any]:
        """Return the call: its arguments are no text that could be broken."""
        return value


class ResponsesActionOutputs:
    """Reads what such calls are answered with."""

    format: ClassVar[str] = RESPONSES_ACTION
    discriminators: ClassVar[AbstractSet[str | None]] = OUTPUTS

    def matches(self, value: dict[str, Any]) -> bool:
        """The type says it all."""
        return True

    def inspect(self, value: dict[str, Any]) -> InspectedResult:
        """Return what the model is told."""
        stated = value["type"]
        call_id = value.get(_ANSWERED_KEYS.get(stated, "call_id"))
        parts, failed = read_output(value)
        return InspectedResult(
            format=RESPONSES_ACTION,
            call_id=call_id if isinstance(call_id, str) and call_id else None,
            parts=parts,
            is_error=failed,
        )


class ToResponsesActionOutput:
    """Writes what such a call is answered with, by the tool that it is to."""

    source: ClassVar[str] = HUB
    target: ClassVar[str] = RESPONSES_ACTION

    def convert(self, value: InspectedResult, context: ConversionContext) -> Converted:
        """Return the item that answers; one that a tool wrote itself goes in untouched."""
        call_id = answered_call(value)
        native = value.native
        if native is not None and native.format.startswith(OPENAI_RESPONSES) and _is_output(native.content):
            stated = native.content["type"]
            return Converted({**native.content, _ANSWERED_KEYS.get(stated, "call_id"): call_id})
        write = _WRITERS.get(value.tool_name or "")
        if write is None:
            raise ConversionError(
                f"a result of {value.tool_name!r} answers no call to a tool of the API's own"
            )
        item, losses = write(value, call_id)
        return Converted(item, losses + lost_extras(value.extras))


def _is_output(content: Any) -> bool:
    return isinstance(content, dict) and content.get("type") in OUTPUTS


def read_output(item: dict[str, Any]) -> tuple[tuple[ResultPart, ...], bool | None]:
    """Return what an item that answers such a call tells, and whether it tells a failure."""
    match item:
        case {"type": "shell_call_output", "output": [*runs]} if all(isinstance(run, dict) for run in runs):
            said = [run.get(key) for run in runs for key in ("stdout", "stderr")]
            text = "\n".join(each for each in said if isinstance(each, str) and each)
            return (TextPart(text),), any(_failed(run.get("outcome")) for run in runs)
        case {"type": "apply_patch_call_output", "status": status}:
            log = item.get("output")
            return ((TextPart(log),) if isinstance(log, str) else ()), status == "failed"
        case {"type": "local_shell_call_output", "output": str(text)}:
            return (TextPart(text),), None
        case {"type": "computer_call_output", "output": {"type": "computer_screenshot"} as screen}:
            url, file_id = screen.get("image_url"), screen.get("file_id")
            if isinstance(url, str) or isinstance(file_id, str):
                return (MediaPart("image", url=url, file_id=file_id),), None
        case {"type": "tool_search_output", "tools": [*tools]}:
            return (JsonPart({"tools": exact_json(tools, what="$.tools")}),), None
        case {"type": "mcp_approval_response", "approve": bool(approve)}:
            reason = item.get("reason")
            told = {"approve": approve, **({"reason": reason} if isinstance(reason, str) else {})}
            return (JsonPart(told),), None
    return (UnreadPart(item["type"]),), None


def _failed(outcome: Any) -> bool:
    match outcome:
        case {"type": "exit", "exit_code": 0}:
            return False
        case {"type": str()}:
            return True
    return False


Written = tuple[dict[str, Any], tuple[Loss, ...]]


def _text(value: InspectedResult) -> tuple[str, tuple[Loss, ...]]:
    """Return the text of a result whose failure is told beside it."""
    text, losses = as_text(InspectedResult(value.format, parts=value.parts, structured=value.structured))
    return text, losses


def _shell(value: InspectedResult, call_id: str) -> Written:
    text, losses = _text(value)
    failed = bool(value.is_error)
    run = {
        "stdout": "" if failed else text,
        "stderr": text if failed else "",
        "outcome": {"type": "exit", "exit_code": int(failed)},
    }
    return {"type": "shell_call_output", "call_id": call_id, "output": [run]}, losses


def _apply_patch(value: InspectedResult, call_id: str) -> Written:
    text, losses = _text(value)
    status = "failed" if value.is_error else "completed"
    item = {"type": "apply_patch_call_output", "call_id": call_id, "status": status, "output": text}
    return item, losses


def _local_shell(value: InspectedResult, call_id: str) -> Written:
    text, losses = as_text(value)
    return {"type": "local_shell_call_output", "id": call_id, "output": text}, losses


def _computer(value: InspectedResult, call_id: str) -> Written:
    for part in value.parts:
        if isinstance(part, MediaPart) and part.kind == "image" and (part.url or part.file_id):
            source = {"image_url": part.url} if part.url else {"file_id": part.file_id}
            item = {"type": "computer_call_output", "call_id": call_id}
            lost = (Loss(LossCode.MEDIA, "all but the screenshot"),) if len(value.parts) > 1 else ()
            return {**item, "output": {"type": "computer_screenshot", **source}}, lost
    raise ConversionError("what a computer was asked to do is answered by a screenshot: give an image")


def _tool_search(value: InspectedResult, call_id: str) -> Written:
    for data in _data(value):
        if isinstance(data.get("tools"), list):
            item = {"type": "tool_search_output", "call_id": call_id, "tools": exact_json(data["tools"])}
            return {**item, "execution": "client", "status": "completed"}, ()
    raise ConversionError("a search for tools is answered by an object with the list 'tools'")


def _mcp_approval(value: InspectedResult, call_id: str) -> Written:
    """Nothing but a plain yes approves."""
    item = {"type": "mcp_approval_response", "approval_request_id": call_id}
    data = next((data for data in _data(value) if "approve" in data), None)
    if data is None or value.is_error:
        text, losses = _text(value)
        return {**item, "approve": False, "reason": text}, losses
    reason = data.get("reason")
    return {
        **item,
        "approve": data["approve"] is True,
        **({"reason": reason} if isinstance(reason, str) else {}),
    }, ()


def _data(value: InspectedResult) -> list[dict[str, Any]]:
    found = [part.value for part in (*value.parts, value.structured) if isinstance(part, JsonPart)]
    return [data for data in found if isinstance(data, dict)]


_WRITERS: Final = {
    "apply_patch": _apply_patch,
    "computer": _computer,
    "local_shell": _local_shell,
    "mcp_approval": _mcp_approval,
    "shell": _shell,
    "tool_search": _tool_search,
}
"""Tool -> who writes the item that answers a call to it."""
