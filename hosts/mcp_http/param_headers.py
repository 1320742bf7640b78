"""Arguments that a tool wants said in headers of HTTP too (``x-mcp-header``), from 2026-07-28 on. Pure.

Such an annotation stands at a text, a whole number or a truth value, which a chain of ``properties`` alone leads to from the root of the schema. One
that stands elsewhere, is no name of a header or is there twice makes the tool one that may not be called: what is between here and the server may decide by those headers.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from ..mcp import jsonrpc
from .exchange import TOKEN, header_text

if TYPE_CHECKING:
    from collections.abc import Iterator

Places = dict[tuple[str, ...], str]
"""Arguments, by the names that lead to them, and under which name each is said in a header too."""

_ANNOTATION: Final = "x-mcp-header"
_TYPES: Final = frozenset({"string", "integer", "boolean"})

_NAMED: Final = frozenset(
    {"properties", "patternProperties", "$defs", "definitions", "dependentSchemas", "dependencies"}
)
"""Keywords with schemas by names."""

_DATA: Final = frozenset({"const", "default", "enum", "example", "examples"})
"""Keywords with values, in which nothing is a schema."""


def invalid_header(schema: Any) -> str | None:
    """Why a tool with this schema may not be called, as a sentence; ``None`` if it may."""
    seen: set[str] = set()
    for path, node in _schemas(schema):
        if _ANNOTATION not in node:
            continue
        if not path:
            return f"it has an {_ANNOTATION!r} where no argument is, or one that not always is there"
        header, where = node[_ANNOTATION], ".".join(path)[:60]
        if not isinstance(header, str) or TOKEN.fullmatch(header) is None:
            return f"the {_ANNOTATION!r} of its argument {where!r} is no name of a header"
        if not isinstance(kind := node.get("type"), str) or kind not in _TYPES:
            return (
                f"its argument {where!r} has an {_ANNOTATION!r}, and is no text, whole number or truth value"
            )
        if header.lower() in seen:
            return f"it has the {_ANNOTATION!r} {header!r:.60} twice"
        seen.add(header.lower())
    return None


def places_in(line: bytes) -> dict[str, Places]:
    """What the tools of a page of the list want said in headers, by their names."""
    match jsonrpc.read(line):
        case jsonrpc.Answer(_, {"tools": list(tools)}, None):
            named = [tool for tool in tools if isinstance(tool, dict) and isinstance(tool.get("name"), str)]
            return {tool["name"]: _places(tool.get("inputSchema")) for tool in named}
    return {}


def _places(schema: Any) -> Places:
    if invalid_header(schema) is not None:  # it is not offered
        return {}
    return {path: node[_ANNOTATION] for path, node in _schemas(schema) if path and _ANNOTATION in node}


def param_headers(places: Places, arguments: dict[str, Any]) -> dict[str, str]:
    """The headers of a call in which arguments are said; of what is no text, whole number or truth value there is none."""
    headers = {}
    for path, header in places.items():
        value: Any = arguments
        for name in path:
            value = value.get(name) if isinstance(value, dict) else None
        if isinstance(value, bool):
            value = "true" if value else "false"
        if isinstance(value, str | int | float):
            headers[f"mcp-param-{header}"] = header_text(str(value))
    return headers


def _schemas(root: Any) -> Iterator[tuple[tuple[str, ...] | None, dict[str, Any]]]:
    """The schemas in a schema, each with the names of ``properties`` that lead to it; ``None`` if others do too."""
    waiting: list[tuple[tuple[str, ...] | None, Any]] = [((), root)]
    while waiting:
        path, node = waiting.pop()
        if isinstance(node, list):
            waiting += [(None, each) for each in node]
        if not isinstance(node, dict):
            continue
        yield path, node
        for key, value in node.items():
            if key in _NAMED and isinstance(value, dict):
                on = path if key == "properties" else None
                waiting += [(None if on is None else (*on, name), each) for name, each in value.items()]
            elif key not in _DATA:
                waiting.append((None, value))
