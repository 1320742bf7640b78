"""Arguments that do not keep their tool's schema: found, told in words, and never at any price."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from typing import Any

import jsonschema
import pytest
from callboard.interop.default_registry import DEFAULT_TOOL_INTEROP_REGISTRY as REGISTRY
from callboard.interop.errors import InteropError, UncheckableSchemaError
from callboard.interop.schemas.argument_check import ArgumentCheck
from callboard.interop.schemas.constrained import check_of
from callboard.interop.schemas.engine import DIALECTS
from hypothesis import given
from hypothesis import strategies as st
from interop_corpus import RECORDS
from thorough import every

FILE = {
    "type": "object",
    "properties": {
        "path": {"type": "string"},
        "line": {"type": "integer"},
        "mode": {"enum": ["read", "write"]},
        "at": {"type": "object", "properties": {"x": {"type": "number"}}},
    },
    "required": ["path"],
}


def told(schema: dict[str, Any], arguments: Any) -> str:
    return str(ArgumentCheck(schema).misfit(arguments))


def doubling(levels: int) -> dict[str, Any]:
    steps = {f"d{n}": {"anyOf": [{"$ref": f"#/$defs/d{n + 1}"}] * 2} for n in range(levels)}
    return {"$defs": {**steps, f"d{levels}": {"type": "string"}}, "$ref": "#/$defs/d0"}


def nested(levels: int, kind: type) -> Any:
    value: Any = "x"
    for _ in range(levels):
        value = {"a": value} if kind is dict else [value]
    return value


@pytest.mark.parametrize(
    ("schema", "why"),
    [
        ({"type": "dict"}, "it is no JSON Schema: at /type: "),
        ({"type": "OBJECT"}, "it is no JSON Schema"),
        ({"properties": ["a"]}, "it is no JSON Schema"),
        ({"properties": {"a": {"pattern": "(["}}}, "at /properties/a/pattern"),
        ({"properties": {"a": {"pattern": "(((a{1000}){1000}){1000})"}}}, "at /properties/a/pattern"),
        ({"$ref": "#"}, "circle"),
        ({"$ref": "https://127.0.0.1:9/x"}, "nothing is ever fetched"),
        ({"$schema": "https://example.com/dialect", "required": ["a"]}, "no known dialect"),
        ({"$schema": 7, "required": ["a"]}, "no text"),
        (doubling(40), "steps"),
        ({"enum": ["\ud800"]}, "it is no JSON Schema"),
    ],
)
def test_a_schema_that_is_none_or_hostile_is_refused_with_a_reason(schema, why):
    with pytest.raises(UncheckableSchemaError) as refused:
        check_of(schema)

    assert why in refused.value.why
    assert len(refused.value.why) < 400


@pytest.mark.parametrize(
    "schema",
    [
        None,
        {},
        {"type": "object"},
        {"$schema": "anything", "type": "object", "properties": {}, "title": "T", "required": []},
    ],
)
def test_a_schema_that_asks_for_nothing_needs_no_check(schema):
    assert check_of(schema) is None


@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize("spelt", ["http://{}#", "https://{}", "http://{}"])
def test_the_dialect_is_known_however_it_is_spelt(dialect, spelt):
    check = ArgumentCheck({"$schema": spelt.format(dialect), "required": ["a"]})

    assert check.misfit({}) is not None
    assert check.misfit({"a": 1}) is None


@pytest.mark.parametrize(
    ("schema", "fits", "breaks"),
    [
        ({"properties": {"a": {"prefixItems": [{"type": "string"}]}}}, {"a": ["x"]}, {"a": [1]}),
        ({"properties": {"a": {"items": [{"type": "string"}]}}}, {"a": ["x"]}, {"a": [1]}),
        (
            {"properties": {"a": {"minimum": 0, "exclusiveMinimum": True, "type": "number"}}},
            {"a": 1},
            {"a": 0},
        ),
    ],
    ids=["2020-12", "draft-07", "draft-04"],
)
def test_a_schema_that_names_no_dialect_is_read_in_the_one_that_it_is_written_in(schema, fits, breaks):
    check = ArgumentCheck(schema)

    assert check.misfit(fits) is None
    assert check.misfit(breaks) is not None


def test_a_format_is_a_note_and_no_rule():
    check = ArgumentCheck({"properties": {"a": {"type": "string", "format": "date-time"}}})

    assert check.misfit({"a": "soon"}) is None


@pytest.mark.parametrize("levels", [500, 100_000])
@pytest.mark.parametrize("kind", [dict, list])
def test_a_value_that_is_nested_beyond_reason_is_let_through(levels, kind):
    check = ArgumentCheck({"$defs": {"a": {}}, "properties": {"a": {"$ref": "#"}}, "required": ["a"]})

    assert check.misfit({"a": nested(levels, kind)}) is None


def test_a_value_that_would_take_too_long_is_let_through():
    forking = {
        "properties": {"a": {"anyOf": [{"$ref": "#"}, {"$ref": "#", "required": ["b"]}]}, "leaf": {}},
        "required": ["a"],
    }
    check = ArgumentCheck(forking)

    assert check.misfit({"a": {"a": {}}}) is not None
    assert check.misfit({"a": nested(60, dict)}) is None


@pytest.mark.parametrize(
    ("pattern", "text"),
    [
        ("^(a+)+$", "a" * 50_000 + "b"),
        ("^(?=(a+)+$)(a|a)*b\\1$", "a" * 5_000),
        ("(?=.*b)(?=.*c).*", "a" * 300_000),
        ("^(([a-z])+.)+\\2(?=x)[A-Z]([a-z])+$", "a" * 1_000),
    ],
)
def test_a_pattern_takes_no_time_to_speak_of(pattern, text):
    """The test's own time limit is the judge: each of these takes others minutes or years."""
    ArgumentCheck({"properties": {"a": {"pattern": pattern}}}).misfit({"a": text})


