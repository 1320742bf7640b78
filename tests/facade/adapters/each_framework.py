"""The tools of a board in other frameworks, each driven by its own machinery; `make test-adapters` installs them.

Not collected by `make test`: there is none of them there.
"""

# ruff: noqa: PLC0415 - each framework is imported where it is tried

from __future__ import annotations

import asyncio
import json
import os
import re
import subprocess
import sys
import threading
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest
from callboard import Callboard
from leaks import TEST_MARK, no_leaks
from programs import PROGRAMS, ROOT

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

PATIENCE = 60.0
SHAPED = {
    "type": "object",
    "$defs": {"point": {"type": "object", "properties": {"x": {"type": "integer"}}, "required": ["x"]}},
    "properties": {
        "at": {"$ref": "#/$defs/point"},
        "either": {"anyOf": [{"type": "string"}, {"const": 7}]},
    },
    "required": ["at"],
}


class Told(NamedTuple):
    """What a model is told by a framework: whether it counts as a failure there, if the framework can say so, and the text."""

    failed: bool | None
    text: str


async def langchain(board: Callboard, name: str, arguments: dict[str, Any]) -> Told:
    from callboard.adapters.langchain import tools
    from langchain_core.messages import AIMessage
    from langgraph.graph import END, START, MessagesState, StateGraph
    from langgraph.prebuilt import ToolNode

    graph = StateGraph(MessagesState)
    graph.add_node("tools", ToolNode(tools(board)))
    graph.add_edge(START, "tools")
    graph.add_edge("tools", END)
    asks = AIMessage("", tool_calls=[{"name": name, "args": arguments, "id": "1"}])
    answered = (await graph.compile().ainvoke({"messages": [asks]}))["messages"][-1]
    return Told(answered.status == "error", str(answered.content))


async def openai_agents(board: Callboard, name: str, arguments: dict[str, Any]) -> Told:
    from agents import Agent, Model, ModelResponse, Runner, Usage
    from callboard.adapters.openai_agents import tools
    from openai.types.responses import ResponseFunctionToolCall, ResponseOutputMessage, ResponseOutputText

    class Scripted(Model):
        asked = False
        told = ""

        async def get_response(self, *_: Any, **asked: Any) -> ModelResponse:
            if not self.asked:
                self.asked = True
                call = ResponseFunctionToolCall(
                    arguments=json.dumps(arguments), call_id="c1", name=name, type="function_call", id="f1"
                )
                return ModelResponse(output=[call], usage=Usage(), response_id=None)
            self.told = next(
                str(item["output"]) for item in asked["input"] if item.get("type") == "function_call_output"
            )
            text = ResponseOutputText(annotations=[], text="done", type="output_text")
            said = ResponseOutputMessage(
                id="m1", content=[text], role="assistant", status="completed", type="message"
            )
            return ModelResponse(output=[said], usage=Usage(), response_id=None)

        def stream_response(self, *_: Any, **__: Any) -> Any:
            raise NotImplementedError

    model = Scripted()
    await Runner.run(Agent(name="a", model=model, tools=list(tools(board))), "go")
    return Told(None, model.told)


async def pydantic_ai(board: Callboard, name: str, arguments: dict[str, Any]) -> Told:
    from callboard.adapters.pydantic_ai import BoardToolset
    from pydantic_ai import Agent
    from pydantic_ai.messages import ModelResponse, RetryPromptPart, TextPart, ToolCallPart, ToolReturnPart
    from pydantic_ai.models.function import FunctionModel

    told: list[Told] = []

    def answer(messages: list[Any], _: Any) -> ModelResponse:
        for part in messages[-1].parts:
            if isinstance(part, ToolReturnPart | RetryPromptPart):
                content = part.content if isinstance(part.content, str) else json.dumps(part.content)
                told.append(Told(True if isinstance(part, RetryPromptPart) else None, content))
                return ModelResponse(parts=[TextPart("done")])
        return ModelResponse(parts=[ToolCallPart(name, arguments)])

    await Agent(FunctionModel(answer), toolsets=[BoardToolset(board)]).run("go")
    return told[0]


