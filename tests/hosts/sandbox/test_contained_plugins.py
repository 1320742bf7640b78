"""What plugins of all kinds can and cannot do in a sandbox of the system's, and what is told of them."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest
from callboard import Callboard, PluginLoadError
from callboard.hosts.errors import HostGone
from callboard.hosts.node.tool import NodeToolPlugin
from callboard.hosts.python.runner.origin import PythonOrigin
from callboard.hosts.python.tool import PythonToolPlugin
from callboard.hosts.sandbox.bwrap import SystemSandbox
from callboard.hosts.sandbox.confinement import Confinement, Secret
from callboard.hosts.sandbox.containment import find_bubblewrap
from contained import WAYS, call, contained, said, source
from leaks import alive, no_leaks, wait_gone, wait_until

SECRET = "what nobody is to read"


@pytest.fixture(autouse=True)
def nothing_is_left():
    with no_leaks():
        yield


@pytest.fixture
def outside(tmp_path):
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside" / "secret").write_text(SECRET)
    return tmp_path / "outside"


@pytest.mark.parametrize("way", WAYS)
def test_a_tool_in_a_sandbox_reaches_nothing_that_it_was_not_given(way, tmp_path, outside, monkeypatch):
    monkeypatch.setenv("API_KEY", SECRET)
    with (
        closing(socket.create_server(("127.0.0.1", 0))) as listener,
        contained(way, tmp_path / "own") as board,
    ):
        port = listener.getsockname()[1]
        deeds = {
            "a file": f"cat {outside}/secret",
            "the passwords": "cat /etc/shadow",
            "the parent's environment": f"cat /proc/{os.getpid()}/environ",
            "every environment": "cat /proc/[0-9]*/environ | tr '\\0' '\\n'",
            "processes": f"test -d /proc/{os.getpid()} -o $(ls -d /proc/[0-9]* | wc -l) -gt 20 && echo PROCESSES",
            "the network": f"exec 3<>/dev/tcp/127.0.0.1/{port} && echo CONNECTED",
            "a signal": f"kill -0 {os.getpid()} && echo SIGNALLED",
            "writing": f"echo x > {outside}/new",
            "writing its own": f"echo x > {tmp_path}/own/new",
            "settings of the machine": "cat /proc/sys/kernel/core_pattern > /proc/sys/kernel/core_pattern && echo SET",
            "keys of others": "grep -q . /proc/keys && echo KEYS",
            "a sandbox in it": "unshare -U true && echo NESTED",
        }
        script = {deed: f"bash -c '{line}'" if "/dev/tcp" in line else line for deed, line in deeds.items()}
        answers = {deed: said(board, line) for deed, line in script.items()}
        listener.setblocking(False)
        with pytest.raises(BlockingIOError):
            listener.accept()

    everything = "\n".join(answers.values())
    assert [
        word
        for word in (SECRET, "CONNECTED", "SIGNALLED", "SET", "KEYS", "NESTED", "PROCESSES", "root:")
        if word in everything
    ] == []
    assert sorted(path.name for path in outside.iterdir()) == ["secret"]
    assert not (tmp_path / "own" / "new").exists()


@pytest.mark.parametrize("way", WAYS)
def test_a_tool_in_a_sandbox_may_use_what_was_declared(way, tmp_path, outside):
    (tmp_path / "out").mkdir()
    sandbox = {"kind": "bwrap", "read": [str(outside)], "write": [str(tmp_path / "out")], "network": True}
    with (
        closing(socket.create_server(("127.0.0.1", 0))) as listener,
        contained(way, tmp_path / "own", sandbox=sandbox) as board,
    ):
        port = listener.getsockname()[1]
        read = said(board, f"cat {outside}/secret; echo x > {outside}/new")
        written = said(board, f"echo well > {tmp_path}/out/new")
        connected = said(board, f"bash -c 'exec 3<>/dev/tcp/127.0.0.1/{port} && echo CONNECTED'")

    assert SECRET in read
    assert sorted(path.name for path in outside.iterdir()) == ["secret"]
    assert (written, (tmp_path / "out" / "new").read_text()) == ("", "well\n")
    assert "CONNECTED" in connected


@pytest.mark.parametrize("way", WAYS)
def test_a_tool_in_a_sandbox_has_places_of_its_own_to_write_to(way, tmp_path):
    mark = f"callboard-{os.getpid()}-{way}"
    with contained(way, tmp_path / "own") as board:
        answer = said(
            board, f"echo one > /tmp/{mark} && cat /tmp/{mark}; echo two > ~/{mark} && cat ~/{mark}"
        )

    assert answer.split() == ["one", "two"]
    assert not Path("/tmp", mark).exists()
    assert not (Path.home() / mark).exists()


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("number", [signal.SIGSEGV, signal.SIGKILL, signal.SIGABRT])
def test_the_signal_that_ended_a_tool_in_a_sandbox_is_told_and_the_next_call_works(way, number, tmp_path):
    with contained(way, tmp_path / "own") as board:
        answer = board.execute(call("die", signal=number.name))
        after = said(board, "echo well")

    assert (answer["code"], answer["crash_report"]["signal"]) == ("host_crashed", number)
    assert after.strip() == "well"


def test_a_tool_in_a_sandbox_that_exits_by_itself_is_told_by_its_code(tmp_path):
    entry = source("command", tmp_path / "own")
    (tmp_path / "own" / "host.py").write_text("raise SystemExit(3)")
    with Callboard() as board:
        board.load(entry, sandbox="bwrap", name="t", required=False, restart={"intensity": 0})
        crash = board.status()["plugins"]["t"]["host"]["last_crash"]

    assert (crash["code"], crash["signal"]) == (3, None)


def test_what_a_tool_in_a_sandbox_leaves_behind_ends_with_it(tmp_path):
    line = "setsid -f sh -c 'cd /; exec sleep 98765' </dev/null >/dev/null 2>&1"
    with contained("python", tmp_path / "own") as board:
        said(board, line)
        wait_until(lambda: _with_word(b"98765"))  # setsid has forked, and its child may not have begun yet
        pids = _with_word(b"98765")
    wait_gone(pids)


def _with_word(word):
    return [
        int(path.name) for path in Path("/proc").iterdir() if path.name.isdigit() and word in _words(path)
    ]


def _words(process):
    try:
        return (process / "cmdline").read_bytes()
    except OSError:
        return b""


ENDS = """
import sys
from callboard import Callboard, PluginLoadError
board = Callboard().start()
board.load({"host": {"protocol": "thp/1", "command": [sys.executable, "-I", "host.py"], "cwd": sys.argv[1]}}, sandbox="bwrap", name="t")
answer = board.execute({"type": "function_call", "call_id": "1", "name": "shell",
    "arguments": {"line": "setsid -f sleep 87654 </dev/null >/dev/null 2>&1"}})
