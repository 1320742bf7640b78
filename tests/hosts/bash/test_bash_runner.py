"""The Bash host: a script gets what it is given, whatever that is, and what it does becomes one answer."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections import Counter

import pytest
from callboard.hosts.bash.tool import BASH_HOST, BashToolPlugin
from callboard.hosts.errors import RemoteError
from callboard.hosts.protocol.blocking_request import Asked, ask
from leaks import TEST_MARK, alive, no_leaks, wait_until
from programs import BASH

SCRIPTS = BASH

HOSTILE = [
    "",
    "-n",
    "-e \\n",
    "--",
    "*",
    "?",
    "~",
    "$(touch pwned)",
    "`touch pwned`",
    "; touch pwned #",
    "' ; touch pwned ; '",
    '" ; touch pwned ; "',
    "${PATH}",
    "$ARG_way",
    "!!",
    "a\nb\r\tc",
    "\n\n",
    " two  blanks ",
    "\\",
    "\\n\\u0041\\",
    '{"success": false}',
    "grüße 世界 \U0001f600 \u2028 \x7f \x01\x1b[31m",
    "%s%n%x",
    "&&&",
    "x=y",
    "a[$(touch pwned)]",
]


@pytest.fixture(scope="module")
def tool(tmp_path_factory):
    """A tool of the scripts, on a host that lives for all tests and finds no more programs than it needs."""
    programs, temporary = tmp_path_factory.mktemp("programs"), tmp_path_factory.mktemp("temporary")
    for name in ("bash", "mkdir", "rm", "cat", "sleep"):
        (programs / name).symlink_to(shutil.which(name))
    env = {**TEST_MARK, "TMPDIR": str(temporary), "PATH": str(programs)}
    with no_leaks(), BashToolPlugin("scripts", SCRIPTS, env=env) as plugin:
        plugin.init({"token": "t $(x)", "list": [1, 2], "odd-name": 1})
        yield plugin
    assert list(temporary.iterdir()) == []
    assert not (SCRIPTS / "pwned").exists()


def run(tool, way, text=None, state=None, **more):
    arguments = {"way": way, **more} if text is None else {"way": way, "text": text, **more}
    return tool.execute_tool("told", arguments, {} if state is None else state)


def test_hostile_texts_reach_the_script_as_they_are_and_come_back(tool):
    owners = [Asked(text) for text in HOSTILE]
    for owner in owners:
        call = {"tool_name": "told", "arguments": {"way": "text", "text": f"<{owner.call_id}>"}, "state": {}}
        tool.host.send("execute_tool", call, owner)

    found = [owner.outcome("scripts")[0] for owner in owners]

    assert found == [{"success": True, "result": f"<{text}>"} for text in HOSTILE]


def test_the_whole_call_is_on_stdin_with_what_no_variable_can_hold(tool):
    arguments = {
        "way": "stdin",
        "nul": "a\0b",
        "no-name": 1,
        "": 2,
        "$(x)": 3,
        "long": "ü" * 75_000,
        "n": 12345678901234567890,
    }

    said = run(tool, **arguments, state={"s": [1.5]})["result"]

    call = json.loads(said)
    assert call.pop("config") == {"token": "t $(x)", "list": [1, 2], "odd-name": 1}
    assert call == {"tool_name": "told", "arguments": arguments, "state": {"s": [1.5]}}
    assert "12345678901234567890" in said


def test_arguments_are_variables_and_none_of_them_can_be_another(tool):
    odd = {
        "PATH": "/none",
        "a": True,
        "b": [1, {"c": "d\n"}],
        "n": None,
        "f": 1.50,
        "e": "",
        "BASH_ENV": "x",
        "a-b": 1,
    }

    said = run(tool, "env", **odd)["result"].split("\n")

    assert said == [
        "ARG_BASH_ENV=x",
        "ARG_PATH=/none",
        "ARG_a=true",
        r'ARG_b=[1,{"c":"d\n"}]',
        "ARG_e=",
        "ARG_f=1.5",
        "ARG_way=env",
        "CONFIG_list=[1,2]",
        "CONFIG_token=t $(x)",
    ]


def test_what_a_script_prints_is_its_result(tool):
    assert (
        run(tool, "bytes", r"caf\xc3\xa9 \xff\xc3(\xed\xa0\x80 \x00z")["result"]
        == "café \ufffd\ufffd(\ufffd\ufffd\ufffd z"
    )
    assert run(tool, "result", '{"success": false, "error": "no", "why": 1.50}') == {
        "success": False,
        "error": "no",
        "why": 1.5,
    }
    assert run(tool, "result", '{"ok": 1}\n')["result"] == '{"ok": 1}'
    assert run(tool, "result", '{"success": "yes"')["result"] == '{"success": "yes"'
    assert run(tool, "result", "a\n\n\nb\n\n")["result"] == "a\n\n\nb"
    assert run(tool, "lines") == {"success": True, "result": "a"}
    assert run(tool, "where")["result"] == f"{SCRIPTS} told none"


def test_how_a_script_ends_decides(tool):
    assert run(tool, "fail", "x") == {
        "success": False,
        "error": "first line\nno such thing: x",
        "exit_status": 3,
    }
    assert run(tool, "silent")["error"] == "it ended with exit status 4, and said nothing"
    assert run(tool, "lie")["error"] == '{"success": true, "result": 1}'
    assert "no-such-program: command not found" in run(tool, "missing")["error"]
    assert run(tool, "killed") == {"success": False, "error": "(signal KILL)", "exit_status": 137}
    assert tool.execute_tool("untold", {}, {})["error"] == "Unknown tool: untold"


def test_the_state_is_what_a_success_leaves(tool):
    state = {"kept": 0.1}
    run(tool, "state_and_fail", state=state)
    assert state == {"kept": 0.1}
    run(tool, "state", ' {"n" : 1.0,\n"t":"\\u00e9"} ', state=state)
    assert state == {"n": 1.0, "t": "é"}
    for way, text in [("state", "[1]"), ("state", '{"a": tru}'), ("state", ""), ("no_state", None)]:
        with pytest.raises(RemoteError, match="is no JSON object") as caught:
            run(tool, way, text, state=state)
        assert caught.value.type == "InvalidResult"
    assert state == {"n": 1.0, "t": "é"}


def test_no_id_is_ever_evaluated(tmp_path):
    (tmp_path / "say.sh").write_text("# @tool Say.\necho said\n")
    ids = [
        "$(touch pwned)",
        "a[$(touch pwned)]",
        "`touch pwned`",
        "]",
        "x]=1; touch pwned #",
        '"',
        "'",
        "\\",
        "@",
        "*",
        " ",
    ]
    call = {"v": 1, "method": "execute_tool", "params": {"tool_name": "say", "arguments": {}, "state": {}}}
    cancel = {"v": 1, "method": "cancel"}
    asked = [{**call, "id": each} for each in ids * 2]
    asked += [{**cancel, "id": f"cancel {each}", "params": {"id": f"{each}?"}} for each in ids]
    program = [shutil.which("bash"), str(BASH_HOST), "--path", str(tmp_path)]

    with subprocess.Popen(
        program, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=os.environ | TEST_MARK
    ) as host:
        host.stdin.write(b"".join(json.dumps(each).encode() + b"\n" for each in asked))
        host.stdin.flush()
        said = [json.loads(host.stdout.readline()) for _ in asked]
        host.stdin.close()

    assert Counter(each["id"] for each in said) == Counter(each["id"] for each in asked)
    assert all(each["ok"] for each in said)
    assert [path.name for path in tmp_path.iterdir()] == ["say.sh"]


class Parts(Asked):
    """An owner that keeps what it is told, in order."""

    def __init__(self):
        super().__init__("parts")
        self.told = []

    def on_part(self, payload, size):
        self.told.append(payload)


def test_parts_come_while_it_runs_and_all_before_the_answer(tool):
    parts, hanging = Parts(), Parts()
    call = {"tool_name": "told", "arguments": {"way": "hang"}, "state": {}}
    request = tool.host.send("execute_tool", call, hanging)
    wait_until(lambda: hanging.told == ["started"])
    tool.host.send("execute_tool", call | {"arguments": {"way": "parts"}}, parts)

    value, _ = parts.outcome("scripts")

    assert parts.told == [{"n": 1.5}, 'a "text"', "no newline \ufffd"]
    assert value == {"success": True, "result": "last"}
    assert ask(tool.host, "cancel", {"id": request}, 5) == (True, None)
    with pytest.raises(RemoteError) as caught:
        hanging.outcome("scripts")
    assert caught.value.type == "Cancelled"


def test_what_a_script_leaves_running_ends_with_it(tool):
    pid = int(run(tool, "behind")["result"])

    wait_until(lambda: not alive(pid))


def test_what_no_variable_can_hold_is_refused_for_a_script_that_reads_no_stdin(tmp_path):
    (tmp_path / "short.sh").write_text('# @tool Echo.\necho "$ARG_text"\n')
    refused = "which no environment variable may; a script that reads its arguments from its stdin says so: # @stdin"
    with BashToolPlugin("short", tmp_path / "short.sh", env=TEST_MARK) as tool:
        said = [tool.execute_tool("short", {"text": text}, {}) for text in ("a\0b", "x" * 130_000)]

    assert said == [
        {"success": False, "error": f"the argument 'text' holds a NUL, {refused}"},
        {"success": False, "error": f"the argument 'text' is 130000 bytes long, {refused}"},
    ]


@pytest.mark.parametrize("first", [True, False])
def test_a_name_with_a_nul_becomes_no_other_argument(tmp_path, first):
    (tmp_path / "short.sh").write_text('# @tool Echo.\necho "$ARG_path"\n')
    (tmp_path / "reading.sh").write_text('# @tool Echo.\n# @stdin\necho "$ARG_path"\n')
    names = [("pa\0th", "/etc"), ("path", "/mine")]
    given = dict(names if first else names[::-1])
    with BashToolPlugin("both", tmp_path, env=TEST_MARK) as tool:
        refused = tool.execute_tool("short", given, {})
        read = tool.execute_tool("reading", given, {})

    assert not refused["success"]
    assert "the argument's name 'path' holds a NUL" in refused["error"]
    assert read == {"success": True, "result": "/mine"}
