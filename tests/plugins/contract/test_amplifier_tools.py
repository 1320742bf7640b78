"""An Amplifier-style tool is a plugin by its shape."""

# ruff: noqa: A002 - the parameter's name is that contract's

from __future__ import annotations

import asyncio
import dataclasses

import pytest
from callboard.plugins import ContractError
from callboard.plugins.adapter.adapter import AmplifierTool, PluginAdapter, as_tool_plugin
from callboard.plugins.contract.call_modes import CallMode
from callboard.plugins.contract.invocation import Invocation


class ReadFileTool:
    """The specification's example, with a file system of one dictionary."""

    name = "read_file"
    description = "Read the contents of a file"
    input_schema = {  # noqa: RUF012 - as the specification writes it
        "type": "object",
        "properties": {"path": {"type": "string", "description": "File path"}},
        "required": ["path"],
    }

    def __init__(self, config):
        self.allowed_paths = config.get("allowed_paths", [])

    async def execute(self, input):
        path = input.get("path")
        if not self._is_allowed(path):
            return {"success": False, "error": "Path not allowed"}
        try:
            content = FILES[path]
        except Exception as e:
            return {"success": False, "error": str(e)}
        else:
            return {"success": True, "output": content}

    def _is_allowed(self, path):
        return path in self.allowed_paths


FILES = {"README.md": "# Callboard"}


@dataclasses.dataclass
class ToolResult:
    success: bool
    output: str | None = None
    error: str | None = None
    metadata: dict | None = None


def call(path):
    return Invocation("read_file", {"path": path}, "object")


def test_its_declaration_is_a_chat_function():
    adapter = PluginAdapter(ReadFileTool, config={"allowed_paths": ["README.md"]})

    assert adapter.name == "read_file"
    assert adapter.schemas(adapter.init({})) == [
        {
            "type": "function",
            "function": {
                "name": "read_file",
                "description": "Read the contents of a file",
                "parameters": ReadFileTool.input_schema,
            },
        }
    ]


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("README.md", {"success": True, "output": "# Callboard", "result": "# Callboard"}),
        ("missing", {"success": False, "error": "'missing'"}),
        ("/etc/passwd", {"success": False, "error": "Path not allowed"}),
    ],
)
def test_it_is_run_with_its_input_and_its_answer_is_a_result(path, expected):
    adapter = PluginAdapter(ReadFileTool, config={"allowed_paths": ["README.md", "missing"]})

    assert adapter.call_mode(stream=False) is CallMode.EXECUTE_ASYNC
    assert adapter.execute(call(path), {}) == (expected, True)
    assert asyncio.run(adapter.execute_async(call(path), {})) == (expected, True)


def test_what_the_model_sees_of_it_is_its_output():
    adapter = PluginAdapter(ReadFileTool, config={"allowed_paths": ["README.md"]})

    result = adapter.execute(call("README.md"), {}).result

    assert adapter.format_result(result, {}) == "# Callboard"


def test_a_result_object_is_a_result():
    class Tool:
        name = "t"

        async def execute(self, input):
            return ToolResult(True, "x", metadata={"ms": 3})

    result, valid = PluginAdapter(Tool).execute(Invocation("t", {}), {})

    assert valid
    assert result == {"success": True, "output": "x", "result": "x", "metadata": {"ms": 3}}


def test_a_tool_that_is_not_asynchronous_runs_as_it_is_written():
    class Tool:
        name = "t"

        def execute(self, input):
            return {"success": True, "output": input}

    adapter = PluginAdapter(Tool())

    assert adapter.call_mode(stream=True) is CallMode.EXECUTE
    assert adapter.execute(Invocation("t", {"a": 1}), {}).result["result"] == {"a": 1}


def test_it_takes_objects_only():
    adapter = PluginAdapter(ReadFileTool, config={})

    assert adapter.objects_only
    assert adapter.execute(Invocation("read_file", "raw", "text"), {}).result["code"] == "invalid_call"


def test_without_input_schema_or_description_it_takes_no_arguments():
    class Tool:
        name = "t"
        version = 3

        def execute(self, input):
            return input

    adapter = PluginAdapter(Tool)

    assert adapter.schemas({}) == [
        {"type": "function", "function": {"name": "t", "parameters": {"type": "object", "properties": {}}}}
    ]
    assert adapter.version == "3"


def test_it_goes_by_another_name_as_a_plugin_and_keeps_its_tools():
    adapter = PluginAdapter(ReadFileTool, name="files", config={})

    assert adapter.name == "files"
    assert adapter.schemas({})[0]["function"]["name"] == "read_file"


def test_what_runs_tools_by_the_contract_is_no_amplifier_tool():
    class Both:
        name = "both"

        def execute(self, input):
            raise AssertionError

        def execute_tool(self, tool_name, payload, state):
            return {"success": True}

    both = Both()

    assert as_tool_plugin(both) is both


def test_the_tool_stays_reachable():
    tool = ReadFileTool({})

    adapted = as_tool_plugin(tool)

    assert isinstance(adapted, AmplifierTool)
    assert adapted.tool is tool


@pytest.mark.parametrize("name", [None, "", 7])
def test_a_tool_without_a_name_is_refused(name):
    class Tool:
        def execute(self, input):
            raise AssertionError

    tool = Tool()
    tool.name = name

    with pytest.raises(ContractError, match=r"Tool has execute\(input\), but its name is"):
        as_tool_plugin(tool)


@pytest.mark.parametrize("thing", [object(), 7, None, {"name": "x"}, [], "read_file"])
def test_what_has_neither_shape_is_refused(thing):
    with pytest.raises(ContractError, match="is no tool plugin: it has none of execute_tool"):
        as_tool_plugin(thing)