print(answer["success"], flush=True)
sys.stdin.read()
"""


def test_nothing_of_a_sandbox_outlives_a_program_that_is_killed(tmp_path):
    with contained("command", tmp_path / "own"):
        pass
    with subprocess.Popen(
        [sys.executable, "-c", ENDS, str(tmp_path / "own")], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as program:
        assert program.stdout.readline() == b"True\n"
        left = [
            int(path.name)
            for path in Path("/proc").iterdir()
            if path.name.isdigit() and b"87654" in _words(path)
        ]
        program.kill()
    assert left
    wait_until(lambda: not any(map(alive, left)))


TIDY = """
import signal, sys, json
def tidy(*_):
    open(sys.argv[1], "w").write("tidy")
    raise SystemExit(0)
signal.signal(signal.SIGTERM, tidy)
{host}
while True:
    signal.pause()
"""


def test_a_tool_in_a_sandbox_hears_that_it_is_to_end_and_can_tidy_up(tmp_path):
    (tmp_path / "out").mkdir()
    sandbox = {"kind": "bwrap", "write": [str(tmp_path / "out")]}
    with contained("command", tmp_path / "own"):
        pass
    host = (tmp_path / "own" / "host.py").read_text()
    (tmp_path / "own" / "host.py").write_text(TIDY.replace("{host}", host))
    with Callboard() as board:
        command = [sys.executable, "-I", "host.py", str(tmp_path / "out" / "said")]
        board.load(
            {"host": {"protocol": "thp/1", "command": command, "cwd": str(tmp_path / "own")}},
            sandbox=sandbox,
            name="t",
        )

    assert (tmp_path / "out" / "said").read_text() == "tidy"


def test_the_limits_of_a_host_count_all_that_runs_in_its_sandbox(tmp_path):
    with contained("python", tmp_path / "own", limits={"memory": "150MB", "memory_hard": "200MB"}) as board:
        line = f"{sys.executable} -c 'x = bytearray(300 << 20); import time; time.sleep(60)'"
        answer = board.execute(call("shell", line=line))
        after = said(board, "echo well")

    assert answer["code"] == "host_crashed"
    assert "memory_hard" in answer["crash_report"]["cause"]
    assert after.strip() == "well"


def test_a_standby_and_a_reload_are_in_the_sandbox_too(tmp_path, outside):
    with contained("node", tmp_path / "own", standby=1) as board:
        before = said(board, f"cat {outside}/secret")
        board.reload("t")
        after = said(board, f"cat {outside}/secret")

    assert SECRET not in before + after


def test_a_dotted_path_runs_in_a_sandbox_too(tmp_path, outside):
    (tmp_path / "own").mkdir()
    with contained("python", tmp_path / "own"):
        pass
    confinement = Confinement(SystemSandbox())
    origin = PythonOrigin("contained_tool.Tool", package=str(tmp_path / "own"))
    with PythonToolPlugin("t", origin, confinement=confinement) as tool:
        answer = tool.execute_tool("shell", {"line": f"cat {outside}/secret; true"}, {})

    assert SECRET not in answer["result"]


def test_a_declared_path_that_is_not_there_is_told_before_anything_runs(tmp_path):
    with contained("bash", tmp_path / "own"):
        pass
    sandbox = {"kind": "bwrap", "read": [str(tmp_path / "later")]}
    with Callboard() as board:
        board.load({"bash_tool": {"path": str(tmp_path / "own" / "bash")}}, sandbox=sandbox, required=False)
        status = board.status()["plugins"]["bash"]["host"]

    assert status["generation"] <= 1
    assert "later; make it first" in status["why"]


WITHOUT = """
import json, sys
from callboard import Callboard, PluginLoadError
with Callboard() as board:
    board.load({"bash_tool": {"path": sys.argv[1]}}, sandbox="bwrap", required=False)
    print(json.dumps(board.status()["plugins"]["bash"]["host"]))
