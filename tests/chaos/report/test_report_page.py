"""The report of a run: its figures, and a page that stands by itself and says nothing but what is so."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import replace
from html.parser import HTMLParser
from xml.etree import ElementTree as ET

import pytest
from callboard.chaos.checker.facts import Answered, Asked, Broken, Happened, Terms
from callboard.chaos.checker.invariants import check
from callboard.chaos.report.charts import endings
from callboard.chaos.report.figures import figures
from callboard.chaos.report.own_faults import OwnFaults
from callboard.chaos.report.page import About, page
from callboard.chaos.report.scale import Scale, round_step, shortened, span
from callboard.chaos.report.timeline import timeline
from callboard.plugins.results.codes import OUTCOMES, Code, Outcome
from hypothesis import given
from hypothesis import strategies as st
from runs import GOOD, WHOLE, also, crash, event, without

ABOUT = About("agent.json", "callboard chaos agent.json --seed 1", "today", "0.1", ("One was held back.",))


class Tags(HTMLParser):
    """What a page is made of; complains of what is opened and not closed."""

    VOID = ("meta", "br")

    def __init__(self, text):
        super().__init__()
        self.seen, self.open, self.attributes = [], [], []
        self.feed(text)
        assert self.open == []

    def handle_starttag(self, tag, attrs):
        self.seen.append(tag)
        self.attributes += attrs
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.seen.append(tag)
        self.attributes += attrs

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


def told(run, about=ABOUT):
    return page(run, check(run), about)


def test_the_page_needs_nothing_from_elsewhere_and_runs_no_script():
    text = told(GOOD)
    tags = Tags(text)

    assert not {"script", "link", "img", "iframe"} & set(tags.seen)
    assert [value for name, value in tags.attributes if name in {"src", "href"}] == []
    assert not re.search(r"https?://|@import|url\((?!#)", text)


def test_the_page_says_whether_all_is_well_and_what_was_not_tested():
    assert "All rules hold." in told(WHOLE)
    assert "1 of 16 rules do not hold." in told(also(WHOLE, crash(5.5, 3)))
    assert "1 of 16 rules were not tested." in told(replace(WHOLE, healed=None))
    assert "<small>not tested: nobody waited for it</small>" in told(replace(WHOLE, healed=None))


def test_the_page_of_a_run_that_lacked_a_plugin_does_not_say_that_all_rules_hold():
    text = told(WHOLE, replace(ABOUT, gaps=("the plugin <upper> was never called",)))

    assert "All rules hold." not in text
    assert "Not tested: the plugin &lt;upper&gt; was never called." in text


def test_a_broken_rule_is_shown_with_its_facts():
    text = told(without(GOOD, lambda fact: isinstance(fact, Answered) and fact.call == "c4"))

    assert "call c4 of &#x27;book&#x27; was never answered" in text
    assert "&quot;fact&quot;: &quot;asked&quot;" in text


def test_what_others_wrote_cannot_change_the_page():
    nasty = "<script>alert(1)</script>"
    run = replace(GOOD, terms={**GOOD.terms, nasty: Terms()})
    run = also(run, event(0.0, "starting", 1, nasty), Asked(0.2, nasty, "n1"))
    run = also(run, Broken(0.3, nasty, nasty), crash(0.4, 1, nasty), Answered(0.5, nasty, "n1", nasty))

    text = told(run, About(nasty, nasty, nasty, nasty, (nasty,)))

    assert "<script" not in text
    assert "script" not in Tags(text).seen


def test_a_rule_that_looked_at_nothing_is_not_shown_as_held():
    text = told(replace(GOOD, terms={"book": Terms()}))

    assert '<li class="none"><span class="mark">·</span><div><b>runs as often as it may</b>' in text


def test_a_run_of_nothing_has_a_page():
    assert "16 of 16 rules were not tested." in told(replace(GOOD, facts=(), ended=0.0))


def test_the_timeline_is_a_picture_with_every_generation_fault_and_crash():
    picture = ET.fromstring(timeline(GOOD))
    styles = [element.get("class") for element in picture.iter()]

    assert styles.count("ready odd") == 2
    assert styles.count("ready even") == 1
    assert styles.count("blow") == 1
    assert styles.count("crash") == 2
    assert styles.count("wait") == 1


def test_the_figures_follow_each_crash_to_the_next_answer():
    first, second = figures(GOOD).recoveries

    assert (first.fault, first.exit, first.generation) == ("SIGKILL", "signal SIGKILL", 1)
    assert first.at == 2.2
    assert first.noticed == pytest.approx(0.1)
    assert first.ready == pytest.approx(0.2)
    assert first.answered == pytest.approx(0.4)
    assert (second.fault, second.noticed) == ("", 0.0)
    assert second.answered == pytest.approx(2.2)


def test_the_figures_count_what_was_asked_and_how_it_ended():
    told = figures(GOOD).as_dict()

    assert told["submitted"] == told["answered"] == 4
    assert told["by_result"] == {"success": 3, "host_crashed": 1}
    assert told["by_plugin"] == {"book": {"success": 3, "host_crashed": 1}}
    assert told["faults"] == {"SIGKILL": 1}
    assert (told["crashes"], told["generations"]) == (2, 3)


PRINTED = Happened(1.3, "book", "output_stray", {"text": "hello", "count": 3})
DOUBLE = Happened(1.4, "book", "dead_letter", {"reason": "duplicate", "count": 2})
LATE = Happened(1.4, "book", "dead_letter", {"reason": "late", "count": 2})
REFUSED = Answered(1.4, "book", "c9", "protocol_error", "outcome_unknown")


@pytest.mark.parametrize(
    ("facts", "crashes", "protocol"),
    [
        ((), 1, 0),
        ((Broken(2.9, "book", "SIGSTOP for 0.2 s"),), 0, 0),
        ((Broken(2.2, "other", "SIGKILL"),), 1, 0),
        ((PRINTED, DOUBLE, REFUSED), 1, 6),
        ((LATE,), 1, 0),
        ((Broken(0.5, "book", "garbage (bytes 5)"), PRINTED, DOUBLE, REFUSED), 1, 0),
        ((PRINTED._replace(at=2.7), Broken(2.8, "book", "SIGKILL")), 0, 3),
    ],
)
def test_faults_of_a_generation_to_which_nothing_was_done_are_its_hosts_own(facts, crashes, protocol):
    own = figures(also(GOOD, *facts)).own_faults

    assert own == ({"book": OwnFaults(crashes, protocol)} if crashes or protocol else {})


def test_a_crash_after_which_nothing_came_has_no_recovery():
    last = figures(also(GOOD, crash(5.5, 3))).recoveries[-1]

    assert (last.ready, last.answered) == (None, None)


@pytest.mark.parametrize(
    ("seconds", "said"),
    [(0.0004, "0.4 ms"), (0.25, "250 ms"), (1.234, "1.23 s"), (12.34, "12.3 s"), (200.0, "3 min 20 s")],
)
def test_spans_are_told_as_people_tell_them(seconds, said):
    assert span(seconds) == said


@given(st.floats(1e-3, 1e5), st.integers(2, 12))
def test_a_scale_has_about_as_many_marks_as_wanted_and_all_are_on_it(most, wanted):
    scale = Scale(most, 100, 500)

    ticks = scale.ticks(wanted)

    assert 1 <= len(ticks) <= wanted + 1
    assert all(100 <= scale(tick) <= 500 for tick in ticks)
    assert ticks == sorted(set(ticks))


@given(st.floats(1e-6, 1e6))
def test_a_step_is_round_and_not_too_small(least):
    step = round_step(least)

    assert least <= step * (1 + 1e-9)
    assert step <= least * 2.6


def test_a_long_name_is_cut():
    assert shortened("count_words") == "count_words"
    assert shortened("a_very_long_name_of_a_plugin") == "a_very_long_name…"


@pytest.mark.parametrize(
    ("code", "outcome"), [(code, outcome) for code, outcomes in OUTCOMES.items() for outcome in outcomes]
)
def test_a_call_is_drawn_by_its_own_outcome(code, outcome):
    counts = {"book": Counter({(str(code), str(outcome)): 1})}
    group = "own" if code == Code.TOOL_RAISED else "refused" if outcome == Outcome.NOT_SENT else "lost"

    assert ET.fromstring(endings(counts)).find(f"*[@class='{group}']") is not None
