"""What goes over the line is written down: which generation was given which call, and whether the state went on."""

from __future__ import annotations

from dataclasses import replace

import pytest
from boards import add_node
from callboard.actors.board import Board
from callboard.chaos.checker.facts import Answered, Asked, Happened, Ran
from callboard.chaos.checker.invariants import check, violations
from callboard.chaos.checker.leak_check import Census
from callboard.chaos.checker.standings import Standing
from callboard.chaos.faults import DuplicateReply, Garbage, Signal, WrongId
from callboard.chaos.inject.tamper import Tamper
from callboard.chaos.load.witness import Given, Witness, counted, digest
from callboard.chaos.nemesis import Nemesis
from callboard.chaos.recorder import Recorder
from callboard.chaos.schedule import Schedule
from callboard.chaos.schedules.corruption import noise
from callboard.chaos.triggers import NthCall
from callboard.supervision.restart.backoff import Backoff
from callboard.supervision.restart.policy import RestartPolicy
from leaks import no_leaks

COUNTER = """
export default {
  name: 'hosted',
  init: () => ({ calls: 0 }),
  getToolSchemas: () => [{ type: 'function', function: { name: 'say', parameters: { type: 'object' } } }],
  executeTool: async (_name, { text, fail }, state) => {
    state.calls += 1;
    if (fail === 'raise') throw new Error('no');
    return fail ? { success: false, error: 'no' } : { success: true, result: text };
  },
};
"""
PROMPT = RestartPolicy(backoff=Backoff(first=0.0, min=0.01, max=0.01), intensity=50)


