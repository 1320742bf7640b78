"""What a client's file becomes when a board is put into it, or in front of all that is in it, and taken out again. Pure.

*Added*: one entry more; the client's other servers are run by the client, as before. *In front*: the client's servers move to a file of ours
beside its own, and the client gets one entry, which runs them all. They are moved as they are written, so that taking it back gives the file
its own text again.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from ..base.errors import JsonValueError
from ..base.frozen import frozen
from ..config.json_text import (
    JsonTextError,
    raw,
    read,
    require_each_key_once,
    with_member,
    with_raw,
    without_member,
)
from ..config.mcp_servers import board_of, runs_callboard

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping
    from pathlib import Path

    from .client import Client

Json = dict[str, Any]

SERVERS = "mcpServers"
"""The key of the file of ours."""

RECORD = "callboard"
"""The key of the file of ours under which stands what `taken_back` needs beside the servers."""

WAS = "was"

_OTHER_NAME = "Give Callboard's entry another name: --name NAME"


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


def added(now: Texts, client: Client, name: str, entry: Json, served: Path | None = None) -> Texts:
    """One entry more under this name, or in place of a board that is there under it.

    Args:
        now: what stands in the files.
        client: whose they are.
        name: of the entry.
        entry: what is to stand there, as `Client.entry` makes it.
        served: the file of ours; a board that stands for what has moved there is not replaced.

    Raises:
        JsonTextError: the client's file cannot be read, or the name is taken.
    """
    there = servers_in(now.client, client.key).get(name)
    _require_board(there, name)
    if served is not None and now.servers is not None and _serves(there, served):
        raise JsonTextError(
            f"has {name!r} already, in front of the servers that have moved to {served}; nothing was changed. {_OTHER_NAME}"
        )
    return Texts(_with_entry(now.client, client, name, entry), now.servers)


def put_in_front(
    now: Texts, client: Client, name: str, entry: Json, served: Path, *, stays: Collection[str] = ()
) -> Texts:
    """The servers of the client in the file of ours, and one entry for the client, which serves that file.

    Boards of ours stay where they are.

    Args:
        now: what stands in the files.
        client: whose they are.
        name: of the entry.
        entry: as of `added`.
        served: the file of ours.
        stays: servers that are left to the client.

    Raises:
        JsonTextError: one of the files cannot be read, the client has no server, or a name is taken.
    """
    servers = servers_in(now.client, client.key)
    there = servers.get(name)
    _require_board(there, name)
    if there is not None and not _serves(there, served):
        raise JsonTextError(f"has another board of yours called {name!r}; nothing was changed. {_OTHER_NAME}")
    moved = [key for key in candidates_in(now.client, client.key) if key not in stays]
    if not moved and now.servers is None:
        which = (
            f"no server under {client.key!r} that can run behind Callboard"
            if stays
            else f"no server under {client.key!r}"
        )
        raise JsonTextError(f"has {which} to be in front of; name a configuration")
    text = now.servers
    if text is None:
        text = f'{{"{SERVERS}": {raw(now.client, (client.key,))}}}\n'
        for key in servers.keys() - set(moved):
            text = without_member(text, (SERVERS, key))
        if servers.keys() - {*moved, name}:
            was = without_member(now.client, (client.key, name))
            text = with_member(text, (RECORD, WAS), json.dumps(raw(was, (client.key,))))
    else:
        there_already = servers_in(text, SERVERS)
        _require_same(there_already, {key: servers[key] for key in moved}, served)
        for key in moved:
            if (
                key not in there_already
            ):  # else an earlier time was interrupted, and it stands there as it is written
                text = with_member(text, (SERVERS, key), _written(servers[key]))
    emptied = now.client
    if servers.keys() <= {*moved, name}:
        emptied = with_raw(emptied, (client.key,), "{}")
    for key in moved:
        emptied = without_member(emptied, (client.key, key))
    return Texts(_with_entry(emptied, client, name, entry), text)


def taken_back(now: Texts, client: Client, name: str, served: Path) -> Texts:
    """Without that entry; and what was moved is back, beside what the client has got since.

    Raises:
        JsonTextError: one of the files cannot be read, or the entry of that name is none of ours.
    """
    there = bool(now.client.strip("\ufeff \t\r\n"))
    servers = servers_in(now.client, client.key)
    _require_board(servers.get(name), name)
    if now.servers is None:
        return Texts(without_member(now.client, (client.key, name)), None) if there else now
    in_front = {key for key, server in servers.items() if _serves(server, served)}
    if in_front and name not in servers:
        other = min(in_front)
        raise JsonTextError(
            f"has {other!r} in front of the servers that have moved to {served}; say --name {other}"
        )
    since = {key: server for key, server in servers.items() if key not in {name, *in_front}}
    moved = servers_in(now.servers, SERVERS)
    _require_same(moved, since, served)
    back = raw(now.servers, (SERVERS,)) or "{}"
    was = _was(now.servers)
    if was is not None and read(was) == {**moved, **since}:
        back = was
    text = now.client
    if not there or raw(text, (client.key,)) is None:
        text = with_member(text, (client.key,), "{}")
    text = with_raw(text, (client.key,), back)
    for key in since.keys() - read(back).keys():
        text = with_member(text, (client.key, key), _written(since[key]))
    return Texts(text, None)


def candidates_in(text: str, key: str) -> dict[str, Any]:
    """Return the servers of a client's file that may move: all but boards of ours. Raises as `servers_in`."""
    return {name: server for name, server in servers_in(text, key).items() if not runs_callboard(server)}


def servers_in(text: str, key: str) -> Mapping[str, Any]:
    """Return the servers of a client's file, by name.

    Raises:
        JsonTextError: it cannot be read, or a key in it stands twice.
    """
    given = read(text) if text.strip("\ufeff \t\r\n") else {}
    if not isinstance(given, dict):
        raise JsonTextError("is JSON, but no object")
    servers = given.get(key, {})
    if not isinstance(servers, dict):
        raise JsonTextError(f"has {key!r}, but that is no object")
    if servers:
        try:
            require_each_key_once(raw(text, (key,)) or "{}")
        except JsonValueError as error:
            raise JsonTextError(
                f"has a server that cannot be told from another: in {key!r}, {error}"
            ) from None
    return servers


def _with_entry(text: str, client: Client, name: str, entry: Json) -> str:
    return with_member(text, (client.key, name), _written(entry))


def _written(value: Any) -> str:
    return json.dumps(value, indent=2, ensure_ascii=False)


def _serves(server: Any, served: Path) -> bool:
    return str(served) in (board_of(server) or ())


def _was(servers: str) -> str | None:
    """The servers as the client's file had them, where some of them stayed there."""
    kept = read(servers).get(RECORD)
    was = kept.get(WAS) if isinstance(kept, dict) else None
    if not isinstance(was, str):
        return None
    return was if isinstance(read(was), dict) else None


def _require_board(server: Any, name: str) -> None:
    """Refuse to replace, or take out, what is a server of its user's."""
    if server is not None and not runs_callboard(server):
        raise JsonTextError(
            f"has a server of yours called {name!r}, which is the name of Callboard's own entry; nothing was changed. {_OTHER_NAME}"
        )


def _require_same(moved: Mapping[str, Any], others: Mapping[str, Any], served: Path) -> None:
    """Refuse to lose one of two servers that have one name."""
    for key in moved.keys() & others.keys():
        if moved[key] != others[key]:
            raise JsonTextError(
                f"has a server {key!r}, and another server of that name has moved to {served}; nothing was changed. "
                "Rename or remove one of them"
            )
