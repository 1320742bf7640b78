"""The JSON Schema of configurations, made from the tables that read them. Run, it writes the file that is shipped anew:

    python tests/support/configuration_schema.py

Editors show what it says and complete by it; what only code can tell (that a group exists, that two numbers go together) is the readers'.
"""

from __future__ import annotations

import inspect
import json
import re
import typing
from dataclasses import MISSING, fields
from pathlib import Path
from typing import Any, Final

from callboard.actors.endpoint.circuit_breaker import BreakerPolicy
from callboard.actors.endpoint.crash_attribution import QuarantinePolicy
from callboard.actors.reload.policy import ReloadPolicy
from callboard.actors.state.store import Synchronous
from callboard.config.agent_section import KEYS as AGENT_KEYS
from callboard.config.agent_section import PROVIDERS, AgentSettings
from callboard.config.configuration import (
    KEYS,
    LONGEST_PATIENCE,
    LONGEST_TTL,
    NAMES,
    CallDefaults,
    Configuration,
    PluginPolicy,
)
from callboard.config.errors import VERSION
from callboard.config.groups import KEYS as GROUP_KEYS
from callboard.config.hook_section import KINDS as HOOK_KEYS
from callboard.config.hook_section import HookSettings
from callboard.config.profile import PROFILES
from callboard.config.state import KEYS as STATE_KEYS
from callboard.config.state import STORES, StateSettings
from callboard.hosts.limits.limits import Limits
from callboard.hosts.node.sandbox import Sandbox
from callboard.hosts.sandbox.bwrap import KIND, OUTSIDE, SystemSandbox
from callboard.plugins.hooks.approval_rules import ApprovalRules
from callboard.plugins.hooks.terms import EVENTS
from callboard.plugins.sources.options import OPTIONS, PluginOptions
from callboard.sources.kinds import SOURCE_KEYS, SPELLINGS
from callboard.supervision.restart.backoff import Backoff
from callboard.supervision.restart.exits import ExitKind
from callboard.supervision.restart.policy import RestartPolicy, RestartType
from callboard.supervision.restart.spec import GroupSpec

ROOT = Path(__file__).parents[2]
SHIPPED = ROOT / "facade" / "config" / "configuration.schema.json"

Json = dict[str, Any]

TEXT: Final[Json] = {"type": "string", "minLength": 1}
WORDS: Final[Json] = {"type": "array", "items": {"type": "string"}}
DOTTED: Final[Json] = {"type": "string", "pattern": r"\."}
SECONDS: Final[Json] = {"type": "number", "exclusiveMinimum": 0}
NEVER: Final[Json] = {"not": {}}
"""What only a program can give."""

OBJECT: Final[Json] = {"type": "object"}

WHOLE: Final[Json] = {"type": "integer", "minimum": 0}

_BY_TYPE: Final[dict[str, Json]] = {
    "bool": {"type": "boolean"},
    "int": WHOLE,
    "float": {"type": "number", "minimum": 0},
    "str": {"type": "string"},
    "tuple[str, ...]": WORDS,
}


def said_of(kind: type) -> dict[str, str]:
    """What the docstring of a dataclass says of its attributes."""
    # Python strips the indentation of docstrings since 3.13; `cleandoc` does it for the older ones.
    _, _, attributes = inspect.cleandoc(kind.__doc__ or "").partition("Attributes:\n")
    found: dict[str, str] = {}
    name = ""
    for line in attributes.splitlines():
        if not line.strip():
            break
        if begun := re.match(r"    (\w+): (.*)", line):
            name, found[begun[1]] = begun[1], begun[2]
        else:
            found[name] += f" {line.strip()}"
    return {name: text.replace("``", "`").rstrip(".") for name, text in found.items()}


def of_object(properties: dict[str, Json], said: dict[str, str] | None = None, **more: Any) -> Json:
    """An object that has these keys and no others."""
    said = said or {}
    described = {
        key: {**value, "description": said[key]} if key in said else value
        for key, value in sorted(properties.items())
    }
    return {"type": "object", "properties": described, "additionalProperties": False, **more}


