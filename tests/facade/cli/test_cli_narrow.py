"""On a narrow terminal less is shown, and the names of the plugins always."""

from __future__ import annotations

from callboard.cli.chaos.chaos_live import fitting
from callboard.cli.doctor.finding import counted
from command_line import ECHO, on_a_terminal, write_config
from hypothesis import given
from hypothesis import strategies as st


@given(st.integers(20, 300))
def test_the_columns_that_are_shown_fit_and_the_telling_ones_stay(width):
    columns = fitting(width)

    assert 1 + sum(columns.values()) + len(columns) <= max(width, 24)
    assert {"plugin", "mark", "calls"} <= columns.keys()


def test_on_a_usual_terminal_only_the_last_column_is_missing():
    assert list(fitting(99)) == [*fitting(79), "last"]


def test_the_last_picture_names_the_plugins_though_the_board_has_stopped(tmp_path):
    config = write_config(tmp_path, ECHO)

    status, shown = on_a_terminal("chaos", config, "--calls", "20", "--kills", "1", "--seed", "1")

    assert status == 0, shown
    last = shown.split("Callboard chaos")[-1]
    row = next(line for line in last.splitlines() if "━━━━━━" in line and "echo" in line)
    assert "thread" not in row


def test_one_is_one_and_all_else_is_more():
    assert counted(1, "crash", "crashes") == "1 crash"
    assert [counted(number, "host") for number in (0, 1, 2000)] == ["0 hosts", "1 host", "2,000 hosts"]
