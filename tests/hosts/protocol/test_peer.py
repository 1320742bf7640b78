from __future__ import annotations

import itertools
from collections import Counter
from typing import ClassVar

import pytest
from callboard.hosts.protocol.peer import Peer
from callboard.hosts.protocol.peer_events import (
    Answered,
    Begun,
    Breach,
    Dropped,
    Noted,
    PartCame,
    Refused,
    Released,
    Stray,
)
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.stateful import Bundle, RuleBasedStateMachine, consumes, initialize, invariant, rule
from thorough import times
from wire_lines import SIZE, answer, message, misshapen, part, peer_awaiting, refusal


def test_the_owner_hears_parts_and_then_the_answer_with_its_state():
    peer = peer_awaiting("a")

    events = peer.receive(part("a", 1) + part("a", 2) + answer("a", 3, state={"n": 1}))

    assert events == [
        PartCame("owner of a", 1, SIZE),
        PartCame("owner of a", 2, SIZE),
        Answered("owner of a", 3, {"n": 1}),
    ]


def test_that_a_tool_begins_is_told_of_an_open_request_and_of_no_other():
    peer = peer_awaiting("a", "given up")
    peer.abandon("given up")
    begins = {"event": {"type": "ack"}}

    events = peer.receive(message("a", **begins) + message("given up", **begins) + message("never", **begins))

    assert events == [Begun("owner of a"), Dropped("ignored", "given up"), Dropped("ignored", "never")]


def test_a_noted_request_keeps_no_host_busy_and_is_nobodys_loss():
    peer = Peer()
    for request_id in ("good", "bad", "lost"):
        peer.note(request_id, print)

    events = peer.receive(answer("good", 7) + part("good") + refusal("bad") + answer("good"))

    assert events == [
        Noted(print, 7),
        Dropped("late", "good"),
        Noted(print, None),
        Dropped("duplicate", "good"),
    ]
    assert not peer.busy
    assert peer.lost() == ([], [])


def test_an_error_is_an_answer_too():
    peer = peer_awaiting("a")

    events = peer.receive(refusal("a"))

    assert events == [Refused("owner of a", {"type": "E", "detail": "no"})]
    assert peer.receive(answer("a")) == [Dropped("duplicate", "a")]


def test_answers_come_in_any_order():
    peer = peer_awaiting("a", "b", "c")

    events = peer.receive(answer("c", 3) + answer("a", 1) + answer("b", 2))

    assert [(event.owner, event.value) for event in events] == [
        ("owner of c", 3),
        ("owner of a", 1),
        ("owner of b", 2),
    ]


def test_what_is_printed_is_counted_and_harms_nobody():
    peer = peer_awaiting("a")

    events = peer.receive(b"hello\n[1]\n\n" + answer("a", 1))

    assert events == [Stray(b"hello"), Stray(b"[1]"), Answered("owner of a", 1, None)]
    assert peer.counts == {"stray": 2}


def test_the_answer_to_an_abandoned_request_is_dropped_and_its_end_is_told():
    peer = peer_awaiting("a")

    assert peer.abandon("a")
    events = peer.receive(part("a") + answer("a") + answer("a"))

    assert events == [Dropped("late", "a"), Released("owner of a"), Dropped("duplicate", "a")]
    assert peer.counts == {"late": 2, "duplicate": 1}


def test_a_part_after_the_answer_is_late():
    peer = peer_awaiting("a")

    events = peer.receive(answer("a", 1) + part("a", 2))

    assert events == [Answered("owner of a", 1, None), Dropped("late", "a")]


def test_what_was_never_asked_is_unknown():
    peer = peer_awaiting("a")

    events = peer.receive(answer("b") + part("c") + refusal("d"))

    assert events == [Dropped("unknown", "b"), Dropped("unknown", "c"), Dropped("unknown", "d")]
    assert peer.abandon("b") is False


def test_an_event_of_another_type_is_ignored_and_the_answer_still_counts():
    peer = peer_awaiting("a")

    events = peer.receive(message("a", event={"type": "progress"}) + answer("a", 1))

    assert events == [Dropped("ignored", "a"), Answered("owner of a", 1, None)]


