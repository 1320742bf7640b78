"""Calls that are granted together go with one write; of one that was cut, each call is told truly whether it has left."""

from __future__ import annotations

import os
import signal

from boards import node_board
from callboard.hosts.process.process import unsent_lines
from callboard.hosts.protocol.wire import encode_request, ids_of_requests
from hypothesis import given
from hypothesis import strategies as st
from leaks import no_leaks
from tools import tool_call

PATIENCE = 30.0


@given(st.lists(st.text(max_size=40), min_size=1, max_size=8), st.data())
def test_a_request_has_left_if_and_only_if_all_its_bytes_have(texts, data):
    lines = [encode_request(f"1-{n}", "execute_tool", {"text": text}) for n, text in enumerate(texts)]
    batch = b"".join(lines)
    cut = data.draw(st.integers(0, len(batch)))

    unsent = ids_of_requests(unsent_lines([memoryview(batch)[cut:]] if cut < len(batch) else []))

    ends = [len(b"".join(lines[: n + 1])) for n in range(len(lines))]
    assert unsent == {f"1-{n}" for n, end in enumerate(ends) if end > cut}


def test_calls_that_had_not_left_when_their_host_was_killed_run_in_the_next_one_and_once(tmp_path):
    ledger = tmp_path / "ledger"
    count, size = 40, 100_000  # far more than a pipe takes

    with no_leaks(), node_board(concurrency=64, mailbox_size=100) as (board, plugin, _):
        spinning = board.submit(tool_call("moody", do="spin"))
        pid = plugin.host.pid
        calls = [
            board.submit(tool_call("moody", ledger=str(ledger), line=n, value="x" * size))
            for n in range(count)
        ]
        following = board.submit(tool_call("moody", ledger=str(ledger), line=count))
        os.kill(pid, signal.SIGKILL)
        results = [call.result(PATIENCE) for call in calls]

        assert spinning.result(PATIENCE)["outcome"] == "outcome_unknown"
        assert following.result(PATIENCE)["success"]
    answered = [n for n, result in enumerate(results) if result["success"]]
    lost = {(result["code"], result["outcome"]) for result in results if not result["success"]}
    assert len(answered) > count // 2
    assert lost <= {("host_crashed", "outcome_unknown")}
    assert ledger.read_text().split() == [str(n) for n in [*answered, count]]
