"""What faults make of an answer."""

from __future__ import annotations

import json
import random

import pytest
from callboard.chaos import faults as f
from callboard.chaos.schedules.corruption import Reply, noise, spoil
from callboard.hosts.protocol.peer import Peer
from callboard.hosts.protocol.peer_events import Answered, Breach, Dropped, PartCame, Stray

LINE = b'{"v":1,"id":"1-3","ok":true,"result":{"value":{"success":true},"state":{}}}\n'

PART_OF_A_FLOOD = b'{"v":1,"id":"1-3","event":{"type":"part","payload":"a flood"}}\n'


def spoilt(*faults):
    return spoil(LINE, "1-3", faults, lambda size: b"#" * size)


def heard(reply):
    """What the other side makes of it."""
    peer = Peer()
    peer.open("1-3", "owner")
    return [type(event) for event in peer.receive(reply.data)]


@pytest.mark.parametrize(
    ("faults", "reply"),
    [
        ([], Reply(LINE)),
        ([f.Slow(2.0), f.Slow(0.5)], Reply(LINE, delay=2.5)),
        ([f.PartialLine(7)], Reply(LINE[:7], code=0)),
        ([f.PartialLine(9999, 3)], Reply(LINE[:-1], code=3)),
        ([f.Truncate(7)], Reply(LINE[:7] + b"\n")),
        ([f.Truncate(9999)], Reply(LINE)),
        ([f.Garbage(3)], Reply(b"###\n" + LINE)),
        ([f.Garbage(3, newline=False)], Reply(b"###" + LINE)),
        ([f.DuplicateReply(2)], Reply(LINE * 3)),
        ([f.StdoutFlood(20)], Reply(b"a flood of words \n" * 2 + LINE)),
        ([f.PartFlood(2)], Reply(PART_OF_A_FLOOD * 2 + LINE)),
        ([f.ReplyFlood(2)], Reply(LINE * 3)),
        ([f.WrongVersion(4)], Reply(LINE.replace(b'"v":1', b'"v":4'))),
        ([f.Slow(1.0), f.DuplicateReply(), f.PartialLine(80)], Reply((LINE * 2)[:80], delay=1.0, code=0)),
    ],
)
def test_each_fault_leaves_its_mark(faults, reply):
    assert spoilt(*faults) == reply


@pytest.mark.parametrize(
    ("fault", "events"),
    [
        (f.Garbage(9), [Stray, Answered]),
        (f.Garbage(9, newline=False), [Stray]),
        (f.DuplicateReply(), [Answered, Dropped]),
        (f.StdoutFlood(20), [Stray, Stray, Answered]),
        (f.PartFlood(2), [PartCame, PartCame, Answered]),
        (f.ReplyFlood(2), [Answered, Dropped, Dropped]),
        (f.WrongId(), [Dropped]),
        (f.WrongVersion(), [Breach]),
        (f.Truncate(40), [Breach]),
        (f.PartialLine(40), []),
    ],
)
def test_the_other_side_takes_it_for_what_it_is(fault, events):
    assert heard(spoilt(fault)) == events


@pytest.mark.parametrize("spelled", [b'"7"', b"7", b" 7", b' "7"'])
def test_the_answer_of_an_mcp_server_gets_the_id_of_nobody_however_it_is_spelled(spelled):
    line = b'{"jsonrpc":"2.0","id":%s,"result":{"text":"77 7"}}\n' % spelled

    reply = spoil(line, "7", [f.WrongId()], bytes)

    told = json.loads(reply.data)
    assert told["id"] not in (7, "7")
    assert told["result"] == {"text": "77 7"}


def test_garbage_is_no_message_and_no_end_of_a_line():
    garbage = noise(random.Random(1).randrange)(20_000)

    assert len(garbage) == 20_000
    assert not set(b'\r\n{}"') & set(garbage)


def test_a_fault_of_the_generation_does_nothing_to_an_answer():
    with pytest.raises(ValueError, match="'exit' is no fault of an answer"):
        spoilt(f.Exit())
