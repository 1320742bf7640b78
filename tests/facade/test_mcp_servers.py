"""An MCP server is a host like any other: each call ends once and truly, and the next one works."""

from __future__ import annotations

import json
import os
import signal
import sys
import threading

import pytest
from callboard import Callboard, PluginError, __version__
from callboard.actors.routing.decision import NameTaken
from callboard.hosts.errors import RemoteError
from callboard.hosts.mcp.tool import McpToolPlugin
from leaks import TEST_MARK, no_leaks, wait_until
from programs import PROGRAMS
from tools import Tool, tool_call

SERVER = PROGRAMS / "python" / "mcp_server.py"
PATIENCE = 30.0


@pytest.fixture(autouse=True)
def nothing_is_left():
    with no_leaks():
        yield


def board_with(*words, start_deadline=10.0, **options):
    board = Callboard({"start_deadline": start_deadline})
    board.start()
    plugin = McpToolPlugin("server", [sys.executable, str(SERVER), *words], env=TEST_MARK, **options)
    board.register(plugin)
    return board


@pytest.fixture(
    params=[(), ("modern",), ("ends",)], ids=["handshake", "stateless", "ends at what it does not know"]
)
def board(request):
    with board_with(*request.param) as board:
        yield board


def test_its_tools_are_called_as_all_tools_are(board):
    assert board.execute(tool_call("echo", a=1)) == {"success": True, "result": '{"a": 1}'}
    assert board.execute(tool_call("count"))["result"].keys() == {"count"}
    failed, refused = board.execute(tool_call("fail")), board.execute(tool_call("refuse"))
    assert (failed["success"], failed["error"]) == (False, "it failed")
    assert refused == {
        "success": False,
        "error": "the server refused the call: no",
        "code": "invalid_call",
        "outcome": "outcome_unknown",
        "type": "McpInvalidCall",
        "message": "no",
    }


def answered(board, result):
    call = board.submit(tool_call("say", answer=f'"result": {json.dumps(result)}'))
    return call.result(PATIENCE), call.raw_answer


BLOCK = {"type": "text", "text": "a", "annotations": {"audience": ["user"]}}


def test_a_call_has_the_server_s_answer_beside_its_result():
    with board_with() as board:
        result, raw = answered(board, {"content": [BLOCK, BLOCK]})

    assert result == {"success": True, "result": "a\na"}
    assert json.loads(raw)["result"] == {"content": [BLOCK, BLOCK]}


def looks(_event, _data):
    return None


def changes(_event, data):
    return {"action": "modify", "data": {**data, "result": {**data["result"], "result": "b"}}}


@pytest.mark.parametrize(("hook", "keeps"), [(looks, True), (changes, False)])
def test_an_answer_that_a_hook_has_changed_is_gone(hook, keeps):
    with board_with() as board:
        board.hook("tool:post", hook)
        result, raw = answered(board, {"content": [BLOCK]})

    assert (result["result"], raw is not None) == ("a" if keeps else "b", keeps)


def words_it_otherwise(_event, data):
    return {"action": "modify", "data": {**data, "result": {**data["result"], "error": "b"}}}


@pytest.mark.parametrize(
    ("hook", "said"),
    [
        (words_it_otherwise, "b"),
        (lambda *_: {"action": "deny", "reason": "secret"}, "what it said was withheld"),
    ],
)
def test_a_gate_has_a_say_in_what_a_server_says_of_a_call_that_it_refuses(hook, said):
    with board_with() as board:
        board.hook("tool:post", hook)
        call = board.submit(tool_call("refuse"))
        refused = call.result(PATIENCE)

    assert (refused["code"], refused["outcome"]) == ("invalid_call", "outcome_unknown")
    assert said in refused["error"]
    assert "message" not in refused
    assert call.raw_answer is None


def test_an_answer_that_was_cut_is_gone():
    with board_with(result_limit=100) as board:
        result, raw = answered(board, {"content": [{"type": "text", "text": "a" * 200}]})

    assert "[Cut:" in result["result"]
    assert raw is None


def test_a_call_that_ended_before_its_answer_has_none(board):
    hanging = board.submit(tool_call("hang", begins=True))
    next(hanging.parts())
    hanging.cancel()

    assert hanging.result(PATIENCE)["code"] == "cancelled"
    assert hanging.raw_answer is None


