"""What every conversion between any two formats keeps to, over generated and recorded values."""

from __future__ import annotations

import pytest
from callboard.interop.conversion import LossCode
from callboard.interop.data_urls import inline_of
from callboard.interop.errors import ConversionError, LossRefusedError
from callboard.interop.format_ids import canonical_format
from callboard.interop.parts import MediaPart, TextPart
from callboard.interop.registry import (
    DEFAULT_TOOL_INTEROP_REGISTRY as REGISTRY,
)
from callboard.interop.registry import (
    ToolInteropTarget,
)
from callboard.interop.result_text import ERROR_LINE
from hypothesis import given
from hypothesis import strategies as st
from interop_corpus import records
from interop_json import canonical, containers
from interop_shapes import TARGETS, problems
from interop_wire import calls, results, schemas

ANSWERED = {"id": "call_9", "type": "function", "function": {"name": "read_file", "arguments": "{}"}}
GENERATED = {"schema": schemas, "call": calls, "result": results}
KINDS = ["schema", "call", "result"]


def convert(kind, value, target):
    """Convert one value to one format; a result that names no call answers `ANSWERED`."""
    if kind == "schema":
        return REGISTRY.convert_schema(value, ToolInteropTarget(target), [target])
    if kind == "call":
        return REGISTRY.convert_tool_call(value, ToolInteropTarget(target), [target])
    asked = None if REGISTRY.inspect_result(value).call_id else ANSWERED
    return REGISTRY.convert_result(value, ToolInteropTarget(target), [target], call=asked)


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
    """Say whether a recorded value is valid in its own format, so that it must be so in another."""
    return kind != "call" or inspect("call", value).payload_kind in {"object", "text"}


def arguments_of(parameters):
    """Return a schema of arguments as every format may say it: they are an object, said or unsaid."""
    return {"properties": {}, **(parameters or {}), "type": "object"}


def is_of_an_object(schema):
    """Say whether a schema is one that formats which insist on an object can take."""
    parameters = inspect("schema", schema).parameters or {}
    return parameters.get("type", "object") == "object" and isinstance(parameters.get("properties", {}), dict)


def lost_schema(before, after):
    """Name what differs between the meanings of a schema, by the code that would declare it."""
    lost = set()
    if before.kind != after.kind:
        lost.add(LossCode.TEXT_WRAPPED)
    elif canonical(arguments_of(before.parameters)) != canonical(arguments_of(after.parameters)):
        combined = {"anyOf", "oneOf", "allOf"} & (before.parameters or {}).keys()
        lost.add(LossCode.ROOT_COMBINATORS if combined else "parameters")
    if (
        before.text_format
        and before.text_format.definition is not None
        and before.text_format != after.text_format
    ):
        lost.add(LossCode.GRAMMAR)
    strict = [seen.strict_if_unset if seen.strict is None else seen.strict for seen in (before, after)]
    if before.kind == after.kind and strict[0] != strict[1]:
        lost.add(LossCode.STRICT)
    if before.output_schema is not None and canonical(before.output_schema) != canonical(after.output_schema):
        lost.add(LossCode.OUTPUT_SCHEMA)
    if lost_extras(before, after):
        lost.add(LossCode.EXTRAS)
    if (before.name, before.description) != (after.name, after.description):
        lost.add("identity")
    return lost


def lost_call(before, after):
    lost = set()
    if before.payload_kind != after.payload_kind:
        lost.add(LossCode.TEXT_WRAPPED)
    elif canonical(before.payload) != canonical(after.payload):
        lost.add("payload")
    if (before.tool_name, before.call_id) != (after.tool_name, after.call_id):
        lost.add("identity")
    if before.namespace != after.namespace:
        lost.add(LossCode.NAMESPACE)
    gone = before.payload_metadata.keys() - after.payload_metadata.keys()
    if gone & {"item_id", "status", "caller"}:
        lost.add(LossCode.ITEM)
    if "extras" in gone:
        lost.add(LossCode.EXTRAS)
    return lost


