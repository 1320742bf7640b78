"""A hand on the line spoils the answer that it is for, and harms no other message."""

from __future__ import annotations

from random import Random

from callboard.chaos.faults import PartialLine
from callboard.chaos.inject.tamper import Tamper
from callboard.chaos.schedules.corruption import noise
from evil_hosts import ANSWER, PART, OwnerEar, running, says
from leaks import no_leaks


def test_nothing_is_heard_behind_a_line_that_was_cut_off_though_it_was_read_with_it():
    tamper = Tamper(noise(Random(1).randrange))
    tamper.spoil_next(PartialLine(21))
    parts = [PART.replace("ID", "1-2").replace("so far", number) for number in ("first", "second")]
    answered, other = owners = [OwnerEar("answered"), OwnerEar("other")]
    with no_leaks(), running(says(ANSWER, *parts), carry=tamper) as (host, ear):
        host.send_all("execute_tool", [({}, owner) for owner in owners])
        ended = ear.ended()

    assert (answered.kinds(), other.kinds()) == (["lost"], ["lost"])
    assert "unfinished stdout line" in ended.report.stderr
