"""Several Node tools in one process: those of a package, those that say so, and a hundred of them."""

from __future__ import annotations

import json
import time

import pytest
from callboard import Callboard, PluginLoadError
from callboard.actors.registration_errors import HostNotRunning
from house_source import ROOT
from leaks import wait_until
from node_packages import tool, write
from tools import tool_call

COUNTING = """
export default {
  init: () => ({ count: 0 }),
  getToolSchemas: () => [{ type: 'function', function: { name: 'NAME', parameters: { type: 'object' } } }],
  async executeTool(name, args, state, emit) {
    state.count += 1;
    if (args.say) emit({ type: 'part', payload: args.say });
    if (args.exit) process.exit(args.exit);
    if (args.spin) for (;;);
    if (args.wait) await new Promise(() => {});
    return { success: true, result: { pid: process.pid, count: state.count } };
  },
};
"""


def package(folder, name, modules):
    """A package whose tools have the names of their modules."""
    entries = [{"id": each, "entry": f"{each}.mjs"} for each in modules]
    files = {f"{each}.mjs": text.replace("NAME", each) for each, text in modules.items()}
    write(folder / name, {"package.json": {"name": name, "agent": {"tools": entries}}, **files})
    return f"node:{folder / name}"


def test_a_tool_that_cannot_be_loaded_spares_the_others_of_its_package(tmp_path):
    package(tmp_path, "little", {"one": COUNTING, "gone": "", "typed": ""})
    manifest = json.loads((tmp_path / "little" / "package.json").read_text())
    manifest["agent"]["tools"][2]["entry"] = "typed.ts"
    write(tmp_path / "little", {"package.json": manifest, "typed.ts": "export default {,};"})
    (tmp_path / "little" / "gone.mjs").unlink()
    write(
        tmp_path / "py",
        {
            "agent_plugin.json": {"entries": ["cb_half_there.Tool", "cb_half_there.Gone"]},
            "cb_half_there.py": (
                "class Tool:\n"
                "    def get_tool_schemas(self, state):\n"
                "        return [{'type': 'function', 'function': {'name': 'half'}}]\n"
                "    def execute_tool(self, name, args, state): ...\n"
            ),
        },
    )
    sources = [f"node:{tmp_path / 'little'}", f"path:{tmp_path / 'py'}"]

    with Callboard({"plugins": sources, "plugin_cache_dir": str(tmp_path / "cache")}) as board:
        names = {tool.tool_name for tool in board.tools()}
        failed = [(each.source, each.error) for each in board.failed]
    for source in sources:
        with (
            Callboard({"plugin_cache_dir": str(tmp_path / "cache")}) as board,
            pytest.raises(PluginLoadError),
        ):
            board.load(source)

    assert names == {"one", "half"}
    assert [source for source, _ in failed] == [sources[0], sources[0], sources[1]]
    for (_, error), said in zip(failed, ("gone.mjs does not exist", "typed.ts", "no 'Gone'"), strict=True):
        assert said in error


def test_tools_of_a_package_live_in_one_host_and_only_their_process_is_shared(tmp_path):
    source = package(
        tmp_path, "little", {"one": COUNTING, "two": COUNTING, "bad": "throw new Error('no good');"}
    )
    with Callboard({"plugins": [source], "supervision": {"backoff": {"first": 0}}}) as board:
        results = [board.execute(tool_call(name))["result"] for name in ("one", "two", "one")]
        assert [result["count"] for result in results] == [1, 1, 2]
        assert len({result["pid"] for result in results}) == 1
        status = board.status()
        assert status["hosts"] == {"little": {"plugins": ["one", "two", "bad"]}}
        assert "loading it failed: Error: no good" in status["plugins"]["bad"]["problem"]
        assert not status["plugins"]["bad"]["available"]

        neighbour = board.submit(tool_call("two", wait=True))
        assert next(iter(board.submit(tool_call("one", say="hello")).chunks())) == {"part": "hello"}
        deadly = board.submit(tool_call("one", "deadly", exit=3))
        lost = neighbour.result(20)
        assert (deadly.result(20)["code"], lost["code"]) == ("host_crashed", "host_crashed")
        assert "deadly" in lost["crash_report"]["in_flight"]
        assert "exit code 3" in lost["error"]

        neighbour = board.submit(tool_call("two", wait=True))
        # After this the host runs, or the next would never be sent.
        assert board.execute(tool_call("one"))["result"]["count"] == 4
        assert board.execute(tool_call("one", "hung", spin=True), deadline=0.5)["code"] == "deadline_exceeded"
        assert "call hung of 'one' went on" in neighbour.result(20)["error"]

        after = [board.execute(tool_call(name))["result"] for name in ("one", "two")]
        assert [result["count"] for result in after] == [5, 2]  # the state of one is that of its last answer
        assert len({result["pid"] for result in [*after, *results]}) == 2
        assert board.restart("two") == ["one", "two", "bad"]