def witnessed(tmp_path, *entries, arguments, board=Board, deadline=None, spoilt=None):
    """Make calls, while things are done to their host; the run, as it is known by the line alone.

    A schedule hears of a call by its event, which a quick answer overtakes; what ``spoilt`` has for the number of a call
    is done to that very answer.
    """
    file = tmp_path / "hosted.mjs"
    file.write_text(COUNTER)
    census = Census()
    with no_leaks(), board() as one:
        tamper = Tamper(noise(lambda n: n // 2))
        witness = Witness(tamper)
        add_node(one, file, name="hosted", policy=PROMPT, carry=witness)
        recorder = Recorder(one)
        witness.now = recorder.now
        with Nemesis(one, Schedule(1, entries), tampers={"hosted": tamper}, note=recorder.broke) as nemesis:
            for number, given in enumerate(arguments, 1):
                name = f"c{number}"
                if spoilt is not None and number in spoilt:
                    tamper.spoil_next(spoilt[number])
                recorder.submit(
                    "hosted", "say", given, name=name, deadline=deadline,
                    judge=lambda result, name=name: witness.judge(name, result),
                ).result(20)  # fmt: skip
            nemesis.heal()
            recorder.heal()
            recorder.submit(
                "hosted", "say", {"text": "last"}, name="last",
                judge=lambda result: witness.judge("last", result),
            ).result(20)  # fmt: skip
        witness.testify(recorder, "hosted")
        recorder.close()
    return recorder.run(census.left(recorder.known))


def test_of_any_tool_every_rule_is_tested_by_what_goes_over_its_line(tmp_path):
    calls = [{"text": "a"}, {"text": "b", "fail": True}, {"text": "c", "fail": "raise"}] * 10

    run = witnessed(
        tmp_path,
        (NthCall(3), Signal(9)),
        (NthCall(5), Garbage(20)),
        (NthCall(6), DuplicateReply(2)),
        arguments=calls,
    )

    assert violations(run) == ()
    assert [one.rule for one in check(run) if one.standing is not Standing.HELD] == []


def test_an_answer_that_never_comes_is_given_to_nobody(tmp_path):
    run = witnessed(tmp_path, spoilt={2: WrongId()}, arguments=[{"text": "a"}, {"text": "b"}], deadline=1.0)

    assert violations(run) == ()
    assert {fact.call: fact.ending for fact in run.facts if isinstance(fact, Answered)}[
        "c2"
    ] == "deadline_exceeded"


def given(call, state, new_state=None, result=None, generation=1):
    return Given(call, generation, 0.0, digest(state), True, result or {"success": True}, digest(new_state))


def told(call, ending="success"):
    return Answered(1.0, "book", call, ending)


def counts(facts, *line):
    return [fact.counted for fact in counted(facts, list(line), "book") if isinstance(fact, Answered)]


def test_each_success_counts_one_more_where_each_call_is_given_the_state_of_the_one_before():
    line = [given(f"c{n}", {"n": n}, {"n": n + 1}) for n in range(3)]

    assert counts([told("c0"), told("c1"), told("c2")], *line) == [1, 2, 3]


def test_a_tool_whose_state_stays_the_same_counts_all_the_same():
    assert counts([told("c0"), told("c1")], given("c0", {}, {}), given("c1", {}, {})) == [1, 2]


def test_a_call_that_is_given_an_older_state_has_a_gap():
    line = [given("c0", 0, 1), given("c1", 1, 2), given("c2", 1, 2)]

    assert counts([told("c0"), told("c1"), told("c2")], *line) == [1, 2, 2]


def test_a_call_that_is_given_a_state_that_there_never_was_counts_nothing():
    assert counts([told("c0"), told("c1")], given("c0", 0, 1), given("c1", 7, 8)) == [1, 0]


def test_a_state_that_the_board_has_told_to_be_reset_is_no_gap_once():
    line = [given("c0", 0, 1), given("c1", 1, 2), given("c2", 0, 1), given("c3", 0, 1)]
    reset = Happened(1.0, "book", "state_reset", {"version": 2, "why": "too often"})

    assert counts([told("c0"), told("c1"), reset, told("c2"), told("c3")], *line) == [1, 2, 3, 1]


def test_a_failure_of_the_tools_own_keeps_its_state_and_counts_nothing():
    line = [given("c0", 0, 1), given("c1", 1, 2, {"success": False}), given("c2", 2, 3)]

    assert counts([told("c0"), told("c1", "failure"), told("c2")], *line) == [1, None, 2]


@pytest.mark.parametrize("ending", ["host_crashed", "deadline_exceeded", "cancelled"])
def test_an_answer_that_did_not_count_leaves_the_state_as_it_was(ending):
    line = [given("c0", 0, 1), given("c1", 1, 2), given("c2", 1, 2)]

    assert counts([told("c0"), told("c1", ending), told("c2")], *line) == [1, None, 2]


def test_a_success_that_no_host_has_given_is_wrong():
    witness = Witness()
    witness.give(replace(given("c1", 0, 1), result={"success": True, "result": 1}, generation=4))

    assert witness.judge("c1", {"success": True, "result": 1, "state_saved": False}) == {"generation": 4}
    assert witness.judge("c1", {"success": True, "result": 2})["wrong"]
    assert witness.judge("c2", {"success": True, "result": 1})["wrong"]


class SendsWhatIsOver(Board):
    """One that gives a call to its host and tells its caller that nothing was sent."""

    def submit(self, tool_call, **options):
        call = super().submit(tool_call, **options)
        if tool_call["call_id"] == "c2":
            return Untrue(call)
        return call


class Untrue:
    def __init__(self, call):
        self._call = call

    def result(self, timeout=None):
        self._call.result(timeout)
        return {"success": False, "error": "x", "code": "host_unavailable", "outcome": "not_sent"}

    def __getattr__(self, name):
        return getattr(self._call, name)


def test_a_call_that_was_given_to_a_host_and_is_told_not_sent_is_found_without_a_ledger(tmp_path):
    run = witnessed(tmp_path, arguments=[{"text": "a"}, {"text": "b"}], board=SendsWhatIsOver)

    found = {violation.rule for violation in violations(run)}
    # Its answer has changed the state too.
    assert found == {"runs as often as it may", "counts without a gap"}
    assert [fact.call for fact in run.facts if isinstance(fact, Ran)] == ["c1", "c2", "last"]
    assert [fact.call for fact in run.facts if isinstance(fact, Asked)] == ["c1", "c2", "last"]
