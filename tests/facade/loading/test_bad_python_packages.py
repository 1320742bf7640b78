"""Python packages that are wrong in every way: each is told in one clear sentence, and the other plugins work."""

from __future__ import annotations

import json
import sys

import pytest
from callboard import Callboard
from tools import tool_call

TOOL = """
class Tool:
    name = "good"

    def get_tool_schemas(self, state):
        return [{"type": "function", "function": {"name": "good", "parameters": {"type": "object"}}}]

    def execute_tool(self, tool_name, payload, state):
        return {"success": True, "result": "here"}
"""

PRINTING = "import os\nprint('to stdout', flush=True)\nos.write(1, b'past Python\\n')\n" + TOOL


def listing(*entries, **more):
    return json.dumps({"entries": list(entries), **more})


UNREAD = {
    "no_manifest": ({}, "has no agent_plugin.json; add one, such as"),
    "bad_json": ({"agent_plugin.json": '{"entries": '}, "agent_plugin.json is not JSON"),
    "no_entries": ({"agent_plugin.json": '{"entry": "a.b"}'}, "lists no entries; it needs dotted paths of plugins"),
    "outside": ({"agent_plugin.json": listing("a.b", subdirectory="..")}, "which leads out of the package"),
}  # fmt: skip
"""What has no plugin that could be loaded: files, and what is said of them."""

UNLOADED = {
    "absent": (None, "there is no module 'cb_bad_absent' here; correct the entry, or 'subdirectory'"),
    "syntax": ("class Tool(:\n", "importing cb_bad_syntax raised SyntaxError"),
    "raising": ("raise RuntimeError('not today')", "importing cb_bad_raising raised RuntimeError: not today"),
    "exiting": ("import sys\nsys.exit(3)", "importing cb_bad_exiting raised SystemExit"),
    "lacking": ("import cb_nowhere", "add what has the module 'cb_nowhere' to the package's dependencies"),
    "other": ("class Tol: ...", "cb_bad_other has no 'Tool'; did you mean 'Tol'?"),
    "shapeless": ("Tool = 3", "int is no tool plugin: it has none of execute_tool"),
}
"""What goes wrong when it is loaded: the module, and what is said of it."""


@pytest.fixture
def packages(tmp_path, monkeypatch):
    """Write all of them; the entries of some, or of all, with further options, between two good packages."""
    monkeypatch.setattr(sys, "path", list(sys.path))
    written = {name: files for name, (files, _) in UNREAD.items()}
    for name, (module, _) in {
        **UNLOADED,
        "good": (PRINTING, ""),
        "last": (TOOL.replace("good", "last"), ""),
    }.items():
        written[name] = {"agent_plugin.json": listing(f"cb_bad_{name}.Tool")}
        if module is not None:
            written[name][f"cb_bad_{name}.py"] = module
    for name, files in written.items():
        (tmp_path / name).mkdir()
        for file, text in files.items():
            (tmp_path / name / file).write_text(text)

    def entries(*some, **options):
        names = ["good", *(some or [*UNREAD, *UNLOADED]), "last"]
        return [{"plugin": f"path:{tmp_path / name}", "name": name, **options} for name in names]

    return entries


def test_every_bad_package_is_told_in_a_sentence_and_the_others_work(packages):
    with Callboard({"plugins": packages(isolate=False)}) as board:
        told = {one.source.rpartition("/")[2]: one.error for one in board.failed}
        answers = [board.execute(tool_call(name))["result"] for name in ("good", "last")]

    assert answers == ["here", "here"]
    for name, (_, sentence) in (UNREAD | UNLOADED).items():
        assert sentence in told[name]
        assert "\n" not in told[name].strip()


def test_in_hosts_they_park_at_once_with_the_same_sentence(packages):
    some = ("exiting", "lacking", "shapeless")
    with Callboard({"plugins": packages("bad_json", *some, isolate=True)}) as board:
        status = board.status()
        told = {one["source"].rpartition("/")[2]: one["plugin"] for one in status["failed"]}
        hosts = {name: plugin["host"] for name, plugin in status["plugins"].items()}
        answers = [board.execute(tool_call(name))["result"] for name in ("good", "last")]

    assert answers == ["here", "here"]
    assert told == {"bad_json": None, **{name: name for name in some}}
    assert {name: host["state"] for name, host in hosts.items()} == {
        "good": "ready", "last": "ready", **dict.fromkeys(some, "parked")
    }  # fmt: skip
    for name in some:
        assert UNLOADED[name][1] in hosts[name]["why"]
        assert hosts[name]["restarts"] == 0
