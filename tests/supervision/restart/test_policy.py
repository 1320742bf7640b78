from __future__ import annotations

from dataclasses import replace

import pytest
from callboard.supervision.restart.backoff import Backoff
from callboard.supervision.restart.exits import Exit, ExitKind
from callboard.supervision.restart.policy import (
    History,
    Park,
    Restart,
    RestartPolicy,
    RestartType,
    Stop,
    decide,
)
from hypothesis import given
from hypothesis import strategies as st

NOW = 1000.0
CRASHES = sorted(set(ExitKind) - {ExitKind.REQUESTED, ExitKind.CLEAN})
POLICY = RestartPolicy(
    backoff=Backoff(first=0.0, min=0.5, max=10.0, jitter=0.0),
    intensity=3,
    period=60.0,
    stable_for=10.0,
    cool_down=30.0,
)


def ended(kind=ExitKind.CODE, *, ready_for=0.1, **facts):
    return Exit(kind, "exit code 1", ready_for=ready_for, **facts)


def never_ready():
    return ended(ExitKind.START_FAILED, ready_for=None)


def after(exit_, *, history=History(), policy=POLICY, now=NOW):  # noqa: B008 - a frozen value
    return decide(policy, history, exit_, now, lambda: 0.0)


def of_type(restart):
    return RestartPolicy(restart=restart, backoff=POLICY.backoff)


# For which ends


@pytest.mark.parametrize("restart", RestartType)
def test_an_end_that_was_asked_for_is_never_undone(restart):
    decision = after(ended(ExitKind.REQUESTED, permanent=True), policy=of_type(restart))

    assert decision == Stop("it was asked to stop")


@pytest.mark.parametrize("kind", [*CRASHES, ExitKind.CLEAN])
def test_a_permanent_child_is_started_again_after_every_end(kind):
    assert isinstance(after(ended(kind), policy=of_type(RestartType.PERMANENT)), Restart)


@pytest.mark.parametrize("kind", CRASHES)
def test_a_transient_child_is_started_again_after_a_crash(kind):
    assert isinstance(after(ended(kind), policy=of_type(RestartType.TRANSIENT)), Restart)


def test_a_transient_child_that_ended_well_has_ended():
    decision = after(ended(ExitKind.CLEAN), policy=of_type(RestartType.TRANSIENT))

    assert decision == Stop("it ended well and is transient")


@pytest.mark.parametrize("kind", [*CRASHES, ExitKind.CLEAN])
def test_a_temporary_child_is_never_started_again(kind):
    assert after(ended(kind), policy=of_type(RestartType.TEMPORARY)) == Stop("it is temporary")


@pytest.mark.parametrize("kind", CRASHES)
def test_every_end_but_a_clean_or_requested_one_is_a_crash(kind):
    assert ended(kind).is_crash
    assert not ended(ExitKind.CLEAN).is_crash
    assert not ended(ExitKind.REQUESTED).is_crash


def test_what_can_never_start_is_parked_until_somebody_comes():
    decision = after(ended(ExitKind.START_FAILED, permanent=True))

    assert decision == Park(None, "it cannot start: exit code 1", History(probing=True))


def test_an_end_that_will_last_parks_at_once_and_is_probed_after_the_cool_down():
    lasting = ended(ExitKind.START_TIMEOUT, lasting=True)

    decision = after(lasting, history=History((990.0,), 1))
    probed = after(lasting, history=decision.history)
    asked_for = after(lasting, policy=replace(POLICY, always_restart_on=("start_timeout",)))

    assert decision == Park(NOW + 30.0, "it cannot start: exit code 1", History((990.0,), 1, probing=True))
    assert probed == Park(NOW + 30.0, "the probe failed: exit code 1", History((990.0,), 1, probing=True))
    assert isinstance(asked_for, Restart)


# Intensity


def test_the_first_restart_is_at_once_and_is_remembered():
    assert after(ended()) == Restart(0.0, History((NOW,), 1))


def test_restarts_in_a_row_wait_longer_and_longer():
    assert after(ended(), history=History((990.0,), 3)).delay == 2.0


def test_one_restart_more_than_allowed_parks_the_child():
    spent = History((990.0, 994.0, 998.0), 3)

    decision = after(ended(), history=spent)

    assert isinstance(decision, Park)
    assert decision.until == NOW + POLICY.cool_down
    assert decision.history == History(spent.restarts, 3, probing=True)
    assert decision.why == "3 restarts within 60 s are used up; last: exit code 1"


def test_an_intensity_of_none_parks_at_the_first_end():
    assert isinstance(after(ended(), policy=RestartPolicy(intensity=0)), Park)


@pytest.mark.parametrize(("age", "counts"), [(59.9, True), (60.0, True), (60.1, False)])
def test_a_restart_exactly_as_old_as_the_period_still_counts(age, counts):
    decision = after(ended(ready_for=0.1), history=History((NOW - age, 999.0, 999.5), 3))

    assert isinstance(decision, Park) is counts


def test_what_is_outside_the_period_is_forgotten():
    decision = after(ended(ready_for=0.1), history=History((1.0, 2.0, 999.0), 3))

    assert decision.history == History((999.0, NOW), 4)


def test_a_child_that_takes_long_to_fail_at_each_start_is_parked_all_the_same():
    history, now, starts = History(), 0.0, 1
    while isinstance(decision := after(never_ready(), history=history, now=now), Restart):
        history, now, starts = decision.history, now + decision.delay + 2 * POLICY.period, starts + 1

    assert starts == POLICY.intensity + 1
    assert decision == Park(
        now + POLICY.cool_down,
        "it was not ready after 3 restarts in a row; last: exit code 1",
        History((), 3, probing=True),
    )


