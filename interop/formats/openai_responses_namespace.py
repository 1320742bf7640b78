"""OpenAI Responses, namespaces: several function and custom tools under one name.

A call to one of them bears the ``namespace`` beside the ``name``, and a bare name is ambiguous. Where
there are no namespaces, the registry converts the tools one by one (`namespaces`); nothing else is ever
put into one.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, ClassVar

from ..calls.arguments import leftovers
from ..errors import InvalidShapeError
from ..format_ids import RESPONSES_NAMESPACE
from ..hub import InspectedSchema
from ..schemas.shapes import breach, optional_text, required_name
from .openai_responses_custom import ResponsesCustomSchemas
from .openai_responses_function import ResponsesFunctionSchemas


class ResponsesNamespaces:
    """Reads namespaces, with the tools in them."""

    format: ClassVar[str] = RESPONSES_NAMESPACE
    discriminators: ClassVar[frozenset[str | None] | None] = frozenset({"namespace"})

    def matches(self, value: dict[str, Any]) -> bool:
        """The type and the list of tools say it."""
        return isinstance(value.get("tools"), list)

    def inspect(self, value: dict[str, Any]) -> InspectedSchema:
        """Return what is declared; each tool bears the namespace."""
        name = required_name(RESPONSES_NAMESPACE, value)
        extras = leftovers(value, ("type", "name", "description", "tools"))
        return InspectedSchema(
            format=RESPONSES_NAMESPACE,
            name=name,
            description=optional_text(RESPONSES_NAMESPACE, value, "description"),
            members=tuple(
                replace(_tool(value, tool), format=RESPONSES_NAMESPACE, namespace=name)
                for tool in value["tools"]
            ),
            extras={RESPONSES_NAMESPACE: extras} if extras else {},
        )


def _tool(value: dict[str, Any], tool: Any) -> InspectedSchema:
    try:
        match tool:
            case {"type": "function"}:
                return ResponsesFunctionSchemas().inspect(tool)
            case {"type": "custom"}:
                return ResponsesCustomSchemas().inspect(tool)
    except InvalidShapeError as error:
        raise breach(RESPONSES_NAMESPACE, value, error.problem) from error
    raise breach(RESPONSES_NAMESPACE, value, "each of its 'tools' must be a function or a custom tool")
