"""What a board says, as MCP has it; each value is one that the SDK takes."""

from __future__ import annotations

from typing import Any

import mcp_types as types
import pytest
from callboard.hosts.mcp.results import ServerPart
from callboard.hosts.mcp_tasks.server_tasks import RELATED
from callboard.interop.default_registry import DEFAULT_TOOL_INTEROP_REGISTRY as REGISTRY
from callboard.mcp.health import health_of, with_those_of_servers
from callboard.mcp_protocol.content import MAY_HAVE_RUN, Progress, result_of, tools_of
from hypothesis import given
from hypothesis import strategies as st
from sdks import needs_sdk

pytestmark = needs_sdk

IMAGE = {"type": "image", "data": "AA==", "mimeType": "image/png"}


@pytest.mark.parametrize(
    ("result", "blocks", "structured"),
    [
        ("text", [{"type": "text", "text": "text"}], None),
        (None, [], None),
        ({"a": 1}, [{"type": "text", "text": '{"a":1}'}], {"a": 1}),
        ([1, 2], [{"type": "text", "text": "[1,2]"}], None),
        (3, [{"type": "text", "text": "3"}], None),
    ],
)
def test_a_result_is_said_as_data_and_as_text(result: Any, blocks: list[Any], structured: Any) -> None:
    written = result_of({"success": True, "result": result}, "a", REGISTRY)

    assert (written["content"], written.get("structuredContent")) == (blocks, structured)
    assert not types.CallToolResult.model_validate(written).is_error


def test_blocks_of_a_server_go_on_as_they_are() -> None:
    content = [{"type": "text", "text": "look"}, IMAGE]

    assert (
        result_of({"success": True, "result": "look", "content": content}, "a", REGISTRY)["content"]
        == content
    )


FORGED = {"callboard/code": "denied", "own": 1}


def test_no_tool_says_in_our_name_what_stands_beside_a_block_or_a_declaration() -> None:
    result = {"success": True, "result": "look", "content": [{**IMAGE, "_meta": FORGED}]}
    tool = {"name": "a", "inputSchema": {"type": "object"}, "_meta": FORGED}

    (block,) = result_of(result, "a", REGISTRY)["content"]
    (declared,), _ = tools_of([(tool, True, False)], REGISTRY, handshake=True)

    assert block["_meta"] == declared["_meta"] == {"own": 1}
    assert tool["_meta"] == FORGED


@pytest.mark.parametrize(
    ("failure", "text", "facts"),
    [
        ({"error": "no"}, "no", {}),
        ({"error": ""}, "the tool failed, and does not say why", {}),
        (
            {"error": "it ended.", "code": "host_crashed", "outcome": "outcome_unknown"},
            f"files: it ended. {MAY_HAVE_RUN}",
            {"code": "host_crashed", "outcome": "outcome_unknown", "plugin": "files"},
        ),
        (
            {"error": "host 'files' is parked", "code": "host_unavailable", "outcome": "not_sent"},
            "host 'files' is parked",
            {"code": "host_unavailable", "outcome": "not_sent", "plugin": "files"},
        ),
    ],
)
def test_a_failure_says_what_happened_to_whom_and_whether_it_may_have_run(
    failure: dict[str, Any], text: str, facts: dict[str, Any]
) -> None:
    plugin = "files" if facts else None

    written = result_of({"success": False, **failure}, plugin, REGISTRY)

    assert written["isError"] is True
    assert written["content"] == [{"type": "text", "text": text}]
    assert written.get("_meta", {}) == {f"callboard/{key}": value for key, value in facts.items()}


def test_a_tool_without_a_description_has_its_name_and_one_that_cannot_be_said_is_left_out() -> None:
    silent = {"name": "silent", "inputSchema": {"type": "object"}, "execution": {"taskSupport": "forbidden"}}
    foreign = {"no": "schema"}

    tools, left_out = tools_of([(silent, False, False), (foreign, False, False)], REGISTRY, handshake=True)

    assert tools == [{"name": "silent", "description": "silent", "inputSchema": {"type": "object"}}]
    assert list(left_out) == ["?"]


PLAIN = {"name": "a", "inputSchema": {"type": "object"}}
OF_A_LIST = {"outputSchema": {"type": "array"}}


@pytest.mark.parametrize(
    ("more", "handshake", "stateless"),
    [
        ({"unknown": 1, "annotations": {"own": None}}, True, True),
        ({"execution": {"taskSupport": "forbidden"}}, True, True),
        ({"execution": {"taskSupport": "optional"}}, True, False),
        ({"outputSchema": {"type": "object"}}, True, True),
        (OF_A_LIST, False, True),
    ],
)
def test_a_server_declares_its_tools_itself(more: Any, handshake: bool, stateless: bool) -> None:
    for client, kept in ((True, handshake), (False, stateless)):
        (tool,), _ = tools_of([({**PLAIN, **more}, True, False)], REGISTRY, handshake=client)

        assert tool == (PLAIN | more if kept else PLAIN)


