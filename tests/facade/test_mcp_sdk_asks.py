"""A server on the official SDK gets all that it asks for: a person's words, a model's, and the roots."""

from __future__ import annotations

import sys
from contextlib import nullcontext

import pytest
from callboard import Callboard
from leaks import TEST_MARK, no_leaks
from mcp_http_servers import HttpServer
from programs import PROGRAMS
from scripted_provider import Scripted, said
from sdks import needs_sdk
from tools import tool_call

pytestmark = needs_sdk

SERVER = PROGRAMS / "python" / "mcp_sdk_server.py"
PATIENCE = 60.0


class Model(Scripted):
    def __init__(self) -> None:
        super().__init__(said("Hello Ann"))


class Person:
    def ask(self, _question):
        return True

    def ask_form(self, _form):
        return {"name": "Ann"}


@pytest.mark.parametrize(
    ("over_http", "revision"),
    [(False, "2026-07-28"), (True, "2026-07-28"), (True, "2025-11-25")],
    ids=["pipes, stateless", "http, stateless", "http, handshake"],
)
def test_a_server_of_the_sdk_gets_all_that_it_asks_for(monkeypatch, over_http, revision):
    monkeypatch.setitem(sys.modules, "words_of_a_model", sys.modules[Model.__module__])
    with no_leaks(), HttpServer(program=SERVER) if over_http else nullcontext() as server:
        place = (
            {"url": server.url} if server else {"command": [sys.executable, str(SERVER)], "env": TEST_MARK}
        )
        entry = {"mcp": {**place, "revision": revision, "roots": ["."], "id": "sdk"}}
        model = {"type": "words_of_a_model.Model"}
        board = Callboard({"plugins": [entry], "agent": {"provider": model}})
        board.approver = Person()
        with board:
            result = board.submit(tool_call("greet")).result(PATIENCE)

    assert result == {"success": True, "result": {"result": "Ann: Hello Ann (1)"}}
