"""The same as `type_schema`, of all types that pydantic knows; imported only where a hint is beyond that subset."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NotRequired

from pydantic import ConfigDict, TypeAdapter
from pydantic.errors import PydanticSchemaGenerationError, PydanticUserError
from pydantic.json_schema import GenerateJsonSchema
from typing_extensions import TypedDict

from ...base.errors import ContractError

if TYPE_CHECKING:
    import inspect
    from collections.abc import Callable

Json = dict[str, Any]


class _Untitled(GenerateJsonSchema):
    """Without the titles that pydantic makes up of names: a model is told each name once."""

    def field_title_should_be_set(self, schema: Any) -> bool:
        return False


def parameters_by_pydantic(
    given: list[inspect.Parameter], name: str
) -> tuple[Json, Callable[[Json], dict[str, Any]]]:
    """The schema of a tool's arguments, and what makes the function's keyword arguments of them.

    Raises:
        ContractError: pydantic does not know one of the types either.
    """
    fields = {
        each.name: each.annotation if each.default is each.empty else NotRequired[each.annotation]
        for each in given
    }
    # No model: its own attributes would collide with parameters of these names.
    make: Any = TypedDict
    arguments = make("arguments", fields)
    arguments.__pydantic_config__ = ConfigDict(extra="forbid", arbitrary_types_allowed=False)
    try:
        adapter: TypeAdapter[dict[str, Any]] = TypeAdapter(arguments)
        schema = adapter.json_schema(schema_generator=_Untitled)
    except (PydanticSchemaGenerationError, PydanticUserError) as error:
        raise ContractError(
            f"tool {name!r}: its types cannot be said as JSON Schema: {str(error).splitlines()[0]}",
            plugin=name,
        ) from error
    schema.pop("title", None)
    return schema, adapter.validate_python
