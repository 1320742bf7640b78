"""What is converted, and what would be right: recorded values where they are at hand, and typical ones.

Right is the same for everybody. Of a declaration: the schema that comes out is the one that went in, word
for word, but for a root that the target's server refuses (alternatives; no type). Of a call: its arguments, if
they are an object or there are none; and a refusal, if they are anything else: corrupt, or no object.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

CALL = {
    "id": "call_abcdefghijklmnop",
    "type": "function",
    "function": {"name": "read_file", "arguments": '{"path":"src/app/main.py","offset":120,"limit":80}'},
}
PARAMETERS: dict[str, Any] = {
    "type": "object",
    "properties": {
        "path": {"type": "string", "description": "The file, below the root of the workspace."},
        "offset": {"type": "integer", "description": "The first line.", "minimum": 0},
        "limit": {"type": "integer", "description": "How many lines.", "default": 200},
        "mode": {"type": "string", "enum": ["text", "binary"]},
    },
    "required": ["path"],
    "additionalProperties": False,
}


def declaration(form: str, name: str = "read_file") -> dict[str, Any]:
    """A typical declaration, anew, as MCP, Anthropic, Bedrock or Chat has it."""
    parameters = json.loads(json.dumps(PARAMETERS))
    about = "Read a part of a file."
    match form:
        case "mcp":
            return {"name": name, "description": about, "inputSchema": parameters}
        case "anthropic":
            return {"name": name, "description": about, "input_schema": parameters}
        case "bedrock":
            return {"toolSpec": {"name": name, "description": about, "inputSchema": {"json": parameters}}}
    return {"type": "function", "function": {"name": name, "description": about, "parameters": parameters}}


_FILES = {
    "mcp": "mcp.tool",
    "anthropic": "anthropic.tool",
    "bedrock": "bedrock.converse",
    "chat": "openai.chat_completions.function",
}


def recorded(form: str, kind: str) -> list[Any]:
    """The recorded values of a form, or the typical one alone where there are none.

    They are read where they lie, beside the checkout or where ``CALLBOARD_CORPUS`` points.
    """
    typical = CALL if kind == "call" else declaration(form)
    directory = _corpus()
    if directory is None:
        return [typical]
    lines = (directory / f"{_FILES[form]}.jsonl").read_text(encoding="utf-8").splitlines()
    values = [record["value"] for record in map(json.loads, lines) if record["kind"] == kind]
    return [value for value in values if _is_of(form, kind, value)] or [typical]


def _corpus() -> Path | None:
    named = os.environ.get("CALLBOARD_CORPUS")
    if named:
        return Path(named)
    beside = (parent / "shared" / "corpus" for parent in Path(__file__).resolve().parents)
    return next((directory for directory in beside if directory.is_dir()), None)


def _is_of(form: str, kind: str, value: Any) -> bool:
    if not isinstance(value, dict):
        return False
    if kind == "call":
        return isinstance(value.get("function"), dict) and isinstance(value["function"].get("name"), str)
    return schema_of(form, value) is not None


def schema_of(form: str, value: dict[str, Any]) -> Any:
    """The schema of a declaration; ``None`` if it has none, and nothing could be lost."""
    match form:
        case "mcp":
            return value.get("inputSchema")
        case "anthropic":
            return value.get("input_schema")
        case "bedrock":
            return value.get("toolSpec", {}).get("inputSchema", {}).get("json")
    return value.get("function", {}).get("parameters")


def is_right_schema(source: Any, outcome: dict[str, Any], *, plain_root: bool) -> bool:
    """Whether a schema came out as it went in; of a root that cannot go out any other, or a refusal, is right."""
    if not isinstance(source, dict) or source.get("type", "object") != "object":
        return "raised" in outcome
    made = outcome.get("made")
    if plain_root and source.keys() & {"anyOf", "oneOf", "allOf"}:
        return "raised" in outcome or not made.keys() & {"anyOf", "oneOf", "allOf"}
    return _text(_rooted(made)) == _text(_rooted(source))


def is_right_call(call: dict[str, Any], outcome: dict[str, Any]) -> bool:
    """Whether the arguments came out, or were refused if they are none."""
    said = call["function"].get("arguments")
    try:
        meant = (
            {}
            if said is None or not str(said).strip()
            else json.loads(said)
            if isinstance(said, str)
            else said
        )
    except ValueError:
        return "raised" in outcome
    if not isinstance(meant, dict):
        return "raised" in outcome
    return "made" in outcome and _text(outcome["made"]) == _text(meant)


def _rooted(schema: Any) -> Any:
    return {"properties": {}, **schema, "type": "object"} if isinstance(schema, dict) else schema


def _text(value: Any) -> str:
    return json.dumps(value, sort_keys=True)
