"""A session begins in the era that the server knows, asks what the board asks, and ends each request once."""

from __future__ import annotations

import json

import pytest
from callboard.hosts.errors import ToolGone
from callboard.hosts.mcp.listing import MAX_PAGES
from callboard.hosts.mcp.revision import Stage
from callboard.hosts.protocol.wire import ErrorResponse, Malformed, PartEvent, Response, StrayLine
from hypothesis import given
from hypothesis import strategies as st
from mcp_sessions import MODERN, OLD, TOOL, Talk, answer, modern, old, refusal
from sdks import needs_sdk

pytestmark = needs_sdk


def methods_of(talk):
    return [each["method"] for each in talk.sent if "method" in each]


@pytest.mark.parametrize(
    ("server", "revision", "asked"),
    [
        (old, "2025-11-25", ["server/discover", "initialize", "notifications/initialized", "tools/list"]),
        (modern, "2026-07-28", ["server/discover", "tools/list"]),
    ],
)
def test_each_era_is_found_out_and_its_tools_are_listed(server, revision, asked):
    talk = Talk(server)

    talk.open()

    assert (talk.session.stage, talk.session.revision) == (Stage.OPEN, revision)
    assert methods_of(talk) == asked
    described, begun, listed = talk.heard
    assert (described.id, described.value["features"], described.value["objects_only"]) == (
        "1-1",
        ["ack", "cancel"],
        True,
    )
    assert (begun, listed) == (Response("1-2", {}, {}), Response("1-3", [TOOL], None))
    assert described.value["version"] == talk.session.server[1] != ""


def test_a_server_that_has_some_answer_for_all_that_it_does_not_know_is_shaken_hands_with():
    talk = Talk(lambda asked: [answer(asked, {})] if asked["method"] == "server/discover" else old(asked))

    talk.open()

    assert (talk.session.stage, talk.session.revision) == (Stage.OPEN, "2025-11-25")


def test_a_revision_that_is_said_needs_no_question():
    talk = Talk(old, revision="2025-06-18")

    talk.open()

    assert methods_of(talk)[0] == "initialize"
    assert talk.sent[0]["params"]["protocolVersion"] == "2025-06-18"


def test_a_server_that_discovers_and_knows_only_handshakes_is_shaken_hands_with_in_its_own():
    def both(asked):
        return (
            [answer(asked, MODERN | {"supportedVersions": ["2025-06-18"]})]
            if asked["method"] == "server/discover"
            else old(asked)
        )

    talk = Talk(both)
    talk.open()

    assert talk.sent[1]["params"]["protocolVersion"] == "2025-06-18"
    assert talk.session.stage is Stage.OPEN


def only(result):
    return lambda asked: (
        [answer(asked, result)]
        if asked["method"] == "initialize"
        else [refusal(asked)]
        if "id" in asked
        else []
    )


@pytest.mark.parametrize(
    ("server", "options", "fact"),
    [
        (lambda asked: [refusal(asked)], {}, "refuses the handshake"),
        (only(OLD | {"protocolVersion": "1999-01-01"}), {}, "1999-01-01"),
        (only(None), {}, "known are"),
        (lambda asked: [answer(asked, {"supportedVersions": ["2099-01-01"]})], {}, "no revision"),
        (old, {"revision": "2026-07-28"}, "2026-07-28"),
    ],
)
def test_a_server_that_nobody_can_speak_to_is_refused_for_good_with_the_reason(server, options, fact):
    talk = Talk(server, **options)

    talk.ask("describe")
    begun = talk.ask("init", config={})

    (refused,) = talk.of(begun)
    assert isinstance(refused, ErrorResponse)
    assert (refused.error["type"], refused.error["phase"]) == ("McpError", "load")
    assert fact in refused.error["detail"]
    assert talk.session.stage is Stage.REFUSED


def pages(*pages_, cursors):
    def server(asked):
        if asked["method"] != "tools/list":
            return old(asked)
        cursor = asked.get("params", {}).get("cursor")
        number = 0 if cursor is None else int(cursor.removeprefix("c"))
        return [answer(asked, {"tools": pages_[number % len(pages_)]} | cursors(number))]

    return server


def named(name, **more):
    return TOOL | {"name": name} | more


def test_a_call_of_a_tool_that_is_left_out_by_now_is_not_sent_by_its_bare_name():
    declared = [named("a"), named("b")]
    server = pages(declared, cursors=lambda _: {})
    talk = Talk(server).open()
    declared[1] = {"name": "b"}
    talk.ask("get_tool_schemas", state={})

    with pytest.raises(ToolGone):
        talk.ask("execute_tool", tool_name="b", arguments={})

    assert "tools/call" not in methods_of(talk)


def test_all_pages_of_tools_are_one_list():
    server = pages(
        [named("a")],
        [named("b")],
        [named("c")],
        cursors=lambda n: {"nextCursor": f"c{n + 1}"} if n < 2 else {},
    )
    talk = Talk(server).open()

    assert [tool["name"] for tool in talk.heard[-1].value] == ["a", "b", "c"]


