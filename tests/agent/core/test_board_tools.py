"""Tools of a board in the shape of Amplifier's, in a coordinator as its contract is written."""

from __future__ import annotations

import asyncio
import inspect
import threading
from types import SimpleNamespace
from typing import Any

import pytest
from callboard import Callboard
from callboard.amplifier import BoardTool, BoardToolsError, ToolResult, mount
from tools import Tool, schema, tool_call

PATIENCE = 20.0


class Hooks:
    """Keeps what is emitted, and answers what it is told to."""

    def __init__(self, **answers: Any) -> None:
        self.emitted: list[tuple[str, dict[str, Any]]] = []
        self._answers = answers

    async def emit(self, event: str, data: dict[str, Any]) -> Any:
        self.emitted.append((event, data))
        answer = self._answers.get(event.replace(":", "_"), {"action": "continue"})
        if isinstance(answer, Exception):
            raise answer
        return answer(data) if callable(answer) else answer


class Coordinator:
    """The specification's: `mount`, `unmount`, `get`; hooks and a session if it is given them."""

    session_id = "s1"
    parent_id = None

    def __init__(self, hooks: Any = None, orchestrator: Any = None) -> None:
        self.tools: dict[str, Any] = {}
        self.hooks = hooks
        self._orchestrator = orchestrator

    async def mount(self, mount_point: str, module: Any, name: str | None = None) -> None:
        assert mount_point == "tools"
        self.tools[name or module.name] = module

    async def unmount(self, mount_point: str, name: str | None = None) -> None:
        del self.tools[name]

    def get(self, mount_point: str, name: str | None = None) -> Any:
        return self._orchestrator

    async def process_hook_result(self, result: Any, event: str, hook_name: str) -> Any:
        return (
            {"action": "continue"}
            if result["approval_prompt"] == "yes?"
            else {"action": "deny", "reason": "no"}
        )


class Echo(Tool):
    def get_tool_schemas(self, state):
        described = schema("echo", {"type": "object", "properties": {"x": {"type": "integer"}}})
        described["function"]["description"] = "Says it again."
        freeform = {"type": "custom", "name": "shout", "description": "Shouts.", "format": {"type": "text"}}
        return [described, schema("fail"), freeform, schema("leave")]

    def execute_tool(self, tool_name, payload, state, *, context=None):
        if tool_name == "fail":
            return {"success": False, "error": {"message": "no luck", "hint": 1}, "output": "tried"}
        if tool_name == "leave":
            raise SystemExit(3)
        if tool_name == "shout":
            return {"success": True, "result": payload.upper()}
        session = {name: context[name] for name in ("session_id",) if name in (context or {})}
        return {"success": True, "result": payload | session}


@pytest.fixture(scope="module")
def board():
    with Callboard() as board:
        board.register(Echo(lambda _a, _s: None, "echo"))
        yield board


def execute(tool: BoardTool, **arguments: Any) -> Any:
    return asyncio.run(tool.execute(arguments))


def test_a_tool_of_a_board_has_the_shape_of_the_contract(board):
    tools = {name: BoardTool(board, name) for name in ("echo", "fail", "shout")}

    assert tools["echo"].name == "echo"
    assert tools["echo"].description == "Says it again."
    assert tools["echo"].input_schema == {"type": "object", "properties": {"x": {"type": "integer"}}}
    assert tools["fail"].description == "The tool fail."
    assert tools["shout"].input_schema["required"] == ["input"]
    assert inspect.iscoroutinefunction(tools["echo"].execute)
    with pytest.raises(KeyError):
        BoardTool(board, "none")


@pytest.mark.parametrize(
    ("name", "arguments", "newest", "seed"),
    [
        ("echo", {"x": 1}, (True, {"x": 1}, None), (True, '{"x":1}', None)),
        ("shout", {"input": "hey"}, (True, "HEY", None), (True, "HEY", None)),
        (
            "fail",
            {},
            (False, "Error: no luck\ntried", {"type": "error", "message": "no luck", "msg": "no luck"}),
            (False, "tried", "no luck"),
        ),
    ],
)
def test_results_come_in_the_newest_form_and_in_the_seeds(board, name, arguments, newest, seed):
    new = execute(BoardTool(board, name), _tool_call_id="c1", **arguments)
    old = execute(BoardTool(board, name, form="seed"), **arguments)

    assert isinstance(new, ToolResult)
    error = None if new.error is None else {key: new.error[key] for key in ("type", "message", "msg")}
    assert (new.success, new.output, error) == newest
    assert (old.success, old.output, old.error) == seed
    assert new.tool_call_id == "c1"
    assert new.is_error is not new.success
    assert new.model_dump()["success"] is new.success
    assert isinstance(str(new), str)


