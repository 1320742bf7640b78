"""Odd values of a server or of a client cost no more than themselves, and say so."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING, Any

import httpx
import pytest
from callboard import Callboard
from leaks import TEST_MARK, no_leaks
from mcp_clients import JSON_OR_STREAM, PATIENCE, SERVER, command, http_server, written
from mcp_plain import Client, Heard, Http, Pipes
from mcp_records import Exchange, Record, board_of
from programs import PROGRAMS
from sdks import needs_sdk
from tools import tool_call

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = needs_sdk

Json = dict[str, Any]

HELLO = '{"jsonrpc":"2.0","id":"%ID%","result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"odd","version":"1"}}}'
GOOD = '{"name":"good","inputSchema":{"type":"object"}}'
ASKING = str(PROGRAMS / "python" / "mcp_asking_server.py")


def odd(folder: Path, *tools: str, **answers: str) -> Path:
    """A board with a server that lists these tools, and answers calls of them with these results; all are texts of JSON."""

    def said(result: str) -> Heard:
        return Heard([], f'{{"jsonrpc":"2.0","id":"%ID%","result":{result}}}')

    listed = said(f'{{"tools":[{",".join((GOOD, *tools))}]}}')
    exchanges = [Exchange("initialize", {}, Heard([], HELLO)), Exchange("tools/list", {}, listed)]
    for name, result in answers.items():
        exchanges.append(Exchange("tools/call", {"name": name}, said(result)))
    record = Record("odd", "handshake", "", exchanges)
    record.write(folder)
    return board_of(folder, [record], folder)


def deep(levels: int) -> str:
    """A tool whose schema is nested so deep."""
    schema = '{"type":"object","properties":{"a":' * levels + "{}" + "}}" * levels
    return f'{{"name":"deep","description":"a \\"[{{\\" in a text","inputSchema":{schema}}}'


@pytest.mark.parametrize("levels", [130, 500, 20_000])
def test_a_tool_that_is_nested_too_deep_is_left_out_alone(levels: int, tmp_path: Path) -> None:
    with no_leaks(), Callboard(odd(tmp_path, deep(levels), deep(2).replace("deep", "shallow"))) as board:
        names = {tool.tool_name for tool in board.tools()}
        left_out = board.status()["plugins"]["odd"]["left_out"]

    assert names == {"good", "shallow"}
    assert list(left_out) == ["deep"]
    assert "nested" in left_out["deep"]


@pytest.mark.parametrize(
    ("half", "shown", "why"),
    [
        (r'{"name":"\ud800x","inputSchema":{"type":"object"}}', r"\ud800x", "half of a surrogate pair"),
        (
            '{"name":"' + "a" * 105 + r'\ud800","inputSchema":{"type":"object"}}',
            "a" * 100,
            "half of a surrogate pair",
        ),
        (r'{"name":"\ud800x"}', r"\ud800x", "no 'inputSchema'"),
    ],
    ids=["at its beginning", "far behind", "without a schema"],
)
def test_a_tool_whose_name_has_half_of_a_pair_is_left_out_alone(
    half: str, shown: str, why: str, tmp_path: Path
) -> None:
    with no_leaks(), Callboard(odd(tmp_path, half)) as board:
        names = [tool.tool_name for tool in board.tools()]
        left_out = board.status()["plugins"]["odd"]["left_out"]

    assert names == ["good"]
    assert list(left_out) == [shown]
    assert why in left_out[shown]


LARGE = '{"content":[{"type":"text","text":"a","_meta":{"b":1E+400}}],"structuredContent":{"a":1e400,"b":[-1e999,18446744073709551616,1e308]}}'
"""A result with numbers that no double is as large as."""


def test_a_number_that_is_no_double_goes_on_over_pipes_as_it_came(tmp_path: Path) -> None:
    with no_leaks(), Pipes(command(odd(tmp_path, good=LARGE))) as pipes:
        client = Client(pipes, "handshake")
        client.begin()
        heard = client.ask("tools/call", {"name": "good"})

    assert LARGE in heard.answer


def test_a_number_that_is_no_double_is_a_text_where_a_result_is_written_anew(tmp_path: Path) -> None:
    config = odd(tmp_path, good=LARGE)

    with no_leaks(), http_server(config) as address, Http(address) as http:
        client = Client(http, "handshake")
        client.begin()
        heard = client.ask("tools/call", {"name": "good"})
    with no_leaks(), Callboard(config) as board:
        result = board.execute(tool_call("good"))

    value = {"a": "1e400", "b": ["-1e999", 2**64, 1e308]}
    told = json.loads(heard.answer)["result"]
    assert told["structuredContent"] == value
    assert told["content"] == [{"type": "text", "text": "a", "_meta": {"b": "1E+400"}}]
    assert result["success"]
    assert (
        result["result"] == {"a": "1e400", "b": ["-1e999", float(2**64), 1e308]} or result["result"] == value
    )


@pytest.mark.parametrize(
    ("method", "params", "named"),
    [
        ("tools/call", {}, "name: is missing"),
        ("tools/call", {"name": 7}, "name: has to be a text"),
        ("tools/call", {"name": "echo", "arguments": [1]}, "arguments: has to be an object"),
        ("resources/read", {"url": "a"}, "uri: is missing"),
        ("completion/complete", {"ref": {"type": "ref/prompt", "name": "a"}, "argument": {"name": "a"}}, "argument: value: is missing"),
    ],
)  # fmt: skip
@pytest.mark.parametrize("way", ["pipes", "http"])
def test_a_refusal_names_the_parameter_that_was_wrong(
    way: str, method: str, params: Json, named: str, tmp_path: Path
) -> None:
    config = written(tmp_path, {"plugins": []})

    if way == "pipes":
        with Pipes(command(config)) as wire:
            heard = _answer(Client(wire, "handshake"), method, params)
    else:
        with http_server(config) as address, Http(address) as http:
            heard = _answer(Client(http, "handshake"), method, params)

    assert heard["error"]["code"] == -32602
    assert named in heard["error"]["message"]


def _answer(client: Client, method: str, params: Json) -> Json:
    client.begin()
    answer: Json = json.loads(client.ask(method, params).answer)
    return answer


def test_under_strict_names_an_error_has_the_names_that_clients_see(tmp_path: Path) -> None:
    server = {"command": [sys.executable, SERVER, "tools=git/echo,plain"], "env": TEST_MARK}
    config = written(tmp_path, {"plugins": [{"mcp": server, "name": "words"}], "names": "strict"})

    with no_leaks(), Pipes(command(config)) as pipes:
        client = Client(pipes, "handshake")
        client.begin()
        listed = json.loads(client.ask("tools/list", {}).answer)["result"]["tools"]
        refused = json.loads(client.ask("tools/call", {"name": "git_ech"}).answer)["error"]["message"]

    assert "git/echo" not in refused
    assert all(tool["name"] in refused for tool in listed)


FORM = {"method": "elicitation/create", "params": {"message": "May I?", "requestedSchema": {"type": "object", "properties": {}}}}  # fmt: skip


@pytest.mark.parametrize(
    "said",
    [
        '{"action":"decline","action":"accept","content":{}}',
        r'{"action":"decline","\u0061ction":"accept","content":{}}',
    ],
)
def test_an_answer_with_a_key_twice_is_no_consent(said: str, tmp_path: Path) -> None:
    server = {"command": [sys.executable, ASKING], "env": TEST_MARK}
    config = written(tmp_path, {"plugins": [{"mcp": server, "name": "asking"}]})

    with no_leaks(), Pipes(command(config)) as pipes:
        able = {"protocolVersion": "2025-11-25", "capabilities": {"elicitation": {}}, "clientInfo": {"name": "a", "version": "1"}}  # fmt: skip
        Client(pipes, "handshake").ask("initialize", able)
        call = {"jsonrpc": "2.0", "id": "call", "method": "tools/call", "params": {"name": "ask", "arguments": FORM}}  # fmt: skip
        for text in pipes.send(call):
            message = json.loads(text)
            if message.get("method") == "elicitation/create":
                pipes.write(f'{{"jsonrpc":"2.0","id":{message["id"]},"result":{said}}}'.encode())
            elif message.get("id") == "call":
                break

    assert json.loads(message["result"]["content"][0]["text"]) == [{"action": "cancel"}]


def test_over_http_an_answer_with_a_key_twice_is_no_consent(tmp_path: Path) -> None:
    server = {"command": [sys.executable, ASKING], "env": TEST_MARK}
    config = written(tmp_path, {"plugins": [{"mcp": server, "name": "asking"}]})
    able = {"protocolVersion": "2025-11-25", "capabilities": {"elicitation": {}}, "clientInfo": {"name": "a", "version": "1"}}  # fmt: skip
    call = {
        "jsonrpc": "2.0",
        "id": "call",
        "method": "tools/call",
        "params": {"name": "ask", "arguments": FORM},
    }
    hello = {"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": able}

    with no_leaks(), http_server(config) as address, httpx.Client(timeout=PATIENCE) as client:
        begun = client.post(address, json=hello, headers=JSON_OR_STREAM)
        headers = {**JSON_OR_STREAM, "mcp-session-id": begun.headers["mcp-session-id"]}
        client.post(address, json={"jsonrpc": "2.0", "method": "notifications/initialized"}, headers=headers)
        with client.stream("POST", address, json=call, headers=headers) as stream:
            for line in stream.iter_lines():
                message = json.loads(line[5:]) if line.startswith("data:") and line[5:].strip() else {}
                if message.get("method") == "elicitation/create":
                    doubled = '{"action":"decline","\\u0061ction":"accept","content":{}}'
                    answer = f'{{"jsonrpc":"2.0","id":{json.dumps(message["id"])},"result":{doubled}}}'
                    heard = client.post(address, content=answer, headers=headers)
                elif message.get("id") == "call":
                    break

    assert heard.status_code == 202
    assert json.loads(message["result"]["content"][0]["text"]) == [{"action": "cancel"}]


def test_over_http_answers_of_the_stateless_era_with_a_key_twice_are_refused(tmp_path: Path) -> None:
    server = {"command": [sys.executable, ASKING, "modern"], "env": TEST_MARK}
    config = written(tmp_path, {"plugins": [{"mcp": server, "name": "asking"}]})
    meta = {"io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientCapabilities": {"elicitation": {}}}  # fmt: skip
    said = {"MCP-Protocol-Version": "2026-07-28", "Mcp-Method": "tools/call", "Mcp-Name": "ask"}
    call = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "ask", "arguments": FORM, "_meta": meta}}  # fmt: skip

    with no_leaks(), http_server(config) as address, httpx.Client(timeout=PATIENCE) as client:

        def ask(**more: Json) -> Json:
            body = json.dumps({**call, "params": {**call["params"], **more}})
            twice = body.replace('"action": "twice"', '"action": "decline", "action": "accept"')
            answer = client.post(address, content=twice, headers={**JSON_OR_STREAM, **said}).text
            lines = [
                line[5:] for line in answer.splitlines() if line.startswith("data:") and line[5:].strip()
            ]
            found: Json = json.loads(lines[-1] if lines else answer)
            return found

        asked = ask()["result"]
        (name,) = asked["inputRequests"]
        refused = ask(requestState=asked["requestState"], inputResponses={name: {"action": "twice"}})
        told = ask(requestState=asked["requestState"], inputResponses={name: {"action": "decline"}})

    assert refused["id"] == 1
    assert refused["error"]["code"] == -32602
    assert "'action' stands twice" in refused["error"]["message"]
    assert json.loads(told["result"]["content"][0]["text"]) == [{"action": "decline"}]


def test_answers_of_the_stateless_era_with_a_key_twice_are_refused(tmp_path: Path) -> None:
    server = {"command": [sys.executable, ASKING, "modern"], "env": TEST_MARK}
    config = written(tmp_path, {"plugins": [{"mcp": server, "name": "asking"}]})
    meta = '"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{"elicitation":{}}}'
    call = f'{{"jsonrpc":"2.0","id":"%s","method":"tools/call","params":{{{meta},"name":"ask","arguments":{json.dumps(FORM)}%s}}}}'

    with no_leaks(), Pipes(command(config)) as pipes:
        asked = pipes.answer(call % ("1", ""), "1")["result"]
        (name,) = asked["inputRequests"]
        state = json.dumps(asked["requestState"])
        doubled = f'"inputResponses":{{"{name}":{{"action":"decline","action":"accept"}}}}'
        refused = pipes.answer(call % ("2", f',"requestState":{state},{doubled}'), "2")
        plain = f'"inputResponses":{{"{name}":{{"action":"decline"}}}}'
        told = pipes.answer(call % ("3", f',"requestState":{state},{plain}'), "3")

    assert refused["error"]["code"] == -32602
    assert "'action' stands twice" in refused["error"]["message"]
    assert json.loads(told["result"]["content"][0]["text"]) == [{"action": "decline"}]
