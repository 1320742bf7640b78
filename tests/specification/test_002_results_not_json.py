"""``format_tool_result`` makes "the string … the model sees" (002), also of a result that is not JSON.

"Ordinary non-string values are stringified for compatibility": a result that holds a date is a success where the
tool has words for it.
"""

from __future__ import annotations

import json
import sys
import threading
from datetime import UTC, datetime

import pytest
from boards import Recorder
from callboard import AgentCore, Callboard
from callboard.tool_result_payloads import make_provider_native_tool_result
from tools import schema, tool_call

NOON = datetime(2026, 1, 2, 12, tzinfo=UTC)


DATED = """
import datetime

class Dated:
    name = "dated"

    def get_tool_schemas(self, state):
        return [{"type": "function", "function": {"name": "now", "parameters": {"type": "object"}}}]

    def execute_tool(self, tool_name, payload, state):
        return {"success": True, "result": {"at": datetime.date(2026, 1, 2)}}

    def format_tool_result(self, result, state):
        return f"on {result['result']['at']}"
"""


class Clock:
    """Answers with a date, and has words for it."""

    name = "clock"
    tool_name = "now"

    def __init__(self, answer=None, words=None):
        self.answer = answer or {"success": True, "result": NOON, "zone": "UTC"}
        self.words = words or (lambda result: f"it is {result['result']:%H:%M}")
        self.asked = []

    def get_tool_schemas(self, state):
        return [schema("now")]

    def execute_tool(self, tool_name, payload, state):
        return self.answer

    def format_tool_result(self, result, state):
        self.asked.append(result)
        return self.words(result)


def ran(tool):
    """The result of a call, and its message."""
    with AgentCore() as core:
        core.register_tool(tool)
        call = core.submit(tool_call("now"), {})
        *_, message = core.answers(call)
        return call.result(), message


def test_a_result_that_is_not_json_is_a_success_with_the_text_that_its_tool_makes_of_it():
    result, message = ran(Clock())

    assert (result["success"], result["result"], result["zone"]) == (True, "it is 12:00", "UTC")
    assert message["content"] == "it is 12:00"
    assert message["toolResult"] == {"type": "tool_result", "text": "it is 12:00"}
    assert "failure" not in message["metadata"]
    assert json.loads(json.dumps([result, message])) == [result, message]


def test_a_formatter_is_given_the_result_as_the_tool_made_it_and_once():
    tool = Clock()

    ran(tool)

    assert tool.asked == [{"success": True, "result": NOON, "zone": "UTC"}]


def test_without_a_formatter_it_is_refused():
    class Silent(Clock):
        format_tool_result = None

    result, message = ran(Silent())

    assert (result["code"], result["path"]) == ("invalid_result", "$.result")
    assert message["metadata"]["failure"]["code"] == "invalid_result"


@pytest.mark.parametrize(
    "words",
    [lambda result: None, lambda result: result["gone"], lambda result: sys.exit(3)],
    ids=["says nothing", "raises", "exits"],
)
def test_a_formatter_that_has_no_words_for_it_leaves_it_refused(words):
    result, message = ran(Clock(words=words))

    assert result["code"] == "invalid_result"
    assert message["metadata"]["failure"]["code"] == "invalid_result"


def test_what_a_formatter_answers_that_is_no_text_is_made_text():
    result, message = ran(Clock(words=lambda result: [1, 2]))

    assert result["result"] == message["content"] == "[1,2]"


def test_a_failure_that_is_not_json_says_what_its_tool_says_of_it():
    answer = {"success": False, "error": "too late", "since": NOON, "output": "half of it"}

    result, message = ran(Clock(answer, lambda result: f"late since {result['since']:%H:%M}"))

    assert (result["success"], result["error"]) == (False, "late since 12:00")
    assert "code" not in result
    assert message["content"] == "late since 12:00"


def test_an_envelope_stands_whole_in_the_message():
    def envelope(result):
        content = [{"type": "text", "text": f"{result['result']:%H:%M}"}]
        return make_provider_native_tool_result(format="openai.chat_completions", content=content)

    result, message = ran(Clock(words=envelope))

    assert result["result"] == message["toolResult"] == envelope({"result": NOON})
    assert message["content"] == "12:00"