async def llama_index(board: Callboard, name: str, arguments: dict[str, Any]) -> Told:
    from callboard.adapters.llama_index import tools
    from llama_index.core.llms.llm import ToolSelection
    from llama_index.core.tools.calling import acall_tool_with_selection

    chosen = ToolSelection(tool_id="1", tool_name=name, tool_kwargs=arguments)
    output = await acall_tool_with_selection(chosen, tools(board))
    return Told(output.is_error, output.content)


async def smolagents(board: Callboard, name: str, arguments: dict[str, Any]) -> Told:
    from callboard.adapters.smolagents import tools
    from smolagents import Model, ToolCallingAgent
    from smolagents.utils import AgentError

    agent = ToolCallingAgent(tools=tools(board), model=Model(), verbosity_level=0)
    try:
        return Told(False, json.dumps(await asyncio.to_thread(agent.execute_tool_call, name, arguments)))
    except AgentError as error:
        return Told(True, str(error))


async def claude_agent_sdk(board: Callboard, name: str, arguments: dict[str, Any]) -> Told:
    from callboard.adapters.claude_agent_sdk import server
    from mcp.client import Client

    async with Client(server(board)["instance"], mode="legacy") as client:
        answered = await client.call_tool(name, arguments)
    return Told(answered.is_error, answered.content[0].text)


FRAMEWORKS = [langchain, openai_agents, pydantic_ai, llama_index, smolagents, claude_agent_sdk]
AWAITED = [each for each in FRAMEWORKS if each is not smolagents]


@pytest.fixture
def board() -> Iterator[Callboard]:
    folder = PROGRAMS / "python" / "for_frameworks"
    quick = {"backoff": {"first": 0.0, "min": 0.01, "max": 0.05}}
    with (
        no_leaks(),
        Callboard(
            {
                "plugins": [{"plugin": f"path:{folder}", "isolate": True, "env": TEST_MARK}],
                "supervision": quick,
            }
        ) as board,
    ):
        assert board.failed == []
        yield board


@pytest.fixture(params=FRAMEWORKS, ids=lambda each: each.__name__)
def call(request: pytest.FixtureRequest) -> Any:
    return request.param


def test_a_call_is_answered(board: Callboard, call: Any) -> None:
    told = asyncio.run(call(board, "count_words", {"text": "to be or not"}))

    assert not told.failed
    assert json.loads(told.text) == {"words": 4}


def test_a_failure_is_told(board: Callboard, call: Any) -> None:
    told = asyncio.run(call(board, "fail", {}))

    assert told.failed is not False
    assert "it failed, as it should" in told.text


def test_arguments_that_do_not_fit_are_told_and_no_tool_is_called(board: Callboard, call: Any) -> None:
    started = []
    board.subscribe(started.append, ["call_started"])

    told = asyncio.run(call(board, "count_words", {"text": 3}))

    assert told.failed is not False
    assert "text" in told.text or "string" in told.text  # some check for themselves, in words of their own
    assert started == []


def test_a_host_that_is_killed_in_a_call_is_told_and_the_next_call_is_answered(
    board: Callboard, call: Any
) -> None:
    killed = asyncio.run(call(board, "die", {}))
    following = asyncio.run(call(board, "count_words", {"text": "a b"}))

    assert killed.failed is not False
    assert "It may have run" in killed.text
    assert json.loads(following.text) == {"words": 2}


@pytest.mark.parametrize("call", AWAITED, ids=lambda each: each.__name__)
def test_a_task_that_is_cancelled_cancels_its_call(board: Callboard, call: Any) -> None:
    begun, codes, ended = threading.Event(), [], threading.Event()
    board.subscribe(lambda event: begun.set(), ["call_started"])
    board.subscribe(lambda event: (codes.append(event.facts["code"]), ended.set()), ["call_ended"])

    async def cancel() -> None:
        task = asyncio.ensure_future(call(board, "wait", {}))
        await asyncio.to_thread(begun.wait, PATIENCE)
        task.cancel()
        await asyncio.wait([task])

    asyncio.run(cancel())

    assert ended.wait(PATIENCE)
    assert codes == ["cancelled"]


