"""Laws 5, 14 and 16: there and back, by way of a third, and no number taken for a truth value."""

from __future__ import annotations

from dataclasses import replace

import pytest
from callboard.interop.conversion import Loss, LossCode
from callboard.interop.format_ids import GEMINI_OPENAPI, NATIVE, belongs_to
from hypothesis import given, settings
from hypothesis import strategies as st
from interop_json import canonical, values
from interop_losses import undeclared
from interop_routes import (
    KINDS,
    WRITABLE,
    attempt,
    format_of,
    generated,
    inspect,
    readable_records,
)
from thorough import every, times

ROUTES = [(kind, through) for kind in KINDS for through in WRITABLE[kind]]


def changed_by_going_there_and_back(kind, value, there):
    """Return what differs after a way to another format and back that no loss on the way declares."""
    home = format_of(kind, value)
    away = attempt(kind, value, there)
    if away is None or home not in WRITABLE[kind] or is_envelope(kind, value) or is_at_home(home, there):
        return []
    back = attempt(kind, away.value, home, there)
    if back is None:
        return []
    before, after = answering(kind, value, away), inspect(kind, back.value, home)
    return differences(kind, before, after, away.losses + back.losses, there)


def changed_by_a_detour(kind, value, through):
    """Return what differs between the straight ways and those through a format, by target."""
    first, home = attempt(kind, value, through), format_of(kind, value)
    if first is None or is_envelope(kind, value) or is_at_home(home, through):
        return {}
    changed = {}
    for target in WRITABLE[kind]:
        if target == home or is_at_home(home, target):
            continue  # the straight way is a copy, and the detour the way there and back
        second, straight = attempt(kind, first.value, target, through), attempt(kind, value, target)
        if second is None or straight is None:
            continue
        lost = first.losses + second.losses + straight.losses if first.losses else ()
        one, other = inspect(kind, straight.value, target), inspect(kind, second.value, target)
        if found := differences(kind, one, other, lost + of_data_beside_text(kind, value), through, target):
            changed[target] = found
    return changed


def is_at_home(format_id, target):
    """Say whether a format is that of a provider's own tools, which are copied wherever they go in its family."""
    return format_id in NATIVE and belongs_to(target, NATIVE[format_id])


def differences(kind, before, after, losses, *by_way_of):
    """Return what no loss declares; a schema that was spelt in another language is judged by instances."""
    found = undeclared(kind, before, after, losses)
    return [what for what in found if what != "parameters" or GEMINI_OPENAPI not in by_way_of]


def of_data_beside_text(kind, value):
    """Return what excuses other parts: of text and data side by side either may go on, as there is room."""
    both = kind == "result" and inspect(kind, value).structured is not None
    return (Loss(LossCode.UNREAD, "data beside text"),) if both else ()


def answering(kind, value, converted):
    """Return what a value means; a result that answers no call answers the one it was converted with."""
    meaning = inspect(kind, value)
    if kind != "result" or meaning.call_id is not None:
        return meaning
    return replace(meaning, call_id=inspect(kind, converted.value).call_id)


def is_envelope(kind, value):
    return getattr(inspect(kind, value), "native", None) is not None


@pytest.mark.parametrize("kind", KINDS)
@settings(max_examples=times(20, 200))
@given(data=st.data())
def test_law_5_a_generated_value_comes_back_the_same_but_for_declared_losses(kind, data):
    value, there = data.draw(generated(kind)), data.draw(st.sampled_from(WRITABLE[kind]))

    assert changed_by_going_there_and_back(kind, value, there) == []


@pytest.mark.parametrize(("kind", "there"), every(4, ROUTES))
def test_law_5_a_recorded_value_comes_back_the_same_but_for_declared_losses(kind, there):
    changed = {
        name: found
        for name, record in readable_records(kind)
        if (found := changed_by_going_there_and_back(kind, record.value, there))
    }

    assert changed == {}


@pytest.mark.parametrize("kind", KINDS)
@settings(max_examples=times(20, 200))
@given(data=st.data())
def test_law_14_a_detour_of_a_generated_value_ends_where_the_straight_way_does(kind, data):
    value, through = data.draw(generated(kind)), data.draw(st.sampled_from(WRITABLE[kind]))

    assert changed_by_a_detour(kind, value, through) == {}


@pytest.mark.parametrize(("kind", "through"), every(4, ROUTES))
def test_law_14_a_detour_of_a_recorded_value_ends_where_the_straight_way_does(kind, through):
    changed = {
        name: found
        for name, record in readable_records(kind)
        if (found := changed_by_a_detour(kind, record.value, through))
    }

    assert changed == {}


EQUAL_TO_PYTHON = [
    {"a": [1, 1.0, True]},
    {"a": [0, 0.0, -0.0, False]},
    {"a": [2**63, 2**53 + 1, float(2**53)]},
]


@pytest.mark.parametrize("payload", EQUAL_TO_PYTHON, ids=str)
@pytest.mark.parametrize("target", WRITABLE["call"])
def test_law_16_what_python_takes_for_equal_stays_apart(target, payload):
    call = {"id": "call_1", "type": "function", "function": {"name": "ls", "arguments": payload}}

    converted = attempt("call", call, target)

    assert converted is None or canonical(inspect("call", converted.value).payload) == canonical(payload)


@pytest.mark.parametrize("target", sorted(set(WRITABLE["schema"]) - {GEMINI_OPENAPI}))
@given(constants=st.lists(values, min_size=1, max_size=4))
def test_law_16_the_constants_of_a_schema_keep_their_types(target, constants):
    parameters = {"type": "object", "properties": {"a": {"enum": constants}}}
    schema = {"type": "function", "function": {"name": "ls", "parameters": parameters}}

    converted = attempt("schema", schema, target)

    if converted is not None:
        assert canonical(inspect("schema", converted.value).parameters) == canonical(parameters)
