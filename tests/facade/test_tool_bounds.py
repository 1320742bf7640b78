"""How many tools a plugin may declare, and how long their names may be; one that goes beyond costs no other plugin anything."""

from __future__ import annotations

import pytest
from callboard import Callboard, ContractError
from callboard.actors.catalog.catalog import MAX_TOOLS
from callboard.interop.limits import MAX_NAME_CHARS
from tools import tool_call


def declaring(names):
    class Plugin:
        name = "declaring"

        def get_tool_schemas(self, state):
            return [
                {"type": "function", "function": {"name": name, "parameters": {"type": "object"}}}
                for name in names
            ]

        def execute_tool(self, tool_name, payload, state):
            return {"success": True, "result": 1}

    return Plugin()


@pytest.mark.parametrize(
    ("names", "bound"),
    [
        ([f"t{number}" for number in range(MAX_TOOLS + 1)], f"{MAX_TOOLS:,} tools"),
        (["x" * (MAX_NAME_CHARS + 1)], f"{MAX_NAME_CHARS:,}"),
    ],
)
def test_a_plugin_that_declares_too_much_is_refused_with_the_bound(names, bound):
    with Callboard() as board:
        with pytest.raises(ContractError, match=bound):
            board.register(declaring(names))

        assert board.status()["plugins"] == {}
        board.register(declaring(["t" * MAX_NAME_CHARS]))
        assert board.execute(tool_call("t" * MAX_NAME_CHARS))["success"]


HOST = """
export default {
  init: () => ({}),
  getToolSchemas: () => Array.from({ length: 20_000 }, (_, n) => ({ type: 'function', function: { name: `t${n}` } })),
  executeTool: () => ({ success: true, result: 1 }),
};
"""


def test_a_host_that_declares_too_much_is_refused_with_the_bound(tmp_path):
    (tmp_path / "many.mjs").write_text(HOST)
    (tmp_path / "few.mjs").write_text(HOST.replace("20_000", "1"))
    plugins = [{"node_tool": {"file": str(tmp_path / f"{name}.mjs"), "id": name}} for name in ("many", "few")]

    with Callboard({"plugins": plugins}) as board:
        said = str(board.status())
        answer = board.execute(tool_call("t0"))

    assert f"{MAX_TOOLS:,} tools" in said
    assert answer["success"]
