"""Of a host that floods, what nobody waits for comes out as one and is not read, and what is awaited is heard."""

from __future__ import annotations

import pytest
from callboard.hosts.protocol.peer import Peer
from callboard.hosts.protocol.peer_events import Answered, Breach, Dropped, PartCame, Released, Stray
from wire_lines import SIZE, answer, part, peer_awaiting


def crowd(line, times=200):
    """A peer that has heard noise already, and what it makes of the same noise many times over."""
    peer = peer_awaiting("a", "b")
    peer.receive(answer("a", 1) + b"a print\n")
    before = peer.counts.total()
    events = peer.receive(line * times + answer("b", 2))
    assert peer.counts.total() == before + times
    return events


def test_prints_that_flood_come_out_as_one_with_all_their_lines():
    assert crowd(b"a print\n") == [
        Stray(b"a print", [b"a print"] * 199),
        Answered("owner of b", 2, None),
    ]


@pytest.mark.parametrize(
    ("line", "reason", "request_id"),
    [
        (answer("a", 1), "duplicate", "a"),
        (part("a"), "late", "a"),
        (answer("never"), "unknown", "never"),
        (answer("never", "x" * 10_000), "unknown", "never"),
    ],
)
def test_dropped_messages_that_flood_come_out_as_one_with_their_number(line, reason, request_id):
    assert crowd(line) == [Dropped(reason, request_id, 200), Answered("owner of b", 2, None)]


def test_among_a_flood_every_message_that_is_awaited_is_heard_in_its_place():
    peer = peer_awaiting("a", *map(str, range(50)))
    peer.receive(b"a print\n" + answer("a"))

    events = peer.receive(
        b"".join(b"print\n" * 3 + part(str(n), n) + answer("a") * 2 + answer(str(n)) for n in range(50))
    )

    awaited = [event for event in events if isinstance(event, PartCame | Answered)]
    assert [event.owner for event in awaited] == [f"owner of {n}" for n in range(50) for _ in range(2)]
    assert peer.counts == {"stray": 151, "duplicate": 100}


def test_a_part_that_floods_is_told_each_time():
    peer = peer_awaiting("a")
    peer.receive(b"a print\n")

    assert peer.receive(part("a", 1) * 100) == [PartCame("owner of a", 1, SIZE)] * 100


@pytest.mark.parametrize("noise", [b"a print\n", b"{a print}\n", answer("nobody")])
def test_more_noise_than_is_borne_is_fatal_though_it_comes_at_once(noise):
    peer = Peer(max_stray=100)
    peer.receive(noise)

    *_, last = peer.receive(noise * 200 + answer("nobody"))

    assert isinstance(last, Breach) == (noise != answer("nobody"))


@pytest.mark.parametrize(
    ("asked", "event"),
    [
        ("nobody", Dropped("unknown", "nobody")),
        ("ended", Dropped("duplicate", "ended")),
        ("abandoned", Released("owner of abandoned")),
    ],
)
def test_a_long_answer_that_nobody_waits_for_is_dropped_unread(asked, event):
    peer = peer_awaiting("ended", "abandoned", "open")
    peer.abandon("abandoned")
    peer.receive(answer("ended"))
    line = answer(asked, "x" * 10_000)[:-20] + b" and no JSON\n"

    assert peer.receive(line) == [event]
    assert "wrong_shape" not in peer.counts
    assert isinstance(peer.receive(line.replace(asked.encode(), b"open"))[0], Breach)


@pytest.mark.parametrize(
    ("asked", "reason"), [("nobody", "unknown"), ("ended", "late"), ("abandoned", "late")]
)
def test_a_long_part_that_nobody_waits_for_is_dropped_unread(asked, reason):
    peer = peer_awaiting("ended", "abandoned")
    peer.abandon("abandoned")
    peer.receive(answer("ended"))

    line = part(asked, "x" * 10_000)[:-20] + b" and no JSON\n"

    assert peer.receive(line) == [Dropped(reason, asked)]


def test_a_message_that_holds_too_much_is_a_fatal_breach_with_the_numbers():
    peer = peer_awaiting("a", "b")
    line = answer("a", [])[:-4] + b"{}," * 4_000_000 + b"0]}}\n"

    (breach,) = peer.receive(line.replace(b'"value": []', b'"value": [', 1))

    assert (breach.reason, breach.owner, breach.fatal) == ("too_many_values", None, True)
    assert breach.facts["values"] > breach.facts["limit"]
    assert peer.receive(answer("b")) == []