def test_a_pattern_on_which_the_library_gives_up_is_no_breach():
    tiring = "^(([a-z])+.)+\\2(?=x)[A-Z]([a-z])+$"
    check = ArgumentCheck({
        "properties": {"a": {"pattern": tiring}, "b": {"anyOf": [{"pattern": tiring}, {"type": "null"}]}, "c": {"type": "string"}}
    })  # fmt: skip

    assert check.misfit({"a": "a" * 1_000, "b": "a" * 1_000}) is None
    assert str(check.misfit({"a": "a" * 1_000, "c": 1})) == "'c' has to be a string, and is 1"


def test_a_pattern_with_a_look_ahead_is_kept():
    check = ArgumentCheck({"properties": {"a": {"pattern": "^(?!\\.)(?!.*\\.\\.)[a-z.]+@[a-z.]+$"}}})

    assert check.misfit({"a": "some.one@example.com"}) is None
    assert check.misfit({"a": "some..one@example.com"}) is not None


@pytest.mark.parametrize("arguments", [{"path": "\ud800"}, {"path": "a", "at": {"x": 1.5}}])
def test_what_a_model_may_write_fits(arguments):
    assert ArgumentCheck(FILE).misfit(arguments) is None


def test_a_lone_surrogate_hides_nothing():
    assert told(FILE, {"path": "\ud800", "line": "x"}) == "'line' has to be an integer, and is \"x\""
    assert told(FILE, {"path": "a", "mode": "\ud800"}).startswith("'mode' has to be one of")


@pytest.mark.parametrize("arguments", [{"path": object()}, {"path": "a", 1: 2}, {"path": float("nan")}])
def test_what_is_no_json_does_no_harm(arguments):
    ArgumentCheck(FILE).misfit(arguments)


def test_a_check_keeps_nothing_of_the_schema_and_changes_nothing():
    schema = json.loads(json.dumps(FILE))
    arguments = {"path": 3}
    check = ArgumentCheck(schema)
    del schema["properties"]["path"]

    assert str(check.misfit(arguments)) == "'path' has to be a string, and is 3"
    assert arguments == {"path": 3}


def test_the_library_is_loaded_with_the_first_schema_that_asks_for_something():
    script = """
import sys
from callboard import Callboard
from callboard.interop.schemas.constrained import check_of
check_of({"type": "object"})
assert "jsonschema_rs" not in sys.modules
check_of({"type": "object", "required": ["a"]})
assert "jsonschema_rs" in sys.modules
"""
    subprocess.run([sys.executable, "-c", script], check=True)


def test_without_the_library_a_schema_is_refused_with_a_reason(monkeypatch):
    monkeypatch.setitem(sys.modules, "jsonschema_rs", None)

    with pytest.raises(UncheckableSchemaError, match="cannot be loaded"):
        check_of({"required": ["a"]})


# -- Another library says the same

SCALARS = st.one_of(
    st.none(), st.booleans(), st.integers(-3, 3), st.sampled_from(["", "a", "bb", "5"]), st.just(1.5)
)
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from("pqr"), inner, max_size=3),
    max_leaves=8,
)
TYPES = st.sampled_from(["string", "integer", "number", "boolean", "object", "array", "null"])