def test_progress_comes_as_parts(board):
    *parts, last = board.stream(tool_call("steps"))

    assert [part["part"]["progress"] for part in parts] == [0, 1, 2]
    assert last


def test_a_server_that_is_killed_in_a_call_ends_it_and_the_next_one_works(board):
    crashed = board.execute(tool_call("crash"))
    pid = int(board.execute(tool_call("pid"))["result"])
    hanging = board.submit(tool_call("hang", begins=True))
    next(hanging.parts())
    os.kill(pid, signal.SIGKILL)
    killed = hanging.result(PATIENCE)
    after = board.execute(tool_call("echo"))

    assert [(each["code"], each["outcome"]) for each in (crashed, killed)] == [
        ("host_crashed", "outcome_unknown")
    ] * 2
    assert after["success"]


def test_a_child_that_holds_the_output_of_a_killed_server_holds_up_nobody():
    with board_with("holds") as board:
        crashed = board.execute(tool_call("crash"))
        after = board.execute(tool_call("echo"))

    assert (crashed["code"], after["success"]) == ("host_crashed", True)


def test_a_cancelled_call_frees_the_server_for_the_next(board):
    hanging = board.submit(tool_call("hang", begins=True))
    next(hanging.parts())
    hanging.cancel()

    assert hanging.result(PATIENCE)["code"] == "cancelled"
    assert board.execute(tool_call("echo"))["success"]


def test_a_server_that_goes_on_after_the_end_of_its_input_is_ended():
    with board_with("lingers") as board:
        assert board.execute(tool_call("echo"))["success"]


def test_a_server_that_is_told_how_to_begin_is_not_asked():
    with board_with("silent", revision="2025-11-25") as board:
        assert board.execute(tool_call("echo"))["success"]
        assert board.status()["plugins"]["server"]["host"]["generation"] == 1


def entry(name, *words, **more):
    return {"mcp": {"command": [sys.executable, str(SERVER), *words], "env": TEST_MARK, **more}, "name": name}


def tools_of(board):
    found = {}
    for tool in board.tools():
        found.setdefault(tool.plugin_name, []).append(tool.tool_name)
    return found


def test_of_servers_with_one_name_the_first_of_the_file_has_it_whichever_is_up_first(tmp_path):
    late = tmp_path / "late"
    servers = [
        entry("a", "tools=echo,pid", f"waits={late}"),
        entry("b", "tools=echo"),
        entry("c", "tools=count"),
    ]
    threading.Timer(1.0, late.touch).start()

    with Callboard({"plugins": servers}) as board:
        assert tools_of(board) == {"a": ["echo", "pid"], "b": ["b__echo"], "c": ["count"]}
        assert board.failed == []
        assert board.execute(tool_call("b__echo", x=1))["result"] == '{"x": 1}'
        owners = {tool.tool_name: tool.plugin_name for tool in board.tools()}
        assert owners["echo"] == "a"


def test_a_server_that_is_to_keep_its_names_keeps_them_and_the_others_yield():
    servers = [
        entry("a", "tools=echo"),
        entry("b", "tools=echo", prefix=False),
        entry("c", "tools=echo", prefix="see"),
    ]

    with Callboard({"plugins": servers}) as board:
        found = tools_of(board)

    assert found == {"a": ["a__echo"], "b": ["echo"], "c": ["see__echo"]}


def test_two_servers_that_keep_one_name_are_told_where_to_rename_it():
    servers = [entry("a", "tools=echo", prefix=False), entry("b", "tools=echo", prefix=False)]

    with Callboard({"plugins": servers}) as board:
        [failed] = board.failed

    assert "'rename' under 'tools'" in failed.error


def test_an_entry_chooses_and_renames_tools():
    chosen = {"allow": ["e*", "count"], "deny": ["environment"], "rename": {"count": "number"}}

    with Callboard({"plugins": [entry("a", tools=chosen)]}) as board:
        assert tools_of(board) == {"a": ["echo", "number"]}
        assert board.execute(tool_call("number"))["success"]
        assert board.execute(tool_call("fail"))["code"] == "unknown_tool"
        left_out = board.status()["plugins"]["a"]["left_out"]
    assert {"fail", "environment"} <= left_out.keys()
    assert {"echo", "count", "number"} & left_out.keys() == set()