def test_a_misshapen_answer_costs_its_own_request_and_no_other():
    peer = peer_awaiting("a", "b")

    breach, dropped, answered = peer.receive(misshapen("a") + answer("a", 1) + answer("b", 2))

    assert (breach.owner, breach.reason, breach.fatal) == ("owner of a", "wrong_shape", False)
    assert dropped == Dropped("duplicate", "a")
    assert answered == Answered("owner of b", 2, None)


def test_what_says_no_version_is_an_answer_if_its_id_is_awaited_and_else_a_print():
    peer = peer_awaiting("a", "b")
    peer.abandon("b")

    events = [event for each in "aab" for event in peer.receive(b'{"id":"%s"}\n' % each.encode())]

    assert (events[0].owner, events[0].reason, events[0].fatal) == ("owner of a", "wrong_shape", False)
    assert events[1:] == [Stray(b'{"id":"a"}'), Released("owner of b")]


def test_an_answer_without_a_version_is_found_among_the_prints_of_a_flood():
    peer = peer_awaiting("a")
    peer.receive(b"print\n")

    events = peer.receive(b"print\n" * 40 + b'{"id":"a"}\n' + b"print\n" * 40)

    assert [event.owner for event in events if isinstance(event, Breach)] == ["owner of a"]


def test_a_misshapen_answer_to_an_abandoned_request_frees_its_place():
    peer = peer_awaiting("a")
    peer.abandon("a")

    assert peer.receive(misshapen("a")) == [Released("owner of a")]


@pytest.mark.parametrize(
    "line",
    [
        b'{"v":2,"id":"a","ok":true,"result":{}}\n',
        b'{"v":1,"id":7,"ok":true,"result":{}}\n',
        b"x" * 2000,
        b"x" * 2000 + b"\n",
    ],
)
def test_after_a_fatal_breach_nothing_is_heard(line):
    peer = peer_awaiting("a", "b", max_line=1000)

    events = peer.receive(answer("a", 1) + line + part("b") + answer("b", 2))
    later = peer.receive(b"\n" + answer("b", 2))

    answered, breach = events
    assert answered == Answered("owner of a", 1, None)
    assert isinstance(breach, Breach)
    assert breach.fatal
    assert later == []
    assert peer.lost() == (["owner of b"], [])


def test_a_request_that_could_not_be_sent_is_forgotten():
    peer = peer_awaiting("a")

    assert peer.withdraw("a") is True
    assert peer.withdraw("a") is False
    assert peer.lost() == ([], [])


def test_the_loss_of_the_host_ends_everything_once():
    peer = peer_awaiting("a", "b", "c", "d")
    peer.receive(answer("a"))
    peer.abandon("b")

    assert peer.lost() == (["owner of c", "owner of d"], ["owner of b"])
    assert peer.lost() == ([], [])


def test_what_a_host_left_unfinished_is_told_and_never_taken_for_a_message():
    peer = peer_awaiting("a")
    whole = answer("a", 1)

    events = peer.receive(whole[:-2])

    assert events == []
    assert peer.unfinished == whole[:-2]


def test_only_so_many_ended_requests_are_remembered():
    peer = Peer()
    for number in range(5000):
        peer.open(str(number), number)
        peer.receive(answer(str(number)))

    assert peer.receive(answer("4999")) == [Dropped("duplicate", "4999")]
    assert peer.receive(answer("0")) == [Dropped("unknown", "0")]


WIRE = (
    part("a", "é😀\u2028")
    + b"printed\r\n\n"
    + answer("b", {"deep": [1, None, "\\n"]})
    + part("a", 2)
    + misshapen("c")
    + answer("a", "last", state={"n": 1})
    + answer("a")
    + b'{"v":1,'
)


