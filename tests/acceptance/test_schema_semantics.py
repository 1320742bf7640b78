"""Law 13: what was a valid instance stays one, and where nothing is lost, nothing else becomes one."""

from __future__ import annotations

import pytest
from callboard.interop.conversion import LossCode
from hypothesis import assume, event, given, settings
from hypothesis import strategies as st
from interop_routes import WRITABLE, attempt, format_of, inspect, readable_records
from json_schemas import declarations
from jsonschema import Draft202012Validator
from provider_rules import is_schema
from referencing.exceptions import Unresolvable
from schema_instances import instances
from thorough import every, times

NARROWS_NOTHING = {
    LossCode.STRICT,
    LossCode.EXTRAS,
    LossCode.OUTPUT_SCHEMA,
    LossCode.NAMESPACE,
    LossCode.DESCRIPTION,
}
"""Losses that have nothing to do with what the arguments may be."""


def both_schemas(declaration, target):
    """Return the schema of the arguments before and after a conversion, and whether it is wider then.

    ``None`` if the target cannot say it, or the source is no schema that a validator could judge by.
    """
    meaning = inspect("schema", declaration)
    before = meaning.parameters
    converted = attempt("schema", declaration, target)
    if before is None or not is_schema(before) or meaning.kind == "text" or converted is None:
        return None
    after = inspect("schema", converted.value, target).parameters
    wider = bool({loss.code for loss in converted.losses} - NARROWS_NOTHING)
    return before, {} if after is None else after, wider


def is_valid(schema, instance):
    return Draft202012Validator(schema).is_valid(instance)


def misjudged(before, after, wider, instance):
    """Say what is wrong about how the converted schema judges an instance; nothing, if it is right."""
    was, is_now = is_valid(before, instance), is_valid(after, instance)
    if was and not is_now:
        return "is refused now"
    if is_now and not was and not wider:
        return "is accepted now, and no loss was declared"
    return None


TAKES_ARGUMENTS = [
    target
    for target in WRITABLE["schema"]
    if attempt("schema", {"type": "function", "function": {"name": "ls"}}, target) is not None
]


@settings(max_examples=times(25, 200))
@given(st.data())
def test_law_13_generated_instances_are_judged_as_before(data):
    target = data.draw(st.sampled_from(TAKES_ARGUMENTS))
    schemas = both_schemas(data.draw(declarations), target)
    assume(schemas is not None)  # the target cannot say all of them
    before, after, wider = schemas

    instance = data.draw(instances(before))

    event(f"valid: {is_valid(before, instance)}, wider: {wider}")
    assert misjudged(before, after, wider, instance) is None


RECORDED = [
    pytest.param(record.value, id=name)
    for name, record in readable_records("schema")
    if inspect("schema", record.value).parameters
]


@pytest.mark.parametrize("declaration", every(6, RECORDED))
@settings(max_examples=times(5, 20))
@given(data=st.data())
def test_law_13_instances_for_recorded_schemas_are_judged_as_before(declaration, data):
    target = data.draw(st.sampled_from(WRITABLE["schema"]))
    schemas = both_schemas(declaration, target)
    if schemas is None or format_of("schema", declaration) == target:
        return
    before, after, wider = schemas
    instance = data.draw(instances(before))

    try:
        wrong = misjudged(before, after, wider, instance)
    except Unresolvable:
        return  # recorded with a reference that leads nowhere: there is nothing to judge by

    assert wrong is None
