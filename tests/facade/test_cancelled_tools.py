"""A cancelled call frees its tool, wherever that runs: at once if it listens, else after the grace, whatever its deadline."""

from __future__ import annotations

import json
import sys
import threading

import pytest
from callboard import Callboard
from callboard.actors.calls.stage import Stage
from callboard.authoring.create import create
from callboard.authoring.template import TEMPLATES
from leaks import TEST_MARK, no_leaks, wait_until
from node_packages import write
from tools import Tool, tool_call

PATIENCE = 30.0
LONG = 1000.0
QUICK = {"first": 0.0, "min": 0.01, "max": 0.05}

NODE = """
import { writeFileSync } from 'node:fs';
export default {
  init: () => ({}),
  getToolSchemas: () => [{ type: 'function', function: { name: 'NAME', parameters: { type: 'object' } } }],
  async executeTool(name, args) {
    if (args.begun) writeFileSync(args.begun, '');
    if (args.begun) HANG
    return { success: true, result: process.pid };
  },
};
"""
PYTHON = """
import os, pathlib, time
from callboard.types import ToolPlugin

class Deaf(ToolPlugin):
    name = "deaf"

    def get_tool_schemas(self, state):
        return [{"type": "function", "function": {"name": "deaf", "parameters": {"type": "object"}}}]

    def execute_tool(self, tool_name, payload, state):
        if payload.get("begun"):
            pathlib.Path(payload["begun"]).touch()
            time.sleep(1000)
        return {"success": True, "result": os.getpid()}
"""
BASH = """# @tool Deaf.
# @option begun string A file.
trap '' TERM
if [[ ${ARG_begun-} ]]; then : >"$ARG_begun"; sleep 1000; fi
echo done
"""
COMMAND = """#!PYTHON
import json, os, pathlib, sys, time

SCHEMA = {"type": "function", "function": {"name": "deaf", "parameters": {"type": "object"}}}
for line in sys.stdin:
    request = json.loads(line)
    begun = request.get("params", {}).get("arguments", {}).get("begun")
    if begun:
        pathlib.Path(begun).touch()
        time.sleep(1000)
    value = {"init": {}, "get_tool_schemas": [SCHEMA]}.get(request["method"], {"success": True, "result": os.getpid()})
    print(json.dumps({"v": 1, "id": request["id"], "ok": True, "result": {"value": value, "state": {}}}), flush=True)
"""


def node(hang):
    return NODE.replace("NAME", "deaf").replace("HANG", hang)


def shared():
    entries = [{"id": each, "entry": f"{each}.mjs"} for each in ("deaf", "other")]
    package = {"name": "two", "agent": {"tools": entries}}
    other = node("for (;;);").replace("'deaf'", "'other'")
    return {"two/package.json": package, "two/deaf.mjs": node("for (;;);"), "two/other.mjs": other}


KINDS_OF_HOST = {
    "node, blocking": ({"deaf.mjs": node("for (;;);")}, {"node_tool": {"file": "deaf.mjs", "id": "deaf"}}),
    "node, waiting": (
        {"deaf.mjs": node("await new Promise(() => {});")},
        {"node_tool": {"file": "deaf.mjs", "id": "deaf"}},
    ),
    "node, shared": (shared(), {"plugin": "node:./two"}),
    "isolated python": (
        {"deaf/deaf_tool.py": PYTHON, "deaf/agent_plugin.json": {"entries": ["deaf_tool.Deaf"]}},
        {"plugin": "path:./deaf", "isolate": True},
    ),
    "bash": ({"deaf.sh": BASH}, {"bash_tool": {"file": "deaf.sh", "id": "deaf"}}),
    "command": (
        {"deaf": COMMAND.replace("PYTHON", sys.executable)},
        {"host": {"command": ["./deaf"], "protocol": "thp/1", "id": "deaf"}},
    ),
}


@pytest.mark.parametrize("kind", KINDS_OF_HOST)
def test_a_host_that_is_deaf_to_a_cancel_is_replaced_after_the_grace_and_the_next_call_works(kind, tmp_path):
    files, entry = KINDS_OF_HOST[kind]
    config = {
        "plugins": [{**entry, "env": TEST_MARK}],
        "calls": {"deadline": LONG, "grace": 0.2},
        "supervision": {"backoff": QUICK},
    }
    write(tmp_path, {**files, "agent.json": config})
    if kind == "command":
        (tmp_path / "deaf").chmod(0o755)
    ends, begun = [], tmp_path / "begun"

    with no_leaks(), Callboard(tmp_path / "agent.json") as board:
        board.subscribe(ends.append, {"host_crashed"})
        assert board.failed == []
        call = board.submit(tool_call("deaf", begun=str(begun)))
        wait_until(begun.exists)
        waiting = board.submit(tool_call("deaf"))

        assert call.cancel()
        after = waiting.result(PATIENCE)

        assert call.result()["code"] == "cancelled"
        assert after["success"]
        plugins = board.status()["plugins"].values()
        assert {each["host"]["generation"] for each in plugins} == {2}
        wait_until(lambda: ends)
        assert "0.2 s beyond its cancel" in ends[0].facts["cause"]


def test_a_thread_that_is_deaf_to_a_cancel_is_fenced_off_after_the_grace_and_the_next_call_works():
    begun, hang = threading.Event(), threading.Event()

    def function(arguments, state):
        if arguments.get("hang"):
            begun.set()
            hang.wait()
        return {"success": True, "result": None}

    with no_leaks(), Callboard({"calls": {"deadline": LONG, "grace": 0.2}}) as board:
        board.register(Tool(function))
        call = board.submit(tool_call("tool", hang=True))
        assert begun.wait(PATIENCE)

        assert call.cancel()
        after = board.submit(tool_call("tool")).result(PATIENCE)

        assert after["success"]
        assert board.status()["plugins"]["tool"]["fenced"] == 1
        hang.set()


@pytest.mark.parametrize("kind", [*TEMPLATES, "python, isolated"])
def test_a_tool_that_was_made_from_a_template_listens_when_it_is_cancelled(kind, tmp_path):
    kind, _, isolated = kind.partition(", ")
    folder = tmp_path / f"listening-{kind}"
    create(kind, folder)
    config = json.loads((folder / "agent.json").read_text())
    hosted = isolated or kind != "python"
    options = ({"env": TEST_MARK} if hosted else {}) | ({"isolate": True} if isolated else {})
    config["plugins"] = [{"plugin": source, **options} for source in config["plugins"]]
    config["calls"] = {"deadline": LONG, "grace": PATIENCE}
    write(folder, {"agent.json": config})

    with Callboard(folder / "agent.json") as board:
        assert board.failed == []
        call = board.submit(tool_call("echo", value="a", seconds=900))
        wait_until(lambda: call.stage is Stage.STARTED)
        if kind != "python":
            assert next(call.parts())  # it waits
        waiting = board.submit(tool_call("echo", value="b"))

        assert call.cancel()
        after = waiting.result(PATIENCE / 2)

        assert after["success"]
        plugins = board.status()["plugins"].values()
        assert {each["host"]["generation"] if hosted else 1 + each["fenced_total"] for each in plugins} == {1}
