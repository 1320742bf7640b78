"""Reloading what hosts run, by hand and when files change, with real hosts of every kind."""

from __future__ import annotations

import json
import sys
import threading

import pytest
from boards import Recorder
from callboard import Callboard, ConfigurationError, PluginLoadError, ReloadRefused
from callboard.actors.reload.policy import Change
from leaks import TEST_MARK, no_leaks
from node_packages import manifest, write

COUNT = """
let calls = 0;
export default {
  init: () => ({ n: 0 }),
  getToolSchemas: () => [
    { type: "function", function: { name: NAME, description: SAID, parameters: { type: "object" } } },
  ],
  executeTool: (name, args, state) => {
    if (args.die) process.exit(3);
    state.n += 1;
    calls += 1;
    return { success: true, result: [SAID, state.n, calls] };
  },
};
"""


def counting(said: str, name: str = "count") -> str:
    return COUNT.replace("SAID", f'"{said}"').replace("NAME", f'"{name}"')


def call(name: str, **arguments) -> dict:
    return {"name": name, "arguments": arguments}


def test_a_module_is_reloaded_under_load_and_a_broken_one_is_not(tmp_path):
    module = write(tmp_path, {"count.mjs": counting("one")}) / "count.mjs"
    results, over = [], threading.Event()
    entry = {"node_tool": {"file": str(module)}, "env": TEST_MARK}

    def load() -> None:
        while not over.is_set():
            results.append(board.execute(call("count")))

    with no_leaks(), Callboard({"plugins": [entry]}) as board:
        events = Recorder(board.board)
        loading = threading.Thread(target=load)
        loading.start()
        module.write_text(counting("two"))
        taken = board.reload("count")
        module.write_text(counting("three") + "}")
        broken = board.reload("count")
        module.write_text(counting("four", "other"))
        refused = board.reload("count", refuse=["removed"])
        answer = board.execute(call("count"))
        over.set()
        loading.join()
        results.append(board.execute(call("count")))
        module.write_text(counting("five"))
        board.reload("count")
        dead = board.execute(call("count", die=True))
        (failed,) = [
            each for each in events.wait("host_reload_failed", 3) if "ended before" in each.facts["why"]
        ]
        after = board.execute(call("count"))
        changed = events.of("tools_changed")

    assert (taken.done, taken.generation, taken.tools(Change.CHANGED)) == (True, 2, ["count"])
    assert not broken.done
    assert "SyntaxError" in broken.why
    assert refused.why.startswith("'count' is gone, which 'refuse' rules out")
    assert answer["result"][0] == "two"
    assert all(result["success"] for result in results)
    said = [result["result"][0] for result in results]
    assert said == sorted(said) != ["two"] * len(said)
    assert sorted([*(each["result"][1] for each in results), answer["result"][1]]) == list(
        range(1, len(results) + 2)
    )
    assert [event.facts["changed"] for event in changed] == [["count"], ["count"]]
    assert dead["code"] == "host_crashed"
    assert not failed.facts["rolled_back"]
    assert after["result"] == ["five", len(results) + 2, 1]