def test_the_display_hook_is_given_the_text_and_what_of_the_result_is_json():
    class Shown(Clock):
        def to_display_format(self, text, result, state):
            return {"type": "clock", "content": text, "zone": result["zone"]}

    _, message = ran(Shown())

    assert message["metadata"]["display"] == {"type": "clock", "content": "it is 12:00", "zone": "UTC"}


def test_an_object_and_the_end_of_a_stream_are_read_in_the_same_way():
    class Answer:
        success = True
        result = NOON

    class Streams(Clock):
        execute_tool = None

        def stream_tool(self, tool_name, payload, state):
            yield {"part": "wait"}
            yield {"success": True, "result": NOON}

    class Awaits(Clock):
        execute_tool = None

        async def execute_tool_async(self, tool_name, payload, state):
            return {"success": True, "result": NOON}

    class StreamsAwaited(Clock):
        execute_tool = None

        async def stream_tool_async(self, tool_name, payload, state):
            yield {"success": True, "result": NOON}

    for tool in (Clock(Answer()), Streams(), Awaits(), StreamsAwaited()):
        result, message = ran(tool)
        assert (result["result"], message["content"]) == ("it is 12:00", "it is 12:00")


def test_a_state_that_is_not_json_is_refused_all_the_same():
    class Spoils(Clock):
        def execute_tool(self, tool_name, payload, state):
            state["when"] = NOON
            return {"success": True, "result": NOON}

    tool = Spoils()
    result, _ = ran(tool)

    assert result["code"] == "invalid_result"


def test_the_state_that_came_with_it_is_kept_and_a_formatter_cannot_change_it():
    class Counts(Clock):
        def execute_tool(self, tool_name, payload, state):
            state["count"] = state.get("count", 0) + 1
            return {"success": True, "result": NOON, "count": state["count"]}

        def format_tool_result(self, result, state):
            state["count"] = 100
            return f"{result['count']}"

    with AgentCore() as core:
        core.register_tool(Counts())
        said = [core.execute_tool_calls([tool_call("now")], {})[0]["content"] for _ in range(3)]

    assert said == ["1", "2", "3"]


def test_a_hook_after_the_call_reads_and_changes_what_the_model_sees():
    def redact(event, data):
        return {"action": "modify", "data": {"result": {**data["result"], "result": "at some time"}}}

    with AgentCore() as core:
        core.register_tool(Clock())
        core.hook("tool:post", redact)
        (message,) = core.execute_tool_calls([tool_call("now")], {})

    assert message["content"] == "at some time"
    assert "12:00" not in json.dumps(message)


def test_a_plugin_in_a_host_says_the_same_as_in_a_thread(tmp_path, monkeypatch):
    (tmp_path / "dated.py").write_text(DATED)
    monkeypatch.syspath_prepend(tmp_path)
    said = []
    for isolate in (False, True):
        with Callboard() as board:
            board.load({"plugin": "dated.Dated"}, isolate=isolate)
            with AgentCore(board) as core:
                [message] = core.execute_tool_calls([tool_call("now")], {})
            said.append((board.execute(tool_call("now")), message["content"]))

    assert said[0] == said[1]
    assert said[0][0] == {"success": True, "result": "on 2026-01-02", "formatted_by_tool": True}
    assert said[0][1] == "on 2026-01-02"


def test_a_tool_cannot_say_that_its_result_was_formatted():
    answer = {"success": True, "result": {"n": 1}, "formatted_by_tool": True}

    result, message = ran(Clock(answer, lambda result: f"n is {result['result']['n']}"))

    assert "formatted_by_tool" not in result
    assert message["content"] == "n is 1"


def test_a_result_that_is_json_is_as_it_was():
    tool = Clock({"success": True, "result": {"n": 1}}, lambda result: f"n is {result['result']['n']}")

    result, message = ran(tool)

    assert result == {"success": True, "result": {"n": 1}}
    assert message["content"] == "n is 1"


def test_a_formatter_that_never_answers_ends_with_its_call():
    go_on = threading.Event()

    class Hangs(Clock):
        def format_tool_result(self, result, state):
            go_on.wait(60)

    with AgentCore() as core:
        core.register_tool(Hangs())
        events = Recorder(core.board)
        call = core.board.submit(tool_call("now"), deadline=0.2)
        assert call.result()["code"] == "deadline_exceeded"
        events.wait("thread_fenced")
        go_on.set()
