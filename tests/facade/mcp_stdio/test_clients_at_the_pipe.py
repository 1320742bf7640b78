"""Clients that do what none should, over the pipes of a real process: it answers what can be answered, and ends with its client."""

from __future__ import annotations

import json
import os
import signal
import time
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import pytest
from mcp_clients import PATIENCE
from mcp_pipes import Served, call, hello, line, serving
from sdks import needs_sdk

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = needs_sdk

MOST = 64 * 1024 * 1024
"""Bytes of a line."""

MOST_UNREAD = 1000
"""Answers of 64 KB that a client may leave unread, about, before nothing more is read of it."""


def called(number: int, arguments: str) -> bytes:
    """As `call`, with arguments as text."""
    return call(number).replace(b'"arguments": {}', b'"arguments": ' + arguments.encode())


def test_values_reach_a_tool_and_come_back_as_they_are(tmp_path: Path) -> None:
    said = '{"long": 123456789012345678901234567890, "zero": -0.0, "twice": 1, "twice": 2, "half": "\\ud800", "é": "\\u00e9"}'
    with serving(tmp_path) as served:
        served.say(hello(), called(1, said))

        text = served.text(served.answers(2)[1])

        assert text == json.dumps(json.loads(said))
        assert served.ends() == 0


def test_ids_that_are_used_again_and_cancels_of_what_is_another_s_leave_the_others_alone(
    tmp_path: Path,
) -> None:
    with serving(tmp_path) as served:
        served.say(hello(), call("7", a=1))
        served.answers(2)
        served.say(call(7, "hang"), call(7, a=2), call(8, a=3))
        cancel = [
            line(method="notifications/cancelled", params={"requestId": each}) for each in (99, "x", None, 7)
        ]

        answered = served.answers(2)
        served.say(*cancel, call(9, a=4))

        assert (served.text(answered[7]), served.text(answered[8])) == ('{"a": 2}', '{"a": 3}')
        assert served.text(served.answers(1)[9]) == '{"a": 4}'
        assert served.ends() == 0


def test_the_oldest_revision_is_spoken(tmp_path: Path) -> None:
    with serving(tmp_path) as served:
        served.say(hello("2024-11-05"), line(id=1, method="tools/list"), call(2, a=1))

        answers = served.answers(3)

        assert answers[0]["result"]["protocolVersion"] == "2024-11-05"
        assert {"echo", "hang"} <= {tool["name"] for tool in answers[1]["result"]["tools"]}
        assert served.text(answers[2]) == '{"a": 1}'
        assert served.ends() == 0


def test_a_line_of_ten_megabytes_is_taken_and_one_that_is_too_long_is_refused_alone(tmp_path: Path) -> None:
    with serving(tmp_path) as served:
        served.say(
            hello(), call(1, "pid", much="x" * 10_000_000), call(2, "pid", much="x" * MOST), call(3, a=1)
        )

        answers = served.answers(4)

        assert served.text(answers[1]).isdecimal()
        assert answers[2]["error"]["code"] == -32600
        assert served.text(answers[3]) == '{"a": 1}'
        assert served.ends() == 0


@pytest.mark.parametrize(
    ("last", "told"),
    [(b'{"jsonrpc": "2.0", "id": 1, "meth', -32700), (line(id=1, method="ping").strip(), None), (b"  ", ...)],
)
def test_the_end_in_the_middle_of_a_line_is_an_end(last: bytes, told: Any, tmp_path: Path) -> None:
    with serving(tmp_path) as served:
        served.say(hello())
        served.answers(1)
        served.say(last)

        assert served.ends() == 0

        rest = [json.loads(each) for each in served.stdout.read().splitlines()]
        assert [each.get("error", {}).get("code") for each in rest] == ([] if told is ... else [told])


def test_what_is_under_way_at_the_end_is_refused(tmp_path: Path) -> None:
    with serving(tmp_path) as served:
        served.say(hello(), call(1, a=1))
        served.answers(2)
        served.say(call(2, "hang"))

        assert served.ends() == 0

        (said,) = [json.loads(each) for each in served.stdout.read().splitlines()]
        assert (said["id"], said["error"]["code"]) == (2, -32000)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_what_is_under_way_at_a_signal_is_answered(number: signal.Signals, tmp_path: Path) -> None:
    with serving(tmp_path) as served:
        served.say(hello(), call(1, a=1))
        served.answers(2)
        served.say(call(2, "hang"), line(id=3, method="ping"))
        served.answers(1)

        served.process.send_signal(number)

        (said,) = [json.loads(each) for each in served.stdout.read().splitlines()]
        assert (said["id"], said["result"]["_meta"]["callboard/outcome"]) == (2, "outcome_unknown")
        assert served.process.wait(PATIENCE) == 128 + number


def test_a_file_is_read_as_a_pipe_is(tmp_path: Path) -> None:
    asked = tmp_path / "asked"
    asked.write_bytes(hello() + b"".join(line(id=each, method="ping") for each in range(1, 5000)))
    with asked.open("rb") as stdin, serving(tmp_path, stdin=stdin) as served:
        pass_on = served.stdout.read()

        assert [json.loads(each)["id"] for each in pass_on.splitlines()] == list(range(5000))
        assert served.process.wait(PATIENCE) == 0


def test_a_client_that_does_not_read_is_held_up_and_no_more(tmp_path: Path) -> None:
    with serving(tmp_path) as served:
        number = unread(served)

        answers = served.answers(number)
        served.say(served.rest)
        served.answers(1)

        assert set(answers) == set(range(number))
        assert all("result" in each for each in answers.values())
        assert served.ends() == 0


def unread(served: Served) -> int:
    """Ask, and read nothing, until nothing more is taken; returns how many requests were."""
    served.say(hello(), call("first", a=1))
    served.answers(2)
    assert served.stdin is not None
    descriptor, number = served.stdin.fileno(), 0
    os.set_blocking(descriptor, False)
    taken = True
    while taken:
        asked = call(number, text="x" * 65_536)
        end = time.monotonic() + 5
        while asked and (taken := time.monotonic() < end):
            with suppress(BlockingIOError):
                asked = asked[os.write(descriptor, asked) :]
            time.sleep(
                0.002
            )  # it answers meanwhile: what comes faster than that is held by requests that are under way
        number += taken
    os.set_blocking(descriptor, True)
    assert number < MOST_UNREAD
    served.rest = asked
    return number


@pytest.mark.parametrize("both", [True, False])
def test_it_ends_with_a_client_that_goes_and_has_read_nothing(both: bool, tmp_path: Path) -> None:
    with serving(tmp_path) as served:
        unread(served)
        served.stdout.close()
        if both:
            assert served.stdin is not None
            served.stdin.close()

        assert served.process.wait(PATIENCE) == 0
