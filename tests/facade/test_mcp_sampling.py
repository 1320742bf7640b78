"""A server that wants a model to say something gets it from the agent's provider, if a person allows it, and else the specification's error."""

from __future__ import annotations

import json
import sys

import pytest
from callboard import AgentCore, Callboard
from callboard.hosts.mcp.sampling import MOST_BYTES, MOST_TOKENS
from callboard.hosts.mcp.tool import McpToolPlugin
from leaks import TEST_MARK, no_leaks, wait_until
from programs import PROGRAMS
from scripted_provider import Scripted, said
from tools import tool_call

SERVER = PROGRAMS / "python" / "mcp_asking_server.py"
PATIENCE = 30.0
HELLO = {"role": "user", "content": {"type": "text", "text": "Hello?"}}
ASKED = {"messages": [HELLO], "maxTokens": 50, "systemPrompt": "Be short."}
ERAS = pytest.mark.parametrize("era", [(), ("modern",)], ids=["handshake", "stateless"])


@pytest.fixture(autouse=True)
def nothing_is_left():
    with no_leaks():
        yield


class Model(Scripted):
    """A provider that notes the configuration of its requests."""

    made: list[Model] = []  # noqa: RUF012 - the board makes it of its class
    answer = said("Hi there")

    def __init__(self) -> None:
        super().__init__(self.answer)
        self.made.append(self)

    def init(self, config):
        self.config = config
        return super().init(config)


class Failing(Model):
    answer = OSError("no network")


class Slow(Model):
    def __init__(self) -> None:
        super().__init__()
        self.held.clear()


class Person:
    def __init__(self, *, allows=True):
        self.allows = allows
        self.questions = []

    def ask(self, question):
        self.questions.append(question)
        return self.allows


@pytest.fixture(autouse=True)
def models():
    Model.made.clear()
    yield Model.made
    for each in Model.made:
        each.held.set()


def board_with(*words, model="Model", approver=None, **options):
    config = {"start_deadline": 10.0}
    if model is not None:
        config["agent"] = {"provider": {"type": f"{__name__}.{model}", "model": "m-1"}}
    board = Callboard(config)
    board.approver = approver
    board.start()
    plugin = McpToolPlugin("server", [sys.executable, str(SERVER), *words], env=TEST_MARK)
    board.register(plugin, **options)
    return board


@pytest.fixture(autouse=True)
def importable(monkeypatch):
    monkeypatch.setitem(sys.modules, __name__, sys.modules[Model.__module__])


def asked(models):
    """Those that were asked; one that is configured is made once to see whether it can be."""
    return [each for each in models if each.requests]


def ask(board, params=ASKED, **more):
    return board.submit(tool_call("ask", method="sampling/createMessage", params=params, **more))


def answers(result):
    assert result["success"], result
    return json.loads(result["result"])


@ERAS
def test_the_model_of_the_configuration_answers_without_tools_and_sessions(era, models):
    person = Person()
    with board_with(*era, approver=person) as board:
        (told,) = answers(ask(board).result(PATIENCE))

    (model,) = asked(models)
    assert told == {
        "role": "assistant",
        "content": {"type": "text", "text": "Hi there"},
        "model": "m-1",
        "stopReason": "endTurn",
    }
    assert [(each["role"], each["content"]) for each in model.requests[0]] == [
        ("system", "Be short."),
        ("user", "Hello?"),
    ]
    assert model.tools == [[]]
    assert model.config["max_output_tokens"] == 50
    (question,) = person.questions
    assert (question.plugin, question.tool_name) == ("server", "ask")
    assert question.tool_input["messages"] == [{"role": "user", "text": "Hello?"}]


@ERAS
def test_a_person_may_refuse(era, models):
    with board_with(*era, approver=Person(allows=False)) as board:
        refused = ask(board).result(PATIENCE)

    assert asked(models) == []
    if era:
        assert (refused["code"], refused["type"]) == ("tool_raised", "InputRequired")
    else:
        assert answers(refused)[0]["code"] == -1