def of_dataclass(kind: type, **inside: Json) -> Json:
    """What `read_into` takes for a dataclass; ``inside`` is what it cannot know of a field."""
    found = {}
    for each in fields(kind):
        value = inside.get(each.name) or of_type(str(each.type))
        plain = each.default is not MISSING and isinstance(each.default, bool | int | float | str)
        found[each.name] = {**value, "default": each.default} if plain else value
    return of_object(found, said_of(kind))


def of_type(annotation: str) -> Json:
    """A number, a text, a flag or a list of texts; or null, if ``None`` is a value of it."""
    plain = annotation.removesuffix(" | None")
    return _BY_TYPE[plain] if plain == annotation else or_null(_BY_TYPE[plain])


def or_null(schema: Json) -> Json:
    """The same, or null."""
    if "type" not in schema or "enum" in schema:
        return {"anyOf": [schema, {"type": "null"}]}
    kinds = schema["type"]
    return {**schema, "type": [*(kinds if isinstance(kinds, list) else [kinds]), "null"]}


def either(*schemas: Json) -> Json:
    """One of them."""
    return {"anyOf": list(schemas)}


def _restart() -> Json:
    exits = {"type": "array", "items": {"enum": sorted(kind.value for kind in ExitKind)}}
    return of_dataclass(
        RestartPolicy,
        backoff=of_dataclass(Backoff),
        restart={"enum": [kind.value for kind in RestartType]},
        never_restart_on=exits,
        always_restart_on=exits,
    )


def _limits() -> Json:
    size = either({"type": "integer", "minimum": 1}, {"type": "string", "pattern": r"^\s*[0-9]"})
    sizes = dict.fromkeys(("memory", "memory_hard"), or_null(size))
    return of_dataclass(Limits, **sizes)


def _sandbox() -> Json:
    words = {
        each.name: WORDS if "tuple" in str(each.type) else {"type": "boolean"} for each in fields(Sandbox)
    }
    of_node = of_object({"kind": {"const": "node"}, **words}, said_of(Sandbox))
    flags = {"network": either({"type": "boolean"}, {"const": OUTSIDE}), "seccomp": {"type": "boolean"}}
    of_system = of_object(
        {"kind": {"const": KIND}, "read": WORDS, "write": WORDS, **flags},
        said_of(SystemSandbox),
        required=["kind"],
    )
    return either({"type": "boolean"}, {"const": KIND}, of_system, of_node)


def _options() -> dict[str, Json]:
    switched = {"type": "boolean"}
    inside = {
        "restart": _restart(),
        "limits": _limits(),
        "sandbox": _sandbox(),
        "breaker": either(switched, of_dataclass(BreakerPolicy, is_failure=NEVER)),
        "quarantine": either(switched, of_dataclass(QuarantinePolicy)),
        "reload": either(switched, of_dataclass(ReloadPolicy)),
        "secrets": {
            "type": "object",
            "additionalProperties": either(
                of_object({"env": TEXT}, required=["env"]), of_object({"file": TEXT}, required=["file"])
            ),
        },
    }
    return {name: or_null(inside.get(name, schema)) for name, (_, schema) in OPTIONS.items()}


def _sources() -> dict[str, Json]:
    plugin = {
        "type": "string",
        "description": "a dotted path, or KIND:… such as path:./my-tools, node:, npm:, bash:",
    }
    return {"plugin": plugin} | {
        each.under_key.key: each.under_key.schema for each in SPELLINGS if each.under_key
    }


def _entry() -> Json:
    sources = _sources()
    assert sources.keys() == SOURCE_KEYS
    one = [{"required": [key]} for key in sorted(sources)]
    return of_object({**sources, **_options()}, said_of(PluginOptions), oneOf=one)