@pytest.mark.parametrize(
    ("cursors", "fact"),
    [
        (lambda _: {"nextCursor": "c1"}, "circle"),
        (lambda number: {"nextCursor": f"c{number + 1}"}, f"{MAX_PAGES} pages"),
    ],
)
def test_a_list_without_an_end_is_given_up_with_the_reason(cursors, fact):
    talk = Talk(pages([named("a")], cursors=cursors)).open()

    assert isinstance(talk.heard[-1], ErrorResponse)
    assert fact in talk.heard[-1].error["detail"]
    assert methods_of(talk).count("tools/list") <= MAX_PAGES


def test_a_tool_that_cannot_be_called_is_left_out_with_the_reason_and_the_others_stay():
    tools = [{"name": "bare"}, "none", named("good")]
    talk = Talk(pages(tools, cursors=lambda _: {})).open()

    assert [tool["name"] for tool in talk.heard[-1].value] == ["good"]
    assert talk.session.offered.left_out.keys() == {"bare", "None"}


def test_a_server_without_tools_is_asked_for_none():
    talk = Talk(only(OLD | {"capabilities": {"prompts": {}}})).open()

    assert talk.heard[-1] == Response("1-3", [], None)
    assert "tools/list" not in methods_of(talk)


@pytest.mark.parametrize("server", [old, modern])
def test_a_call_is_answered_and_its_progress_comes_as_parts(server):
    talk = Talk(lambda asked: [] if asked["method"] == "tools/call" else server(asked)).open()
    call = talk.ask("execute_tool", tool_name="echo", arguments={"a": 1}, state={})
    asked = talk.sent[-1]
    token = asked["params"]["_meta"]["progressToken"]

    talk.say(
        {
            "jsonrpc": "2.0",
            "method": "notifications/progress",
            "params": {"progressToken": token, "progress": 1, "total": 2},
        }
    )
    said = answer(asked, {"content": [{"type": "text", "text": "done"}]})
    talk.say(said)

    assert (asked["params"]["name"], asked["params"]["arguments"]) == ("echo", {"a": 1})
    part, heard = talk.of(call)
    assert part == PartEvent(call, {"progress": 1, "total": 2})
    assert heard[:3] == (call, {"success": True, "result": "done"}, None)
    assert heard.raw.line == json.dumps(said).encode()


def test_who_wants_no_parts_asks_for_no_progress():
    talk = Talk(old).open()

    talk.ask("execute_tool", tool_name="echo", arguments={}, state={}, stream=False)

    assert "_meta" not in talk.sent[-1]["params"]


RESULTS = {
    "text": ({"content": [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]}, {"success": True, "result": "a\nb"}),
    "structured": (
        {"content": [{"type": "text", "text": '{"a":1}'}], "structuredContent": {"a": 1}},
        {"success": True, "result": {"a": 1}},
    ),
    "an image": (
        {"content": [{"type": "image", "data": "AA==", "mimeType": "image/png"}]},
        {"success": True, "result": None, "content": [{"type": "image", "data": "AA==", "mimeType": "image/png"}]},
    ),
    "nothing": ({"content": []}, {"success": True, "result": ""}),
    "a failure": ({"content": [{"type": "text", "text": "no"}], "isError": True}, {"success": False, "error": "no"}),
    "a failure with facts": (
        {"content": [], "isError": True, "structuredContent": {"a": 1}},
        {"success": False, "error": "the server says that the tool failed, and not why", "error_details": {"a": 1}},
    ),
}  # fmt: skip


@pytest.mark.parametrize("what", RESULTS)
def test_a_result_is_said_once(what):
    said, result = RESULTS[what]
    talk = Talk(lambda asked: [answer(asked, said)] if asked["method"] == "tools/call" else old(asked)).open()

    call = talk.ask("execute_tool", tool_name="echo", arguments={}, state={})

    (heard,) = talk.of(call)
    assert heard.value == result
    assert json.loads(heard.raw.line)["result"] == heard.raw.value == said


@pytest.mark.parametrize(
    ("said", "kind", "fact"),
    [
        ({"error": {"code": -32602, "message": "no such tool"}}, "McpInvalidCall", "no such tool"),
        ({"error": {"code": [-32602]}}, "McpError", "does not say why"),
        ({"error": {"code": True}}, "McpError", "does not say why"),
        ({"error": {}}, "McpError", "does not say why"),
        ({"result": 7}, "InvalidResult", "object"),
        (
            {
                "result": {
                    "resultType": "input_required",
                    "inputRequests": {"a": {"method": "elicitation/create"}},
                }
            },
            "InputRequired",
            "elicitation/create",
        ),
        ({"result": {"resultType": "task"}}, "InputRequired", "task"),
    ],
)
def test_what_is_no_result_ends_the_call_with_the_reason(said, kind, fact):
    talk = Talk(
        lambda asked: (
            [{"jsonrpc": "2.0", "id": asked["id"], **said}] if asked["method"] == "tools/call" else old(asked)
        )
    ).open()

    call = talk.ask("execute_tool", tool_name="echo", arguments={}, state={})

    (ended,) = talk.of(call)
    assert ended.error["type"] == kind
    assert fact in ended.error["detail"]
    assert (ended.raw is not None) == ("error" in said)


