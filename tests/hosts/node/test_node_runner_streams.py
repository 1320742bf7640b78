import json

import pytest
from bare_host import BareHost
from programs import EVIL_NODE, NODE
from thorough import every, times

MEBIBYTE = 1024 * 1024

over_pipes_and_sockets = pytest.mark.parametrize("sockets", every(2, [False, True]))


@over_pipes_and_sockets
def test_prints_at_import_go_to_stderr(sockets):
    with BareHost(EVIL_NODE / "prints_at_import.mjs", sockets=sockets) as host:
        assert host.value("init") == {"count": 0}
        assert host.finish() == 0

    assert host.rest() == []
    assert host.stderr == "printed at import\nwritten at import\n"


@pytest.mark.parametrize(
    ("way", "sockets"),
    [
        ("console", False),
        ("stream", False),
        ("descriptor", False),
        ("child", False),
        ("console", True),
        ("stream", True),
    ],
)
def test_nothing_a_tool_prints_gets_into_the_protocol(way, sockets):
    with BareHost(EVIL_NODE / "prints_in_call.mjs", sockets=sockets) as host:
        assert host.answer(host.execute(way))["result"]["value"]["result"] == way
        assert host.finish() == 0

    assert host.stderr.count("forged") == 1


@pytest.mark.parametrize("reader", ["descriptor", "child"])
def test_a_tool_that_reads_stdin_eats_no_request(reader):
    with BareHost(EVIL_NODE / "reads_stdin.mjs") as host:
        first, second = host.execute(reader), host.execute(reader)

        assert host.answer(first)["result"]["value"] == {"success": True, "result": 0}
        assert host.answer(second)["result"]["value"] == {"success": True, "result": 0}


def test_prints_are_not_lost_when_stderr_is_a_file(tmp_path):
    log = tmp_path / "log"
    log.write_text("")
    with BareHost(EVIL_NODE / "prints_at_import.mjs", stderr=log) as host:
        assert host.value("init") == {"count": 0}
        host.send_bytes(b"no request\n")
        assert host.value("init") == {"count": 0}
        assert host.finish() == 0

    lines = log.read_text().splitlines()
    assert lines[:2] == ["printed at import", "written at import"]
    assert "not JSON" in lines[2]


@over_pipes_and_sockets
def test_a_large_request_and_a_large_answer_come_through_whole(sockets):
    text = "añ😀" * times(MEBIBYTE // 2, 2 * MEBIBYTE)
    with BareHost(NODE / "spec_echo_tool.mjs", sockets=sockets) as host:
        call = host.execute("echo", {"value": text})
        host.read()

        assert host.answer(call)["result"]["value"]["result"]["value"] == text


@over_pipes_and_sockets
def test_a_request_may_be_cut_anywhere_and_several_may_come_at_once(sockets):
    requests = [
        json.dumps(
            {"v": 1, "id": f"é{n}", "method": "init", "params": {"config": {"start": n}}}, ensure_ascii=False
        )
        for n in range(20)
    ]
    data = "".join(line + "\n" for line in requests).encode()
    with BareHost(NODE / "steps.mjs", sockets=sockets) as host:
        for start in range(0, len(data), 7):
            host.send_bytes(data[start : start + 7])
        host.send_bytes(data)

        ids = [host.read()["id"] for _ in range(40)]

    assert ids == [f"é{n}" for n in range(20)] * 2


@over_pipes_and_sockets
def test_while_nobody_reads_calls_are_still_taken_and_nothing_is_lost_or_mixed(sockets):
    with BareHost(EVIL_NODE / "emits_without_end.mjs", sockets=sockets) as host:
        call = host.execute(arguments={"parts": 3000, "size": 500})
        host.stop_reading()
        # Far more than a pipe holds: it is all taken only if the host goes on reading.
        others = [host.send("init", {"config": {"filler": "x" * 1000}}) for _ in range(500)]
        host.go_on_reading()
        parts = [host.read() for _ in range(3000)]

        assert [part["event"]["payload"]["number"] for part in parts] == list(range(3000))
        assert host.answer(call)["result"]["value"]["result"] == 3000
        assert [host.read()["id"] for _ in others] == others


@over_pipes_and_sockets
@pytest.mark.parametrize("megabytes", [0, 3])
def test_an_answer_that_a_tool_exits_behind_arrives_whole(megabytes, sockets):
    with BareHost(EVIL_NODE / "answers_and_exits.mjs", sockets=sockets) as host:
        answer = host.answer(host.execute("answer", {"megabytes": megabytes}))

        assert len(answer["result"]["value"]["result"]) == megabytes * MEBIBYTE
        assert host.exit_code() == 5


@over_pipes_and_sockets
def test_a_part_that_a_tool_exits_behind_arrives_whole(sockets):
    with BareHost(EVIL_NODE / "answers_and_exits.mjs", sockets=sockets) as host:
        host.execute("emit", {"megabytes": 3})

        assert len(host.read()["event"]["payload"]) == 3 * MEBIBYTE
        assert host.exit_code() == 5


def test_an_exit_does_not_wait_for_ever_for_a_reader_that_does_not_read():
    with BareHost(EVIL_NODE / "answers_and_exits.mjs") as host:
        host.execute("answer", {"megabytes": 3})

        assert host.process.wait(30) == 5
