"""What the items of the Responses API share, whether of function tools or of custom tools."""

from __future__ import annotations

from typing import Any, Final, Literal

from ..calls.arguments import fault, leftovers
from ..conversion import Converted, Loss, lost_extras
from ..errors import ConversionError
from ..exact_json import exact_json
from ..format_ids import OPENAI_RESPONSES, RESPONSES_CUSTOM_SCHEMA, RESPONSES_FUNCTION
from ..hub import InspectedCall, InspectedResult, InspectedSchema
from ..results.text_fallback import native_content, write_parts
from .openai_content import as_of_custom_tool, read_content, write_responses_part

_SHARED = ("defer_loading", "allowed_callers")
"""Keys of a declaration that function tools and custom tools both have."""

_UNFINISHED: Final = frozenset({"in_progress", "incomplete"})
"""The status of an item that is still being written, or was cut off."""


def kept_extras(schema: InspectedSchema) -> tuple[dict[str, Any], tuple[Loss, ...]]:
    """Return the extras of a declaration that stay within this API, and those that are lost."""
    kept: dict[str, Any] = {}
    lost: dict[str, dict[str, Any]] = {}
    for format_id, keys in schema.extras.items():
        if format_id in {RESPONSES_FUNCTION, RESPONSES_CUSTOM_SCHEMA}:
            kept.update({key: item for key, item in keys.items() if key in _SHARED})
            lost[format_id] = {key: item for key, item in keys.items() if key not in _SHARED}
        else:
            lost[format_id] = keys
    return kept, lost_extras(lost)


def item_metadata(value: dict[str, Any], payload_key: str) -> dict[str, Any]:
    """Return what a call item says beside the call: its own id, status, caller, and unknown keys."""
    metadata: dict[str, Any] = {}
    for key, name in (("id", "item_id"), ("status", "status"), ("caller", "caller")):
        if value.get(key) is not None:
            metadata[name] = exact_json(value[key], what=f"$.{key}")
    known = ("type", "call_id", "name", "namespace", payload_key, "id", "status", "caller")
    extras = leftovers(value, known)
    if extras:
        metadata["extras"] = extras
    return metadata


def held_to_its_status(call: InspectedCall, status: Any) -> InspectedCall:
    """Return a call as it is, or as malformed if its item says that it is not whole.

    Some servers leave an item ``in_progress`` that is whole: one whose arguments are an object, and not an empty one, is.
    """
    if call.payload_kind == "malformed" or not _is_unfinished(status):
        return call
    if status == "in_progress" and call.payload_kind == "object" and call.payload:
        return call
    problem = fault("cut_off", f"the call is not whole: its status is {status!r}")
    metadata = {**call.payload_metadata, "error": problem}
    return call._replace(
        payload=None, payload_kind="malformed", payload_format=None, payload_metadata=metadata
    )


def without_its_status(value: dict[str, Any]) -> dict[str, Any]:
    """Return a call item as a history has it: one that said that it was not whole does not say so; the same if it did not."""
    if not _is_unfinished(value.get("status")):
        return value
    return {key: item for key, item in value.items() if key != "status"}


def _is_unfinished(status: Any) -> bool:
    return isinstance(status, str) and status in _UNFINISHED


def read_output(format_id: str, value: dict[str, Any]) -> InspectedResult:
    """Return the meaning of an output item."""
    call_id, name = value.get("call_id"), value.get("name")
    extras = leftovers(value, ("type", "call_id", "name", "output"))
    return InspectedResult(
        format=format_id,
        call_id=call_id if isinstance(call_id, str) and call_id else None,
        tool_name=name if isinstance(name, str) and name else None,
        parts=read_content(format_id, value.get("output")),
        extras={format_id: extras} if extras else {},
    )


def write_output(
    item_type: Literal["function_call_output", "custom_tool_call_output"], value: InspectedResult
) -> Converted:
    """Return a result as an output item; one text is written as text, all else as a list of parts.

    Raises:
        ConversionError: the result does not say which call it answers.
    """
    if value.call_id is None:
        raise ConversionError("it does not say which call it answers: give the call, or a core tool message")
    custom = item_type == "custom_tool_call_output"
    output, losses = native_content(value, OPENAI_RESPONSES) or _output(value, custom=custom)
    item = {"type": item_type, "call_id": value.call_id, "output": output}
    return Converted(item, losses + lost_extras(value.extras))


def _output(value: InspectedResult, *, custom: bool) -> tuple[str | list[dict[str, Any]], tuple[Loss, ...]]:
    written, losses = write_parts(value, write_responses_part)
    if custom:
        written = [as_of_custom_tool(part) for part in written]
    if len(written) > 1 or (written and written[0]["type"] != "input_text"):
        return written, losses
    return "".join(item["text"] for item in written), losses
