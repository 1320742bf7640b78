"""The rule of interrupts, held against interruptions that are made up."""

from __future__ import annotations

from dataclasses import replace

import pytest
from callboard.chaos.checker.interruptions import (
    NEVER_BEGUN,
    WITHOUT_END,
    Interruption,
    check_interrupts,
    interrupts_break_nothing,
)
from callboard.chaos.checker.standings import Standing

WAITING = Interruption("book", "result", "calls/call.py:1", "success", "success", 0, waiting=True)
SUBMITTING = replace(WAITING, doing="submit", ending="cancelled", waiting=False)


@pytest.mark.parametrize(
    ("seen", "broken"),
    [
        (WAITING, 0),
        (SUBMITTING, 0),
        (replace(SUBMITTING, ending=NEVER_BEGUN), 0),
        (replace(SUBMITTING, ending=WITHOUT_END), 1),
        (replace(SUBMITTING, ending="deadline_exceeded"), 1),
        (replace(SUBMITTING, ending="deadline_exceeded", crashed=True), 0),
        (replace(SUBMITTING, next="deadline_exceeded"), 1),
        (replace(SUBMITTING, taken=1), 1),
        (replace(SUBMITTING, taken=1, next="deadline_exceeded"), 2),
        (replace(WAITING, ending="cancelled"), 1),
        (replace(WAITING, ending=WITHOUT_END), 1),
        (replace(WAITING, ending="host_crashed", crashed=True), 0),
        (replace(WAITING, ending=WITHOUT_END, crashed=True), 1),
    ],
)
def test_an_interrupted_call_ends_and_the_next_one_works(seen, broken):
    assert len([*interrupts_break_nothing([WAITING, seen])]) == broken
    assert check_interrupts([seen], 0).standing is (Standing.BROKEN if broken else Standing.HELD)


def test_a_place_that_the_board_had_to_free_is_a_fault():
    assert check_interrupts([WAITING], 1).standing is Standing.BROKEN


def test_a_run_without_an_interrupt_has_not_tested_it():
    assert check_interrupts([], 0).standing is Standing.NOT_TESTED
