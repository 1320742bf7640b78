"""What Amplifier itself checks of a tool module, and calls both ways with its own coordinator and models.

Run by test_amplifier_core.py in a process that has ``amplifier_core``; no test of this repository by itself.
"""

# ruff: noqa: A002 - the parameter's name is that contract's; the folder is no package

from __future__ import annotations

import pytest
from amplifier_core import HookResult, ToolResult
from amplifier_core.testing import MockCoordinator, MockTool
from amplifier_core.validation import ToolValidator
from amplifier_core.validation.behavioral import ToolBehaviorTests
from amplifier_core.validation.structural import ToolStructuralTests
from callboard import Callboard
from callboard.amplifier import BoardTool, mount


class TestBehaviour(ToolBehaviorTests):
    pass


class TestStructure(ToolStructuralTests):
    pass


def call(name, **arguments):
    return {"id": "c1", "name": name, "arguments": arguments}


class Words:
    name = "words"

    def get_tool_schemas(self, state):
        described = {"name": "words", "description": "Counts words.", "parameters": {"type": "object"}}
        return [{"type": "function", "function": described}]

    def execute_tool(self, tool_name, arguments, state):
        if arguments.get("leave"):
            raise SystemExit(3)
        return {"success": True, "result": {"count": len(arguments["text"].split())}}


@pytest.fixture
def board():
    with Callboard() as board:
        board.register(Words())
        yield board


@pytest.mark.asyncio
async def test_the_validator_finds_nothing_not_even_to_warn_of(board):
    found = await ToolValidator().validate("callboard.amplifier", config={"board": board})

    assert found.passed
    assert found.warnings == []
    assert {check.name for check in found.checks} >= {
        "mount_signature",
        "protocol_compliance",
        "tool_execute",
    }


@pytest.mark.asyncio
async def test_a_board_in_a_real_coordinator_heeds_its_hooks(board):
    coordinator, seen = MockCoordinator(), []
    cleanup = await mount(coordinator, {"board": board})
    tool = coordinator.get("tools", "words")

    async def watch(event, data):
        seen.append((event, data))
        return HookResult(action="continue")

    async def shorten(event, data):
        data["tool_input"]["text"] = "one two"
        return HookResult(action="modify", data=data)

    async def review(event, data):
        data["tool_result"]["output"]["seen"] = True
        return HookResult(action="modify", data=data)

    async def deny(event, data):
        return HookResult(action="deny", reason="not today")

    for event in ("tool:pre", "tool:post", "tool:error"):
        coordinator.hooks.register(event, watch, priority=99, name=f"watch {event}")
    unregister = [
        coordinator.hooks.register("tool:pre", shorten, priority=1, name="shorten"),
        coordinator.hooks.register("tool:post", review, priority=1, name="review"),
    ]
    changed = await tool.execute({"text": "a b c", "_tool_call_id": "c7"})
    for each in unregister:
        each()
    left = await tool.execute({"leave": True})
    coordinator.hooks.register("tool:pre", deny, priority=1, name="deny")
    denied = await tool.execute({"text": "a"})
    await cleanup()

    assert isinstance(changed, ToolResult)
    assert changed.success
    assert changed.output == {"count": 2, "seen": True}
    assert [event for event, _ in seen] == ["tool:pre", "tool:post", "tool:pre", "tool:error", "tool:error"]
    assert seen[0][1]["tool_call_id"] == "c7"
    assert seen[1][1]["tool_result"]["success"]
    assert (left.success, left.error["code"], left.error["outcome"]) == (
        False,
        "tool_raised",
        "outcome_unknown",
    )
    assert (denied.success, denied.error["code"]) == (False, "denied")
    assert "not today" in denied.get_serialized_output()
    assert coordinator.get("tools") == {}


class Approval:
    def __init__(self, answer):
        self.answer = answer
        self.asked = []

    async def request_approval(self, prompt, options, timeout, default):  # noqa: ASYNC109 - that contract's
        self.asked.append((prompt, options, timeout, default))
        return self.answer


@pytest.mark.asyncio
@pytest.mark.parametrize(("answer", "success"), [("Allow", True), ("Deny", False)])
async def test_a_real_coordinator_asks_its_own_user(board, answer, success):
    approval, coordinator = Approval(answer), MockCoordinator()
    coordinator.approval_system = approval

    async def ask(event, data):
        return HookResult(action="ask_user", approval_prompt="May it?", approval_options=["Allow", "Deny"])

    coordinator.hooks.register("tool:pre", ask, name="ask")
    result = await BoardTool(board, "words", coordinator=coordinator).execute({"text": "a b"})

    assert result.success is success
    assert approval.asked[0][0] == "May it?"


@pytest.mark.asyncio
async def test_a_coordinator_with_an_orchestrator_tells_its_hooks_itself(board):
    coordinator, seen = MockCoordinator(), []

    async def watch(event, data):
        seen.append(event)
        return HookResult()

    coordinator.hooks.register("tool:pre", watch, name="watch")
    await coordinator.mount("orchestrator", object())
    result = await BoardTool(board, "words", coordinator=coordinator).execute({"text": "a"})

    assert result.success
    assert seen == []


class Read:
    name = "read"
    description = "Reads."
    input_schema = {"type": "object", "properties": {"path": {"type": "string"}}}  # noqa: RUF012 - as its authors write it

    async def execute(self, input):
        if "path" not in input:
            return ToolResult(success=False, error={"message": "no path", "type": "missing"})
        return ToolResult(success=True, output={"read": input["path"]})


def test_its_tools_models_and_hook_results_work_on_a_board():
    async def guard(event, data):
        if data["tool_input"].get("path") == "/etc/passwd":
            return HookResult(action="deny", reason="not that")
        if data["tool_name"] == "echo":
            return HookResult(action="inject_context", context_injection="echoed", user_message="told")
        return HookResult()

    async def mount_all(coordinator, config):
        for tool in (Read(), MockTool("echo", "Echo response")):
            await coordinator.mount("tools", tool, name=tool.name)
        return coordinator.hooks.register("tool:pre", guard, priority=10, name="guard")

    with Callboard() as board:
        mounted = board.mount(mount_all)
        read, missing = board.execute(call("read", path="a")), board.execute(call("read"))
        denied = board.execute(call("read", path="/etc/passwd"))
        echo = board.submit(call("echo"))
        echoed, notes = echo.result(), echo.notes
        mounted.close()

    assert read == {"success": True, "output": {"read": "a"}, "result": {"read": "a"}}
    assert (missing["error"], missing["error_details"]["type"]) == ("no path", "missing")
    assert (denied["code"], denied["hook"], denied["reason"]) == ("denied", "guard", "not that")
    assert echoed["result"] == "Echo response"
    assert notes[0]["context_injection"] == "echoed"
    assert notes[0]["user_message"] == "told"
