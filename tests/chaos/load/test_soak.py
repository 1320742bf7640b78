"""The soak in short: faults of every kind that the schedule language knows, and every rule holds."""

from __future__ import annotations

import pytest
from broken_boards import queue_by_name
from callboard.chaos.__main__ import main
from callboard.chaos.checker.exits import NOT_TESTED
from callboard.chaos.checker.outages import outages
from callboard.chaos.faults import FAULTS
from callboard.chaos.load.soak import KINDS, Soak
from leaks import no_leaks
from thorough import thorough


def test_a_soak_draws_every_kind_of_fault_but_the_one_that_would_end_it():
    assert set(FAULTS) - set(KINDS) == {"kill_parent"}


def test_a_soak_draws_the_same_for_a_seed(tmp_path):
    def drawn(seed):
        return Soak(calls=100, hosts=3, faults=40, seed=seed, folder=tmp_path).schedule

    assert drawn(5) == drawn(5) != drawn(6)


@thorough
def test_a_soak_of_some_seconds_keeps_every_rule(tmp_path):
    with no_leaks():
        soaked = Soak(calls=2_400, hosts=8, faults=38, seed=11, folder=tmp_path, seconds=2.0).run()

    assert [one.said for one in soaked.checks if not one.ok] == []
    assert soaked.ok
    assert soaked.tally.came.total() >= 38
    assert set(soaked.tally.drawn) == set(KINDS)
    assert [one.rule for one in soaked.checks if not one.looked_at] == []
    assert [str(outage) for outage in outages(soaked.run) if outage.unaccounted > 2.0] == []
    assert soaked.run.of("ledger_1")


def test_a_board_that_has_calls_wait_by_name_while_a_neighbour_is_asked_is_convicted(tmp_path, monkeypatch):
    queue_by_name(monkeypatch)

    soaked = Soak(calls=600, hosts=4, faults=0, seed=2, folder=tmp_path, languages=("python",)).run()

    assert {violation.rule for one in soaked.checks for violation in one.violations} == {
        "calls begin in order"
    }


def test_the_command_writes_its_report(tmp_path, capsys):
    page, report = tmp_path / "soak.html", tmp_path / "soak.json"
    arguments = ["--calls", "60", "--hosts", "2", "--faults", "0", "--html", str(page), "--json", str(report)]

    status = main(["soak", "--seed", "3", *arguments])

    assert status == NOT_TESTED  # nothing went wrong
    assert "63 calls in" in capsys.readouterr().out
    assert "rules were not tested." in page.read_text()
    assert '"submitted": 63' in report.read_text()


def test_a_command_that_there_is_not_is_refused(capsys):
    with pytest.raises(SystemExit):
        main(["soap"])

    assert "invalid choice" in capsys.readouterr().err
