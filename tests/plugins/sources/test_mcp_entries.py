"""An MCP server is named by an entry of ours, or by what another client has in its file; what is wrong is said without its secrets."""

from __future__ import annotations

from pathlib import Path

import pytest
from callboard.base.errors import PluginLoadError
from callboard.hosts.mcp import revision
from callboard.plugins.sources.mcp import REVISIONS, McpSource
from callboard.sources.kinds import parse_source, spelled

BASE = Path("/base")


def parsed(**server):
    return parse_source({"mcp": server}, BASE)


def test_an_entry_and_a_clients_file_say_the_same():
    ours = parsed(command=["uvx", "mcp-server-git"], id="git")
    theirs = parsed(
        command="uvx",
        args=["mcp-server-git"],
        id="git",
        type="stdio",
        autoApprove=["x"],
        disabled=False,
        timeout=5,
    )

    assert ours == McpSource(("uvx", "mcp-server-git"), BASE, "git")
    assert theirs == McpSource(("uvx", "mcp-server-git"), BASE, "git", idle=("autoApprove", "timeout"))


def test_all_that_may_be_said_is_kept_as_it_stands():
    source = parsed(
        command=["node", "server.mjs"],
        cwd="~/x",
        env={"A": "${env:B}"},
        envFile=".env",
        revision="2025-11-25",
        roots=["./data"],
    )

    assert source == McpSource(
        ("node", "server.mjs"), BASE, "server", "~/x", (("A", "${env:B}"),), ".env", "2025-11-25", ("./data",)
    )


@pytest.mark.parametrize(
    "oauth",
    [
        {"client_id": "a", "client_secret": "${env:S}", "scopes": ["r", "w"], "callback_port": 80},
        {"clientId": "a", "clientSecret": "${env:S}", "scopes": "r w", "callbackPort": 80},
    ],
)
def test_a_client_that_is_known_to_a_server_is_said_in_either_spelling(oauth):
    source = parsed(url="http://x/mcp", oauth=oauth)

    assert (source.client_id, source.client_secret, source.scopes, source.callback_port) == (
        "a",
        "${env:S}",
        ("r", "w"),
        80,
    )


@pytest.mark.parametrize("kind", [None, "http", "streamable-http", "streamableHttp", "streamable_http"])
def test_a_server_with_a_url_is_one_over_http(kind):
    server = {"url": "https://tools.example.org:1/mcp", "headers": {"Authorization": "Bearer ${env:T}"}}

    source = parsed(**server, **({} if kind is None else {"type": kind}))

    assert (source.command, source.id, source.url) == ((), "tools.example.org", server["url"])
    assert source.headers == (("Authorization", "Bearer ${env:T}"),)


@pytest.mark.parametrize(
    ("tools", "allow"), [(None, None), ("*", None), ({}, None), ({"deny": ["a"]}, None), ({"allow": []}, ())]
)
def test_a_list_that_allows_no_tool_is_not_the_same_as_no_list(tools, allow):
    source = parsed(command="a", **({} if tools is None else {"tools": tools}))

    assert source.allow == allow


def test_every_revision_that_is_spoken_may_be_asked_for():
    assert REVISIONS == revision.REVISIONS
    for each in revision.REVISIONS:
        assert parsed(command="a", revision=each).revision == each


@pytest.mark.parametrize("key", ["type", "transport"])
def test_a_server_may_have_the_older_transport_only(key):
    source = parsed(url="https://tools.example.org/sse", **{key: "sse"})

    assert (source.url, source.older) == ("https://tools.example.org/sse", True)


@pytest.mark.parametrize(
    ("server", "fact"),
    [
        ("text", "no mapping"),
        ({}, "'command'"),
        ({"command": []}, "'command'"),
        ({"command": ["a", 1]}, "'command'"),
        ({"command": "a", "args": "b"}, "'args'"),
        ({"command": "a\0b"}, "'command'"),
        ({"command": "a", "comand": "b"}, "'comand'"),
        ({"command": "a", "env": {"A": 1}}, "'env'"),
        ({"command": "a", "roots": "here"}, "'roots'"),
        ({"command": "a", "result_limit": 100}, "'result_limit'"),
        ({"command": "a", "result_limit": True}, "'result_limit'"),
        ({"command": "a", "pin": "maybe"}, "off, tell, withhold"),
        ({"command": "a", "revision": "1999-01-01"}, "2025-11-25"),
        ({"command": "a", "headers": {"Authorization": "s3cret"}}, "'headers'"),
        ({"command": "a", "tools": {"rename": {"a": "x", "b": "x"}}}, "'x'"),
        ({"command": "a", "pin": True}, "'pin'"),
        ({"command": "a", "id": ""}, "'id'"),
        ({"command": "a", "disabled": True}, "disabled"),
        ({"command": "a", "type": "sse"}, "'url'"),
        ({"command": "a", "transport": "sse"}, "'url'"),
        ({"url": "http://x/mcp", "oauth": "s3cret"}, "'oauth'"),
        ({"url": "http://x/mcp", "oauth": {"client": "a"}}, "'client'"),
        ({"url": "http://x/mcp", "oauth": {"client_secret": "s3cret"}}, "'client_secret'"),
        ({"url": "http://x/mcp", "oauth": {"client_id": 7}}, "'client_id'"),
        ({"url": "http://x/mcp", "oauth": {"scopes": 7}}, "'scopes'"),
        ({"url": "http://x/mcp", "oauth": {"callback_port": 70000}}, "'callback_port'"),
        ({"command": "a", "oauth": {"client_id": "a"}}, "'oauth'"),
        ({"url": "http://x/sse", "type": "sse", "revision": "2026-07-28"}, "'revision'"),
        ({"url": "http://x/sse", "type": "sse", "transport": "http"}, "leave one out"),
        ({"url": "http://x/sse", "transport": "ws"}, "'transport'"),
        ({"url": "http://x/mcp", "type": "ws"}, "'ws'"),
        ({"url": "http://x/mcp", "type": "stdio"}, "'stdio'"),
        ({"type": "http"}, "'url'"),
        ({"url": "http://x/mcp", "command": "a"}, "'command'"),
        ({"url": "http://x/mcp", "env": {"A": "s3cret"}}, "'env'"),
        ({"url": "http://me:s3cret@x/mcp"}, "'url'"),
        ({"url": "http://x/mcp", "headers": {"A": 1}}, "'headers'"),
        ({"url": "http://x/mcp", "headers": "Authorization: s3cret"}, "'headers'"),
    ],
)
def test_what_is_wrong_is_said_without_secrets(server, fact):
    with pytest.raises(PluginLoadError) as caught:
        parse_source({"mcp": server, "env": {"TOKEN": "s3cret"}}, BASE)

    assert fact in str(caught.value)
    assert "s3cret" not in str(caught.value)


@pytest.mark.parametrize(
    ("entry", "said"),
    [
        ({"mcp": {"command": "npx", "env": {"T": "s3cret"}}, "name": "files"}, "mcp:files"),
        ({"mcp": {"command": ["npx"], "id": "files"}}, "mcp:files"),
        ({"mcp": {"command": ["npx", "--token", "s3cret"]}}, "mcp:npx"),
        ({"mcp": {"headers": {"A": "s3cret"}}}, "mcp"),
    ],
)
def test_an_entry_is_called_without_its_secrets(entry, said):
    assert spelled(entry) == said
