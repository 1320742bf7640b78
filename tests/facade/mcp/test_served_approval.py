"""Rules that ask on a served board, which asks nobody: its start says so, and what is denied says what to do."""

from __future__ import annotations

import asyncio
from typing import Any

from mcp_clients import over_pipes, written
from sdks import needs_sdk

pytestmark = needs_sdk


def test_rules_that_ask_are_named_at_the_start_and_a_denied_call_says_what_to_do(tmp_path):
    (tmp_path / "echo.sh").write_text("# @tool Says a word.\necho said\n")
    rules = {"ask": ["ec*", "nothing"]}
    config = written(tmp_path, {"plugins": [{"bash_tool": {"file": "echo.sh"}}], "approval": rules})

    async def talk() -> Any:
        async with over_pipes(config, "handshake", said=tmp_path / "said") as client:
            await client.list_tools()
            return await client.call_tool("echo", {})

    denied = asyncio.run(talk())

    assert denied.is_error
    assert denied.meta == {
        "callboard/code": "denied",
        "callboard/outcome": "not_sent",
        "callboard/plugin": "echo",
    }
    assert "there is nobody to ask; " in denied.content[0].text
    assert "'approval.ask'" in denied.content[0].text
    (line,) = (line for line in (tmp_path / "said").read_text().splitlines() if "nobody" in line)
    assert "'ec*'" in line
    assert "'nothing'" not in line
    assert "denied" in line
