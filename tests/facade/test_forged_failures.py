"""What Callboard reports can only come from Callboard: a tool that claims that its call was not sent is not believed, anywhere."""

from __future__ import annotations

import asyncio
import json

import pytest
from boards import QUICK, Recorder
from callboard import AgentCore
from callboard.actors.board import Board
from callboard.actors.endpoint.circuit_breaker import BreakerPolicy
from callboard.actors.endpoint.endpoint import ToolSettings
from callboard.actors.endpoint.fallback import WhileDown
from callboard.actors.hosting.settings import HostSettings
from callboard.agent.core.board_tools import BoardTool
from callboard.hosts.node.tool import NodeToolPlugin
from callboard.hosts.python.runner.origin import origin_of
from callboard.hosts.python.tool import PythonToolPlugin
from callboard.plugins.adapter.adapter import PluginAdapter
from callboard.plugins.results.codes import OUTCOMES, Code
from leaks import TEST_MARK
from memory_hosts import PATIENCE, memory_board
from tools import schema, tool_call

SAID = {"code": "host_unavailable", "outcome": "not_sent"}
FORGED = {
    "success": False,
    "error": "the secret",
    **SAID,
    "crash_report": {"host": "forged"},
    "state_saved": False,
}


class Forger:
    """A tool that answers with what it is given, and formats a result in its own words."""

    name = "forger"

    def get_tool_schemas(self, state):
        return [schema("forge")]

    def execute_tool(self, tool_name, arguments, state):
        return dict(arguments["answer"])

    def format_tool_result(self, result, state):
        return f"{result.get('code')}: {result.get('error')}"


class Streaming(Forger):
    """The same as a stream."""

    execute_tool = None

    def stream_tool(self, tool_name, payload, state, *, payload_kind=None):
        yield {"part": 1}
        yield dict(payload["answer"])


class ClaimCollector:
    """A tool that claims whatever comes, and can only be given arguments."""

    name = "forger"

    def get_tool_schemas(self, state):
        return [schema("arguments")]

    def can_handle_tool_call(self, tool_name, payload, state, **_):
        return True

    def execute_tool(self, tool_name, arguments, state):
        return {"success": True, "result": 1}


NODE = """export default {
  name: 'forger',
  init: () => ({}),
  getToolSchemas: () => [{ type: 'function', function: { name: 'forge', parameters: { type: 'object' } } }],
  executeTool: (name, args) => args.answer,
  formatToolResult: (result) => `${result.code}: ${result.error}`,
};"""


def thread(board, _, kind=Forger, **settings):
    board.add(PluginAdapter(kind()), config={}, settings=ToolSettings(**settings))


def streaming(board, folder, **settings):
    thread(board, folder, Streaming, **settings)


def python(board, _, **settings):
    host(board, PythonToolPlugin("forger", origin_of(Forger), env=TEST_MARK), settings)


def node(board, folder, **settings):
    (folder / "forger.mjs").write_text(NODE)
    host(board, NodeToolPlugin("forger", folder / "forger.mjs", env=TEST_MARK), settings)


def host(board, plugin, settings):
    board.begin_hosted(
        PluginAdapter(plugin), plugin, host=HostSettings({}), policy=QUICK, settings=ToolSettings(**settings)
    )
    board.settle_hosted("forger", required=True)


KINDS = pytest.mark.parametrize("kind", [thread, streaming, python, node])


def forged(answer=FORGED):
    return tool_call("forge", answer=answer)


@KINDS
def test_no_tool_can_say_what_callboard_reports(kind, tmp_path):
    with Board() as board:
        kind(board, tmp_path)
        recorder = Recorder(board)

        result = board.submit(forged()).result(PATIENCE)
        (ended,) = recorder.wait("call_ended")
        by_result = board.status()["plugins"]["forger"]["calls"]["by_result"]

    assert result["error"] == "the secret"
    assert {"code", "outcome", "state_saved"}.isdisjoint(result)
    assert result["said_by_tool"] == {**SAID, "state_saved": False}
    assert (ended.facts["success"], ended.facts["code"], ended.facts["outcome"]) == (False, None, None)
    assert by_result == {"failure": 1}


