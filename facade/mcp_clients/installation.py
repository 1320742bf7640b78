"""What a client's file becomes when a board is put into it, or in front of all that is in it, and taken out again. Pure.

*Added*: one entry more; the client's other servers are run by the client, as before. *In front*: the client's servers move to a file of ours
beside its own, and the client gets one entry, which runs them all. They are moved as they are written, so that taking it back gives the file
its own text again.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from ..base.frozen import frozen
from ..config.json_text import JsonTextError, raw, read, with_member, with_raw, without_member
from ..config.mcp_servers import runs_callboard

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from .client import Client

SERVERS = "mcpServers"
"""The key of the file of ours."""


@frozen
class Texts:
    """What stands in the two files.

    Attributes:
        client: in the client's.
        servers: in the file of ours, to which its servers have moved; ``None`` if it is not there, or is to go.
    """

    client: str
    servers: str | None


def servers_file(client_file: Path) -> Path:
    """Where the servers of a client's file move to: beside it, for they may name files from there."""
    return client_file.with_name(f"{client_file.stem}.callboard.json")


def added(now: Texts, client: Client, name: str, words: Sequence[str]) -> Texts:
    """One entry that these words run, under this name, in place of what was there under it.

    Raises:
        JsonTextError: the client's file cannot be read.
    """
    entry = json.dumps(client.entry(words), indent=2, ensure_ascii=False)
    return Texts(with_member(now.client, (client.key, name), entry), now.servers)


def put_in_front(now: Texts, client: Client, name: str, words: Sequence[str]) -> Texts:
    """All servers of the client in the file of ours, and one entry for the client, which these words run.

    Raises:
        JsonTextError: one of the files cannot be read, or the client has no server.
    """
    servers = servers_in(now.client, client.key)
    moved = {key: server for key, server in servers.items() if key != name and not runs_callboard(server)}
    if not moved and now.servers is None:
        raise JsonTextError(f"has no server under {client.key!r} to be in front of; name a configuration")
    text = now.servers
    if text is None:
        text = f'{{"{SERVERS}": {raw(now.client, (client.key,))}}}\n'
        for key in servers.keys() - moved.keys():
            text = without_member(text, (SERVERS, key))
    else:
        for key, server in moved.items():
            text = with_member(text, (SERVERS, key), json.dumps(server, indent=2, ensure_ascii=False))
    emptied = with_raw(now.client, (client.key,), "{}")
    return Texts(added(Texts(emptied, None), client, name, words).client, text)


def taken_back(now: Texts, client: Client, name: str) -> Texts:
    """Without that entry; and what was moved is back, beside what the client has got since.

    Raises:
        JsonTextError: one of the files cannot be read.
    """
    there = bool(now.client.strip("\ufeff \t\r\n"))
    if now.servers is None:
        return Texts(without_member(now.client, (client.key, name)), None) if there else now
    since = {key: server for key, server in servers_in(now.client, client.key).items() if key != name}
    moved = raw(now.servers, (SERVERS,)) or "{}"
    text = now.client
    if not there or raw(text, (client.key,)) is None:
        text = with_member(text, (client.key,), "{}")
    text = with_raw(text, (client.key,), moved)
    for key, server in since.items():
        text = with_member(text, (client.key, key), json.dumps(server, indent=2, ensure_ascii=False))
    return Texts(text, None)


def servers_in(text: str, key: str) -> Mapping[str, Any]:
    """Return the servers of a client's file, by name. Raises `JsonTextError`."""
    given = read(text) if text.strip("\ufeff \t\r\n") else {}
    if not isinstance(given, dict):
        raise JsonTextError("is JSON, but no object")
    servers = given.get(key, {})
    if not isinstance(servers, dict):
        raise JsonTextError(f"has {key!r}, but that is no object")
    return servers
