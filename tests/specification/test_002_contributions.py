"""Contributions of a configuration: tried before those of providers, extensions, tools, and what is built in."""

from __future__ import annotations

import sys

import pytest
from callboard import AgentCore, Callboard, ConfigurationError, read_configuration
from callboard.tool_interop import ToolInteropContribution
from node_packages import write
from tools import tool_call

FORMATS = """
import threading
from callboard.tool_interop import ToolInteropContribution
from callboard.interop.hub import InspectedCall, InspectedSchema


class Calls:
    format = "mine.call"
    def __init__(self, prefix): self.prefix = prefix
    def matches(self, value): return isinstance(value, dict) and "run" in value
    def inspect(self, value):
        name = self.prefix + value["run"]
        return InspectedCall(self.format, "1", name, None, {}, "object", "json", {}, "{}")
    def sanitize(self, value): return value


class Schemas:
    format = "mine.schema"
    def __init__(self, prefix): self.prefix = prefix
    def matches(self, value): return isinstance(value, dict) and "offer" in value
    def inspect(self, value):
        return InspectedSchema(format=self.format, name=self.prefix + value["offer"], kind="object")


def made(prefix=""):
    return ToolInteropContribution(call_accessors=(Calls(prefix),), schema_accessors=(Schemas(prefix),))


contribution = made("configured_")
second = made("second_")

def makes(): return contribution

class Makes:
    def __new__(cls): return contribution

number = 5
def raises(): raise OSError("not today")
def gives_a_number(): return 5
def hangs(): threading.Event().wait()
bad = ToolInteropContribution(call_accessors=(object(),))


class Tool:
    name = "offers"
    def get_tool_interop_contribution(self, state): return made("own_")
    def get_tool_schemas(self, state): return [{"offer": "it"}]
    def execute_tool(self, tool_name, payload, state): return {"success": True, "result": tool_name}
"""


@pytest.fixture
def formats(tmp_path, monkeypatch):
    """The name of a module of formats that was never imported."""
    name = "formats_of_tests"
    write(tmp_path, {f"{name}.py": FORMATS})
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setitem(sys.modules, name, None)
    monkeypatch.delitem(sys.modules, name)
    return name


@pytest.mark.parametrize("given", ["contribution", "makes", "Makes"])
def test_a_contribution_of_the_configuration_is_tried_before_that_of_a_tool(formats, given):
    config = {"interop": [f"{formats}.{given}"], "plugins": [f"{formats}.Tool"]}

    with Callboard(config) as board:
        assert board.failed == []
        assert [tool.tool_name for tool in board.tools()] == ["configured_it"]
        assert board.execute({"run": "it"})["result"] == "configured_it"


def test_without_it_the_tools_own_is_tried(formats):
    with Callboard({"plugins": [f"{formats}.Tool"]}) as board:
        assert [tool.tool_name for tool in board.tools()] == ["own_it"]


def test_they_are_tried_in_their_order_behind_those_that_a_program_gives(formats):
    config = {"interop": [f"{formats}.contribution", f"{formats}.second"], "plugins": [f"{formats}.Tool"]}
    with Callboard(config) as board:
        of_configuration = board.registry.inspect_call({"run": "it"}).tool_name
        second = sys.modules[formats].second

    with Callboard(config, contributions=[second]) as board:
        of_program = board.registry.inspect_call({"run": "it"}).tool_name

    assert (of_configuration, of_program) == ("configured_it", "second_it")


def test_it_is_tried_before_that_of_a_provider(formats):
    class Provider:
        name = "provider"

        def get_tool_interop_contribution(self, state):
            return sys.modules[formats].made("of_provider_")

        def initialize_request(self, native_messages, state, *, context):
            read = context["tool_interop"]["registry"].inspect_call({"run": "it"})
            return native_messages, {**state, "read": read.tool_name}

        def send_request_stream(self, native_messages, state):
            yield {"type": "text", "text": state["read"]}

    config = {"interop": [f"{formats}.contribution"]}
    with Callboard(config) as board, AgentCore(board) as core:
        core.register_provider(Provider)
        *_, done = core.run(core.add_message(core.create_session(), "user", "x"), {})

    assert done["session"].messages[-1]["content"] == "configured_it"


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ("nothing", "has no 'nothing'"),
        ("number", "is 5"),
        ("raises", "OSError"),
        ("gives_a_number", "5"),
        ("hangs", "did not end within"),
        ("bad", "object"),
    ],
)
def test_one_that_cannot_be_had_is_told_and_the_board_works(formats, given, said):
    config = {
        "interop": [f"{formats}.{given}", f"{formats}.contribution"],
        "plugins": [f"{formats}.Tool"],
        "load_deadline": 1.0,
    }

    with Callboard(config) as board:
        (failed,) = board.failed

        assert failed.source == f"{formats}.{given}"
        assert failed.plugin is None
        assert failed.error.startswith("$.interop[0]: ")
        assert said in failed.error
        assert board.status()["failed"][0]["source"] == failed.source
        assert board.execute({"run": "it"})["success"]


def test_a_module_that_is_not_there_is_told_with_a_remedy():
    with Callboard({"interop": ["no_such_formats.contribution"]}) as board:
        assert "there is no module 'no_such_formats' here" in board.failed[0].error
        assert board.execute(tool_call("nothing"))["code"] == "unknown_tool"


@pytest.mark.parametrize(
    ("given", "path"),
    [
        ("a.b", "$.interop"),
        ([5], "$.interop[0]"),
        (["a.b", "no_dot"], "$.interop[1]"),
        ([{}], "$.interop[0]"),
    ],
)
def test_what_is_no_list_of_dotted_paths_is_refused_at_once(given, path):
    with pytest.raises(ConfigurationError) as caught:
        read_configuration({"interop": given})

    assert caught.value.path == path


def test_a_subclass_that_is_a_contribution_is_made(formats, tmp_path):
    code = f"import {formats} as f\nfrom callboard.tool_interop import ToolInteropContribution\nclass Sub(ToolInteropContribution):\n    pass\n"
    write(tmp_path, {"sub_formats.py": code})

    with Callboard({"interop": ["sub_formats.Sub"]}) as board:
        assert board.failed == []
        assert any(
            isinstance(each.contribution, ToolInteropContribution)
            and type(each.contribution).__name__ == "Sub"
            for each in board.registry.contributions
        )
