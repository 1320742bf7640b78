"""What a witness writes down where several calls go in one write, where calls have rounds, where results are cut, and where there is no line."""

from __future__ import annotations

import itertools
import os
import signal
import sys

import pytest
from boards import add_node
from callboard.actors.board import Board
from callboard.actors.hosting.settings import HostSettings
from callboard.chaos.checker.facts import Answered, PartsRead, Ran
from callboard.chaos.checker.invariants import violations
from callboard.chaos.load.line_record import LineRecord
from callboard.chaos.load.requests import Request, Source
from callboard.chaos.load.thread_witness import overhear
from callboard.chaos.load.witness import Witness
from callboard.chaos.recorder import Recorder
from callboard.hosts.mcp.tool import McpToolPlugin
from callboard.plugins.adapter.adapter import PluginAdapter
from callboard.plugins.contract.invocation import Invocation
from callboard.trial.trial import Plan, Trial
from leaks import TEST_MARK, no_leaks
from mcp_http_servers import HttpServer
from programs import PROGRAMS

PATIENCE = 30.0
PYTHON = PROGRAMS / "python"
SAY = """
export default {
  name: 'hosted',
  init: () => ({}),
  getToolSchemas: () => [{ type: 'function', function: { name: 'say', parameters: { type: 'object' } } }],
  executeTool: async (_name, { text }) => ({ success: true, result: text.length }),
};
"""


def test_calls_that_have_not_left_when_their_host_ends_have_not_been_given_to_it(tmp_path):
    file = tmp_path / "hosted.mjs"
    file.write_text(SAY)
    with no_leaks(), Board() as board:
        witness = Witness()
        plugin = add_node(board, file, name="hosted", carry=witness, concurrency=4)
        recorder = Recorder(board)
        witness.now = recorder.now
        os.kill(plugin.host.pid, signal.SIGSTOP)  # it reads nothing, and a pipe holds less than one of these
        calls = [
            recorder.submit(
                "hosted", "say", {"text": "x" * 500_000}, name=f"c{n}",
                judge=lambda result, name=f"c{n}": witness.judge(name, result),
            )
            for n in range(4)
        ]  # fmt: skip
        os.kill(plugin.host.pid, signal.SIGKILL)
        endings = [call.result(PATIENCE)["success"] for call in calls]
        witness.testify(recorder, "hosted")
        recorder.close()
    run = recorder.run()

    assert violations(run) == ()
    assert any(endings)
    assert {fact.generation for fact in run.facts if isinstance(fact, Ran)} >= {2}


def test_a_server_that_refuses_its_calls_breaks_no_rule():
    server = McpToolPlugin("server", [sys.executable, str(PYTHON / "mcp_server.py")], env=TEST_MARK)
    with no_leaks(), Board() as board:
        board.add_hosted(PluginAdapter(server), server, host=HostSettings({}))
        recorder = Recorder(board)
        call = recorder.submit("server", "refuse", {}, name="c1")
        assert call.result(PATIENCE)["code"] == "invalid_call"
        recorder.close()
    run = recorder.run()

    (answer,) = [fact for fact in run.facts if isinstance(fact, Answered)]
    assert (answer.ending, answer.outcome) == ("refused", "outcome_unknown")
    assert violations(run) == ()


class Person:
    """Fills in any form."""

    def ask(self, _question):
        return True

    def ask_form(self, _form):
        return {"name": "Ann"}


SCHEMA = {"type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"]}
FORM = {"message": "Who are you?", "requestedSchema": SCHEMA}


def tried(command, *wires, **more):
    """As `trial_of`, of a server in Python that is run so."""
    return trial_of({"command": [sys.executable, *command], "env": TEST_MARK}, *wires, **more)


def trial_of(server, *wires, approver=None, kills=2, deadline=None, **more):
    """A trial of one MCP server with calls that go round these."""
    entry = {"mcp": {**server, **more}, "name": "server"}
    quick = {"backoff": {"first": 0.0, "min": 0.01, "max": 0.05}, "intensity": 50}
    config = {"plugins": [entry], "supervision": quick}
    plan = Plan(config, calls=20, kills=kills, seed=1, kinds=("kill",), deadline=deadline)
    rounds = itertools.cycle(wires)
    trial = Trial(plan, [Source("server", lambda _: Request({"type": "function_call", **next(rounds)}))])
    trial.board.approver = approver
    with no_leaks():
        ended = trial.run()
    assert ended is not None
    return ended