def test_the_tools_of_a_built_package_are_reloaded_together_and_come_back_together(tmp_path):
    build = "import { cpSync } from 'node:fs';\ncpSync('src', 'dist', { recursive: true });\n"
    tools = [{"id": name, "entry": f"dist/{name}.js"} for name in ("one", "two")]
    package = write(
        tmp_path / "pair",
        {
            "package.json": manifest(scripts={"build": "node build.mjs"})
            | {"agent": {"kinds": ["tools"], "tools": tools}},
            "build.mjs": build,
            "src/one.js": counting("a", "one"),
            "src/two.js": counting("a", "two"),
        },
    )
    configuration = {
        "plugins": [{"plugin": f"node:{package}", "env": TEST_MARK}],
        "plugin_cache_dir": "cache",
    }
    (tmp_path / "agent.json").write_text(json.dumps(configuration))
    with Callboard(tmp_path / "agent.json") as board:
        events = Recorder(board.board)
        first = [board.execute(call(name))["result"] for name in ("one", "two", "two")]
        write(package, {"src/one.js": counting("b", "one"), "src/two.js": counting("b", "three")})
        reloaded = board.reload("two")
        dead = board.execute(call("three", die=True))
        events.wait("host_ready", 2)
        last = [board.execute(call(name))["result"] for name in ("one", "two")]
        (failed,) = events.wait("host_reload_failed")
        status = board.status()["plugins"]["one"]["host"]
        write(package, {"package.json": manifest(entry="src/one.js", plugin="only")})
        with pytest.raises(ReloadRefused, match="has other plugins now \\('only', 'one', 'two'\\)"):
            board.reload("one")

    assert first == [["a", 1, 1], ["a", 1, 1], ["a", 2, 2]]
    assert (reloaded.done, reloaded.plugins) == (True, ("one", "two"))
    assert reloaded.tools(Change.ADDED) == ["three"]
    assert dead["code"] == "host_crashed"
    assert failed.facts["rolled_back"]
    assert last == [["a", 2, 1], ["a", 3, 1]]
    assert (status["generation"], status["reload"]["rolled_back"]) == (3, 1)
    assert not (package / "dist").exists()


PYTHON = """
class Saying:
    name = "py"
    def get_tool_schemas(self, state):
        return [{"type": "function", "function": {"name": "py", "parameters": {"type": "object"}}}]
    def execute_tool(self, tool_name, payload, state):
        state["n"] = state.get("n", 0) + 1
        return {"success": True, "result": ["SAID", state["n"]]}
"""

COMMAND = """
import json, sys
for line in sys.stdin:
    asked = json.loads(line)
    schema = {"type": "function", "function": {"name": "any", "parameters": {"type": "object"}}}
    value = {"init": {}, "get_tool_schemas": [schema], "execute_tool": {"success": True, "result": "SAID"}}
    answer = {"value": value.get(asked["method"])}
    print(json.dumps({"v": 1, "id": asked["id"], "ok": True, "result": answer}), flush=True)
"""

SCRIPT = "# @tool Say something.\necho SAID\n"


def test_hosts_of_all_kinds_are_reloaded_when_a_file_of_theirs_changes(tmp_path):
    def save(said: str) -> None:
        for name, text in (("py/said.py", PYTHON), ("any/host.py", COMMAND), ("sh/sh.sh", SCRIPT)):
            write(tmp_path, {name: text.replace("SAID", said)})

    save("old")
    write(tmp_path, {"py/agent_plugin.json": {"entries": ["said.Saying"]}})
    watched = {"reload": True, "env": TEST_MARK}
    entries = [
        {"plugin": f"path:{tmp_path / 'py'}", "isolate": True, **watched},
        {"host": {"command": [sys.executable, "host.py"], "protocol": "thp/1", "cwd": str(tmp_path / "any"), "id": "any"}, **watched},
        {"bash_tool": {"file": str(tmp_path / "sh" / "sh.sh")}, **watched},
    ]  # fmt: skip
    with no_leaks(), Callboard({"plugins": entries}) as board:
        events = Recorder(board.board)
        tools = [tool.tool_name for tool in board.tools()]
        before = [board.execute(call(tool))["result"] for tool in tools]
        save("new")
        events.wait("host_reloaded", 3)
        after = [board.execute(call(tool))["result"] for tool in tools]

    assert before[:2] == [["old", 1], "old"]
    assert after[:2] == [["new", 2], "new"]
    assert ("old" in str(before[2]), "new" in str(after[2])) == (True, True)
    assert {event.facts["why"] for event in events.of("host_reloading")} == {
        "said.py changed", "host.py changed", "sh.sh changed",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        ({"reload": {"refuse": ["gone"]}}, "it has to be a list of added, removed, changed"),
        ({"reload": {"wach": True}}, "did you mean 'watch'"),
        ({"reload": 3}, "it has to be"),
        ({"reload": True}, "Give it 'isolate' too"),
    ],
)
def test_a_wrong_option_is_told_before_anything_runs(options, problem):
    with Callboard() as board, pytest.raises((ConfigurationError, PluginLoadError), match=problem):
        board.load("callboard.demo.python_tools.Sums", **options)