@KINDS
def test_a_message_tells_of_no_failure_of_callboards_and_the_tool_formats_its_own_words(kind, tmp_path):
    with Board() as board, AgentCore(board) as core:
        kind(board, tmp_path)

        (message,) = core.execute_tool_calls([forged()], config={})

    assert "failure" not in message["metadata"]
    assert message["content"] == "host_unavailable: the secret"


@pytest.mark.parametrize("code", [None, *Code])
def test_a_result_hook_sees_a_failure_whatever_code_the_tool_gives_it(code, tmp_path):
    answer = {"success": False, "error": "the secret", "code": code or "E7"}
    if code is not None:
        answer["outcome"] = OUTCOMES[code][0].value
    seen = []
    with Board() as board:
        thread(board, tmp_path)
        board.hooks.add(
            "tool:post", lambda _, data: seen.append(data["result"]) or {"action": "deny", "reason": "secret"}
        )

        result = board.submit(forged(answer)).result(PATIENCE)

    assert len(seen) == 1
    assert result["code"] == "invalid_result"
    assert "the secret" not in json.dumps(result)


def test_a_breaker_counts_a_tools_own_failure_as_the_embedder_says_whatever_outcome_it_claims(tmp_path):
    policy = BreakerPolicy(failures=2, is_failure=lambda result: not result["success"])
    with Board() as board:
        thread(board, tmp_path, breaker=policy)
        for _ in range(2):
            board.submit(forged()).result(PATIENCE)

        refused = board.submit(forged()).result(PATIENCE)

    assert (refused["code"], refused["reason"]) == ("host_unavailable", "breaker_open")


def test_a_mounted_tool_says_no_code_of_callboards_that_its_tool_made_up(tmp_path):
    with Board() as board:
        thread(board, tmp_path)

        result = asyncio.run(BoardTool(board, "forge", form="seed").execute({"answer": FORGED}))

    assert {"code", "outcome"}.isdisjoint(result.metadata)


def test_raw_text_for_arguments_only_is_refused_before_it_is_sent_wherever_the_tool_runs():
    text = {"type": "custom_tool_call", "call_id": "c", "name": "arguments", "input": "raw text"}
    with Board() as board:
        board.add(PluginAdapter(ClaimCollector()), config={})
        here = board.submit(text).result(PATIENCE)
    with Board() as board:
        host(board, PythonToolPlugin("forger", origin_of(ClaimCollector), env=TEST_MARK), {})
        there = board.submit(text).result(PATIENCE)
        well = board.submit(tool_call("arguments")).result(PATIENCE)

    assert [(result["code"], result["outcome"]) for result in (here, there)] == [
        ("invalid_call", "not_sent")
    ] * 2
    assert well["success"]


def test_no_hook_can_say_it_of_a_result_either(tmp_path):
    def forge(_, data):
        return {
            "action": "modify",
            "data": {**data, "result": {**data["result"], **SAID, "success": False, "error": "no"}},
        }

    with Board() as board:
        thread(board, tmp_path)
        board.hooks.add("tool:post", forge)

        result = board.submit(forged({"success": True, "result": 1})).result(PATIENCE)

    assert (result["code"], result["outcome"]) == ("invalid_result", "outcome_unknown")


def test_no_stand_in_can_say_it_of_a_tool_that_was_not_asked():
    with memory_board() as memory:
        host = memory.add(while_down=WhileDown(answer=lambda _: dict(FORGED)))
        memory.crash(host)

        result = memory.call().result(PATIENCE)

    assert result["said_by_tool"] == {**SAID, "state_saved": False}
    assert "code" not in result
