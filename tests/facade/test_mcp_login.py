"""A server that wants a token gets one that its user has agreed to once, and nobody else reads it."""

from __future__ import annotations

import json
import os
import re
import socket
import subprocess
import sys
import threading
import urllib.request
from concurrent.futures import ThreadPoolExecutor

import pytest
from callboard import Callboard, read_configuration
from callboard.hosts.mcp_http.tool import McpHttpPlugin
from callboard.hosts.mcp_oauth.oauth import LoginFailed
from callboard.hosts.mcp_oauth.oauth_client import OAuthClient
from callboard.hosts.mcp_oauth.token_file import token_file
from callboard.loading.loader import load_entry
from leaks import TEST_MARK, no_leaks
from mcp_http_servers import HttpServer
from programs import PROGRAMS
from sdks import needs_sdk
from tools import tool_call

pytestmark = needs_sdk

SERVER = PROGRAMS / "python" / "mcp_oauth_server.py"


@pytest.fixture(autouse=True)
def state(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    with no_leaks():
        yield


def serving(*words):
    return HttpServer(*words, program=SERVER)


def browse(address):
    """What a browser does with the address, in which a user agrees at once."""
    threading.Thread(target=lambda: urllib.request.urlopen(address, timeout=30).read()).start()


def log_in(server):
    return McpHttpPlugin("server", server.url).login(browse)


def board_at(server, **options):
    return Callboard(
        {"plugins": [{"mcp": {"url": server.url, "id": "server"}, "restart": {"intensity": 0}, **options}]}
    )


def facts(board):
    called = board.execute(tool_call("facts"))
    return json.loads(called["result"]) if called["success"] else called


def test_without_a_login_it_is_unavailable_and_says_what_to_do():
    with serving() as server, board_at(server) as board:
        status = json.dumps(board.status()["plugins"]["server"])

    assert "--login" in status


def test_after_a_login_its_tools_are_called():
    with serving() as server:
        assert log_in(server)
        with board_at(server) as board:
            assert facts(board)["registered"] == 1

        assert token_file(server.url).file.stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize("words", [(), ("posts",)], ids=["in a header", "in the body"])
def test_where_nobody_can_register_the_client_of_the_entry_logs_in(words, monkeypatch):
    monkeypatch.setenv("OUR_SECRET", "s3cret-of-ours")
    with serving("known=ours:s3cret-of-ours", "once", *words) as server:
        with pytest.raises(LoginFailed):
            log_in(server)
        client = {"client_id": "ours", "client_secret": "${env:OUR_SECRET}", "scopes": ["read", "write"]}
        entry = {"mcp": {"url": server.url, "id": "server", "oauth": client}, "restart": {"intensity": 0}}
        (one,) = load_entry(entry, read_configuration({}))
        assert one.hosted.login(browse)
        with Callboard({"plugins": [entry]}) as board:
            told = facts(board)

        assert (told["registered"], told["scope"]) == (0, "read write")
        assert "s3cret-of-ours" not in token_file(server.url).file.read_text()


def test_the_token_of_a_client_of_the_entry_is_renewed_with_its_secret():
    client = {"clientId": "ours", "clientSecret": "s3cret-of-ours"}
    with serving("known=ours:s3cret-of-ours") as server:
        entry = {"mcp": {"url": server.url, "id": "server", "oauth": client}, "restart": {"intensity": 0}}
        (one,) = load_entry(entry, read_configuration({}))
        one.hosted.login(browse)
        with Callboard({"plugins": [entry]}) as board:
            board.execute(tool_call("revoke"))
            assert facts(board)["refreshes"] == 1


def test_scopes_that_a_call_lacks_are_asked_for_by_the_next_login_and_calls_go_on_with_its_token():
    with serving("steps_up") as server:
        log_in(server)
        with board_at(server, concurrency=4) as board:
            refused = facts(board)
            again = facts(board)
            log_in(server)
            told = facts(board)

    assert (refused["code"], refused["outcome"]) == ("tool_raised", "outcome_unknown")
    assert "'read', 'write'" in refused["error"]
    assert "--login" in refused["error"]
    assert refused == again
    assert set(told["scope"].split()) >= {"read", "write"}
    assert told["refused"] == 3  # the last one before the token of the login was read


def test_an_entry_that_names_scopes_has_no_others_asked_for():
    client = OAuthClient(scopes=("read",))
    with serving("steps_up") as server:
        for _ in range(2):
            McpHttpPlugin("server", server.url, oauth=client).login(browse)
            entry = {"url": server.url, "id": "server", "oauth": {"scopes": ["read"]}}
            with Callboard({"plugins": [{"mcp": entry}]}) as board:
                refused = facts(board)

    assert "'read', 'write'" in refused["error"]


@pytest.mark.parametrize("takes", [True, False])
def test_a_client_may_be_the_address_of_a_document_that_says_who_it_is(takes):
    document = "https://example.org/callboard.json"
    words = ["knows_documents"] if takes else []
    with serving(*words) as server:
        entry = {"mcp": {"url": server.url, "id": "server", "oauth": {"client_id": document}}}
        (one,) = load_entry(entry, read_configuration({}))
        assert one.hosted.login(browse)
        with Callboard({"plugins": [entry]}) as board:
            told = facts(board)
            board.execute(tool_call("revoke"))
            assert facts(board)["refreshes"] == 1

    assert (told["client"], told["registered"]) == ((document, 0) if takes else ("client-1", 1))


def test_a_server_of_2025_03_26_describes_who_gives_tokens_at_its_own_root():
    with serving("older") as server:
        assert log_in(server)
        with board_at(server) as board:
            assert facts(board)["registered"] == 1
            board.execute(tool_call("revoke"))
            assert facts(board)["refreshes"] == 1


def test_one_with_the_older_transport_is_asked_for_its_stream():
    with serving("streams") as server:
        assert McpHttpPlugin("server", server.url, older=True).login(browse)


def test_a_server_that_asks_for_no_token_needs_no_login():
    with HttpServer("modern") as server:
        assert not log_in(server)
        assert token_file(server.url).read() is None


def test_a_token_that_has_ended_is_renewed_once_for_all_who_use_it():
    with serving() as server:
        log_in(server)
        with board_at(server, concurrency=32) as board:
            board.execute(tool_call("revoke"))
            with ThreadPoolExecutor(32) as threads:
                called = list(threads.map(lambda _: facts(board), range(32)))

            assert [each["refreshes"] for each in called] == [1] * 32
        with board_at(server) as board:
            assert facts(board)["refreshes"] == 1


def test_a_token_that_is_about_to_end_is_renewed_before_it_is_refused():
    with serving("lasts=20") as server:
        log_in(server)
        with board_at(server) as board:
            assert facts(board)["refreshes"] >= 1


def test_a_token_that_cannot_be_renewed_leaves_the_server_unavailable_until_the_next_login():
    with serving("once") as server:
        log_in(server)
        with board_at(server) as board:
            board.execute(tool_call("revoke"))
            refused = facts(board)

            assert (refused["code"], refused["outcome"]) == ("host_unavailable", "not_sent")
            assert "--login" in refused["error"]


@pytest.mark.parametrize("word", ["denies", "floods"])
def test_a_login_that_fails_says_so_and_keeps_nothing(word):
    with serving(word) as server:
        with pytest.raises(LoginFailed):
            log_in(server)

        assert token_file(server.url).read() is None


@pytest.fixture
def far(monkeypatch):
    """Has whatever is not on this machine asked for through a proxy, as if it were on the internet."""

    def through(server):
        monkeypatch.setenv("HTTP_PROXY", server.url.removesuffix("/mcp"))
        monkeypatch.setenv("NO_PROXY", "127.0.0.1")
        return McpHttpPlugin("server", "http://tools.example/mcp")

    return through


def test_a_server_of_the_internet_whose_authorization_is_there_logs_in(far):
    with serving("names=http://tools.example", "page=http://tools.example/as/authorize") as server:

        def agree(address):
            browse(address.replace("http://tools.example", server.url.removesuffix("/mcp")))

        assert far(server).login(agree)


@pytest.fixture
def neighbour():
    """Something that listens on this machine, and that nobody has to do with."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        yield listening


@pytest.mark.parametrize("host", ["127.0.0.1", "127.1", "rebound.example"])
def test_a_server_of_the_internet_has_nothing_sent_to_an_address_of_this_machine(
    far, neighbour, host, monkeypatch
):
    looked_up = socket.getaddrinfo  # whoever owns a name may have it looked up to any address

    def look_up(name, *more, **options):
        return looked_up(
            "127.0.0.1" if name in {"rebound.example", b"rebound.example"} else name, *more, **options
        )

    monkeypatch.setattr(socket, "getaddrinfo", look_up)
    with serving(f"names=http://{host}:{neighbour.getsockname()[1]}") as server:
        plugin = far(server)
        monkeypatch.setenv("NO_PROXY", "127.0.0.1,127.1,rebound.example")
        with pytest.raises(LoginFailed, match=re.escape(host)):
            plugin.login(browse)

    neighbour.setblocking(False)
    assert bytes_sent_to(neighbour) == b""


def bytes_sent_to(listening):
    try:
        connection, _ = listening.accept()
    except BlockingIOError:
        return b""
    with connection:
        return connection.recv(65536)


@pytest.mark.parametrize(
    "page",
    ["http://127.0.0.1:1/x", "http://router.localhost/x", "http://192.168.0.1/x", "http://a@b.example/x"],
)
def test_nor_does_it_send_the_user_to_a_page_there_or_to_one_that_hides_its_host(far, page):
    shown = []
    with serving("names=http://tools.example", f"page={page}") as server, pytest.raises(LoginFailed):
        far(server).login(shown.append)

    assert not shown


def test_a_token_is_seen_nowhere(caplog):
    caplog.set_level(0)
    events = []
    with serving() as server:
        log_in(server)
        with Callboard() as board:
            board.subscribe(events.append)
            board.load({"mcp": {"url": server.url}})
            facts(board)
            status = board.status()
        tokens = json.loads(token_file(server.url).file.read_text())["tokens"]

    said = " ".join([caplog.text, json.dumps(status, default=str), *map(str, events)])
    assert tokens["access_token"] not in said
    assert tokens["refresh_token"] not in said


def test_a_file_that_others_may_change_counts_for_nothing():
    with serving() as server:
        log_in(server)
        token_file(server.url).file.chmod(0o666)

        assert token_file(server.url).read() is None


def test_an_entry_with_a_token_of_its_own_needs_no_login():
    with serving() as server, pytest.raises(Exception, match="Authorization"):
        McpHttpPlugin("server", server.url, headers={"authorization": "Bearer x"}).login(browse)


def test_the_command_logs_in_to_a_server_of_a_configuration(tmp_path):
    file = tmp_path / "mcp.json"
    with serving() as server:
        servers = {"tools": {"type": "http", "url": server.url}, "other": {"command": "x"}}
        file.write_text(json.dumps({"mcpServers": servers}))

        logging_in = begin_login(file, "tools")
        browse(next(line.strip() for line in logging_in.stderr if line.strip().startswith("http")))
        logging_in.communicate(timeout=60)

        assert logging_in.returncode == 0
        with Callboard(file) as board:
            assert facts(board)["registered"] == 1


@pytest.mark.parametrize("name", ["tols", "other"])
def test_the_command_says_which_servers_there_are(tmp_path, name):
    file = tmp_path / "mcp.json"
    servers = {"tools": {"url": "http://127.0.0.1:1/mcp"}, "other": {"command": "x"}}
    file.write_text(json.dumps({"mcpServers": servers}))

    refused = begin_login(file, name)
    said = refused.communicate(timeout=60)[1]

    assert refused.returncode == 2
    assert "'tools'" in said


def begin_login(file, name):
    argv = [sys.executable, "-m", "callboard", "mcp", str(file), "--login", name]
    return subprocess.Popen(
        argv, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env={**os.environ, **TEST_MARK}
    )