@pytest.mark.parametrize(("trust", "repeated"), [(True, True), (False, False)])
def test_what_a_server_says_of_its_tools_counts_only_if_it_is_trusted(trust, repeated, tmp_path):
    options = {"trust_annotations": trust}

    with Callboard({"plugins": [entry("a", f"dies_once={tmp_path / 'died'}", **options)]}) as board:
        answered = board.execute(tool_call("pid"))

    assert answered["success"] is repeated


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"tools": {"alow": ["x"]}}, "allow"),
        ({"tools": ["x"]}, "mapping"),
        ({"tools": {"rename": {"a": 3}}}, "rename"),
        ({"prefix": "a b"}, "prefix"),
        ({"trust_annotations": "yes"}, "trust_annotations"),
    ],
)
def test_what_is_wrong_with_an_entry_is_said_by_its_key(wrong, said):
    with Callboard({"plugins": [entry("a", **wrong)]}) as board:
        (failed,) = board.failed

    assert said in failed.error


def test_tools_that_a_server_learns_are_offered_without_a_new_generation(board):
    changed = threading.Event()
    board.subscribe(lambda event: changed.set(), ["tools_changed"])
    pid = board.execute(tool_call("pid"))["result"]

    board.execute(tool_call("learn", tools=["pid", "count"]))

    assert changed.wait(PATIENCE)
    assert tools_of(board) == {"server": ["pid", "count"]}
    assert board.execute(tool_call("pid"))["result"] == pid
    assert board.execute(tool_call("echo"))["code"] == "unknown_tool"


def test_tools_that_a_server_may_not_have_change_nothing():
    servers = [entry("a", "tools=learn,pid", prefix=False), entry("b", "tools=echo", prefix=False)]
    with Callboard({"plugins": servers}) as board:
        before = tools_of(board)
        board.execute(tool_call("learn", tools=["echo"]))
        for _ in range(3):  # so that the refused list was read
            board.execute(tool_call("pid"))

        assert tools_of(board) == before
        assert board.execute(tool_call("pid"))["success"]


def test_a_tool_that_a_server_learns_is_offered_apart_from_another_servers_of_that_name():
    with Callboard({"plugins": [entry("a", "tools=learn,pid"), entry("b", "tools=echo")]}) as board:
        board.execute(tool_call("learn", tools=["echo"]))

        wait_until(lambda: tools_of(board) == {"a": ["a__echo"], "b": ["echo"]}, PATIENCE)
        assert board.execute(tool_call("a__echo", x=1))["result"] == '{"x": 1}'


def test_a_server_that_comes_later_moves_no_name():
    with Callboard({"plugins": [entry("a", "tools=echo,pid")]}) as board:
        first = board.execute(tool_call("pid"))["result"]

        board.load(entry("b", "tools=echo,pid,count"))

        assert tools_of(board) == {"a": ["echo", "pid"], "b": ["b__echo", "b__pid", "count"]}
        assert board.execute(tool_call("pid"))["result"] == first
        assert board.execute(tool_call("b__pid"))["result"] != first


def test_the_name_of_a_server_that_was_removed_is_no_other_servers_and_its_own_when_it_comes_back():
    a, b = entry("a", "tools=echo"), entry("b", "tools=echo")
    with Callboard({"plugins": [a, b]}) as board:
        board.remove("a")

        board.restart("b")
        assert board.execute(tool_call("b__echo"))["success"]
        assert board.execute(tool_call("echo"))["code"] == "unknown_tool"
        board.load(a)
        assert tools_of(board) == {"b": ["b__echo"], "a": ["echo"]}


def test_a_name_of_a_plugin_of_this_program_is_kept_beside_a_server_of_any_place():
    def echo() -> str:
        return "mine"

    with (
        Callboard({"plugins": [entry("a", "tools=echo")]}) as board,
        pytest.raises(NameTaken, match="'a' offers already"),
    ):
        board.register(echo)

    with Callboard() as board:
        board.register(echo)
        board.load(entry("a", "tools=echo"))
        assert board.call("echo") == "mine"
        assert tools_of(board)["a"] == ["a__echo"]


def test_many_changes_in_a_row_end_with_the_last(board):
    for names in (["a"], ["b"], ["c"]):
        board.execute(tool_call("learn", tools=["learn", *names]))

    wait_until(lambda: tools_of(board) == {"server": ["learn", "c"]}, PATIENCE)


