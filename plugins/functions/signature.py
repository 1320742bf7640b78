"""What a function takes, as a tool's declaration says it, and its arguments made of a call's."""

from __future__ import annotations

import inspect
import json
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, NamedTuple, get_type_hints

from ...base.errors import ContractError
from ...base.foreign import blames
from ..contract.foreign_signature import read_signature
from ..results.failures import describe
from .type_schema import Typed, Unsayable, read_fields, typed

if TYPE_CHECKING:
    from collections.abc import Callable

Json = dict[str, Any]


class ToolContext(dict[str, Any]):
    """What runs a tool: annotate a parameter with it, and the function is given the context of its call, which the model does not see.

    Empty where the caller gave none, and in a host, which no live object can be sent to. The call's ``key`` is in it, if it has one, there too.
    """


class Signature(NamedTuple):
    """See the module.

    Attributes:
        description: the docstring's first paragraph, for the model.
        parameters: a JSON Schema of the arguments.
        context: the parameter that is given the context; ``None`` if there is none.
        read: makes the function's keyword arguments of a call's arguments, which fit the schema.
    """

    description: str
    parameters: Json
    context: str | None
    read: Callable[[Json], dict[str, Any]]


def signature_of(function: Callable[..., Any], *, name: str) -> Signature:
    """Read a function.

    Raises:
        ContractError: it takes what no model can send, or has a type that cannot be said; names the parameter.
    """
    given, context = _parameters(function, name)
    documented = inspect.getdoc(function) or ""
    description = " ".join(documented.strip().split("\n\n")[0].split())
    try:
        fields = {each.name: _with_default(typed(each.annotation), each.default) for each in given}
    except (Unsayable, RecursionError) as unsayable:  # a type may hold itself
        parameters, read = _by_pydantic(given, name, unsayable)
        return Signature(description, parameters, context, read)
    required = [each.name for each in given if each.default is each.empty]
    schema: Json = {
        "type": "object",
        "properties": {field: each.schema for field, each in fields.items()},
        "additionalProperties": False,
    }
    if required:
        schema["required"] = required
    return Signature(description, schema, context, lambda arguments: read_fields(fields, arguments))


def _parameters(function: Callable[..., Any], name: str) -> tuple[list[inspect.Parameter], str | None]:
    try:
        read = read_signature(function, hints=True).parameters.values()
        # What it returns is nobody's matter, and is often imported for type checkers only.
        hinted = (each for each in read if each.annotation is not each.empty)
        taken = {each.name: each.annotation for each in hinted}
        names = getattr(inspect.unwrap(function), "__globals__", {})
        hints = get_type_hints(SimpleNamespace(__annotations__=taken), names, include_extras=True)
    except BaseException as error:  # hints are the author's expressions
        if not blames(error):
            raise
        raise ContractError(
            f"tool {name!r}: reading its signature raised {describe(error)}; "
            "what its annotations name has to be imported when the program runs, not only for type checkers",
            plugin=name,
        ) from error
    given: list[inspect.Parameter] = []
    context = None
    for parameter in read:
        if parameter.kind not in {parameter.POSITIONAL_OR_KEYWORD, parameter.KEYWORD_ONLY}:
            raise ContractError(
                f"tool {name!r}: a model sends arguments by their names, and {str(parameter)!r} takes none",
                plugin=name,
            )
        hint = hints.get(parameter.name, Any)
        if hint is ToolContext:
            context = parameter.name
        else:
            given.append(parameter.replace(annotation=hint))
    return given, context


def _with_default(found: Typed, default: Any) -> Typed:
    if default is inspect.Parameter.empty:
        return found
    try:
        said = json.loads(json.dumps(default, allow_nan=False))
    except (TypeError, ValueError, RecursionError):  # one that JSON cannot say is the function's own matter
        return found
    return found._replace(schema={**found.schema, "default": said})


def _by_pydantic(
    given: list[inspect.Parameter], name: str, unsayable: Exception
) -> tuple[Json, Callable[[Json], dict[str, Any]]]:
    try:
        from .pydantic_schema import parameters_by_pydantic  # noqa: PLC0415 - an extra, which few tools need
    except ImportError:
        parameter = next(each for each in given if _beyond(each.annotation))
        raise ContractError(
            f"tool {name!r}: the type of {parameter.name!r}, {parameter.annotation!r:.200}, cannot be said as JSON Schema "
            "without pydantic: install it, or use str, int, float, bool, None, list, dict[str, …], Literal, Enum, "
            "TypedDict, dataclasses and unions of plain ones",
            plugin=name,
        ) from unsayable
    return parameters_by_pydantic(given, name)


def _beyond(hint: Any) -> bool:
    try:
        typed(hint)
    except (Unsayable, RecursionError):
        return True
    return False