def missing(ended):
    return [(one.rule, one.told) for one in ended.checks if one.standing not in {"held", "cannot apply"}]


def runs(ended):
    return [fact.call for fact in ended.run.facts if isinstance(fact, Ran)]


@pytest.mark.parametrize("era", [[], ["modern"]], ids=["asks in the call", "asks by rounds"])
def test_a_call_whose_server_asks_a_person_in_its_midst_is_one_run(era):
    arguments = {"method": "elicitation/create", "params": FORM, "times": 2}

    ended = tried(
        [str(PYTHON / "mcp_asking_server.py"), *era],
        {"name": "ask", "arguments": arguments},
        approver=Person(),
    )

    assert missing(ended) == []
    assert len(runs(ended)) == len(set(runs(ended))) > 10


def test_a_result_that_was_cut_is_known_by_what_is_left_of_it():
    text = "äöü" * 2_000

    ended = tried(
        [str(PYTHON / "mcp_echo_server.py")],
        {"name": "echo", "arguments": {"text": text}},
        result_limit=1_024,
    )

    assert missing(ended) == []


def test_a_call_that_was_given_up_was_given_to_its_server_all_the_same():
    hang, echo = ({"name": name, "arguments": {"a": 1}} for name in ("hang", "echo"))

    ended = tried([str(PYTHON / "mcp_server.py")], echo, hang, echo, deadline=1.0)

    endings = {fact.ending for fact in ended.run.facts if isinstance(fact, Answered)}
    assert endings >= {"success", "deadline_exceeded"}
    assert missing(ended) == []


def test_to_a_server_that_is_no_process_of_ours_nothing_is_done_and_it_is_found_healthy():
    server = HttpServer()
    server.start()
    try:
        ended = trial_of({"url": server.url}, {"name": "echo", "arguments": {"a": 1}}, kills=None)
    finally:
        server.kill()

    assert missing(ended) == []
    assert (ended.standing, ended.plan.kills, ended.gaps) == ("held", 0, ())


class Tool:
    """A tool in this process, in each of its forms."""

    name = "tool"

    def get_tool_schemas(self, state):
        return [{"type": "function", "function": {"name": "say", "parameters": {"type": "object"}}}]


class Plain(Tool):
    def execute_tool(self, tool_name, payload, state):
        state["n"] = state.get("n", 0) + 1
        return {"success": True, "result": payload}


class Streaming(Tool):
    def stream_tool(self, tool_name, payload, state):
        yield {"part": 1}
        state["n"] = state.get("n", 0) + 1
        yield {"success": True, "result": payload}


@pytest.mark.parametrize("tool", [Plain, Streaming])
def test_a_tool_in_this_process_is_overheard(tool):
    adapter, witness = PluginAdapter(tool()), Witness()
    overhear(adapter, witness)
    witness.now = lambda: 1.0
    state = {}

    for n in range(2):
        call = Invocation("say", n, tool_call={"call_id": f"c{n}"})
        *_, result = adapter.stream(call, state)

    assert result.result["result"] == 1
    assert witness.judge("c1", {"success": True, "result": 1}) == {"generation": 0}
    assert witness.judge("c1", {"success": True, "result": 0})["wrong"]
    assert witness.judge("c2", {"success": True, "result": 2})["wrong"]


def test_of_a_line_in_another_protocol_no_parts_are_claimed_to_have_been_emitted():
    line = LineRecord("server")
    server = McpToolPlugin("server", [sys.executable, str(PYTHON / "mcp_server.py")], env=TEST_MARK)
    server.carry = line
    with no_leaks(), Board() as board:
        board.add_hosted(PluginAdapter(server), server, host=HostSettings({}))
        recorder = Recorder(board)
        line.begin(recorder)
        call = recorder.submit("server", "steps", {}, name="c1")
        call.result(PATIENCE)
        recorder.close()

    assert [fact for fact in recorder.run().facts if isinstance(fact, PartsRead)] == []
    assert violations(recorder.run()) == ()
