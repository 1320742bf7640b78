"""What providers' servers refuse and their own models let through.

A model that takes a value says nothing of the characters of its names and ids, of whether the text of
its arguments is JSON, of combinators at the root of a schema, or of whether a schema is one. Servers
do, and one bad tool then fails the whole request.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any, NamedTuple

from interop_json import canonical
from interop_routes import inspect
from jsonschema import Draft202012Validator, SchemaError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from callboard.interop.errors import Kind


class Rules(NamedTuple):
    """What a provider asks of names and ids, and whether the root of a schema must be plain."""

    name: str
    call_id: str = r"(?s).+"
    plain_root: bool = False


PROVIDERS = {
    "openai.": Rules(r"[a-zA-Z0-9_-]{1,64}", r"(?s).{1,64}"),
    "anthropic.": Rules(r"[a-zA-Z0-9_-]{1,64}", r"[a-zA-Z0-9_-]+", plain_root=True),
    "gemini.": Rules(r"[a-zA-Z_][a-zA-Z0-9_.:-]{0,63}"),
    "bedrock.": Rules(r"[a-zA-Z0-9_-]{1,64}", r"[a-zA-Z0-9_.:-]{1,64}"),
    "mcp.": Rules(r"[A-Za-z0-9_.-]{1,128}"),
    "ag_ui.": Rules(r"(?s).*"),
}
"""By the beginning of a format's id."""


def rules_of(format_id: str) -> Rules | None:
    """Return the rules of the provider whose format it is; ``None`` if it is nobody's."""
    return next((rules for start, rules in PROVIDERS.items() if format_id.startswith(start)), None)


def legal(format_id: str, *, name: str | None = None, call_id: str | None = None) -> bool:
    """Say whether a provider takes a name and an id; what is not there is legal."""
    rules = rules_of(format_id)
    if rules is None:
        return True
    return (name is None or re.fullmatch(rules.name, name) is not None) and (
        call_id is None or re.fullmatch(rules.call_id, call_id) is not None
    )


def breaches(kind: Kind, format_id: str, value: Any) -> list[str]:
    """Return what a server has against a value that its provider's models take."""
    meaning = inspect(kind, value, format_id)
    found = list(_of_json(value))
    name = getattr(meaning, "name", None) or getattr(meaning, "tool_name", None)
    if not legal(format_id, name=name):
        found.append(f"the name {name!r}")
    if not legal(format_id, call_id=getattr(meaning, "call_id", None)):
        found.append(f"the id {meaning.call_id!r}")
    if kind == "schema" and isinstance(meaning.parameters, dict):
        found += _of_schema(format_id, meaning.parameters)
    if kind == "call" and meaning.payload_kind not in {"object", "text"}:
        found.append(f"arguments that are {meaning.payload_kind}")
    return found


def is_schema(schema: Any) -> bool:
    """Say whether a value is a JSON Schema."""
    try:
        Draft202012Validator.check_schema(schema)
    except SchemaError:
        return False
    return True


def _of_json(value: Any) -> Iterator[str]:
    try:
        canonical(json.loads(json.dumps(value, allow_nan=False)))
    except ValueError as error:
        yield f"it is no JSON: {error}"


def _of_schema(format_id: str, schema: dict[str, Any]) -> Iterator[str]:
    rules = rules_of(format_id)
    refused = schema.keys() & {"anyOf", "oneOf", "allOf"}
    if rules is not None and rules.plain_root and refused:
        yield f"{', '.join(sorted(refused))} at the root of its schema"
    if not is_schema(schema):
        yield "a schema that is none"
