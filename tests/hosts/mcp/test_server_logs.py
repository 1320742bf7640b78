"""A server's log messages reach the clients that called it, and the server hears the level that they ask for."""

from __future__ import annotations

import pytest
from mcp_sessions import OLD, Talk, answer, modern, old
from sdks import needs_sdk

pytestmark = needs_sdk


class Listener:
    """Hears what is logged, from a level on."""

    def __init__(self, level):
        self.level = level
        self.logged = []

    def offers(self):
        return frozenset()

    def of_handshake(self):
        return False

    def log_level(self):
        return self.level

    def log(self, plugin, said):
        self.logged.append((plugin, *said))


LOGGING = OLD | {"capabilities": {"tools": {}, "logging": {}}}


def logs(asked):
    known = {"initialize": LOGGING, "logging/setLevel": {}}
    return [answer(asked, known[asked["method"]])] if asked.get("method") in known else old(asked)


@pytest.mark.parametrize("level", [None, "info"])
@pytest.mark.parametrize("server", [logs, modern])
def test_a_server_is_told_what_to_log_if_anybody_wants_to_know(server, level):
    talk = Talk(server, source=Listener(level)).open()

    talk.ask("execute_tool", tool_name="echo", arguments={}, state={})

    told = [each["params"]["level"] for each in talk.sent if each.get("method") == "logging/setLevel"]
    meta = talk.sent[-1]["params"]["_meta"]
    assert told == ([level] if level and server is logs else [])
    assert meta.get("io.modelcontextprotocol/logLevel") == (level if server is modern else None)


def test_what_a_server_logs_is_handed_on_with_the_requests_under_way():
    listener = Listener(None)
    talk = Talk(
        lambda asked: [] if asked.get("method") == "tools/call" else old(asked), source=listener
    ).open()
    params = {"level": "info", "data": [1]}
    call = talk.ask("execute_tool", tool_name="echo", arguments={}, state={})

    talk.say({"jsonrpc": "2.0", "method": "notifications/message", "params": params})

    aside = talk.heard[-1]
    assert (aside.request_ids, aside.value) == ((call,), params)
    aside.hears((("c1",), aside.value))
    assert listener.logged == [("mcp", ("c1",), params)]