def test_without_a_person_the_model_is_asked(models):
    with board_with() as board:
        assert answers(ask(board).result(PATIENCE))[0]["model"] == "m-1"
        assert answers(ask(board).result(PATIENCE))[0]["model"] == "m-1"

    (model,) = asked(models)
    assert len(model.requests) == 2


@ERAS
def test_a_board_without_a_model_offers_none(era):
    with board_with(*era, model=None, approver=Person()) as board:
        assert answers(board.execute(tool_call("can"))) == {}
        refused = ask(board).result(PATIENCE)

    if era:
        assert (refused["code"], refused["type"]) == ("tool_raised", "InputRequired")
    else:
        assert answers(refused)[0]["code"] == -32601


@ERAS
def test_a_model_that_fails_is_an_error_and_the_next_call_works(era):
    with board_with(*era, model="Failing") as board:
        refused = ask(board).result(PATIENCE)
        assert answers(board.execute(tool_call("pid"))) > 0

    if era:
        assert refused["type"] == "InputRequired"
    else:
        assert answers(refused)[0]["code"] == -1


@ERAS
def test_a_cancelled_call_does_not_wait_for_the_model(era, models):
    with board_with(*era, model="Slow") as board:
        call = ask(board)
        wait_until(lambda: any(each.speaking.is_set() for each in models))
        call.cancel()

        assert call.result(PATIENCE)["code"] == "cancelled"
        assert answers(board.execute(tool_call("pid"))) > 0
        for each in models:
            each.held.set()


@ERAS
def test_a_board_that_stops_does_not_wait_for_the_model(era, models):
    with board_with(*era, model="Slow") as board:
        call = ask(board)
        wait_until(lambda: any(each.speaking.is_set() for each in models))
        board.stop()

        assert call.result(PATIENCE)["code"] == "cancelled"
        for each in models:
            each.held.set()


def test_the_provider_of_a_core_answers_too():
    model = Scripted(said("of the core"))
    plugin = McpToolPlugin("server", [sys.executable, str(SERVER)], env=TEST_MARK)
    with AgentCore() as core:
        core.register_provider(model)
        core.register_tool(plugin)
        result = core.submit(tool_call("ask", method="sampling/createMessage", params=ASKED), {}).result(
            PATIENCE
        )

    assert answers(result)[0]["content"]["text"] == "of the core"
    assert model.tools == [[]]


def with_(**params):
    return ASKED | params


@pytest.mark.parametrize(
    "params",
    [
        with_(messages=[]),
        with_(messages=[{"role": "system", "content": {"type": "text", "text": "a"}}]),
        with_(
            messages=[{"role": "user", "content": {"type": "tool_result", "toolUseId": "1", "content": []}}]
        ),
        with_(
            messages=[
                {"role": "assistant", "content": {"type": "image", "data": "AA==", "mimeType": "image/png"}}
            ]
        ),
        with_(messages=[{"role": "user", "content": {"type": "text", "text": "x" * MOST_BYTES}}]),
        with_(tools=[{"name": "t", "inputSchema": {"type": "object"}}]),
        with_(maxTokens="many"),
    ],
)
def test_what_cannot_be_asked_is_refused(params, models):
    with board_with() as board:
        assert answers(ask(board, params).result(PATIENCE))[0]["code"] == -32602
        assert asked(models) == []


def test_images_and_more_tokens_than_there_are(models):
    image = {"type": "image", "data": "AA==", "mimeType": "image/png"}
    blocks = [{"type": "text", "text": "See"}, image]
    with board_with() as board:
        answers(
            ask(board, with_(messages=[{"role": "user", "content": blocks}], maxTokens=10**9)).result(
                PATIENCE
            )
        )

    (model,) = asked(models)
    (attached,) = model.requests[0][1]["metadata"]["attachments"]
    assert attached == image
    assert model.config["max_output_tokens"] == MOST_TOKENS
