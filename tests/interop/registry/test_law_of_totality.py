"""Law 17: whatever value comes, it is read or refused by an error of ours; nothing else is raised."""

from __future__ import annotations

import json
import sys

import pytest
from callboard.base.errors import CallboardError
from callboard.interop.default_registry import DEFAULT_TOOL_INTEROP_REGISTRY as REGISTRY
from callboard.interop.default_registry import ToolInteropTarget
from callboard.interop.errors import ConversionError
from hypothesis import given, settings
from hypothesis import strategies as st
from interop_corpus import RECORDS
from interop_json import values
from interop_routes import KINDS, WRITABLE, convert, inspect
from json_schemas import nested
from thorough import each_once, times

HINTS = sorted({target for kind in KINDS for target in WRITABLE[kind]})
FOREIGN = [None, 0, -1.5, "", "\ud800", [], {}, True, 10**4000, {"type": []}, {"type": {}}, float("nan")]
"""Values that stand where they do not belong."""


def refused(do, *arguments):
    """Return the error of ours by which something is refused; ``None`` if it is done."""
    try:
        do(*arguments)
    except CallboardError as refusal:
        return refusal
    return None


def steps(value):
    """Yield the way to every value within a value."""
    yield ()
    if isinstance(value, (dict, list)):
        for key, item in value.items() if isinstance(value, dict) else enumerate(value):
            yield from ((key, *rest) for rest in steps(item))


def with_another(value, way, other):
    """Return a copy of a value with another at the end of a way."""
    if not way:
        return other
    copy = dict(value) if isinstance(value, dict) else list(value)
    copy[way[0]] = with_another(copy[way[0]], way[1:], other)
    return copy


@st.composite
def spoiled(draw):
    """A recorded value with something else in one or two places."""
    record = draw(st.sampled_from(RECORDS))
    value = record.value
    for _ in range(draw(st.integers(1, 2))):
        way = draw(st.sampled_from(list(steps(value))))
        value = with_another(value, way, draw(st.sampled_from(FOREIGN) | values))
    return value


@settings(max_examples=times(25, 300))
@given(spoiled() | values, st.none() | st.sampled_from(HINTS))
def test_law_17_any_value_is_read_or_refused_by_an_error_of_ours(value, hint):
    for kind in KINDS:
        refusal = refused(inspect, kind, value, hint)

        assert refusal is None or str(refusal)


@settings(max_examples=times(25, 300))
@given(spoiled(), st.data())
def test_law_17_what_is_read_is_converted_or_refused_by_an_error_of_ours(value, data):
    for kind in KINDS:
        target = data.draw(st.sampled_from(WRITABLE[kind]))
        try:
            converted = convert(kind, value, target)
        except CallboardError:
            continue
        json.dumps(converted.value, allow_nan=False)


@settings(max_examples=times(25, 300))
@given(spoiled())
def test_law_17_any_call_is_sanitized_or_refused_by_an_error_of_ours(value):
    try:
        sanitized = REGISTRY.sanitize_tool_call(value)
    except CallboardError:
        return

    assert REGISTRY.inspect_call(sanitized) is not None


def deep(levels, wrap):
    value = 0
    for _ in range(levels):
        value = wrap(value)
    return value


DEEP = {
    "arrays": lambda levels: deep(levels, lambda inner: [inner]),
    "objects": lambda levels: deep(levels, lambda inner: {"a": inner}),
    "schemas": lambda levels: deep(levels, lambda inner: {"type": "object", "properties": {"a": inner}}),
    "alternatives": lambda levels: deep(levels, lambda inner: {"anyOf": [inner]}),
}


ONE_OF_EACH = list({(record.format, record.kind): record for record in RECORDS}.values())


@pytest.mark.parametrize(
    ("record", "make"),
    [
        pytest.param(record, DEEP[name], id=f"{record.format}-{record.kind}-{name}")
        for record, name in each_once(ONE_OF_EACH, DEEP)
    ],
)
def test_law_17_a_value_as_deep_as_no_stack_is_refused_and_not_fallen_into(record, make):
    endless = make(sys.getrecursionlimit() * 20)

    for way in list(steps(record.value))[: times(3, 30)]:
        value = with_another(record.value, way, endless)
        for target in WRITABLE[record.kind]:
            refusal = refused(convert, record.kind, value, target)

            assert refusal is None or len(str(refusal)) < 2000


@pytest.mark.parametrize("make", DEEP.values(), ids=DEEP)
def test_law_17_arguments_as_deep_as_no_stack_are_malformed(make):
    levels = 20_000
    text = json.dumps(make(50)).replace("0", "[" * levels + "]" * levels)
    call = {"type": "function_call", "call_id": "1", "name": "ls", "arguments": text}

    inspected = inspect("call", call)

    assert inspected.payload_kind == "malformed"
    assert inspected.payload_metadata["error"]["code"] == "too_deep"


@pytest.mark.parametrize("target", WRITABLE["schema"])
def test_law_17_references_that_multiply_are_not_written_out(target):
    definitions = {
        f"d{level}": {
            "type": "object",
            "properties": {key: {"$ref": f"#/$defs/d{level + 1}"} for key in "abcdefgh"},
        }
        for level in range(30)
    }
    parameters = {
        "type": "object",
        "properties": {"a": {"$ref": "#/$defs/d0"}},
        "$defs": definitions | {"d30": {"type": "string"}},
    }
    schema = {"type": "function", "function": {"name": "bomb", "parameters": parameters}}

    try:
        converted = REGISTRY.convert_schema(schema, ToolInteropTarget(target), [target])
    except ConversionError:
        return

    assert len(json.dumps(converted.value)) < 100 * len(json.dumps(schema))


@pytest.mark.parametrize("target", WRITABLE["schema"])
@pytest.mark.parametrize(
    "reference", ["#/$defs/a", "#", "#/properties/a", "#/$defs/nowhere", "https://example.com/s"]
)
def test_law_17_references_that_lead_in_a_circle_or_nowhere_end(target, reference):
    parameters = {
        "type": "object",
        "properties": {"a": {"$ref": reference}},
        "anyOf": [{"$ref": "#/$defs/a"}],
        "$defs": {"a": {"$ref": "#/$defs/b"}, "b": {"$ref": "#/$defs/a"}},
    }
    schema = {"type": "function", "function": {"name": "circle", "parameters": parameters}}

    refusal = refused(REGISTRY.convert_schema, schema, ToolInteropTarget(target), [target])

    assert refusal is None or isinstance(refusal, ConversionError)


@pytest.mark.parametrize("levels", [10, 46, 47, 48, 49])
def test_law_17_what_is_written_is_never_too_deep_to_be_read(levels):
    deep = nested({"type": "object", "properties": {"solid": {"type": "string"}}}, levels)
    again = {"type": "object", "properties": {"one": {"$ref": "#/properties/solid"}}}
    parameters = {**deep, "properties": {**deep["properties"], "again": again}}
    schema = {"type": "function", "function": {"name": "ls", "parameters": parameters}}

    for target in WRITABLE["schema"]:
        if refused(convert, "schema", schema, target) is None:
            written = convert("schema", schema, target).value

            assert inspect("schema", written, target).name == "ls"