"""


def test_where_the_system_forbids_it_no_plugin_runs_and_the_error_says_what_to_do(tmp_path):
    with contained("bash", tmp_path / "own"):
        pass
    script = tmp_path / "own" / "bash" / "shell.sh"
    script.write_text(f"touch {tmp_path}/ran\n{script.read_text()}")
    found = find_bubblewrap()
    assert found.path is not None
    every = ["--unshare-user", "--disable-userns", "--bind", "/", "/", "--proc", "/proc", "--dev", "/dev"]
    ended = subprocess.run(
        [found.path, *every, sys.executable, "-c", WITHOUT, str(tmp_path / "own" / "bash")],
        capture_output=True, check=True,
    )  # fmt: skip

    assert b"the system forbids it" in ended.stdout
    assert b"user.max_user_namespaces" in ended.stdout
    assert not (tmp_path / "ran").exists()


def test_a_folder_with_the_home_folder_in_it_is_not_shown_by_accident(tmp_path, monkeypatch):
    with contained("bash", tmp_path / "own"):
        pass
    monkeypatch.setenv("HOME", str(tmp_path / "own" / "bash"))
    with Callboard() as board:
        board.load({"bash_tool": {"path": str(tmp_path / "own" / "bash")}}, sandbox="bwrap", required=False)
        why = board.status()["plugins"]["bash"]["host"]["why"]

    assert "with the home folder in it" in why


@pytest.mark.parametrize("way", ["node", "python", "bash"])
def test_a_link_that_leads_out_of_the_folder_is_refused_in_a_sandbox(way, tmp_path, outside):
    entry = source(way, tmp_path / "own")
    folder = tmp_path / "own" / "bash" if way == "bash" else tmp_path / "own"
    (folder / "way_out").symlink_to(outside)

    with Callboard() as board, pytest.raises(PluginLoadError, match="the link 'way_out'"):
        board.load(entry, sandbox="bwrap")


def test_hosts_are_shared_among_plugins_of_one_sandbox_only(tmp_path):
    def sharing(name, sandbox, secrets=None):
        confinement = Confinement(sandbox, secrets)
        return NodeToolPlugin(name, source_file, confinement=confinement).sharing().terms

    source("node", tmp_path / "own")
    source_file = tmp_path / "own" / "tool.mjs"
    alike = [sharing("a", SystemSandbox()), sharing("b", SystemSandbox())]
    others = [
        sharing("c", None),
        sharing("d", SystemSandbox(network=True)),
        sharing("e", SystemSandbox(), {"TOKEN": Secret(env="X")}),
    ]

    assert alike[0] == alike[1]
    assert alike[0] not in others


def test_tools_of_one_package_share_a_host_in_their_sandbox(tmp_path, outside):
    source("node", tmp_path / "own")
    manifest = {
        "name": "pair", "version": "1.0.0", "type": "module",
        "agent": {"tools": [{"id": "one", "entry": "./tool.mjs"}, {"id": "two", "entry": "./other.mjs"}]},
    }  # fmt: skip
    (tmp_path / "own" / "package.json").write_text(json.dumps(manifest))
    tool = (tmp_path / "own" / "tool.mjs").read_text()
    (tmp_path / "own" / "other.mjs").write_text(tool.replace("'shell'", "'other'").replace("'die'", "'end'"))
    with Callboard() as board:
        board.load(f"node:{tmp_path / 'own'}", sandbox="bwrap")
        hosts = board.status()["hosts"]
        read = said(board, f"cat {outside}/secret")

    assert [sorted(host["plugins"]) for host in hosts.values()] == [["one", "two"]]
    assert SECRET not in read


HUNGRY = """
const kept = [];
export default {
  init: () => ({}),
  getToolSchemas: () => [{ type: 'function', function: { name: 'eat', parameters: { type: 'object' } } }],
  executeTool() { for (;;) kept.push(new Array(100_000).fill({})); },
};
"""


def test_a_tool_in_a_sandbox_that_runs_out_of_memory_is_told_as_such(tmp_path):
    (tmp_path / "own").mkdir()
    (tmp_path / "own" / "hungry.mjs").write_text(HUNGRY)
    confinement, options = Confinement(SystemSandbox()), ("--max-old-space-size=24",)
    tool = NodeToolPlugin("t", tmp_path / "own" / "hungry.mjs", node_options=options, confinement=confinement)
    with tool, pytest.raises(HostGone) as caught:
        tool.execute_tool("eat", {}, {})

    assert caught.value.report["signal"] == signal.SIGABRT
    assert "JavaScript heap" in caught.value.report["cause"]


@pytest.mark.parametrize("way", WAYS)
def test_a_path_with_dots_is_the_folder_that_it_leads_to(way, tmp_path):
    (tmp_path / "board").mkdir()

    with contained(way, tmp_path / "board" / ".." / "own") as board:
        assert said(board, "echo started").strip() == "started"
