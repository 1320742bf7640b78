"""How a host begins, and how it ends."""

from __future__ import annotations

import os
import signal
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable

    from .fixtures import Given
    from .raw_host import RawHost

Json = dict[str, Any]


@pytest.mark.must
def test_it_ends_when_its_stdin_ends(host: RawHost, call: Json) -> None:
    host.ask("execute_tool", call)
    exit_ = host.close_stdin()

    assert exit_.signal is None, host.tell("it did not end by itself and had to be ended by a signal")


@pytest.mark.should
def test_it_ends_well_when_its_stdin_ends(host: RawHost) -> None:
    assert host.close_stdin().code == 0, host.tell("a requested end is no failure: exit with status 0")


@pytest.mark.must
def test_it_ends_when_its_stdin_ends_before_it_was_asked_anything(fresh: RawHost) -> None:
    exit_ = fresh.close_stdin()

    assert exit_.signal is None, fresh.tell("it did not end by itself and had to be ended by a signal")


@pytest.mark.must
def test_it_ends_when_its_stdin_ends_in_the_middle_of_a_request(host: RawHost) -> None:
    host.send(b'{"v":1,"id":"half","meth')
    exit_ = host.close_stdin()

    assert exit_.signal is None, host.tell("it did not end by itself and had to be ended by a signal")


@pytest.mark.must
def test_sigterm_ends_it(host: RawHost) -> None:
    os.kill(host.pid, signal.SIGTERM)

    host.ended()


@pytest.mark.must
def test_answers_are_not_kept_back(host: RawHost, call: Json) -> None:
    """A language that buffers its output to a pipe needs a flush after each line."""
    answer = host.ask("execute_tool", call)

    assert "ok" in answer
    assert host.exit is None, host.tell("it answered only because it ended")


@pytest.mark.must
def test_a_next_generation_begins_where_the_state_says(
    start: Callable[[], RawHost], host: RawHost, call: Json, given: Given
) -> None:
    first = host.ask("execute_tool", call)["result"]
    host.kill()
    host.ended()

    second = start()
    assert second.ask("init", {"config": given.config})["ok"], second.tell(
        "a second generation did not begin"
    )
    answer = second.ask("execute_tool", call | {"state": first["state"]})
    assert answer["ok"] is True, second.tell("a second generation did not take the state of the first")