def test_a_start_that_fails_is_charged_to_a_budget_of_its_own():
    spent = History((990.0, 994.0, 998.0), 3)

    decision = after(never_ready(), history=spent)

    assert decision == Restart(2.0, History(spent.restarts, 4, failed_starts=1))


def test_a_generation_that_was_ready_ends_the_row_of_failed_starts():
    decision = after(ended(), history=History((), 3, failed_starts=3))

    assert decision == Restart(2.0, History((NOW,), 4))


# Stable generations


@pytest.mark.parametrize(("ready_for", "restored"), [(10.0, True), (9.9, False), (0.0, False), (None, False)])
def test_only_a_generation_that_was_ready_for_long_enough_restores_the_budget(ready_for, restored):
    spent = History((990.0, 994.0, 998.0), 5)

    decision = after(ended(ready_for=ready_for), history=spent)

    assert (decision == Restart(0.0, History((NOW,), 1))) is restored


# Probes


def test_a_probe_that_fails_leads_back_to_the_park():
    decision = after(ended(ready_for=9.0), history=History((1.0,), 3, probing=True))

    assert decision == Park(NOW + 30.0, "the probe failed: exit code 1", History((), 3, probing=True))


def test_a_probe_that_lived_long_enough_ends_the_matter():
    decision = after(ended(ready_for=10.0), history=History((990.0,), 3, probing=True))

    assert decision == Restart(0.0, History((NOW,), 1))


def test_a_probe_of_a_transient_child_that_ends_well_has_ended():
    policy = of_type(RestartType.TRANSIENT)

    assert isinstance(after(ended(ExitKind.CLEAN), history=History(probing=True), policy=policy), Stop)


# Any history

exits = st.builds(
    Exit,
    kind=st.sampled_from(ExitKind),
    cause=st.just("why"),
    ready_for=st.none() | st.floats(0, 100),
    permanent=st.booleans(),
)
policies = st.builds(
    RestartPolicy,
    restart=st.sampled_from(RestartType),
    intensity=st.integers(0, 4),
    period=st.floats(1, 100),
    stable_for=st.floats(1, 100),
    cool_down=st.floats(1, 100),
)


@given(policies, st.lists(st.tuples(exits, st.floats(0, 50)), max_size=30))
def test_no_history_of_ends_gets_more_restarts_in_a_period_than_are_allowed(policy, ends):
    history, now, counted = History(), 0.0, []
    for exit_, later in ends:
        now += later
        if exit_.ready_for is not None and exit_.ready_for >= policy.stable_for:
            counted = []
        match decide(policy, history, exit_, now, lambda: 0.5):
            case Restart(delay, history):
                counted += [now] if exit_.kind is not ExitKind.CANCEL else []
                now += delay
            case Park(until, _, history):
                now = max(now, until or now)
                history = history if until else History()  # revived by hand
                counted = counted if until else []
            case Stop():
                return
        for end in counted:
            assert len([time for time in counted if 0 <= end - time <= policy.period]) <= policy.intensity


@given(policies, exits, st.lists(st.floats(0, 1000), max_size=6), st.integers(0, 5), st.booleans())
def test_a_decision_is_never_about_the_past(policy, exit_, restarts, streak, probing):
    decision = decide(policy, History(tuple(restarts), streak, probing), exit_, NOW, lambda: 0.5)

    match decision:
        case Restart(delay, history):
            assert delay >= 0
            if exit_.kind is not ExitKind.CANCEL:
                charged_at = history.restarts[-1:] if exit_.ready_for is not None else ()
                assert (charged_at == (NOW,)) is (history.failed_starts == 0)
                assert not history.probing
        case Park(until, _, history):
            assert until is None or until > NOW
            assert history.probing


@pytest.mark.parametrize(
    "wrong",
    [{"intensity": -1}, {"period": 0.0}, {"stable_for": -1.0}, {"cool_down": 0.0}, {"period": float("nan")}],
)
def test_a_policy_that_makes_no_sense_is_refused(wrong):
    with pytest.raises(ValueError, match=next(iter(wrong))):
        RestartPolicy(**wrong)


# Ends that callers bring about


@given(
    times=st.lists(st.floats(NOW - 60.0, NOW), max_size=5), streak=st.integers(0, 9), probing=st.booleans()
)
def test_an_end_by_a_cancel_costs_no_budget_and_no_wait_and_fails_no_probe(times, streak, probing):
    history = History(tuple(sorted(times)), streak, probing)

    assert after(ended(ExitKind.CANCEL, ready_for=1.0), history=history) == Restart(0.0, history)


def test_a_stable_generation_that_a_cancel_has_ended_gives_the_budget_back():
    used_up = History((NOW - 3.0, NOW - 2.0, NOW - 1.0), 3)

    assert after(ended(ExitKind.CANCEL, ready_for=10.0), history=used_up) == Restart(0.0, History())


# For want of descriptors


@pytest.mark.parametrize("permanent", [True, False])
@pytest.mark.parametrize("history", [History(), History((NOW,) * 3, 3), History((NOW,), 1, probing=True)])
def test_a_start_for_which_there_was_no_descriptor_is_tried_again_and_costs_nothing(history, permanent):
    starved = ended(ExitKind.START_FAILED, starved=True, permanent=permanent)

    assert after(starved, history=history) == Restart(1.0, history)


def test_a_temporary_child_is_not_started_again_for_want_of_descriptors_either():
    decision = after(ended(ExitKind.START_FAILED, starved=True), policy=of_type(RestartType.TEMPORARY))

    assert decision == Stop("it is temporary")