@given(st.lists(st.integers(0, len(WIRE)), max_size=40))
def test_any_chunking_of_the_wire_gives_the_same_events(places):
    peer, other = peer_awaiting("a", "b", "c"), peer_awaiting("a", "b", "c")
    edges = [0, *sorted(places), len(WIRE)]

    events = [event for start, end in itertools.pairwise(edges) for event in peer.receive(WIRE[start:end])]

    assert events == other.receive(WIRE)
    assert peer.counts == other.counts
    assert peer.unfinished == b'{"v":1,'


class Correlation(RuleBasedStateMachine):
    """Requests are opened, given up and answered in any order, late, twice, and when nobody asked."""

    ids = Bundle("ids")
    messages: ClassVar = {"answer": answer, "refusal": refusal, "part": part, "misshapen": misshapen}

    @initialize()
    def begin(self):
        self.peer = Peer()
        self.stages: dict[str, str] = {}
        self.counts: Counter[str] = Counter()
        self.told: Counter[str] = Counter()
        self.lost: Counter[str] = Counter()

    @rule(target=ids)
    def open(self):
        request_id = f"1-{len(self.stages) + 1}"
        self.stages[request_id] = "open"
        self.peer.open(request_id, request_id)
        return request_id

    @rule(request_id=ids)
    def abandon(self, request_id):
        was_open = self.stages[request_id] == "open"

        assert self.peer.abandon(request_id) is was_open
        if was_open:
            self.stages[request_id] = "abandoned"

    @rule(request_id=consumes(ids))
    def withdraw(self, request_id):
        was_open = self.stages[request_id] == "open"

        assert self.peer.withdraw(request_id) is was_open
        if was_open:
            del self.stages[request_id]
            self.stages[f"withdrawn {request_id}"] = "withdrawn"  # ids are never used again

    @rule(request_id=ids, kind=st.sampled_from(sorted(messages)))
    def tell(self, request_id, kind):
        stage = self.stages[request_id]

        (event,) = self.peer.receive(self.messages[kind](request_id))

        assert event == self.expected(request_id, kind, stage) or isinstance(event, Breach)
        assert isinstance(event, Breach) == (kind == "misshapen" and stage == "open")
        if isinstance(event, Answered | Refused | Breach | Released):
            self.told[request_id] += 1

    def expected(self, request_id, kind, stage):
        if kind == "misshapen":
            self.counts["wrong_shape"] += 1
        if kind == "part":
            if stage == "open":
                return PartCame(request_id, None, len(part(request_id)) - 1)
            reason = "unknown" if stage == "lost" else "late"
            self.counts[reason] += 1
            return Dropped(reason, request_id)
        if stage == "abandoned":
            self.counts["late"] += 1
            self.stages[request_id] = "ended"
            return Released(request_id)
        if stage in {"ended", "lost"}:
            reason = "duplicate" if stage == "ended" else "unknown"
            self.counts[reason] += 1
            return Dropped(reason, request_id)
        self.stages[request_id] = "ended"
        if kind == "answer":
            return Answered(request_id, None, None)
        return Refused(request_id, {"type": "E", "detail": "no"})

    @rule()
    def tell_of_nothing_asked(self):
        self.counts["unknown"] += 1

        assert self.peer.receive(answer("nobody")) == [Dropped("unknown", "nobody")]

    @rule()
    def lose(self):
        opened, abandoned = self.peer.lost()

        assert opened == [i for i in self.stages if self.stages[i] == "open"]
        assert sorted(abandoned) == sorted(i for i in self.stages if self.stages[i] == "abandoned")
        for request_id in opened + abandoned:
            self.stages[request_id] = "lost"
            self.told[request_id] += 1

    @invariant()
    def every_request_ends_at_most_once(self):
        assert all(count == 1 for count in self.told.values())
        ended = {i for i in self.stages if self.stages[i] in {"ended", "lost"}}
        assert set(self.told) == ended

    @invariant()
    def everything_dropped_is_counted(self):
        assert self.peer.counts == self.counts


Correlation.TestCase.settings = settings(max_examples=times(30, 200), stateful_step_count=40)
test_any_order_of_orders_and_answers = Correlation.TestCase