def lost_extras(before, after):
    kept = {name for keys in after.extras.values() for name in keys}
    return {name for keys in before.extras.values() for name in keys} - kept


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

    native = getattr(inspect(kind, value), "native", None)
    if native is None or not target.startswith(native.format):
        assert problems(kind, target, converted.value) == []


@given(schemas, st.sampled_from(TARGETS["schema"]))
def test_a_schema_means_the_same_but_for_the_losses_it_declares(schema, target):
    before = inspect("schema", schema)
    try:
        converted = convert("schema", schema, target)
    except ConversionError:
        assert before.kind == "object"
        assert target == "openai.responses.custom.tool_schema" or not is_of_an_object(schema)
        return

    after = inspect("schema", converted.value)

    assert lost_schema(before, after) <= {loss.code for loss in converted.losses}


@given(calls, st.sampled_from(TARGETS["call"]))
def test_a_call_means_the_same_but_for_the_losses_it_declares(call, target):
    before = inspect("call", call)
    try:
        converted = convert("call", call, target)
    except ConversionError:
        assert (before.payload_kind, target) == ("object", "openai.responses.custom")
        return

    after = inspect("call", converted.value)

    assert lost_call(before, after) <= {loss.code for loss in converted.losses}


@given(results, st.sampled_from(TARGETS["result"]))
def test_a_result_tells_the_same_but_for_the_losses_it_declares(result, target):
    before = inspect("result", result)
    converted = convert("result", result, target)
    codes = {loss.code for loss in converted.losses}

    after = inspect("result", converted.value)

    native = before.native is not None and target.startswith(before.native.format)
    if not native and not codes & {LossCode.MEDIA, LossCode.UNREAD, LossCode.BOUNDARIES}:
        particular = LossCode.EXTRAS not in codes
        told = [said(part, particular) for part in after.parts]
        if before.is_error and LossCode.ERROR_FLAG in codes:
            told = unmarked(told)
        assert told == [said(part, particular) for part in before.parts] or not before.parts
    if after.call_id != (before.call_id or "call_9"):
        assert LossCode.CALL_ID in codes or target == "core.tool_result"
    if lost_extras(before, after):
        assert LossCode.EXTRAS in codes
    if before.is_error is not None and after.is_error != before.is_error:
        assert LossCode.ERROR_FLAG in codes


def unmarked(told):
    """Take the line away that tells a failure where there is no flag."""
    first = told[0]
    if first == ERROR_LINE:
        return told[1:] or [""]
    return [first.removeprefix(ERROR_LINE + "\n"), *told[1:]]


def said(part, particular):
    """Return what a part says; the particulars of media only if none are declared lost."""
    match part:
        case TextPart():
            return part.text
        case MediaPart():
            carried = inline_of(part) or (part.url, part.file_id, part.data)
            return (part.kind, carried, *((part.filename, part.detail) if particular else ()))
    return part


@pytest.mark.parametrize("kind", KINDS)
@given(data=st.data())
def test_who_refuses_losses_is_given_none(kind, data):
    value = data.draw(GENERATED[kind])
    target = data.draw(st.sampled_from(TARGETS[kind]))
    options = {"calls": [None if inspect(kind, value).call_id else ANSWERED]} if kind == "result" else {}
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


ROUTES = [
    pytest.param(record.values[0], target, id=f"{record.id}-{target}")
    for record in records(ours=True)
    for target in TARGETS[record.values[0].kind]
]


@pytest.mark.parametrize(("record", "target"), ROUTES)
def test_recorded_values_keep_the_laws_too(record, target):
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
    declared = {loss.code for loss in converted.losses}
    if record.kind == "schema":
        assert lost_schema(meaning, after) <= declared
    if record.kind == "call":
        assert lost_call(meaning, after) <= declared
    if canonical_format(record.kind, meaning.format) == target:
        assert canonical(converted.value) == before
    elif is_fit(record.kind, record.value) and getattr(meaning, "native", None) is None:
        assert problems(record.kind, target, converted.value) == []
