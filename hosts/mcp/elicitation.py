"""``elicitation/create`` as a form, and a form's answer as that of MCP. Pure.

The schema of a form is a small part of JSON Schema: one object whose properties are texts, numbers, truth values and choices. What is more
than that is refused, for nobody could be shown it. A ``pattern`` is not looked at: it is an expression of the server's, and checking
an answer against it could take for ever.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Final

from ...base.json import dump_json
from ...plugins.hooks.form_safety import host_of
from ...plugins.hooks.forms import Field, Form, FormAnswer

Json = dict[str, Any]

MOST_BYTES: Final = 65_536
"""Of all that a server says in one question."""

MOST_FIELDS: Final = 32
MOST_CHOICES: Final = 256

_TYPES: Final = {"text": "string", "choice": "string", "choices": "array"}
_BOUNDS: Final = {
    "string": ("minLength", "maxLength"),
    "number": ("minimum", "maximum"),
    "integer": ("minimum", "maximum"),
    "array": ("minItems", "maxItems"),
}
_TITLED: Final = "2025-11-25"
"""The revision from which on a choice has titles; before there were names beside an ``enum``, and one could choose one thing only."""

_FORMATS: Final = frozenset({"email", "uri", "date", "date-time"})


class NotAsked(ValueError):
    """It cannot be asked; says why."""


def form_of(params: Json, plugin: str, tool: str | None) -> Form:
    """The form that a request asks to have filled in.

    Args:
        params: of the request.
        plugin: the server's name.
        tool: that of the call, if it is known.

    Raises:
        NotAsked: there is none, or it is too large.
    """
    asked = {key: params.get(key) for key in ("message", "mode", "url", "requestedSchema")}
    if (size := len(dump_json(asked))) > MOST_BYTES:
        raise NotAsked(f"the question has {size:,} bytes; at most {MOST_BYTES:,} are asked")
    message, mode = asked["message"], asked["mode"]
    if not isinstance(message, str):
        raise NotAsked("the question has no text as 'message'")
    if mode == "url":
        return Form(message, plugin, url=_url(asked["url"]), tool_name=tool)
    if mode not in {None, "form"}:
        raise NotAsked(f"the mode {mode!r:.40} is not supported")
    schema: Any = asked["requestedSchema"]
    return Form(message, plugin, _fields(schema), tool_name=tool, schema=_as_a_whole(schema))


def params_of(form: Form, revision: str) -> Json:
    """The request that asks for a form in a revision of MCP: `form_of` reads it back."""
    if form.url is not None:
        return {"mode": "url", "message": form.message, "url": form.url}
    required = [field.name for field in form.fields if field.required]
    schema = dict(form.schema) or {"type": "object", "properties": {}, "required": required}
    schema["properties"] = {field.name: _schema(field, revision) for field in form.fields}
    return {"mode": "form", "message": form.message, "requestedSchema": schema}


def answered(answer: FormAnswer) -> Json:
    """The answer to ``elicitation/create``."""
    content = {} if answer.content is None else {"content": dict(answer.content)}
    return {"action": answer.action, **content}


def _url(url: Any) -> str:
    if not isinstance(url, str):
        raise NotAsked("the 'url' is no text")
    try:
        host_of(url)
    except ValueError as error:
        raise NotAsked(f"the 'url' is no address that can be shown: {error}") from None
    return url


def _fields(schema: Any) -> tuple[Field, ...]:
    if (
        not isinstance(schema, dict)
        or schema.get("type") != "object"
        or not isinstance(schema.get("properties"), dict)
    ):
        raise NotAsked("'requestedSchema' is no object with 'properties'")
    properties, required = schema["properties"], schema.get("required", [])
    if len(properties) > MOST_FIELDS:
        raise NotAsked(f"the form has {len(properties):,} fields; at most {MOST_FIELDS} are asked for")
    if not isinstance(required, list) or not all(
        name in properties for name in required if isinstance(name, str)
    ):
        raise NotAsked("'required' names what is no field")
    return tuple(_field(name, each, required=name in required) for name, each in properties.items())


def _as_a_whole(schema: Json) -> Json:
    """The schema without its fields; its keys keep their places."""
    said = {**schema, "properties": {}}
    if "required" in said:
        said["required"] = [name for name in said["required"] if isinstance(name, str)]
    return said


def _field(name: str, schema: Any, *, required: bool) -> Field:
    if not isinstance(schema, dict):
        raise NotAsked(f"the field {name!r:.100} has no schema")
    kind, least, most = _kind(name, schema)
    field = Field(
        name,
        kind,
        _said(schema, "title"),
        _said(schema, "description"),
        required,
        choices=_choices(name, schema) if kind in {"choice", "choices"} else (),
        least=_bound(schema.get(least)),
        most=_bound(schema.get(most)),
        format=schema["format"] if kind == "text" and schema.get("format") in _FORMATS else None,
    )
    default = schema.get("default")
    if default is None or field.misfit(default) is not None:  # it would not be taken as an answer either
        return field
    return replace(field, default=default)


def _kind(name: str, schema: Json) -> tuple[Any, str, str]:
    """What it is, and by which keys it is bounded."""
    match schema.get("type"):
        case "string" if "enum" in schema or "oneOf" in schema:
            return "choice", "", ""
        case "string":
            return "text", *_BOUNDS["string"]
        case "number" | "integer" as kind:
            return kind, *_BOUNDS[kind]
        case "boolean":
            return "boolean", "", ""
        case "array":
            return "choices", *_BOUNDS["array"]
    raise NotAsked(f"the field {name!r:.100} is neither a text, a number, a truth value nor a choice")


def _choices(name: str, schema: Json) -> tuple[tuple[str, str], ...]:
    items = schema.get("items") if schema["type"] == "array" else schema
    items = items if isinstance(items, dict) else {}
    titled = items.get("anyOf" if schema["type"] == "array" else "oneOf")
    found: list[tuple[Any, Any]]
    if isinstance(titled, list):
        found = [(each.get("const"), each.get("title")) for each in titled if isinstance(each, dict)]
    else:
        values = items.get("enum")
        values = values if isinstance(values, list) else []
        titles = schema.get("enumNames")  # of the revision before
        titles = titles if isinstance(titles, list) and len(titles) == len(values) else values
        found = list(zip(values, titles, strict=True))
    if not found or len(found) > MOST_CHOICES or not all(isinstance(value, str) for value, _ in found):
        raise NotAsked(f"the field {name!r:.100} has no list of 1 to {MOST_CHOICES} texts to choose from")
    return tuple((value, title if isinstance(title, str) else value) for value, title in found)


def _schema(field: Field, revision: str) -> Json:
    schema: Json = {"type": _TYPES.get(field.kind, field.kind)}
    facts = {"title": field.title or None, "description": field.description or None, "default": field.default}
    bounds = _BOUNDS.get(schema["type"], ("", "")) if field.kind != "choice" else ("", "")
    facts |= {"format": field.format, bounds[0]: field.least, bounds[1]: field.most}
    schema |= {key: value for key, value in facts.items() if key and value is not None}
    if field.choices:
        schema |= _chosen(field, revision)
    return schema


def _chosen(field: Field, revision: str) -> Json:
    several, values = field.kind == "choices", [value for value, _ in field.choices]
    if all(value == title for value, title in field.choices):
        named: Json = {"enum": values}
    elif revision < _TITLED:
        named = {"enum": values, "enumNames": [title for _, title in field.choices]}
    else:
        titled = [{"const": value, "title": title} for value, title in field.choices]
        named = {"anyOf" if several else "oneOf": titled}
    return {"items": {"type": "string", **named}} if several else named


def _said(schema: Json, key: str) -> str:
    found = schema.get(key)
    return found if isinstance(found, str) else ""


def _bound(value: Any) -> float | None:
    return value if isinstance(value, int | float) and not isinstance(value, bool) else None
