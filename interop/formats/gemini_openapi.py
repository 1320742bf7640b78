"""Gemini's function declarations with ``parameters``: the older schema language, a subset of OpenAPI 3.0.

Its family does not stand for it: it is written only where it is named, for servers that know no
``parametersJsonSchema`` (the Live API). It is recognised by its types in upper case, as the server and
the SDK write them, or as numbers, as the proto of Vertex AI does; in lower case it looks like anybody's declaration.
"""

from __future__ import annotations

from typing import Any, ClassVar, Final

from ...base.errors import JsonValueError
from ..calls.arguments import leftovers
from ..conversion import HUB, ConversionContext, Converted, Loss
from ..errors import ConversionError
from ..exact_json import exact_json
from ..format_ids import GEMINI, GEMINI_OPENAPI
from ..hub import InspectedSchema
from ..limits import MAX_DEPTH
from ..openapi.reading import has_ordering, widen
from ..openapi.writing import TYPES, narrow
from ..schemas.function_schemas import as_function, kept_extras
from ..schemas.root_combinators import without_root_combinators
from ..schemas.shapes import optional_object, optional_text, required_name

_UPPER: Final = frozenset({*TYPES.values(), "TYPE_UNSPECIFIED"})
_NO_PARAMETERS: Final[dict[str, Any]] = {"type": "OBJECT", "properties": {}}
SHARED: Final = ("behavior",)


def is_openapi(value: dict[str, Any]) -> bool:
    """Say whether a declaration's ``parameters`` are in Gemini's language."""
    parameters = value.get("parameters")
    stated = parameters.get("type", parameters.get("type_")) if isinstance(parameters, dict) else None
    return type(stated) is int or (isinstance(stated, str) and stated in _UPPER)


class GeminiOpenapiSchemas:
    """Reads declarations with ``parameters``."""

    format: ClassVar[str] = GEMINI_OPENAPI
    discriminators: ClassVar[frozenset[str | None] | None] = frozenset({None})

    def matches(self, value: dict[str, Any]) -> bool:
        """Types in upper case, and no JSON Schema beside them."""
        return (
            is_openapi(value)
            and value.get("parametersJsonSchema") is None
            and value.get("parameters_json_schema") is None
        )

    def inspect(self, value: dict[str, Any]) -> InspectedSchema:
        """Return what is declared, as JSON Schema."""
        parameters = optional_object(GEMINI_OPENAPI, value, "parameters")
        response = optional_object(GEMINI_OPENAPI, value, "response")
        known = ("name", "description", "parameters", "response")
        extras = {key: item for key, item in leftovers(value, known).items() if item is not None}
        if has_ordering(parameters) or has_ordering(response):
            extras["propertyOrdering"] = True
        return InspectedSchema(
            format=GEMINI_OPENAPI,
            name=required_name(GEMINI_OPENAPI, value),
            description=optional_text(GEMINI_OPENAPI, value, "description"),
            parameters=widen(parameters),
            output_schema=widen(response),
            extras={GEMINI_OPENAPI: extras} if extras else {},
        )


class ToGeminiOpenapiSchema:
    """Writes declarations with ``parameters``; what the language cannot say is widened, and declared."""

    source: ClassVar[str] = HUB
    target: ClassVar[str] = GEMINI_OPENAPI

    def convert(self, value: InspectedSchema, context: ConversionContext) -> Converted:
        """Return the declaration in the older language."""
        function = as_function(value, context, output_schema=False, extras_of=GEMINI)
        kept, lost = kept_extras(value, GEMINI, SHARED)
        losses = function.losses + lost
        declaration: dict[str, Any] = {"name": function.name}
        if function.description is not None:
            declaration["description"] = function.description
        parameters, narrowed = _of_an_object(function.of_object)
        if parameters != _NO_PARAMETERS:  # servers refuse an object without properties
            declaration["parameters"] = parameters
        return Converted({**declaration, **kept}, losses + narrowed)


def _of_an_object(schema: dict[str, Any]) -> tuple[dict[str, Any], tuple[Loss, ...]]:
    """Return parameters whose root is of type ``OBJECT``, as servers insist, and what was lost.

    Beside alternatives servers refuse any other word, so that at the root these are widened.

    Raises:
        ConversionError: with its references written out it is too deep for anybody to read.
    """
    parameters, losses = narrow(schema)
    if parameters.get("type") != TYPES["object"]:
        plain, widened = without_root_combinators(schema)
        parameters, losses = narrow(plain)
        parameters, losses = {**parameters, "type": TYPES["object"]}, widened + losses
    try:
        return exact_json(parameters), losses
    except JsonValueError as error:  # deeper than we would read ourselves
        problem = f"its references write out to values nested more than {MAX_DEPTH} levels deep"
        raise ConversionError(problem) from error
