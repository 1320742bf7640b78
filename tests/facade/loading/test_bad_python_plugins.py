"""Python plugins that are wrong in every way, in hosts and out of them: told in one sentence, and the others work."""

from __future__ import annotations

import pytest
from callboard import Callboard
from leaks import TEST_MARK, no_leaks, wait_until
from node_packages import write
from tools import tool_call

GOOD = """
print("hello at import")


class Tool:
    name = "NAME"

    def init(self, config):
        return {}

    def get_tool_schemas(self, state):
        return [{"type": "function", "function": {"name": "NAME", "parameters": {"type": "object"}}}]

    def execute_tool(self, tool_name, payload, state):
        return {"success": True, "result": "here"}
"""

UNREAD = {
    "no_manifest": ({"bad_a.py": GOOD}, "has no agent_plugin.json; add one, such as"),
    "bad_json": ({"agent_plugin.json": '{"entries": '}, "agent_plugin.json is not JSON"),
    "no_entries": ({"agent_plugin.json": {}}, "lists no entries; it needs dotted paths of plugins"),
    "outside": (
        {"agent_plugin.json": {"entries": ["a.B"], "subdirectory": "../good"}},
        "leads out of the package",
    ),
}
"""What is told before any code is run: the files of the package, and what is said of it."""

UNLOADED = {
    "missing": (None, "there is no module 'bad_missing_"),
    "syntax": ("def Tool(: pass", "SyntaxError"),
    "throwing": ("raise OSError('not today')", "OSError: not today"),
    "exiting": ("raise SystemExit(3)", "SystemExit: 3"),
    "wrong": ("Tool = 3", "is no tool plugin"),
    "nameless": ("tool = 3", "has no 'Tool'; did you mean 'tool'?"),
}
"""What is told once its code is imported: that, and what is said of it."""


@pytest.mark.parametrize("isolate", [False, True], ids=["in this process", "in a host"])
def test_bad_python_packages_are_told_in_a_sentence_and_the_good_one_works(tmp_path, isolate):
    way = "far" if isolate else "near"  # no module of one run is known in the other
    for name, (files, _) in UNREAD.items():
        write(tmp_path / name, files)
    for name, (code, _) in UNLOADED.items():
        manifest = {"agent_plugin.json": {"entries": [f"bad_{name}_{way}.Tool"]}}
        write(tmp_path / name, manifest | ({} if code is None else {f"bad_{name}_{way}.py": code}))
    manifest = {"agent_plugin.json": {"entries": [f"good_{way}.Tool"]}}
    write(tmp_path / "good", manifest | {f"good_{way}.py": GOOD.replace("NAME", f"good_{way}")})
    more = {"isolate": True, "env": TEST_MARK} if isolate else {}
    entries = [{"plugin": f"path:{tmp_path / each}", "name": each, **more} for each in UNREAD | UNLOADED]

    with (
        no_leaks(),
        Callboard({"plugins": [*entries, {"plugin": f"path:{tmp_path / 'good'}", **more}]}) as board,
    ):
        result = board.execute(tool_call(f"good_{way}"))
        if isolate:
            wait_until(lambda: all(host["state"] == "parked" for host in _hosts(board).values()))
        told = {each.source.rpartition("/")[2]: each.error for each in board.failed}
        hosts = _hosts(board)

    assert result == {"success": True, "result": "here"}
    told |= {each: host["why"] for each, host in hosts.items()}
    sentences = {each: sentence for each, (_, sentence) in (UNREAD | UNLOADED).items()}
    assert {each: told[each] for each, sentence in sentences.items() if sentence not in told[each]} == {}
    assert [host["generation"] for host in hosts.values()] == [1] * (len(UNLOADED) if isolate else 0)


def _hosts(board):
    plugins = board.status()["plugins"]
    return {name: plugins[name]["host"] for name in UNLOADED if "host" in plugins.get(name, {})}
