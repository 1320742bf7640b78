import json

import pytest
from bare_host import BareHost
from python_runner import python_command, python_host
from thorough import times

MEBIBYTE = 1024 * 1024
STATE = {"count": 0}


def run(host, way, **arguments):
    return host.answer(host.execute("moody", {"way": way, **arguments}, STATE))["result"]["value"]


def test_nothing_a_tool_prints_gets_into_the_protocol():
    with python_host() as host:
        assert run(host, "prints", value="said")["result"] == "said"
        assert host.finish() == 0

    assert host.stderr.count("forged") == 4


def test_a_flood_of_prints_holds_nothing_up():
    with python_host() as host:
        assert run(host, "floods", lines=5000)["success"]
        assert host.finish() == 0

    assert len(host.stderr) >= 5_000_000


def test_prints_at_import_go_to_stderr(tmp_path):
    file = tmp_path / "prints.py"
    file.write_text(
        "import os\nprint('printed \\ud800')\nos.write(1, b'written\\n')\nfrom moody_python import Moody\n"
    )

    with python_host("prints.Moody", file) as host:
        assert host.value("init") == {"count": 0}
        assert host.finish() == 0

    assert host.stderr == "printed \\ud800\nwritten\n"


def test_a_tool_that_reads_stdin_eats_no_request():
    with python_host() as host:
        first, second = (host.execute("moody", {"way": "reads_stdin"}, STATE) for _ in range(2))
        answers = {answer["id"]: answer["result"]["value"]["result"] for answer in (host.read(), host.read())}

    assert answers == {first: "", second: ""}


def test_a_tool_may_close_the_streams_that_it_sees():
    with python_host() as host:
        assert run(host, "closes_streams", value="said")["result"] == "said"
        host.send_bytes(b"a line to complain of\n")
        assert run(host, "answers", value="again")["result"] == "again"
        assert host.finish() == 0


@pytest.mark.parametrize("twice", [False, True])
def test_a_copy_of_the_host_has_no_part_in_the_protocol(twice):
    with python_host() as host:
        assert run(host, "forks", twice=twice)["result"] == 0  # how the copy has ended
        assert run(host, "answers", value="again")["result"] == "again"
        assert host.finish() == 0

    assert host.rest() == []
    assert host.stderr == ""


def test_a_large_request_and_a_large_answer_come_through_whole():
    text = "añ😀" * times(MEBIBYTE // 2, 2 * MEBIBYTE)

    with python_host() as host:
        assert run(host, "answers", value=text)["result"] == text


def test_a_part_that_a_tool_exits_behind_arrives_whole():
    with python_host() as host:
        host.execute("moody", {"way": "exits_at_once", "code": 5, "first": "x" * (3 * MEBIBYTE)}, STATE)

        assert len(host.read()["event"]["payload"]) == 3 * MEBIBYTE
        assert host.exit_code() == 5


def test_a_large_answer_is_out_before_the_next_call_can_end_the_host():
    with python_host() as host:
        answered = host.execute("moody", {"way": "answers_much"}, STATE)
        first = host.answer(answered)
        host.execute("moody", {"way": "exits_at_once", "code": 5}, STATE)

        assert len(first["result"]["value"]["result"]) == 3 * MEBIBYTE
        assert host.exit_code() == 5


def test_a_request_may_be_cut_anywhere_and_several_may_come_at_once():
    requests = [
        {"v": 1, "id": f"é{n}", "method": "init", "params": {"config": {"count": n}}} for n in range(20)
    ]
    data = "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in requests).encode()

    with BareHost(python_command()) as host:
        for start in range(0, len(data), 7):
            host.send_bytes(data[start : start + 7])
        host.send_bytes(data)
        ids = [host.read()["id"] for _ in range(40)]

    assert sorted(ids) == sorted(f"é{n}" for n in range(20) for _ in range(2))


def test_while_nobody_reads_calls_are_still_taken_and_nothing_is_lost_or_mixed():
    with python_host() as host:
        host.stop_reading()
        # Far more than a pipe holds, both ways: it is all taken only if the host goes on reading.
        calls = [host.execute("moody", {"value": "x" * 10_000}, STATE) for _ in range(100)]
        host.go_on_reading()
        answers = [host.read() for _ in calls]

    assert sorted(answer["id"] for answer in answers) == sorted(calls)
    assert {len(answer["result"]["value"]["result"]) for answer in answers} == {10_000}


@pytest.mark.parametrize("part", [float("inf"), "fine"])
def test_a_part_that_is_no_json_costs_the_call_nothing(tmp_path, part):
    file = tmp_path / "parts.py"
    file.write_text(
        "class Tool:\n"
        "    def get_tool_schemas(self, state): return []\n"
        f"    def stream_tool(self, tool_name, payload, state): yield float('{part}') if '{part}' == 'inf' else 'fine'\n"
    )

    with python_host("parts.Tool", file) as host:
        call = host.execute("any")
        payload = host.read()["event"]["payload"]
        error = host.answer(call)["error"]

    assert ("cannot be shown" in str(payload)) == (part == float("inf"))
    assert error["type"] == "InvalidResult"
    assert "ended without a final result" in error["detail"]