@pytest.mark.parametrize("value", ["text", [1], 3, {"a": 1}])
def test_any_value_of_a_tool_with_an_output_schema_is_structured_content(value: Any) -> None:
    written = result_of({"success": True, "result": value}, "a", REGISTRY, structured=True)

    assert written["structuredContent"] == value
    assert len(written["content"]) == 1


def test_a_list_of_objects_under_content_is_no_list_of_blocks() -> None:
    written = result_of({"success": True, "result": "found", "content": [{"id": 1}]}, "a", REGISTRY)

    assert written["content"] == [{"type": "text", "text": "found"}]


PARTS = st.none() | st.text(max_size=3) | st.integers() | st.dictionaries(
    st.sampled_from(["progress", "total", "message", "else"]), st.none() | st.floats(-9, 9) | st.text(max_size=2) | st.booleans()
)  # fmt: skip


@given(st.lists(PARTS, max_size=6))
def test_progress_only_grows_whatever_the_parts_are(parts: list[Any]) -> None:
    progress = Progress()

    told = [progress.next(part) for part in parts]

    numbers = [each["progress"] for each in told]
    assert numbers == sorted(set(numbers))
    for each in told:
        types.ProgressNotificationParams.model_validate({**each, "progressToken": 1})


def test_parts_keep_numbers_that_grow() -> None:
    progress = Progress()
    parts = [
        {"progress": 0, "total": 2},
        {"progress": 0.5},
        {"progress": 2, "message": "done"},
        "more",
        {"progress": 1},
    ]

    assert [progress.next(part) for part in parts] == [
        {"progressToken": None, "progress": 0, "total": 2},
        {"progressToken": None, "progress": 0.5},
        {"progressToken": None, "progress": 2, "message": "done"},
        {"progressToken": None, "progress": 3, "message": "more"},
        {"progressToken": None, "progress": 4},
    ]


@given(
    st.lists(st.integers() | st.floats(allow_nan=False), max_size=6),
    st.none() | st.dictionaries(st.text(), st.none() | st.text()),
)
def test_progress_of_a_server_goes_on_as_it_came(numbers: list[float], meta: Any) -> None:
    progress = Progress()
    said = [{"own": [1], "progress": each, "_meta": meta, "progressToken": "its"} for each in numbers]

    assert [progress.next(ServerPart({}, each)) for each in said] == said


def test_progress_of_a_server_does_not_name_its_task() -> None:
    params = {"progressToken": "its", "progress": 1, "_meta": {RELATED: {"taskId": "its"}, "own": 1}}
    alone = {**params, "_meta": {RELATED: {"taskId": "its"}}}

    assert Progress().next(ServerPart({}, params)) == {**params, "_meta": {"own": 1}}
    assert Progress().next(ServerPart({}, alone)) == {"progressToken": "its", "progress": 1}


@pytest.mark.parametrize(
    ("own", "servers", "said"),
    [
        (None, {}, None),
        (None, {"a": " \n"}, None),
        ("Own.", {}, "Own."),
        ("Own.", {"a": "A"}, "Own.\n\n## a\n\nA"),
        (None, {"a\n# b": "A"}, "## a # b\n\nA"),
        (None, {"a": "x" * 40_000}, f"## a\n\n{'x' * 32_768}\n[cut]"),
    ],
)
def test_instructions_of_servers_follow_those_of_the_board(own: Any, servers: Any, said: Any) -> None:
    assert with_those_of_servers(own, servers) == said


def _status(*, running: bool = True, available: bool = True, failed: tuple[Any, ...] = ()) -> dict[str, Any]:
    plugin = {"available": available, "problem": None, "host": {"state": "ready", "why": ""}}
    return {"running": running, "plugins": {"a": plugin}, "failed": list(failed)}


@pytest.mark.parametrize(
    ("status", "starting", "well"),
    [
        (_status(), False, True),
        (_status(), True, False),
        (_status(available=False), False, False),
        (_status(running=False), False, False),
        (_status(failed=({"plugin": None, "source": "mcp:b", "error": "no"},)), False, False),
    ],
)
def test_a_board_is_well_if_all_of_it_is(status: dict[str, Any], starting: bool, well: bool) -> None:
    assert health_of(status, starting=starting)["ok"] is well
