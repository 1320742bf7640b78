"""What the formats share whose calls carry arguments as an object and not as text.

Text has room for anything, also for what is broken; an object has not. A malformed call is therefore
never said in these formats: an empty object in its place would look like a call without arguments,
and run. The spelling of the arguments (blanks, the digits of a number) is lost on the way into an
object; their meaning is not, and no loss is declared for it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..conversion import Loss, LossCode
from ..errors import ConversionError
from ..exact_json import exact_json
from .arguments import parse_arguments

if TYPE_CHECKING:
    from ..conversion import ConversionContext
    from ..hub import InspectedCall


def argument_object(
    call: InspectedCall, context: ConversionContext
) -> tuple[dict[str, Any], tuple[Loss, ...]]:
    """Return the arguments as an object; raw input is wrapped if it may be.

    Raises:
        ConversionError: the payload is malformed, is no object, or is raw input that may not be wrapped.
    """
    if call.payload_kind == "text":
        if not context.may_wrap:
            raise ConversionError("it carries raw input")
        return context.wrapper.wrapped(call.payload), (Loss(LossCode.TEXT_WRAPPED, "raw input"),)
    if call.payload_kind == "object":
        copy: dict[str, Any] = exact_json(call.payload)
        return copy, ()
    if call.payload_kind == "json":
        raise ConversionError("its arguments are JSON but no object, and there is no room for anything else")
    error = call.payload_metadata.get("error") or {}
    raise ConversionError(
        f"it is malformed ({error.get('message')}), and would not look it: "
        "answer it with an error, and sanitize it for the history"
    )


def replayable_object(value: dict[str, Any], arguments: Any) -> dict[str, Any] | None:
    """Return the arguments that a provider takes back; ``None`` if those of the call are fine.

    Args:
        value: the object that holds the arguments.
        arguments: the key they stand under.
    """
    found = value.get(arguments)
    read = parse_arguments(found)
    if read.kind != "object":
        return {}
    return None if isinstance(found, dict) else read.payload
