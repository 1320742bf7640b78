"""A task goes one way, is its client's alone, and no client makes the table keep more than it may."""

from __future__ import annotations

import pytest
from callboard.mcp_tasks.task_table import (
    CANCELLED,
    COMPLETED,
    FAILED,
    INPUT_REQUIRED,
    LEAST_TTL,
    MOST_TTL,
    PAGE,
    USUAL_TTL,
    WORKING,
    Ending,
    TaskTable,
    TooMany,
    ttl_of,
)
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

AT = "2026-01-01T00:00:00Z"
ONE, OTHER = object(), object()
ENDS = (COMPLETED, FAILED, CANCELLED)


def ending(size: int = 1) -> Ending:
    return Ending({"content": []}, None, size)


@pytest.mark.parametrize(
    ("said", "kept"),
    [
        (None, USUAL_TTL), ("1", USUAL_TTL), (True, USUAL_TTL), (0, LEAST_TTL), (-1, LEAST_TTL), (1e300, MOST_TTL),
        (10**400, MOST_TTL), (float("nan"), USUAL_TTL), (60_000, 60_000), (1500.5, 1500),
    ],
)  # fmt: skip
def test_a_client_says_how_long_a_task_is_kept_within_bounds(said: object, kept: int) -> None:
    assert ttl_of(said) == kept


def test_a_task_is_found_by_its_own_client_alone() -> None:
    table = TaskTable()
    table.begin("a", ONE, None, AT)
    table.begin("b", None, None, AT)

    assert table.find("a", ONE) is not None
    assert table.find("a", OTHER) is None
    assert table.find("b", OTHER) is not None
    assert [each.id for each in table.of(ONE)] == ["a"]


@pytest.mark.parametrize("end", ENDS)
@pytest.mark.parametrize("later", [WORKING, INPUT_REQUIRED, *ENDS])
def test_nothing_follows_an_end(end: str, later: str) -> None:
    table = TaskTable()
    task = table.begin("a", ONE, None, AT)
    assert table.end(task, end, ending(), AT)

    assert not table.turn(task, later, AT)
    assert not table.end(task, later, ending(2), AT)
    assert (task.status, table.bytes) == (end, 1)


def test_where_there_is_no_room_what_was_read_goes_first_and_nothing_else() -> None:
    table = TaskTable(most_of_one=2)
    first, _ = table.begin("a", ONE, None, AT), table.begin("b", ONE, None, AT)
    table.begin("c", OTHER, None, AT)
    with pytest.raises(TooMany):
        table.begin("d", ONE, None, AT)
    table.end(first, COMPLETED, ending(), AT)
    table.read(first)
    table.begin("d", ONE, None, AT)

    assert [each.id for each in table.of(ONE)] == ["b", "d"]


def test_all_clients_together_begin_no_more_tasks_than_are_kept() -> None:
    table = TaskTable(most=2)
    table.begin("a", ONE, None, AT)
    table.begin("b", None, None, AT)
    with pytest.raises(TooMany, match="of all clients"):
        table.begin("c", OTHER, None, AT)

    assert len(table) == 2


def test_a_result_for_which_there_is_no_room_is_an_error_that_says_so() -> None:
    table = TaskTable(most_bytes=10)
    first, second = table.begin("a", ONE, None, AT), table.begin("b", ONE, None, AT)
    table.end(first, COMPLETED, ending(9), AT)
    table.end(second, COMPLETED, ending(2), AT)

    assert (second.status, table.bytes) == (FAILED, 9)
    assert second.ending is not None
    assert second.ending.error is not None
    assert "2 bytes" in second.ending.error[1]


def test_a_list_comes_in_pages_that_hold_each_task_once() -> None:
    table = TaskTable()
    made = [table.begin(str(number), ONE, None, AT).id for number in range(PAGE + 3)]
    first, after = table.page(ONE, 0)
    assert after is not None
    table.forget(first[-1])  # its time is over before the next page is asked for
    rest, end = table.page(ONE, after)

    assert [each.id for each in (*first, *rest)] == made
    assert end is None


class Table(RuleBasedStateMachine):
    """Clients that begin, end, read and lose tasks in any order."""

    MOST, MOST_OF_ONE, MOST_BYTES = 5, 3, 20

    def __init__(self) -> None:
        super().__init__()
        self.table = TaskTable(self.MOST, self.MOST_OF_ONE, self.MOST_BYTES)
        self.ended: dict[str, str] = {}
        self.count = 0

    @rule(owner=st.sampled_from([ONE, OTHER, None]))
    def begin(self, owner: object) -> None:
        self.count += 1
        before = {each.id for each in self.table if not each.was_read}
        try:
            self.table.begin(str(self.count), owner, None, AT)
        except TooMany:
            assert len(self.table) >= min(self.MOST, self.MOST_OF_ONE)
        assert before <= {each.id for each in self.table}

    @rule(data=st.data(), status=st.sampled_from([WORKING, INPUT_REQUIRED, *ENDS]), size=st.integers(0, 30))
    def turn(self, data: st.DataObject, status: str, size: int) -> None:
        if not len(self.table):
            return
        task = data.draw(st.sampled_from(list(self.table)))
        had_ended = task.has_ended
        moved = (
            self.table.end(task, status, ending(size), AT)
            if status in ENDS
            else self.table.turn(task, status, AT)
        )
        assert moved is not had_ended
        if task.has_ended:
            assert self.ended.setdefault(task.id, task.status) == task.status

    @rule(data=st.data(), forgets=st.booleans())
    def read(self, data: st.DataObject, forgets: bool) -> None:
        if len(self.table):
            task = data.draw(st.sampled_from(list(self.table)))
            (self.table.forget if forgets else self.table.read)(task)

    @invariant()
    def the_bounds_hold(self) -> None:
        assert len(self.table) <= self.MOST
        assert all(len(self.table.of(owner)) <= self.MOST_OF_ONE for owner in (ONE, OTHER))
        sizes = [each.ending.size for each in self.table if each.ending is not None]
        assert sum(sizes) == self.table.bytes <= self.MOST_BYTES
        assert all((each.ending is not None) == each.has_ended for each in self.table)


TestTable = Table.TestCase
TestTable.settings = settings(deadline=None)


def test_a_task_that_is_forgotten_before_its_end_takes_no_room_from_others() -> None:
    table = TaskTable(most_bytes=10)
    full = table.begin("a", ONE, None, AT)
    table.end(full, COMPLETED, ending(10), AT)
    table.read(full)
    late = table.begin("b", ONE, None, AT)

    table.forget(late)
    table.end(late, CANCELLED, ending(1), AT)

    assert table.find("a", ONE) is full
    assert table.take_dropped() == []