def test_what_callboard_reports_of_a_failure_is_in_the_metadata(board):
    left, misfit = execute(BoardTool(board, "leave")), execute(BoardTool(board, "echo"), x="text")

    assert (left.success, left.metadata["code"], left.metadata["outcome"]) == (
        False,
        "tool_raised",
        "outcome_unknown",
    )
    assert misfit.metadata["code"] == misfit.error["code"] == "invalid_call"
    assert "Error:" in misfit.get_serialized_output()


def test_cancelling_the_one_who_waits_cancels_the_call():
    running, gone = threading.Event(), threading.Event()

    class Slow(Tool):
        async def execute_tool(self, tool_name, arguments, state):
            running.set()
            try:
                await asyncio.sleep(PATIENCE)
            finally:
                gone.set()

    async def cancel(board: Callboard) -> None:
        task = asyncio.create_task(BoardTool(board, "slow").execute({}))
        assert await asyncio.to_thread(running.wait, PATIENCE)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    with Callboard() as board:
        board.register(Slow(lambda _a, _s: None, "slow"))
        asyncio.run(cancel(board))
        assert gone.wait(PATIENCE)


def through(
    board: Callboard, hooks: Hooks, name: str = "echo", orchestrator: Any = None, **arguments: Any
) -> Any:
    return execute(BoardTool(board, name, coordinator=Coordinator(hooks, orchestrator)), **arguments)


def test_a_coordinators_hooks_are_told_of_each_call_and_of_one_terminal_event(board):
    good, bad, left = Hooks(), Hooks(tool_pre={"action": "deny", "reason": "no"}), Hooks()
    answers = [
        through(board, good, x=1, _tool_call_id="c"),
        through(board, bad, x=1),
        through(board, left, "leave"),
        through(board, silent := Hooks(), orchestrator=object(), x=1),
    ]

    assert [answer.success for answer in answers] == [True, False, False, True]
    told = [[event for event, _ in hooks.emitted] for hooks in (good, bad, left, silent)]
    assert told == [["tool:pre", "tool:post"], ["tool:pre", "tool:error"], ["tool:pre", "tool:error"], []]
    before, after = good.emitted[0][1], good.emitted[1][1]
    assert before == {
        "tool_name": "echo", "tool_call_id": "c", "session_id": "s1", "tool_input": {"x": 1}, "input": {"x": 1},
    }  # fmt: skip
    assert after["result"] == after["tool_result"]
    assert after["result"]["output"] == {"x": 1, "session_id": "s1"}
    assert (after["success"], after["attempt"], after["plugin"]) == (True, 1, "echo")
    assert left.emitted[1][1]["error"]["type"] == "SystemExit"
    assert bad.emitted[1][1]["code"] == answers[1].metadata["code"] == "denied"


@pytest.mark.parametrize(
    ("answers", "success", "said"),
    [
        (
            {"tool_pre": lambda data: {"action": "modify", "data": {**data, "tool_input": {"x": 2}}}},
            True,
            "'x': 2",
        ),
        ({"tool_post": {"action": "modify", "data": {"result": {"success": True, "result": 7}}}}, True, "7"),
        ({"tool_post": {"action": "deny", "reason": "secret"}}, False, "withheld: secret"),
        ({"tool_pre": {"action": "ask_user", "approval_prompt": "yes?"}}, True, "'x': 1"),
        ({"tool_pre": {"action": "ask_user", "approval_prompt": "no?"}}, False, "denied: no"),
        ({"tool_pre": OSError("no disk")}, False, "telling the hooks raised OSError: no disk"),
        ({"tool_pre": "nonsense"}, False, "no 'action'"),
        ({"tool_post": {"action": "modify", "data": {"tool_name": "x"}}}, False, "no hook can change"),
    ],
)
def test_a_coordinators_hooks_are_heeded_and_fail_closed(board, answers, success, said):
    answer = through(board, Hooks(**answers), x=1)

    assert answer.success is success
    assert said in str(answer.output)


def test_mounting_a_board_mounts_its_tools_until_the_cleanup(board, tmp_path):
    async def session(config: dict[str, Any]) -> tuple[list[str], list[str]]:
        coordinator = Coordinator()
        cleanup = await mount(coordinator, config)
        there = list(coordinator.tools)
        await cleanup()
        return there, list(coordinator.tools)

    running = asyncio.run(session({"board": board, "tools": ["e*", "shout"]}))
    own = asyncio.run(session({"config": {}}))

    assert running == (["echo", "shout"], [])
    assert own == ([], [])
    assert board.execute(tool_call("echo", x=1))["success"], "a board that was lent goes on"


@pytest.mark.parametrize(
    ("config", "complaint"),
    [
        (None, "either 'board', which runs, or 'config'"),
        ({"board": SimpleNamespace(), "config": {}}, "either"),
        ({"boards": 1}, "unknown key 'boards'"),
        ({"config": {}, "tools": ["x*"]}, r"no tool fits \['x\*'\]; there are: none"),
    ],
)
def test_what_cannot_be_mounted_says_so(config, complaint):
    with pytest.raises(BoardToolsError, match=complaint):
        asyncio.run(mount(Coordinator(), config))
