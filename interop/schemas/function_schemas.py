"""What all formats of function tools share: one description, one schema of an object, honest losses.

The names of the keys are each format's own business; what a freeform tool becomes, what a missing
schema means, and which facts about a tool a format must declare lost is decided here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ...base.frozen import frozen
from ..conversion import Loss, LossCode, lost_extras, wrapping_losses
from ..errors import ConversionError
from ..format_ids import belongs_to

if TYPE_CHECKING:
    from collections.abc import Container

    from ..conversion import ConversionContext
    from ..hub import InspectedSchema


@frozen
class FunctionTool:
    """A tool as any format of function tools says it.

    Attributes:
        name: the tool's name.
        description: for the model, if there is any.
        parameters: JSON Schema of the arguments; ``None`` if the declaration has none.
        losses: what the target must declare, given what it keeps.
    """

    name: str
    description: str | None
    parameters: dict[str, Any] | None
    losses: tuple[Loss, ...]

    @property
    def of_object(self) -> dict[str, Any]:
        """The schema for formats that insist on ``type: "object"`` at the root.

        Arguments are always an object, so that to say it where the source did not changes nothing.

        Raises:
            ConversionError: the root says that they are something else, or its properties are no object.
        """
        if self.parameters is None:
            return {"type": "object", "properties": {}}
        stated = self.parameters.get("type", "object")
        if stated != "object" and not (isinstance(stated, list) and "object" in stated):
            raise ConversionError(f"the root of its schema must be of type 'object', and is of {stated!r}")
        if not isinstance(self.parameters.get("properties", {}), dict):
            raise ConversionError("'properties' of its schema must be an object")
        return {**self.parameters, "type": "object"}


def as_function(
    schema: InspectedSchema,
    context: ConversionContext,
    *,
    strict: bool = False,
    output_schema: bool = False,
    extras_of: str | None = None,
) -> FunctionTool:
    """Return a tool as a function, with the losses of a target that keeps what is named here.

    Args:
        schema: the tool; a freeform one is wrapped.
        context: the conversion.
        strict: the target says whether the schema is enforced; unsaid means that it is not.
        output_schema: the target declares results.
        extras_of: the family whose extras the caller looks after itself, with `kept_extras`.
    """
    losses: list[Loss] = []
    description, parameters = schema.description, schema.parameters
    if schema.kind == "text":
        description = context.wrapper.description(schema)
        parameters = context.wrapper.parameters(schema.name)
        losses += wrapping_losses(schema)
    if schema.strict is None and schema.strict_if_unset:
        losses.append(Loss(LossCode.STRICT, "the source leaves it to the server; it is unsaid here"))
    elif schema.strict and not strict:
        losses.append(Loss(LossCode.STRICT, "the schema is no longer enforced"))
    if schema.output_schema is not None and not output_schema:
        losses.append(Loss(LossCode.OUTPUT_SCHEMA, "what the tool returns is no longer declared"))
    if schema.namespace is not None:
        losses.append(Loss(LossCode.NAMESPACE, schema.namespace))
    foreign = {
        source: keys
        for source, keys in schema.extras.items()
        if extras_of is None or not belongs_to(source, extras_of)
    }
    return FunctionTool(schema.name, description, parameters, (*losses, *lost_extras(foreign)))


def kept_extras(
    schema: InspectedSchema, family: str, keys: Container[str]
) -> tuple[dict[str, Any], tuple[Loss, ...]]:
    """Return the extras of a family's declaration that its other formats know, and the loss of the rest."""
    own = {source: found for source, found in schema.extras.items() if belongs_to(source, family)}
    kept = {key: item for found in own.values() for key, item in found.items() if key in keys}
    lost = {
        source: {key: item for key, item in found.items() if key not in keys} for source, found in own.items()
    }
    return kept, lost_extras(lost)