def test_a_cancelled_call_ends_at_once_and_the_server_is_told():
    talk = Talk(lambda asked: [] if asked["method"] == "tools/call" else old(asked)).open()
    call = talk.ask("execute_tool", tool_name="echo", arguments={}, state={})

    cancel = talk.ask("cancel", id=call, reason="enough")
    again = talk.ask("cancel", id=call, reason="enough")

    assert talk.of(call)[0].error["type"] == "Cancelled"
    assert (talk.of(cancel), talk.of(again)) == (
        [Response(cancel, True, None)],
        [Response(again, False, None)],
    )
    told = [each for each in talk.sent if each.get("method") == "notifications/cancelled"]
    assert [each["params"]["requestId"] for each in told] == [call]


@pytest.mark.parametrize("server", [old, modern])
def test_a_liveness_probe_is_a_question_to_the_server(server):
    talk = Talk(server).open()

    probe = talk.ask("describe")

    assert methods_of(talk)[-1] in {"ping", "server/discover"}
    assert talk.of(probe)


def test_questions_of_the_server_are_answered_whatever_their_ids():
    talk = Talk(old, roots=["file:///a"]).open()

    talk.say(
        {"jsonrpc": "2.0", "id": 0, "method": "ping"},
        {"jsonrpc": "2.0", "id": "callboard:list", "method": "roots/list"},
        {"jsonrpc": "2.0", "id": 1, "method": "sampling/createMessage", "params": {}},
    )

    pong, roots, refused = talk.sent[-3:]
    assert (pong["id"], pong["result"]) == (0, {})
    assert roots["result"] == {"roots": [{"uri": "file:///a"}]}
    assert refused["error"]["code"] == -32601
    assert talk.sent[1]["params"]["capabilities"] == {"roots": {}}


def test_what_is_no_message_is_a_print_and_too_much_is_fatal():
    talk = Talk(old).open()

    for line in (b"hello", b"{}", b'{"jsonrpc":"1.0","id":1,"result":1}', b"\xff\xfe", b"[" * 5000):
        assert talk.session.decode(line) == (StrayLine(line),)
    (fatal,) = talk.session.decode(b'{"jsonrpc":"2.0","a":[' + b"{}," * 6_000_000 + b"{}]}")
    assert isinstance(fatal, Malformed)
    assert fatal.reason == "too_many_values"


def test_a_method_that_mcp_does_not_know_is_lacking():
    talk = Talk(old).open()

    asked = talk.ask("get_tags", config={}, models=[])

    assert talk.of(asked)[0].error["type"] == "MethodNotFound"


ids = st.sampled_from(
    ["1-1", "1-2", "1-4", "1-5", "1-6", "callboard:list", "callboard:initialize", 0, 1, None, "x"]
)
messages = st.one_of(
    st.builds(lambda i, r: {"jsonrpc": "2.0", "id": i, "result": r}, ids, st.sampled_from([{}, {"content": []}, None, 3, {"tools": [TOOL]}])),
    st.builds(lambda i: {"jsonrpc": "2.0", "id": i, "error": {"code": 1, "message": "m"}}, ids),
    st.builds(lambda i, m: {"jsonrpc": "2.0", "id": i, "method": m}, ids, st.sampled_from(["ping", "roots/list", "x"])),
    st.builds(lambda t: {"jsonrpc": "2.0", "method": "notifications/progress", "params": {"progressToken": t, "progress": 1}}, ids),
    st.sampled_from([{"jsonrpc": "2.0", "method": "notifications/tools/list_changed"}, {}, {"jsonrpc": "2.0"}, {"id": []}]),
    st.builds(lambda i, v: {"id": i, **v}, ids, st.sampled_from([{}, {"jsonrpc": "2.0"}, {"result": {}}])),
)  # fmt: skip
steps = st.lists(st.one_of(st.sampled_from(["call", "cancel", "list", "probe"]), messages), max_size=30)


@given(steps)
def test_whatever_a_server_says_and_when_each_call_can_be_answered(history):
    talk = Talk(lambda asked: [] if asked["method"] == "tools/call" else old(asked)).open()
    calls = []
    for step in history:
        if step == "call":
            calls.append(talk.ask("execute_tool", tool_name="echo", arguments={}, state={}))
        elif step == "cancel":
            talk.ask("cancel", id=calls[-1] if calls else "1-9", reason="")
        elif isinstance(step, str):
            talk.ask({"list": "get_tool_schemas", "probe": "describe"}[step])
        else:
            talk.say(step)

    ends = [
        each.id
        for each in talk.heard
        if isinstance(each, Response | ErrorResponse | Malformed) and each.id in calls
    ]
    unanswered = [call for call in calls if call not in ends]
    for call in unanswered:
        talk.say({"jsonrpc": "2.0", "id": call, "result": {"content": []}})
    assert set(calls) <= {
        each.id for each in talk.heard if isinstance(each, Response | ErrorResponse | Malformed)
    }
