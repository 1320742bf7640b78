"""The law of a gateway: what a server says is what its client gets, value for value.

The frames that a client has through Callboard are held to those that it has from the same server without, in both eras on both
sides. `_translated` is all that may differ.
"""

from __future__ import annotations

import json
import sys
from contextlib import ExitStack, suppress
from functools import partial
from typing import TYPE_CHECKING, Any

import mcp_types as types
import pytest
from anyio.from_thread import start_blocking_portal
from hypothesis import example, given
from hypothesis import strategies as st
from mcp.shared.exceptions import MCPError
from mcp_clients import SERVER, http_server, over_http, over_pipes, servers, started, written
from mcp_results import JSON, RESULTS
from pydantic import ValidationError
from sdks import needs_sdk

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from anyio.from_thread import BlockingPortal
    from mcp.client import Client
    from mcp_frames import Answers

    Say = Callable[[str, str], str]
    """Has the client of an era call the server of one, by way of Callboard or not; returns the answer as text of JSON."""

pytestmark = needs_sdk

Json = dict[str, Any]
ERAS = ("handshake", "stateless")
PATIENCE = 1800.0
"""Seconds for all of the tests here, whose clients are the same."""


class Line:
    """A client, and what it has heard."""

    def __init__(self, client: Client, answers: Answers, portal: BlockingPortal) -> None:
        self._client = client
        self._answers = answers
        self._portal = portal

    def lists(self) -> list[Json]:
        """The tools, as the frame has them."""
        self._answers.clear()
        self._portal.call(partial(self._client.list_tools, cache_mode="refresh"))
        (frame,) = self._answers
        assert isinstance(frame, types.JSONRPCResponse)
        tools: list[Json] = frame.result["tools"]
        return tools

    def says(self, tool: str, answer: str) -> Json:
        """What the client hears when a server answers so: the frame's ``result`` or ``error``."""
        self._answers.clear()
        with suppress(MCPError, ValidationError):  # an error, or what the client's era does not take
            self._portal.call(self._client.call_tool, tool, {"answer": answer})
        (frame,) = self._answers
        if isinstance(frame, types.JSONRPCError):
            return {"error": frame.error.model_dump(exclude_none=True)}
        return {"result": frame.result}


@pytest.fixture(scope="module")
def lines(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[tuple[str, str], Line]]:
    """Of each era a client behind Callboard, one behind it over HTTP, and one with a server of its own era."""
    behind = servers(handshake=["tools=say", "extends"], stateless=["tools=say", "extends", "modern"])
    for entry in behind["mcpServers"].values():
        entry["prefix"] = True
    config = written(tmp_path_factory.mktemp("board"), behind)
    found = {}
    with ExitStack() as stack:
        portal = stack.enter_context(start_blocking_portal())
        address = stack.enter_context(http_server(config))
        for era in ERAS:
            program = [
                sys.executable,
                SERVER,
                "tools=say",
                "extends",
                *(["modern"] if era == "stateless" else []),
            ]
            for way, client in (
                (
                    "behind",
                    lambda answers, era=era: over_pipes(config, era, answers=answers, patience=PATIENCE),
                ),
                (
                    "http",
                    lambda answers, era=era: over_http(address, era, answers=answers, patience=PATIENCE),
                ),
                ("direct", lambda answers, era=era, program=program: started(program, era, answers=answers)),
            ):
                answers: Answers = []
                connected = stack.enter_context(portal.wrap_async_context_manager(client(answers)))
                portal.call(connected.list_tools)
                found[way, era] = Line(connected, answers, portal)
        yield found


def _both(lines: dict[tuple[str, str], Line], client: str, server: str, answer: str) -> tuple[Json, Json]:
    """What a client gets through Callboard, and what one of the server's era has from that server itself."""
    return lines["behind", client].says(f"{server}__say", answer), lines["direct", server].says("say", answer)


def _translated(answer: Json, client: str) -> Json:
    """An answer as a client of that era can be told it: the written list."""
    result = dict(answer["result"])
    structured = result.get("structuredContent")
    if client == "stateless":
        return {"result": {**result, "resultType": "complete"}}
    result.pop("resultType", None)
    if not isinstance(structured, dict | None):
        del result["structuredContent"]
        result["content"] = result["content"] or [{"type": "text", "text": ...}]
    return {"result": result}


def _same(one: Any, other: Any) -> bool:
    """Whether two values are the same JSON, in the same order; ``...`` stands for any text."""
    if other is ...:
        return isinstance(one, str)
    if isinstance(one, dict) and isinstance(other, dict):
        return list(one) == list(other) and all(_same(one[key], other[key]) for key in one)
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(_same, one, other))
    return repr(one) == repr(other)


