"""What every conversion between any two formats keeps to, over generated and recorded values."""

from __future__ import annotations

import re

import pytest
from callboard.interop.default_registry import (
    DEFAULT_TOOL_INTEROP_REGISTRY as REGISTRY,
)
from callboard.interop.default_registry import (
    ToolInteropTarget,
)
from callboard.interop.errors import ConversionError, LossRefusedError
from callboard.interop.format_ids import NATIVE, canonical_format
from hypothesis import given
from hypothesis import strategies as st
from interop_corpus import records
from interop_json import canonical, containers
from interop_losses import undeclared
from interop_shapes import TARGETS, problems
from interop_wire import calls, results, schemas
from thorough import every

ANSWERED = {"id": "call_9", "type": "function", "function": {"name": "read_file", "arguments": "{}"}}
GENERATED = {"schema": schemas, "call": calls, "result": results}
KINDS = ["schema", "call", "result"]


def convert(kind, value, target):
    """Convert one value to one format; a result that names no call answers `ANSWERED`."""
    if kind == "schema":
        return REGISTRY.convert_schema(value, ToolInteropTarget(target), [target])
    if kind == "call":
        return REGISTRY.convert_tool_call(value, ToolInteropTarget(target), [target], turn=1)
    asked = answered(REGISTRY.inspect_result(value), target)
    return REGISTRY.convert_result(value, ToolInteropTarget(target), [target], call=asked)


def answered(result, target):
    """Return a call for a result to answer, where it does not say all about its own."""
    if result.call_id and (result.tool_name or not target.startswith(("gemini", "ollama"))):
        return None
    return {**ANSWERED, "id": result.call_id or ANSWERED["id"]}


def is_native(meaning, target):
    """Say whether a result goes into ``target`` untouched, because its tool wrote it so."""
    native = getattr(meaning, "native", None)
    return native is not None and target.startswith(native.format)


def convert_many(kind, value, target, **options):
    plural = {
        "schema": REGISTRY.convert_schemas,
        "call": REGISTRY.convert_tool_calls,
        "result": REGISTRY.convert_results,
    }
    return plural[kind]([value], ToolInteropTarget(target), [target], **options)


def inspect(kind, value):
    of = {"schema": REGISTRY.inspect_schema, "call": REGISTRY.inspect_call, "result": REGISTRY.inspect_result}
    return of[kind](value)


def is_fit(kind, value):
    """Say whether a recorded value is valid in its own format, so that it must be so in another.

    Names and ids that a provider refuses are rewritten before a request is converted.
    """
    meaning = inspect(kind, value)
    named = [getattr(meaning, key, None) for key in ("name", "tool_name", "call_id")]
    legal = all(re.fullmatch(r"[a-zA-Z0-9_-]{1,64}", name) for name in named if name is not None)
    return legal and (kind != "call" or meaning.payload_kind in {"object", "text"})


def is_of_an_object(schema):
    """Say whether a schema is one that formats which insist on an object can take."""
    parameters = inspect("schema", schema).parameters or {}
    return parameters.get("type", "object") == "object" and isinstance(parameters.get("properties", {}), dict)


@pytest.mark.parametrize("kind", KINDS)
@given(data=st.data())
def test_a_value_in_an_accepted_format_is_copied_to_the_letter(kind, data):
    value = data.draw(GENERATED[kind])
    own = canonical_format(kind, inspect(kind, value).format)
    if own not in TARGETS[kind]:
        return  # envelopes are written by tools alone

    converted = convert(kind, value, own)

    assert canonical(converted.value) == canonical(value)
    assert converted.losses == ()


@pytest.mark.parametrize("kind", KINDS)
@given(data=st.data())
def test_a_conversion_leaves_its_source_alone_and_shares_nothing_with_it(kind, data):
    value = data.draw(GENERATED[kind])
    target = data.draw(st.sampled_from(TARGETS[kind]))
    before = canonical(value)

    try:
        converted = convert(kind, value, target)
    except ConversionError:
        assert canonical(value) == before
        return

    assert canonical(value) == before
    assert not containers(converted.value) & containers(value)


@pytest.mark.parametrize("kind", KINDS)
@given(data=st.data())
def test_whatever_is_converted_is_valid_where_it_goes(kind, data):
    value = data.draw(GENERATED[kind])
    target = data.draw(st.sampled_from(TARGETS[kind]))
    if inspect(kind, value).format == target:
        return  # copied, whatever it is

    try:
        converted = convert(kind, value, target)
    except ConversionError:
        return

    if not is_native(inspect(kind, value), target):
        assert problems(kind, target, converted.value) == []


@given(schemas, st.sampled_from(TARGETS["schema"]))
def test_a_schema_means_the_same_but_for_the_losses_it_declares(schema, target):
    before = inspect("schema", schema)
    try:
        converted = convert("schema", schema, target)
    except ConversionError:
        assert before.kind == "object"
        freeform = {"openai.responses.custom.tool_schema", "openai.chat_completions.custom"}
        assert target in freeform or not is_of_an_object(schema)
        return

    after = inspect("schema", converted.value)

    assert undeclared("schema", before, after, converted.losses) == []


@given(calls, st.sampled_from(TARGETS["call"]))
def test_a_call_means_the_same_but_for_the_losses_it_declares(call, target):
    before = inspect("call", call)
    try:
        converted = convert("call", call, target)
    except ConversionError:
        assert before.payload_kind == "object"
        assert target in {"openai.responses.custom", "openai.chat_completions.custom"}
        return

    after = inspect("call", converted.value)

    assert undeclared("call", before, after, converted.losses) == []


@given(results, st.sampled_from(TARGETS["result"]))
def test_a_result_tells_the_same_but_for_the_losses_it_declares(result, target):
    before = inspect("result", result)
    converted = convert("result", result, target)

    after = inspect("result", converted.value)

    if not is_native(before, target):
        assert undeclared("result", before, after, converted.losses) == []


@pytest.mark.parametrize("kind", KINDS)
@given(data=st.data())
def test_who_refuses_losses_is_given_none(kind, data):
    value = data.draw(GENERATED[kind])
    target = data.draw(st.sampled_from(TARGETS[kind]))
    options = {"calls": [answered(inspect(kind, value), target)]} if kind == "result" else {}
    options |= {"turn": 1} if kind == "call" else {}
    try:
        losses = convert(kind, value, target).losses
    except ConversionError:
        return

    if losses:
        with pytest.raises(LossRefusedError) as refusal:
            convert_many(kind, value, target, refuse_losses=True, **options)
        assert refusal.value.losses == losses
    else:
        assert len(convert_many(kind, value, target, refuse_losses=True, **options)) == 1


@pytest.mark.parametrize(
    "record", every(4, [pytest.param(record.values[0], id=record.id) for record in records()])
)
def test_recorded_values_keep_the_laws_too(record):
    for target in TARGETS[record.kind]:
        keeps_the_laws(record, target)


def keeps_the_laws(record, target):
    before = canonical(record.value)
    meaning = inspect(record.kind, record.value)

    try:
        converted = convert(record.kind, record.value, target)
    except ConversionError:
        assert canonical(record.value) == before
        return

    assert canonical(record.value) == before
    assert not containers(converted.value) & containers(record.value)
    after = inspect(record.kind, converted.value)
    if not is_native(meaning, target):
        assert undeclared(record.kind, meaning, after, converted.losses) == []
    if canonical_format(record.kind, meaning.format) == target or after.format in NATIVE:
        assert canonical(converted.value) == before
    elif is_fit(record.kind, record.value) and not is_native(meaning, target):
        assert problems(record.kind, target, converted.value) == []