def test_schemas_are_as_the_plugin_wrote_them(board: Callboard) -> None:
    from callboard.adapters import claude_agent_sdk, langchain, llama_index, openai_agents
    from callboard.adapters.pydantic_ai import BoardToolset

    by_class = {
        "langchain": {each.name: each.args_schema for each in langchain.tools(board)},
        "openai_agents": {each.name: each.params_json_schema for each in openai_agents.tools(board)},
        "llama_index": {
            each.metadata.name: each.metadata.get_parameters_dict() for each in llama_index.tools(board)
        },
        "claude_agent_sdk": {each.name: each.input_schema for each in claude_agent_sdk.tools(board)},
        "pydantic_ai": {
            name: each.tool_def.parameters_json_schema
            for name, each in asyncio.run(BoardToolset(board).get_tools(None)).items()
        },
    }

    assert {framework: schemas["shaped"] for framework, schemas in by_class.items()} == dict.fromkeys(
        by_class, SHAPED
    )


def test_for_smolagents_what_cannot_be_said_is_anything(board: Callboard) -> None:
    from callboard.adapters.smolagents import tools

    inputs = {each.name: each.inputs for each in tools(board)}

    assert inputs["shaped"] == {
        "at": {"type": "any", "description": "at"},
        "either": {"type": "any", "description": "either", "nullable": True},
    }
    assert inputs["count_words"] == {"text": {"type": "string", "description": "What to count."}}


def test_parts_are_events_of_a_run_of_langchain(board: Callboard) -> None:
    from callboard.adapters.langchain import PART, tools
    from langchain_core.runnables import RunnableLambda

    (steps,) = [each for each in tools(board) if each.name == "steps"]

    async def parts() -> list[Any]:
        run = RunnableLambda(steps.ainvoke)
        events = [event async for event in run.astream_events({}, version="v2")]
        return [event["data"]["part"] for event in events if event.get("name") == PART]

    assert asyncio.run(parts()) == [0, 1, 2, 3, 4]


def test_outside_of_a_run_parts_are_dropped(board: Callboard) -> None:
    from callboard.adapters.langchain import tools

    (steps,) = [each for each in tools(board) if each.name == "steps"]

    assert asyncio.run(steps.ainvoke({})) == "{}"
    assert steps.invoke({}) == "{}"


PAGES = ROOT / "docs" / "adapters"


def _programs() -> dict[str, str]:
    """What is pasted from each page, by the framework's module."""
    found = {}
    for page in sorted(set(PAGES.glob("*.md")) - {PAGES / "README.md"}):
        (code,) = re.findall(r"```python\n(.*?)```", page.read_text(), re.DOTALL)
        (module,) = re.findall(r"callboard\.adapters\.(\w+)", code)
        found[module] = code
    return found


def test_each_framework_has_a_page() -> None:
    assert sorted(_programs()) == sorted(each.__name__ for each in FRAMEWORKS)


@pytest.mark.parametrize("module", _programs())
def test_what_is_pasted_from_a_page_runs_and_its_model_is_told_the_answer(
    module: str, tmp_path: Path
) -> None:
    # All of it but the model: that of the page asks its provider.
    code = re.sub(r"(?m)^(model = |from llama_index\.llms\.anthropic).*\n", "", _programs()[module])
    model = (
        "import claude_agent_sdk\nclaude_agent_sdk.query = framework_models.claude_agent_query"
        if module == "claude_agent_sdk"
        else f"model = framework_models.{module}()"
    )
    (tmp_path / "page.py").write_text(f"import framework_models\n{model}\n{code}")
    tool = {"plugin": f"path:{PROGRAMS / 'python' / 'for_frameworks'}", "isolate": True, "env": TEST_MARK}
    (tmp_path / "agent.json").write_text(json.dumps({"plugins": [tool]}))

    with no_leaks():
        ended = subprocess.run(
            [sys.executable, "page.py"], cwd=tmp_path, capture_output=True, text=True, timeout=PATIENCE,
            env={**os.environ, **TEST_MARK, "PYTHONPATH": str(ROOT / "tests" / "support")}, check=False,
        )  # fmt: skip

    assert ended.returncode == 0, ended.stderr
    assert re.search(r"words\W+4", ended.stdout)
