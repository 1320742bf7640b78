"""The page that tells what may be lost tells what the code does, all of it, and nothing else."""

from __future__ import annotations

import pytest
from callboard.interop.conversion import LossCode
from hypothesis import given, settings
from hypothesis import strategies as st
from interop_matrix import LETTERS, PAGE, SHORT, formats, losses, matrix, page_with_tables, read_as
from interop_routes import KINDS, WRITABLE, generated, readable_records
from thorough import times


def beyond_the_page(kind, value):
    """Return what a value loses, by target, although the page does not say that it may."""
    source, cells = read_as(kind, value), matrix(kind)
    found = {}
    for target in WRITABLE[kind]:
        lost = losses(kind, value, target)
        if lost is not None and source != target:
            told = cells[source, target]
            if told is None or lost - told:
                found[target] = lost - (told or frozenset())
    return found


def has_its_id(value):
    """Say whether a value has a blank id nowhere: no provider writes those, and the page knows of none."""
    if isinstance(value, dict):
        return all(value[key] != "" for key in ("id", "call_id", "toolUseId") if key in value) and all(
            map(has_its_id, value.values())
        )
    return True


def test_the_page_is_what_the_code_says():
    page = PAGE.read_text()

    assert page == page_with_tables(page), "run `make matrix`"


@pytest.mark.parametrize("kind", KINDS)
def test_every_format_that_is_read_or_written_stands_in_the_tables(kind):
    sources, targets = formats(kind)

    assert {source for source, _ in matrix(kind)} >= set(sources)
    assert {*sources, *targets} <= SHORT.keys()


def test_every_loss_there_is_stands_somewhere_in_the_tables():
    told = set().union(*(lost or () for kind in KINDS for lost in matrix(kind).values()))

    assert told == {str(code) for code in LossCode} == {str(code) for code in LETTERS}


@pytest.mark.parametrize("kind", KINDS)
def test_no_recorded_value_loses_what_the_page_does_not_tell(kind):
    beyond = {
        name: found
        for name, record in readable_records(kind)
        if has_its_id(record.value) and (found := beyond_the_page(kind, record.value))
    }

    assert beyond == {}


@pytest.mark.parametrize("kind", KINDS)
@settings(max_examples=times(25, 100), derandomize=True)  # a rare find is one for `make matrix`
@given(data=st.data())
def test_no_generated_value_loses_what_the_page_does_not_tell(kind, data):
    value = data.draw(generated(kind))

    assert beyond_the_page(kind, value) == {}
