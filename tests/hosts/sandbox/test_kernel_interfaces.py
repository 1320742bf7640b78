"""What a tool in a sandbox of the system's gets of the kernel beside files, processes and the network: keyrings and rare system calls."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from callboard import Callboard
from contained import WAYS, call, contained, said
from leaks import no_leaks
from node_path import node_program, path_with_npx
from programs import PROGRAMS

KERNEL = PROGRAMS / "kernel"

PROBE = f"{sys.executable} -I {KERNEL}/probe.py"
SHOWN = {"kind": "bwrap", "read": [str(KERNEL), sys.prefix, sys.base_prefix]}


@pytest.fixture(autouse=True)
def nothing_is_left():
    with no_leaks():
        yield


CALLER = """
import sys
from pathlib import Path
sys.path[:0] = [sys.argv[1], sys.argv[2]]
import probe
from contained import contained, said
probe.call("keyctl", probe.JOIN, 0)
assert probe.write_key("callboard-test", "what nobody is to read") == "done"
assert probe.read_key("callboard-test") == "what nobody is to read"
with contained(sys.argv[3], Path(sys.argv[4]), sandbox=SHOWN) as board:
    print(said(board, "PROBE read callboard-test").strip(), said(board, "PROBE write callboard-planted x").strip())
print("planted:", probe.read_key("callboard-planted"))
print("kept:", probe.read_key("callboard-test"))
"""


@pytest.mark.parametrize("seccomp", [True, False])
@pytest.mark.parametrize("way", WAYS)
def test_a_tool_in_a_sandbox_neither_reads_nor_writes_the_session_keyring_of_the_program(
    way, seccomp, tmp_path
):
    shown = SHOWN if seccomp else SHOWN | {"seccomp": False}
    program = CALLER.replace("SHOWN", repr(shown)).replace("PROBE", PROBE)
    support = PROGRAMS.parent / "support"

    ended = subprocess.run(
        [sys.executable, "-c", program, str(KERNEL), str(support), way, str(tmp_path / "own")],
        capture_output=True, check=True, env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
    )  # fmt: skip

    *_, answers, planted, kept = ended.stdout.decode().splitlines()
    assert "what nobody is to read" not in answers
    assert planted == "planted: ENOKEY"
    assert kept == "kept: what nobody is to read"


MISSING = (
    "add_key", "request_key", "keyctl", "bpf", "perf_event_open", "userfaultfd", "syslog", "unshare", "setns", "mount",
    "io_uring_setup", "io_uring_enter", "io_uring_register", "open_tree", "fsopen", "clone3",
)  # fmt: skip
REFUSED = {
    **dict.fromkeys(MISSING, "ENOSYS"),
    **dict.fromkeys(("TIOCSTI", "TIOCSTI with high bits", "TIOCLINUX", "clone of namespaces"), "EPERM"),
    **dict.fromkeys(("socket packet", "socket alg", "socket vsock"), "EAFNOSUPPORT"),
}
LEFT = {
    **dict.fromkeys(("getpid", *(f"socket {each}" for each in ("unix", "inet", "inet6", "netlink"))), "done"),
    "TCGETS": "ENOTTY",
}


@pytest.mark.parametrize("way", WAYS)
def test_a_tool_in_a_sandbox_cannot_make_the_system_calls_that_reach_round_it(way, tmp_path):
    with contained(way, tmp_path / "own", sandbox=SHOWN) as board:
        answers = json.loads(said(board, f"{PROBE} all </dev/null"))

    x32 = answers.pop("x32", "ENOSYS")
    assert {name: answer for name, answer in answers.items() if answer != (REFUSED | LEFT)[name]} == {}
    assert x32 == "ENOSYS"


def test_no_process_of_a_sandbox_is_without_the_filter_and_it_can_be_left_out(tmp_path):
    line = "grep -h ^Seccomp: /proc/[0-9]*/status"
    with contained("bash", tmp_path / "own") as board:
        filtered = said(board, line)
    with contained("bash", tmp_path / "free", sandbox={"kind": "bwrap", "seccomp": False}) as board:
        free = said(board, line)

    assert set(filtered.splitlines()) == {"Seccomp:\t2"}
    assert set(free.splitlines()) == {"Seccomp:\t0"}


SERVER = """#!/usr/bin/env node
import { createInterface } from 'node:readline';
const answers = {
  initialize: ({ protocolVersion }) => ({ protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 's', version: '1' } }),
  'tools/list': () => ({ tools: [{ name: 'hello', inputSchema: { type: 'object' } }] }),
  'tools/call': () => ({ content: [{ type: 'text', text: 'hello' }] }),
};
createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params } = JSON.parse(line);
  const answer = answers[method] ? { result: answers[method](params) } : { error: { code: -32601, message: 'unknown' } };
  if (id !== undefined) console.log(JSON.stringify({ jsonrpc: '2.0', id, ...answer }));
});
"""


def test_an_mcp_server_that_npx_starts_runs_under_the_filter(tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", path_with_npx(tmp_path))
    programs = tmp_path / "own" / "node_modules" / ".bin"
    programs.mkdir(parents=True)
    (tmp_path / "own" / "package.json").write_text('{"name": "own", "version": "1.0.0"}')
    (programs / "served.mjs").write_text(SERVER)
    (programs / "served.mjs").chmod(0o755)
    entry = {"mcp": {"command": ["npx", "--no", "--", "served.mjs"], "cwd": str(tmp_path / "own")}}
    with Callboard() as board:
        # Where the system has no Node it is the wheel's.
        board.load(entry, sandbox={"kind": "bwrap", "read": [str(Path(node_program()).parents[1])]}, name="t")
        answer = board.execute(call("hello"))

    assert (answer["success"], answer["result"]) == (True, "hello")