def _groups() -> Json:
    texts = {key: TEXT for key in GROUP_KEYS if key not in ("period", "cool_down", "intensity")}
    numbers = {"period": {"type": "number"}, "cool_down": {"type": "number"}}
    intensity = {"type": ["integer", "null"]}
    group = of_object({**texts, **numbers, "intensity": intensity}, said_of(GroupSpec))
    return {"type": "object", "additionalProperties": group}


def _agent() -> Json:
    from callboard.agent.wires.options import CONFIG_SCHEMA  # noqa: PLC0415 - as the reader does

    shipped = of_object(
        {**CONFIG_SCHEMA["properties"], "type": {"enum": sorted(PROVIDERS)}}, required=["type"]
    )
    other = {
        "type": "object",
        "properties": {"type": {**DOTTED, "not": {"enum": sorted(PROVIDERS)}}},
        "required": ["type"],
    }
    own = {
        "provider": either(TEXT, shipped, other, {"type": "null"}),
        "system": or_null(TEXT),
        "max_rounds": or_null({"type": "integer", "minimum": 1}),
        "deadline": or_null(SECONDS),
        "tags": WORDS,
        "session_dir": or_null(TEXT),
    }
    assert own.keys() == AGENT_KEYS
    return of_object(own, said_of(AgentSettings))


def _hooks() -> Json:
    kinds = {
        "event": {"enum": list(EVENTS)},
        "hook": DOTTED,
        "priority": {"type": "integer"},
        "deadline": SECONDS,
        "observes": {"type": "boolean"},
        "name": TEXT,
    }
    assert kinds.keys() == HOOK_KEYS.keys()
    return {"type": "array", "items": of_object(kinds, said_of(HookSettings), required=["event", "hook"])}


def _state() -> Json:
    keys = {
        "store": {"enum": list(STORES)},
        "path": or_null(TEXT),
        "synchronous": {"enum": list(typing.get_args(Synchronous))},
        "max_state_bytes": {"type": "integer", "minimum": 1},
    }
    assert keys.keys() == STATE_KEYS
    return either(TEXT, of_object(keys, said_of(StateSettings)))


def configuration_schema() -> Json:
    """The whole schema."""
    supervision = _restart()
    supervision["properties"]["groups"] = _groups()
    own = {
        "$schema": {"type": "string"},
        "version": {"type": "integer", "minimum": 1, "maximum": VERSION},
        "plugins": {"type": "array", "items": either({"type": "string"}, {"$ref": "#/$defs/entry"})},
        "supervision": supervision,
        "calls": of_dataclass(CallDefaults, deadline=or_null(SECONDS), max_stray_lines=or_null(WHOLE)),
        "plugin_policy": of_dataclass(PluginPolicy),
        "plugin_cache_dir": TEXT,
        "node": or_null(TEXT),
        "start_deadline": SECONDS,
        "load_deadline": or_null(SECONDS),
        "names": {"enum": list(NAMES)},
        "list_ttl": {"type": "number", "minimum": 0, "maximum": LONGEST_TTL},
        "list_patience": {"type": "number", "minimum": 0, "maximum": LONGEST_PATIENCE},
        "prepare_deadline": SECONDS,
        "state": _state(),
        "agent": _agent(),
        "hooks": _hooks(),
        "approval": of_dataclass(ApprovalRules, timeout=SECONDS, default={"enum": ["allow", "deny"]}),
        "interop": {"type": "array", "items": DOTTED},
        "profile": or_null({"enum": list(PROFILES)}),
        "app": {**OBJECT, "description": "what is your application's own: handed on untouched"},
        "provider": or_null(TEXT),
        "models": either({"type": "array", "items": OBJECT}, {"type": "null"}),
        **{key: {} for key in ("model", "summarizer_agent")},
    }
    assert own.keys() == KEYS
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "A configuration of Callboard",
        **of_object(own, said_of(Configuration)),
        "$defs": {"entry": _entry()},
    }


def text() -> str:
    """As it is shipped."""
    return json.dumps(configuration_schema(), indent=1, ensure_ascii=False) + "\n"


if __name__ == "__main__":
    SHIPPED.write_text(text())
