"""The front door, as a user opens it."""

from __future__ import annotations

import asyncio
import json
import threading

import pykka
import pytest
from callboard import (
    Callboard,
    ConfigurationError,
    Dispatch,
    NodeToolPlugin,
    NotStarted,
    PluginError,
    PluginLoadError,
)
from programs import ROOT
from tools import schema, tool_call

EXAMPLES = ROOT / "examples"
PATIENCE = 30.0


class Adder:
    name = "adder"

    def get_tool_schemas(self, state):
        return [schema("add")]

    def stream_tool(self, tool_name, payload, state):
        yield {"part": "adding"}
        yield {"success": True, "result": payload["a"] + payload["b"]}


def test_python_and_node_tools_stand_on_one_board():
    with Callboard() as board:
        board.register(Adder)
        board.load(f"node:{EXAMPLES / 'js-echo-tool'}")

        names = [tool.tool_name for tool in board.tools()]
        added = board.execute(tool_call("add", a=1, b=2))
        echoed = board.execute(tool_call("echo", value="hello"))

    assert names == ["add", "echo"]
    assert added == {"success": True, "result": 3}
    assert echoed["result"]["value"] == "hello"


def test_a_stream_yields_parts_and_last_the_result():
    with Callboard() as board:
        board.register(Adder)

        chunks = list(board.stream(tool_call("add", a=1, b=2)))

    assert chunks == [{"part": "adding"}, {"success": True, "result": 3}]


def test_everything_works_in_an_event_loop_that_goes_on():
    async def main():
        with Callboard() as board:
            board.register(Adder)
            board.load(f"node:{EXAMPLES / 'js-echo-tool'}")
            calls = [board.submit(tool_call("echo", value=str(n))) for n in range(50)]
            ticks = 0
            gathered = asyncio.gather(*(_await(call) for call in calls))
            while not gathered.done():
                ticks += 1
                await asyncio.sleep(0)
            chunks = [chunk async for chunk in board.stream_async(tool_call("add", a=1, b=2))]
            executed = await board.execute_async(tool_call("add", a=2, b=2))
            return [result["result"]["value"] for result in await gathered], ticks, chunks, executed

    values, ticks, chunks, executed = asyncio.run(main())

    assert values == [str(n) for n in range(50)]
    assert ticks > 10
    assert chunks[-1]["result"] == 3
    assert executed["result"] == 4


async def _await(call):
    return await call


def test_another_actor_asks_the_router_and_is_told_of_events():
    class Embedder(pykka.ThreadingActor):
        use_daemon_thread = True

        def __init__(self, router):
            super().__init__()
            self.router = router
            self.kinds = []

        def on_receive(self, message):
            if message == "run":
                return self.router.ask(Dispatch(tool_call("add", a=20, b=22)), timeout=PATIENCE).result(
                    PATIENCE
                )
            if message == "kinds":
                return self.kinds
            self.kinds.append(message.kind)
            return None

    with Callboard() as board:
        embedder = Embedder.start(board.router)
        board.subscribe(embedder)
        board.register(Adder)
        result = embedder.ask("run", timeout=PATIENCE)
    kinds = embedder.ask("kinds", timeout=PATIENCE)
    embedder.stop()

    assert result == {"success": True, "result": 42}
    assert kinds == ["plugin_registered", "call_submitted", "call_started", "call_ended"]


def test_a_configuration_is_loaded_and_a_bad_plugin_leaves_the_others_alone(tmp_path):
    file = tmp_path / "agent.json"
    (tmp_path / "bad.mjs").write_text("export default {")
    file.write_text(
        json.dumps(
            {
                "plugins": [
                    "node:./nowhere",
                    {"node_tool": {"file": "bad.mjs", "id": "bad"}},
                    {"node_tool": {"path": str(EXAMPLES / "js-multi-tools")}, "deadline": 5},
                    "no.such.module.Tool",
                ]
            }
        )
    )

    with Callboard(file) as board:
        status = board.status()
        refused = board.execute(tool_call("nowhere"))
        tools = {tool.tool_name for tool in board.tools()}
        result = board.execute(tool_call("reverse", text="abc")) if "reverse" in tools else None

    sources = [failed["source"] for failed in status["failed"]]
    assert sources == ["node:./nowhere", "no.such.module.Tool", "bad.mjs"]
    assert status["plugins"]["bad"]["host"]["state"] == "parked"
    assert refused["code"] == "unknown_tool"
    assert "'bad' (" in refused["error"]
    assert result is not None
    assert result["success"]


def test_a_required_plugin_that_cannot_be_loaded_stops_the_start(tmp_path):
    config = {"plugins": [{"node_tool": {"path": str(tmp_path)}, "required": True}]}
    board = Callboard(config)

    with pytest.raises(PluginLoadError, match=r"package\.json"):
        board.start()

    assert board.status()["running"] is False


def test_options_are_checked_by_name():
    with Callboard() as board:
        with pytest.raises(PluginError, match=r"unknown option 'concurency'.*did you mean 'concurrency'"):
            board.register(Adder, concurency=2)
        with pytest.raises(PluginError, match="'deadline'"):
            board.register(Adder, deadline=-1)
        with pytest.raises(ConfigurationError, match="'share' is for plugins that run in a host"):
            board.register(Adder, share=True)
        with pytest.raises(ConfigurationError, match="'standby' is for plugins that run in a host"):
            board.register(Adder, standby=1)
        with pytest.raises(ConfigurationError, match="'start_deadline' is for plugins that run in a host"):
            board.register(Adder, start_deadline=3)
        board.register(Adder, deadline=1.0, concurrency=2)


