"""Any program as a host, from a configuration: started as it says, shown as such, and restarted like any other."""

from __future__ import annotations

import os
import shutil
import signal
import sys

import pytest
from callboard import Callboard, read_configuration
from callboard.hosts.command.tool import CommandToolPlugin
from callboard.hosts.errors import HostStartError
from callboard.loading.loader import load_entry
from house_source import ROOT
from leaks import TEST_MARK, no_leaks
from node_packages import write
from tools import tool_call

ECHO = """#!PYTHON
import json, os, sys

SCHEMA = {"type": "function", "function": {"name": "seen", "parameters": {"type": "object"}}}
for line in sys.stdin:
    request = json.loads(line)
    seen = [sys.argv[1:], os.getcwd(), os.environ.get("TOKEN"), os.environ.get("SECRET")]
    value = {"init": {}, "get_tool_schemas": [SCHEMA]}.get(request["method"], {"success": True, "result": seen})
    print(json.dumps({"v": 1, "id": request["id"], "ok": True, "result": {"value": value, "state": {}}}), flush=True)
"""
ODD = ["$(touch pwned)", "a b", "*", "'\"", "-n", ""]


def test_a_program_runs_as_the_configuration_says_beside_those_that_cannot(tmp_path, monkeypatch):
    write(tmp_path, {"bin/seer": ECHO.replace("PYTHON", sys.executable), "plain.pl": "", "no_line": "x"})
    (tmp_path / "bin/seer").chmod(0o755)
    (tmp_path / "no_line").chmod(0o755)
    (tmp_path / "away").mkdir()
    monkeypatch.setenv("SECRET", "mine")
    true = shutil.which("true")
    bad = {
        "absent": (["./absent"], f"there is no program {tmp_path / 'absent'}; correct the path"),
        "plain": (["./plain.pl"], "is not executable; make it so (chmod +x), or name what runs it"),
        "no_line": (["./no_line"], "its first line does not say what runs it"),
        "quiet": ([true], "it was not ready after 0 restarts in a row; last: "),
    }
    entries = [
        {"host": {"command": words, "protocol": "thp/1", "id": name}, "restart": {"intensity": 0}}
        for name, (words, _) in bad.items()
    ]
    good = {"command": ["bin/seer", *ODD], "protocol": "thp/1", "cwd": "away"}
    config = {"plugins": [*entries, {"host": good, "env": {"TOKEN": "t", **TEST_MARK}}]}
    write(tmp_path, {"agent.json": config})

    with no_leaks(), Callboard(tmp_path / "agent.json") as board:
        result = board.execute(tool_call("seen"))
        plugins = board.status()["plugins"]

    assert result["result"] == [ODD, str(tmp_path / "away"), "t", None]
    assert sorted(path.name for path in (tmp_path / "away").iterdir()) == []
    assert plugins["seer"]["kind"] == "command"
    for name, (_, problem) in bad.items():
        assert plugins[name]["host"]["state"] == "parked", name
        assert problem in plugins[name]["host"]["why"]


def test_a_program_that_was_killed_is_started_again_and_goes_on_where_it_was():
    with no_leaks(), Callboard(ROOT / "examples" / "perl-host" / "agent.json") as board:
        first = board.execute(tool_call("count_words", text="to be or not"))
        os.kill(board.status()["plugins"]["count_words"]["host"]["pid"], signal.SIGKILL)
        second = board.execute(tool_call("count_words", text="to be or not"))

    assert [first["result"]["total"], second["result"]["total"]] == [4, 8]


def test_only_a_host_that_is_said_to_know_more_than_version_1_is_asked_what():
    plain, more = (
        load_entry({"host": {"command": ["sh"], "protocol": protocol}}, read_configuration(None))[0].hosted
        for protocol in ("thp/1", "thp/1+")
    )

    assert (plain.command().extended, more.command().extended) == (False, True)


@pytest.mark.parametrize(
    ("words", "env", "problem"),
    [
        (["no-such-program"], {}, "there is no program 'no-such-program' on its PATH; install it"),
        (["here"], {}, "write './here' for the file that is here"),
        (["sh"], {"PATH": ""}, "there is no program 'sh' on its PATH"),
        (["./"], {}, "is a folder; name the program in it"),
        (["sh"], {"cwd": "gone"}, "there is no folder"),
    ],
)
def test_a_program_that_is_not_there_is_told_with_the_remedy(tmp_path, words, env, problem):
    (tmp_path / "here").write_text("")
    plugin = CommandToolPlugin("p", words, cwd=tmp_path / env.get("cwd", "."), env=env)

    with pytest.raises(HostStartError, match="cannot start host 'p'") as caught:
        plugin.command()

    assert problem in str(caught.value)
    assert caught.value.permanent
