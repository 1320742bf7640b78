"""An MCP server is named by an entry of ours, or by what another client has in its file; what is wrong is said without its secrets."""

from __future__ import annotations

from pathlib import Path

import pytest
from callboard.base.errors import PluginLoadError
from callboard.plugins.sources.mcp import McpSource
from callboard.plugins.sources.source import parse_source, spelled

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

    assert ours == theirs == McpSource(("uvx", "mcp-server-git"), BASE, "git")


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
        ({"command": "a", "id": ""}, "'id'"),
        ({"command": "a", "disabled": True}, "disabled"),
        ({"url": "http://x/mcp", "headers": {"Authorization": "s3cret"}}, "HTTP"),
        ({"command": "a", "type": "sse"}, "HTTP"),
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