def _schemas(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    names = st.sampled_from("pqr")
    rules = {
        "type": TYPES | st.lists(TYPES, min_size=1, max_size=3, unique=True),
        "properties": st.dictionaries(names, inner, max_size=2),
        "required": st.lists(names, max_size=2, unique=True),
        "additionalProperties": inner | st.booleans(),
        "items": inner,
        "anyOf": st.lists(inner, min_size=1, max_size=2),
        "oneOf": st.lists(inner, min_size=1, max_size=2),
        "not": inner,
        "$ref": st.sampled_from(["#/$defs/a", "#/$defs/b"]),
        "enum": st.lists(VALUES, min_size=1, max_size=3),
        "const": VALUES,
        "minimum": st.integers(-2, 2),
        "maxLength": st.integers(0, 2),
        "minItems": st.integers(0, 2),
        "uniqueItems": st.booleans(),
        "propertyNames": st.just({"enum": ["p", "q"]}),
        "unevaluatedProperties": st.booleans(),
        "pattern": st.sampled_from(["^a", "b$", "^(?!a)"]),
    }
    return st.lists(
        st.sampled_from(sorted(rules)).flatmap(lambda rule: st.tuples(st.just(rule), rules[rule])), max_size=4
    ).map(dict)


SCHEMAS = _schemas(_schemas(_schemas(st.just({}))))


@given(SCHEMAS, SCHEMAS, SCHEMAS, st.dictionaries(st.sampled_from("pqr"), VALUES, max_size=3))
def test_another_library_says_the_same_of_any_schema_and_value(schema, a, b, arguments):
    whole = {**schema, "$defs": {"a": a, "b": b}}
    try:
        check = ArgumentCheck(whole)
    except UncheckableSchemaError as refused:
        assert "circle" in refused.why or "steps" in refused.why  # noqa: PT017 - anything else is a mistake
        return

    misfit = check.misfit(arguments)

    assert (misfit is None) == jsonschema.Draft202012Validator(whole).is_valid(arguments)
    assert misfit is None or all(problem.message for problem in misfit.problems)


def _schemas_of_the_corpus() -> list[Any]:
    found = []
    for record in RECORDS:
        if record.kind == "schema":
            try:
                parameters = REGISTRY.inspect_schema(record.value).parameters
            except InteropError:  # which formats there are is not the question here
                continue
            found.append(pytest.param(parameters, id=f"{record.format}-{len(found)}"))
    return found


@pytest.mark.parametrize("schema", every(5, _schemas_of_the_corpus()))
def test_the_schemas_of_the_corpus_are_those_that_another_library_takes(schema):
    schema = schema or {}
    dialect = jsonschema.validators.validator_for(schema, jsonschema.Draft202012Validator)
    try:
        dialect.check_schema(schema)
        valid = True
    except jsonschema.SchemaError:
        valid = False

    try:
        check_of(schema)
        taken = True
    except UncheckableSchemaError:
        taken = False

    assert taken == valid


def items_of(**schema):
    return {"type": "object", "properties": {"a": {"type": "array", "items": schema}}}


LONG_LISTS = {
    "options that are objects": (items_of(enum=[{"x": n} for n in range(20_000)]), [{"x": 19_999}] * 20_000),
    "options of many kinds": (items_of(enum=[*[{"x": n} for n in range(20_000)], "s"]), ["s"] * 50_000),
    "a long constant": (items_of(const=[0] * 90_000), [[0] * 90_000] * 100),
    "many required names": (items_of(required=[f"k{n}" for n in range(20_000)]), [{}] * 2_000),
    "many names that one asks for": (items_of(dependentRequired={"x": [f"k{n}" for n in range(50_000)]}), [{"x": 1}] * 2_000),
    "many properties": (items_of(properties={f"k{n}": True for n in range(50_000)}), [{}] * 50_000),
    "a fraction that divides": (items_of(multipleOf=1e-300), [1e300] * 500_000),
}  # fmt: skip
"""Schemas of few parts that are long to look at, and arguments for each. Most took from 4 s to minutes."""


@pytest.mark.parametrize("what", LONG_LISTS)
def test_a_schema_with_long_lists_is_looked_at_no_longer_than_any_other(what):
    schema, items = LONG_LISTS[what]
    check = ArgumentCheck(schema)
    began = time.process_time()

    told = check.misfit({"a": items})

    assert told is None
    assert time.process_time() - began < 10
