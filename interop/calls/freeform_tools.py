"""The freeform tools of one request, so that a wrapped tool's function call becomes text again.

The table is made from the request's own tool list and from nothing else: made anew after a restart it
is the same, and no global state can mix two requests up.
"""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, Final

from ..exact_json import json_text
from .arguments import fault

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from ..custom_wrapper import CustomToolWrapper
    from ..hub import InspectedCall, InspectedSchema

ToolKey = tuple[str | None, str]
"""Namespace and name: a bare name is ambiguous where there are namespaces."""

NO_TEXT_TOOLS: Final[Mapping[ToolKey, str | None]] = MappingProxyType({})


def tools_of(schema: InspectedSchema) -> tuple[InspectedSchema, ...]:
    """Return the tools that a declaration declares: those of a namespace, else itself."""
    return (schema,) if schema.members is None else schema.members


def text_tools_of(schemas: Iterable[InspectedSchema]) -> Mapping[ToolKey, str | None]:
    """Return the freeform tools among ``schemas``, each with the syntax of its input, if declared.

    A name that a function tool bears too is left out: a function call to it is that tool's.
    """
    texts: dict[ToolKey, str | None] = {}
    functions: set[ToolKey] = set()
    for schema in (tool for declared in schemas for tool in tools_of(declared)):
        # Taken out of its namespace, for a provider that has none, a tool is called by its bare name.
        for key in {(schema.namespace, schema.name), (None, schema.name)}:
            if schema.kind == "text":
                texts[key] = schema.text_format.syntax if schema.text_format else None
            elif schema.kind == "object":
                functions.add(key)
    return MappingProxyType({key: syntax for key, syntax in texts.items() if key not in functions})


def as_text_call(
    call: InspectedCall, text_tools: Mapping[ToolKey, str | None], wrapper: CustomToolWrapper
) -> InspectedCall:
    """Return the call as the freeform tool's, if it is to one.

    A function call is unwrapped. If its arguments are not what the wrapper asks for, it is malformed,
    with the arguments as ``raw``: handing the tool something else as its text would run what nobody wrote.
    """
    key = (call.namespace, call.tool_name or "")
    if key not in text_tools:
        return call
    if call.payload_kind == "text":
        return call._replace(payload_format=call.payload_format or text_tools[key])
    if call.payload_kind == "malformed":
        return call
    text = wrapper.unwrap(call.payload)
    if text is not None:
        return call._replace(payload=text, payload_kind="text", payload_format=text_tools[key])
    problem = f"{call.tool_name} takes an object with the one string {wrapper.key!r}"
    return call._replace(
        payload=None,
        payload_kind="malformed",
        payload_format=None,
        raw=json_text(call.payload) if call.raw is None else call.raw,
        payload_metadata={**call.payload_metadata, "error": fault("not_wrapped_text", problem)},
    )