def test_a_tool_at_whose_import_the_process_ends_is_left_out_and_the_others_work(tmp_path):
    source = package(tmp_path, "little", {"first": COUNTING, "leaves": "process.exit(7);", "last": COUNTING})
    with Callboard({"plugins": [source], "supervision": {"backoff": {"min": 0.01}}}) as board:
        assert [tool.tool_name for tool in board.tools()] == ["first", "last"]
        assert board.execute(tool_call("last"))["success"]
        assert "the host ended as it came in: exit code 7" in board.status()["plugins"]["leaves"]["problem"]


def test_where_a_plugin_lives_is_for_its_entry_to_say(tmp_path):
    apart = package(tmp_path, "apart", {"a": COUNTING, "b": COUNTING})
    together = package(tmp_path, "together", {"c": COUNTING, "d": COUNTING})
    write(tmp_path, {"alone.mjs": COUNTING.replace("NAME", "alone")})
    file = {"node_tool": {"file": str(tmp_path / "alone.mjs"), "id": "alone"}}
    config = {
        "plugins": [
            {"plugin": apart, "share": False},
            {"plugin": together, "share": "club"},
            {**file, "share": "club"},
            {"plugin": f"node:{ROOT / 'examples' / 'js-multi-tools'}"},
            {**file, "name": "with_other_variables", "share": "club", "env": {"KEY": "1"}},
        ]
    }
    with Callboard(config) as board:
        assert board.status()["hosts"] == {
            "a": {"plugins": ["a"]},
            "b": {"plugins": ["b"]},
            "club": {"plugins": ["c", "d", "alone"]},
            "js-multi-tools": {"plugins": ["echo", "reverse", "count_words"]},
        }
        pids = {board.execute(tool_call(name))["result"]["pid"] for name in ("c", "d", "alone")}
        assert len(pids) == 1
        assert board.execute(tool_call("reverse", text="tide"))["result"] == {"text": "edit"}
        said = board.failed[0].error
        assert "'with_other_variables' and 'c' cannot share the host 'club'" in said
        assert "'env'" in said


def test_a_hundred_tools_come_up_in_one_process_and_each_answers(tmp_path):
    names = [f"tool_{number}" for number in range(100)]
    source = package(tmp_path, "many", {name: tool(name, f"'{name}'") for name in names})
    with Callboard() as board:
        begin = time.monotonic()
        tools = board.load(source)
        seconds = time.monotonic() - begin

        calls = [board.submit(tool_call(name)) for name in names]
        assert [call.result(20)["result"] for call in calls] == names
        assert len(tools) == 100
        assert len({plugin["host"]["pid"] for plugin in board.status()["plugins"].values()}) == 1
        assert seconds < 10  # however busy the machine is: one after the other would be a process each
        assert json.loads(json.dumps(board.status()))["hosts"]["many"]["plugins"] == names


def test_what_cannot_share_says_so(tmp_path):
    with Callboard() as board:
        with pytest.raises(Exception, match="has place for one plugin"):
            board.load({"host": {"command": ["cat"], "protocol": "thp/1"}}, share="club")
        assert board.status()["hosts"] == {}


def test_a_plugin_loaded_into_a_host_that_is_parked_is_told_so_and_comes_in_once_it_is_revived(tmp_path):
    for name in ("first", "second"):
        write(tmp_path, {f"{name}.mjs": COUNTING.replace("NAME", name)})
    first, second = ({"node_tool": {"file": str(tmp_path / f"{name}.mjs")}} for name in ("first", "second"))

    with Callboard() as board:
        board.load(first, share="club", restart={"intensity": 0})
        assert board.execute(tool_call("first", exit=7))["code"] == "host_crashed"
        wait_until(lambda: board.status()["plugins"]["first"]["host"]["state"] == "parked")

        with pytest.raises(HostNotRunning) as raised:
            board.load(second, share="club", restart={"intensity": 0})
        board.revive("club")
        board.load(second, share="club", restart={"intensity": 0})
        results = [board.execute(tool_call(name))["result"] for name in ("first", "second")]

    assert (raised.value.host, raised.value.state, raised.value.report["code"]) == ("club", "parked", 7)
    assert results[0]["pid"] == results[1]["pid"]


def test_a_plugin_loaded_into_a_host_that_never_started_is_told_why(tmp_path):
    for name in ("first", "second"):
        (tmp_path / f"{name}.mjs").write_text("export default {}")
    first, second = (
        {"node_tool": {"file": str(tmp_path / f"{name}.mjs"), "id": name}} for name in ("first", "second")
    )

    with (
        Callboard({"node": "/no/such/node", "plugins": [{**first, "share": "house"}]}) as board,
        pytest.raises(HostNotRunning, match="/no/such/node") as refused,
    ):
        board.load(second, share="house")

    assert (refused.value.host, refused.value.state) == ("house", "parked")