def test_a_board_that_does_not_run_says_so():
    board = Callboard()

    with pytest.raises(NotStarted, match="context manager"):
        board.submit(tool_call("add"))

    assert board.status() == {
        "running": False,
        "plugins": {},
        "failed": [],
        "providers": [],
        "idle_rules": [],
    }
    board.stop()


def test_a_board_has_a_status_at_each_moment_of_its_starts_and_stops():
    board, over, raised = Callboard(), threading.Event(), []

    def look():
        while not over.is_set():
            try:
                board.status()
            except Exception as error:
                raised.append(error)

    looking = threading.Thread(target=look)
    looking.start()
    for _ in range(50):
        with board:
            pass
    over.set()
    looking.join()

    assert raised == []


def test_a_board_can_be_started_again_after_it_was_stopped():
    board = Callboard({"plugins": [f"node:{EXAMPLES / 'js-echo-tool'}"]})
    for _ in range(2):
        with board:
            assert board.execute(tool_call("echo", value="x"))["success"]


def test_schemas_come_in_the_format_that_is_asked_for():
    with Callboard() as board:
        board.register(Adder)

        as_written = board.schemas()
        converted = board.schemas(["openai.responses.function"])

    assert as_written == [schema("add")]
    assert converted[0]["type"] == "function"
    assert converted[0]["name"] == "add"


def test_two_boards_do_not_know_of_each_other():
    with Callboard() as one, Callboard() as two:
        one.register(Adder)
        assert two.execute(tool_call("add", a=1, b=1))["code"] == "unknown_tool"
        two.register(Adder)
        one.stop()
        assert two.execute(tool_call("add", a=1, b=1))["result"] == 2


def test_the_status_is_json():
    with Callboard() as board:
        board.register(Adder)
        board.load(f"node:{EXAMPLES / 'js-echo-tool'}")

        text = json.dumps(board.status())

    assert '"state": "ready"' in text


def test_tools_are_listed_in_the_order_of_their_plugins_whichever_host_is_up_first(tmp_path):
    slow = tmp_path / "slow.mjs"
    slow.write_text(
        "const schema = { type: 'function', function: { name: 'slow', parameters: {} } };\n"
        "await new Promise((resolve) => setTimeout(resolve, 300));\n"
        "export default { init: () => ({}), getToolSchemas: () => [schema], executeTool: () => ({ success: true }) };\n"
    )
    plugins = [{"node_tool": {"file": str(slow), "id": "slow"}}, f"node:{EXAMPLES / 'js-echo-tool'}"]

    with Callboard({"plugins": plugins}) as board:
        names = [tool.tool_name for tool in board.tools()]

    assert names == ["slow", "echo"]


class Patcher:
    name = "patcher"

    def get_tool_schemas(self, state):
        return [
            {
                "type": "custom",
                "name": "apply_patch",
                "description": "Apply a patch.",
                "format": {"type": "text"},
            }
        ]

    def execute_tool(self, tool_name, payload, state, *, payload_kind=None):
        return {"success": True, "result": [payload_kind, payload]}


def test_a_freeform_tool_that_was_offered_as_a_function_gets_its_raw_text():
    with Callboard() as board:
        board.register(Adder)
        board.register(Patcher)
        (offered,) = board.schemas(["openai.chat_completions.function"])[1:]

        result = board.execute(tool_call("apply_patch", input="*** Begin Patch"))

    assert offered["function"]["parameters"]["required"] == ["input"]
    assert result["result"] == ["text", "*** Begin Patch"]


def test_a_hosted_plugin_can_be_registered_as_it_is():
    plugin = NodeToolPlugin("mine", EXAMPLES / "js-echo-tool" / "src" / "index.js", export="echoTool")

    with Callboard() as board:
        tools = board.register(plugin, concurrency=2)

        assert [tool.tool_name for tool in tools] == ["echo"]
        assert board.execute(tool_call("echo", value="x"))["success"]


class Taken:
    name = "taken"

    def get_tool_schemas(self, state):
        return [schema("two")]

    def execute_tool(self, tool_name, payload, state):
        return {"success": True}


def test_of_a_package_all_plugins_are_loaded_or_none(tmp_path):
    tools = [{"id": f"plugin-{name}", "entry": f"./{name}.mjs"} for name in ("one", "two")]
    (tmp_path / "package.json").write_text(json.dumps({"name": "both", "agent": {"tools": tools}}))
    for name in ("one", "two"):
        (tmp_path / f"{name}.mjs").write_text(
            f"export default {{ init: () => ({{}}), getToolSchemas: () => [{json.dumps(schema(name))}], "
            "executeTool: async () => ({ success: true }) };"
        )
    with Callboard() as board:
        board.register(Taken)

        with pytest.raises(PluginError, match="two"):
            board.load(f"node:{tmp_path}")
        left = [tool.tool_name for tool in board.tools()]
        board.remove("taken")
        loaded = [tool.tool_name for tool in board.load(f"node:{tmp_path}")]

    assert left == ["two"]
    assert loaded == ["one", "two"]


def test_a_subscriber_may_be_told_of_some_kinds_alone_from_the_first_plugin_on():
    heard = []
    with Callboard(subscribers=[(heard.append, ["plugin_registered"])]) as board:
        board.register(Adder)
        board.execute(tool_call("add", a=1, b=2))

    assert [event.kind for event in heard] == ["plugin_registered"]
