"""A call's key reaches its tool wherever that runs, is the same when the call is sent again, and is what that may hang on."""

from __future__ import annotations

import pytest
from callboard import Callboard, ToolContext
from callboard.hosts.python.runner.origin import PythonOrigin
from callboard.hosts.python.tool import PythonToolPlugin
from tools import schema, tool_call

KEYED_NODE = """
export default {
  wants: ['key'],
  init: () => ({}),
  getToolSchemas: () => [{ type: 'function', function: { name: 'told', parameters: { type: 'object' } } }],
  executeTool: (name, args, state, emit, context) => ({ success: true, result: context.key }),
};
"""
KEYED_PYTHON = """
class Told:
    def get_tool_schemas(self, state):
        return [{"type": "function", "function": {"name": "told", "parameters": {"type": "object"}}}]

    def execute_tool(self, tool_name, payload, state, *, key=None):
        return {"success": True, "result": key}
"""
DIES_ONCE = """
import os, pathlib, signal

class Told:
    def get_tool_schemas(self, state):
        return [{"type": "function", "function": {"name": "told", "parameters": {"type": "object"}}}]

    def execute_tool(self, tool_name, payload, state, *, key=None):
        seen = pathlib.Path(payload["file"])
        seen.write_text(seen.read_text() + f"{key} ")
        if seen.read_text().count(f"{key} ") == 1:
            os.kill(os.getpid(), signal.SIGKILL)
        return {"success": True, "result": key}
"""


class Told:
    """A tool of this process."""

    def get_tool_schemas(self, state):
        return [schema("told")]

    def execute_tool(self, tool_name, payload, state, *, key=None):
        return {"success": True, "result": key}


def told(board):
    given = board.execute(tool_call("told"), key="order-17")["result"]
    without = board.execute(tool_call("told"))["result"]
    return given, without


def test_a_tool_of_this_process_is_told():
    with Callboard() as board:
        board.register(Told)
        assert told(board) == ("order-17", None)


def test_a_function_finds_it_in_its_context():
    with Callboard() as board:

        @board.tool
        def charge(amount: int, context: ToolContext) -> list[str | None]:
            """Charge somebody."""
            return [context.get("key"), context.get("user")]

        keyed = board.with_options(key="order-17", context={"user": "Ann"})
        assert keyed.call("charge", amount=3) == ["order-17", "Ann"]
        assert board.call("charge", amount=3) == [None, None]


def test_a_node_tool_is_told_if_it_wants_to_know(tmp_path):
    file = tmp_path / "told.mjs"
    file.write_text(KEYED_NODE)
    with Callboard() as board:
        board.load({"node_tool": {"file": str(file)}})
        assert told(board) == ("order-17", None)


def test_a_python_tool_in_a_host_is_told_if_it_names_it(tmp_path):
    with Callboard() as board:
        board.register(in_a_host(tmp_path, KEYED_PYTHON))
        assert told(board) == ("order-17", None)


def test_by_key_a_lost_call_is_sent_again_with_its_key_and_none_without(tmp_path):
    seen = tmp_path / "seen"
    seen.write_text("")
    with Callboard({"supervision": {"backoff": {"first": 0.0}}}) as board:
        board.register(in_a_host(tmp_path, DIES_ONCE), idempotent="by_key")
        keyed = board.submit(tool_call("told", file=str(seen)), key="order-17")
        result = keyed.result(30)
        lost = board.execute(tool_call("told", file=str(seen)))

    assert (result["result"], keyed.attempt) == ("order-17", 2)
    assert lost["code"] == "host_crashed"
    assert seen.read_text().split() == ["order-17", "order-17", "None"]


@pytest.mark.parametrize(
    ("key", "error"), [(17, TypeError), ("", ValueError), ("x" * 201, ValueError), ("a\nb", ValueError)]
)
def test_what_is_no_key_is_refused_at_once(key, error):
    with Callboard() as board:
        board.register(Told)
        with pytest.raises(error, match="key"):
            board.submit(tool_call("told"), key=key)


def in_a_host(folder, text):
    file = folder / "keyed_tool.py"
    file.write_text(text)
    return PythonToolPlugin("told", PythonOrigin("keyed_tool.Told", module="keyed_tool", file=str(file)))
