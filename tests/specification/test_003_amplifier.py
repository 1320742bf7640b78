"""The page on Amplifier's tool contract: a tool that is written from it, with a core and a shipped provider."""

# ruff: noqa: A002 - the parameter's name is the contract's

from __future__ import annotations

import threading
from typing import Any, Protocol, runtime_checkable

import pytest
from callboard import AgentCore, Callboard
from callboard.amplifier import BoardTool
from callboard.authoring.replay_server import ReplayServer
from providers import STACKS
from toolbox import asked
from tools import tool_call


@runtime_checkable
class Tool(Protocol):
    @property
    def name(self) -> str:
        """Unique tool identifier."""
        ...

    @property
    def description(self) -> str:
        """Human-readable description for LLM."""
        ...

    async def execute(self, input: dict[str, Any]) -> Any:
        """Execute the tool."""
        ...


class ToolResult:
    """As the page has it: a class with four attributes, and nothing of a mapping."""

    def __init__(self, success, output=None, error=None, metadata=None):
        self.success = success
        self.output = output
        self.error = error
        self.metadata = metadata


class ReadFileTool:
    name = "read_file"
    description = "Read the contents of a file"
    input_schema = {  # noqa: RUF012 - as the page writes it
        "type": "object",
        "properties": {
            "path": {"type": "string", "description": "File path to read"},
            "encoding": {"type": "string", "description": "File encoding", "default": "utf-8"},
        },
        "required": ["path"],
    }

    async def execute(self, input):
        if input["path"] == "nowhere":
            return ToolResult(False, error="Path not allowed")
        return ToolResult(True, f"read as {input.get('encoding')}", metadata={"ms": 3})


class Undeclared:
    name = "undeclared"
    description = "Without input_schema, which is no part of the protocol"

    async def execute(self, input):
        return {"success": True, "output": sorted(input)}


@pytest.fixture
def core():
    with AgentCore() as core:
        yield core


def test_the_protocol_is_the_pages_and_tools_of_a_board_have_its_shape_too():
    with Callboard() as board:
        board.register(ReadFileTool())

        assert isinstance(ReadFileTool(), Tool)
        assert isinstance(BoardTool(board, "read_file"), Tool)


@pytest.mark.parametrize("stack", STACKS)
def test_a_model_is_told_the_name_the_description_and_the_input_schema(core, stack):
    provider, extensions = STACKS[stack]
    with ReplayServer([{"steps": [{"text": "well"}]}]) as server:
        core.register_tool(ReadFileTool())
        core.register_provider(provider, {"model": "m", "base_url": server.url})
        for extension in extensions:
            core.register_provider_extension(extension)
        list(core.run(asked(core), {}))

    (sent,) = server.requests[0].body["tools"]
    told = sent.get("function", sent)
    parameters = told.get("parameters") or told.get("input_schema")
    assert (told["name"], told["description"]) == ("read_file", "Read the contents of a file")
    assert parameters["properties"] == ReadFileTool.input_schema["properties"]
    assert parameters["required"] == ["path"]


def test_a_tool_result_has_success_output_error_and_metadata(core):
    core.register_tool(ReadFileTool())

    read, refused = core.execute_tool_calls(
        [tool_call("read_file", path="a", encoding="latin-1"), tool_call("read_file", path="nowhere")], {}
    )
    result = core.board.submit(tool_call("read_file", path="a")).result(30.0)

    assert read["content"] == "read as latin-1"
    assert "Path not allowed" in refused["content"]
    assert "failure" not in refused["metadata"]
    assert (result["success"], result["output"], result["metadata"]) == (True, "read as None", {"ms": 3})


def test_a_tool_without_an_input_schema_is_offered_and_called(core):
    core.register_tool(Undeclared())

    (message,) = core.execute_tool_calls([tool_call("undeclared")], {})

    assert message["content"] == "[]"
    assert [tool.tool_name for tool in core.board.tools()] == ["undeclared"]


class ExecutionFails:
    name = "fails"
    description = "Raises."

    async def execute(self, input):
        raise OSError("no disk")


def test_tools_are_wrapped_with_events_before_after_and_on_failure():
    told: list[tuple[str, dict[str, Any]]] = []
    failed = threading.Event()

    async def keep(event, data):
        told.append((event, dict(data)))
        if event == "tool:error":
            failed.set()

    async def mount(coordinator, config=None):
        for event in ("tool:pre", "tool:post", "tool:error"):
            coordinator.hooks.register(event, keep)
        await coordinator.mount("tools", ReadFileTool(), name="read_file")
        await coordinator.mount("tools", ExecutionFails(), name="fails")

    with Callboard() as board:
        board.mount(mount)
        board.execute(tool_call("read_file", path="a"))
        board.execute(tool_call("read_file", path="nowhere"))
        board.execute(tool_call("fails"))
        assert failed.wait(20.0)

    events = [(event, data["tool_name"]) for event, data in told]
    assert events == [
        ("tool:pre", "read_file"),
        ("tool:post", "read_file"),
        ("tool:pre", "read_file"),
        ("tool:post", "read_file"),  # a failure that the tool answers with is its result
        ("tool:pre", "fails"),
        ("tool:post", "fails"),  # what a tool says as it fails is reviewed too
        ("tool:error", "fails"),
    ]
    assert told[0][1]["input"] == {"path": "a"}
    assert told[1][1]["result"]["output"] == "read as None"
    assert (told[3][1]["success"], told[3][1]["result"]["error"]) == (False, "Path not allowed")
    assert told[6][1]["error"]["message"] == "OSError: no disk"
