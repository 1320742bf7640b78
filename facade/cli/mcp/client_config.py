"""A board in the file of an MCP client: written, put in after a look at the difference, taken out again."""

from __future__ import annotations

import difflib
import os
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ...config.json_text import JsonTextError
from ...mcp_clients.client_file import ClientFileError, exchange, read_file, remove
from ...mcp_clients.installation import Texts, added, put_in_front, servers_file, taken_back
from ..ui.exit_codes import FAILED, WELL
from ..ui.streams import Streams, complain

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ...mcp_clients.client import Client


def print_config(client: Client, name: str, config: str, options: Sequence[str] = ()) -> int:
    """Write what stands in a client's file for a configuration."""
    if not Path(config).is_file():
        complain(f"there is no file {config} yet; the client starts nothing without it")
    with Streams(as_json=False) as out:
        out.console.print_json(data={client.key: {name: client.entry(_words(Path(config), options))}})
    return WELL


def install(
    client: Client,
    file: Path | None,
    name: str,
    config: str | None,
    options: Sequence[str] = (),
    *,
    yes: bool,
) -> int:
    """Put a configuration into a client's file; without one, put Callboard in front of all servers of that client."""
    file = file or client.file(sys.platform, Path.home(), os.environ)
    front = config is None or Path(config).absolute() == file.absolute()
    served = servers_file(file) if config is None or front else Path(config)
    if not front and not served.is_file():
        raise click.BadParameter(f"there is no file {served}", param_hint="CONFIG")
    if front and not served.is_file() and not file.is_file():
        raise click.UsageError(
            f"there is no file {file} yet, so no server of {client.title} to be in front of; "
            "name the file if it is elsewhere (--file), or a configuration"
        )
    words = _words(served, options)

    def change(now: Texts) -> Texts:
        return put_in_front(now, client, name, words) if front else added(now, client, name, words)

    return _change(client, file, change, yes=yes)


def uninstall(client: Client, file: Path | None, name: str, *, yes: bool) -> int:
    """Take it out of a client's file; the servers that were moved are back."""
    file = file or client.file(sys.platform, Path.home(), os.environ)
    return _change(client, file, lambda now: taken_back(now, client, name), yes=yes)


def _change(client: Client, file: Path, change: Callable[[Texts], Texts], *, yes: bool) -> int:
    servers = servers_file(file)
    before = read_file(file)
    now = Texts(before or "", read_file(servers))
    try:
        after = change(now)
    except JsonTextError as error:
        raise ClientFileError(file, str(error)) from None
    if after == now:
        complain(f"{file} is as it should be; nothing to do")
        return WELL
    with Streams(as_json=False) as out:
        for line in _difference(file, now.client, after.client):
            out.console.print(line, soft_wrap=True)
        if after.servers is not None and after.servers != now.servers:
            out.console.print(f"The servers move to {servers}", soft_wrap=True)
        if file.is_symlink():
            out.console.print(f"{file} is a link: what is changed is {file.resolve()}", soft_wrap=True)
    if not yes and not click.confirm(f"Change the file of {client.title}?", err=True):
        complain("nothing was changed")
        return FAILED
    stamp = datetime.now(UTC).strftime("%Y%m%dT%H%M%S.%fZ")
    # The servers first on the way out, and last on the way back: whatever ends this in between, they stand in one of the files.
    if after.servers is not None and after.servers != now.servers:
        exchange(servers, now.servers, after.servers, follow=False)
    backup = file.with_name(f"{file.name}.{stamp}.backup")
    exchange(file, before, after.client, backup)
    if after.servers is None and now.servers is not None:
        remove(servers)
    kept = f"; what it was is in {backup.name}" if backup.exists() else ""
    complain(f"changed {file}{kept}; start {client.title} anew")
    return WELL


def _words(config: Path, options: Sequence[str]) -> list[str]:
    """What runs this very installation on a configuration: clients with a window do not have the PATH of a shell."""
    script = Path(sys.executable).parent / ("callboard.exe" if sys.platform == "win32" else "callboard")
    program = [str(script)] if script.is_file() else [sys.executable, "-m", "callboard"]
    return [*program, "mcp", str(config.absolute()), *options]


def _difference(file: Path, before: str, after: str) -> list[str]:
    lines = difflib.unified_diff(
        before.splitlines(), after.splitlines(), str(file), str(file), lineterm="", n=1
    )
    return list(lines)