def test_a_listing_that_ended_with_its_server_keeps_no_later_one_from_its_turn(tmp_path):
    forgets = tmp_path / "forgets"
    with Callboard({"plugins": [entry("a", f"forgets={forgets}")]}) as board:
        board.execute(tool_call("learn", tools=["crash"]))
        wait_until(forgets.exists, PATIENCE)
        board.execute(tool_call("crash"))
        board.execute(tool_call("learn", tools=["pid"]))

        wait_until(lambda: tools_of(board) == {"a": ["pid"]}, PATIENCE)


def test_a_server_that_says_with_each_listing_that_its_tools_have_changed_is_not_asked_for_ever(board):
    board.execute(tool_call("learn", tools=["learn", "listed"]))
    wait_until(lambda: tools_of(board) == {"server": ["learn", "listed"]}, PATIENCE)

    counts = [board.execute(tool_call("listed"))["result"] for _ in range(50)]

    assert int(counts[-1]) < 20
    assert counts[-1] == counts[-10]


@pytest.fixture(params=[(), ("modern",)], ids=["handshake", "stateless"])
def sharing(request):
    with board_with("shares", *request.param) as board:
        yield board


def test_its_resources_and_prompts_can_be_read(sharing):
    assert [each["uri"] for each in sharing.resources("server")] == ["note://one", "note://two"]
    assert [each["name"] for each in sharing.resource_templates("server")] == ["note"]
    assert sharing.read_resource("server", "note://one")["contents"][0]["text"] == "the first note"
    assert [each["name"] for each in sharing.prompts("server")] == ["greet"]
    got = sharing.get_prompt("server", "greet", {"who": "Ann"})
    assert got["messages"][0]["content"]["text"] == "Hello Ann"


def test_they_can_be_read_after_a_restart(sharing):
    sharing.execute(tool_call("crash"))
    sharing.execute(tool_call("pid"))

    assert len(sharing.resources("server")) == 2


def test_what_a_server_does_not_have_is_said_by_its_error(sharing):
    with pytest.raises(RemoteError):
        sharing.read_resource("server", "note://none")
    with pytest.raises(RemoteError):
        sharing.get_prompt("server", "none")


def test_a_server_that_shares_nothing_has_none_of_them(board):
    assert (board.resources("server"), board.resource_templates("server"), board.prompts("server")) == (
        [],
        [],
        [],
    )
    with pytest.raises(RemoteError):
        board.read_resource("server", "note://one")


def test_a_list_of_them_without_an_end_is_given_up():
    with board_with("shares", "endless") as board, pytest.raises(RemoteError, match="cursor"):
        board.resources("server")


def test_only_mcp_servers_have_them(board):
    board.register(Tool("plain"))  # in this process

    with pytest.raises(PluginError):
        board.resources("tool")
    with pytest.raises(KeyError):
        board.resources("none")
    with pytest.raises(TypeError):
        board.read_resource("server", 3)


def test_a_result_beyond_its_bound_is_cut_and_the_rest_is_a_resource_in_the_next_generation_too():
    with board_with("shares", result_limit=2000) as board:
        cut = board.execute(tool_call("echo", a="x" * 5000))["result"]
        board.execute(tool_call("crash"))
        board.execute(tool_call("echo"))
        uris = [each["uri"] for each in board.resources("server") if each["uri"].startswith("callboard:")]
        rest = [board.read_resource("server", uri)["contents"][0]["text"] for uri in uris]

    assert [uri for uri in uris if uri in cut] == uris
    assert cut[:2000] + "".join(rest) == '{"a": "' + "x" * 5000 + '"}'


def test_the_trace_of_a_call_goes_to_its_server_and_nothing_else_of_its_context(board):
    trace = {"traceparent": "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01", "tracestate": "a=b"}

    told = board.execute(tool_call("meta"), context={**trace, "secret": "x"})
    without = board.execute(tool_call("meta"), context={"traceparent": "no trace", "secret": "x"})

    assert {key: told["result"][key] for key in ("traceparent", "tracestate")} == trace
    assert "secret" not in told["result"]
    assert "traceparent" not in without["result"]


def test_a_server_is_told_who_calls_it_and_of_which_version():
    plugin = McpToolPlugin("server", [sys.executable, str(SERVER)])
    plugin.dialect().encode("1-1", "describe", {})
    begun = plugin.dialect().encode("1-2", "init", {})

    assert f'"version":"{__version__}"'.encode() in begun