@pytest.mark.parametrize("server", ERAS)
@pytest.mark.parametrize("client", ERAS)
@given(result=RESULTS)
@example(result={"content": []})
@example(result={"content": [], "structuredContent": [2**64, -0.0]})
def test_a_result_comes_as_it_was_said(
    lines: dict[tuple[str, str], Line], client: str, server: str, result: Json
) -> None:
    said = json.dumps({**result, "resultType": "complete"} if server == "stateless" else result)

    behind, direct = _both(lines, client, server, f'"result": {said}')

    assert _same(behind, _translated(direct, client)), (behind, direct)


@pytest.mark.parametrize("server", ERAS)
@pytest.mark.parametrize("client", ERAS)
@given(
    error=st.fixed_dictionaries(
        {"code": st.integers(-40000, 40000) | st.just(-32602), "message": st.text()}, optional={"data": JSON}
    )
)
def test_an_error_comes_as_it_was_said(
    lines: dict[tuple[str, str], Line], client: str, server: str, error: Json
) -> None:
    behind, direct = _both(lines, client, server, f'"error": {json.dumps(error)}')

    assert _same(behind, direct), (behind, direct)


@pytest.mark.parametrize("era", ERAS)
def test_tools_are_declared_as_their_server_declares_them(
    lines: dict[tuple[str, str], Line], era: str
) -> None:
    (direct,) = lines["direct", era].lists()

    (behind,) = [tool for tool in lines["behind", era].lists() if tool["name"] == f"{era}__say"]

    assert _same(behind, {**direct, "name": f"{era}__say"})


ODD = {
    "doubled keys": ('"result": {"content": [], "structuredContent": {"a": {"b": 1}, "a": {"b": 2, "b": 3}}}', {"content": [], "structuredContent": {"a": {"b": 3}}}),
    "unknown keys": (
        '"result": {"content": [{"type": "text", "text": "a", "of": 1, "annotations": {"of": null}}], "of": {"b": 1, "a": 2}}',
        {"content": [{"type": "text", "text": "a", "of": 1, "annotations": {"of": None}}], "of": {"b": 1, "a": 2}},
    ),
    "4,200 digits": (f'"result": {{"content": [], "structuredContent": {{"a": {"9" * 4200}}}}}', {"content": [], "structuredContent": {"a": 10**4200 - 1}}),
    "half a pair": (
        r'"result": {"content": [], "structuredContent": {"\ud800": "a\udfff"}}',
        {"content": [], "structuredContent": {"\ufffd": "a\ufffd"}},
    ),
    "no content": ('"result": {}', {"content": []}),
    "structure alone": ('"result": {"structuredContent": {"a": 1}}', {"structuredContent": {"a": 1}, "content": [{"type": "text", "text": '{"a":1}'}]}),
    "forged": ('"result": {"content": [], "_meta": {"callboard/code": "denied", "own": 1}}', {"content": [], "_meta": {"own": 1}}),
}  # fmt: skip


@pytest.mark.parametrize("client", ERAS)
@pytest.mark.parametrize("way", ["behind", "http"])
@pytest.mark.parametrize("what", ODD)
def test_what_is_odd_and_can_be_told_is_told(
    lines: dict[tuple[str, str], Line], way: str, client: str, what: str
) -> None:
    said, told = ODD[what]

    result = lines[way, client].says("handshake__say", said)["result"]

    assert result.pop("resultType", "complete") == "complete"
    assert _same(result, told)


NO_ANSWERS = {
    "a block of no kind": ('"result": {"content": [{"type": "of no kind"}]}', "invalid_result"),
    "content that is no list": ('"result": {"content": null}', "invalid_result"),
    "a number that is none": ('"result": {"content": [], "structuredContent": {"a": NaN}}', "protocol_error"),
    "5,000 digits": (
        f'"result": {{"content": [], "structuredContent": {{"a": {"9" * 5000}}}}}',
        "protocol_error",
    ),
    "an error without a number": ('"error": {"code": "1", "message": "no"}', "tool_raised"),
    "an error without a text": ('"error": {"code": 1}', "tool_raised"),
    "nothing": ('"error": null', "protocol_error"),
}


@pytest.mark.parametrize("client", ERAS)
@pytest.mark.parametrize("what", NO_ANSWERS)
def test_what_is_no_answer_of_the_protocol_is_a_failure_of_the_call(
    lines: dict[tuple[str, str], Line], client: str, what: str
) -> None:
    said, code = NO_ANSWERS[what]

    result = lines["behind", client].says("handshake__say", said)["result"]

    assert (result["isError"], result["_meta"]["callboard/code"]) == (True, code)
