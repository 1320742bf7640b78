"""A board in the file of an MCP client: written, put in after a look at the difference, taken out again."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ...config.configuration import read_configuration, read_value
from ...config.errors import ConfigurationError
from ...config.json_text import JsonTextError
from ...mcp_clients.client import entry_environment
from ...mcp_clients.client_file import ClientFileError, exchange, read_file, remove
from ...mcp_clients.installation import (
    SERVERS,
    Texts,
    added,
    put_in_front,
    servers_file,
    servers_in,
    taken_back,
)
from ..ui.exit_codes import FAILED, WELL
from ..ui.files import absolute
from ..ui.streams import Streams, complain
from ..ui.trust import runs_of, whole_plan
from .difference import difference

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ...mcp_clients.client import Client
    from ...trust.admission import Admission


def print_config(client: Client, name: str, config: str, options: Sequence[str] = ()) -> int:
    """Write what stands in a client's file for a configuration."""
    if not Path(config).is_file():
        complain(f"there is no file {config} yet; the client starts nothing without it")
    with Streams(as_json=False) as out:
        out.console.print_json(data={client.key: {name: _entry(client, Path(config), options)}})
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
    front = config is None or absolute(Path(config)) == absolute(file)
    served = servers_file(file) if config is None or front else Path(config)
    if not front and not served.is_file():
        raise click.BadParameter(f"there is no file {served}", param_hint="CONFIG")
    if front and not served.is_file() and not file.is_file():
        raise click.UsageError(
            f"there is no file {file} yet, so no server of {client.title} to be in front of; "
            "name the file if it is elsewhere (--file), or a configuration"
        )
    entry = _entry(client, served, options)

    def change(now: Texts) -> Texts:
        if front:
            return put_in_front(now, client, name, entry, absolute(served))
        return added(now, client, name, entry, absolute(servers_file(file)))

    def runs(now: Texts) -> Admission | None:
        if "--trust" in options:
            return None
        return _of_moved(now, client, served) if front else _of_configuration(served)

    return _change(client, file, name, change, runs, yes=yes, implied=front)


def _of_moved(now: Texts, client: Client, servers: Path) -> Admission:
    """What the servers run that a client's file has, where they are moved to."""
    moved = servers_in(now.client, client.key)
    return runs_of(read_value({SERVERS: dict(moved)}, absolute(servers).parent, servers), str(servers))


def _of_configuration(config: Path) -> Admission | None:
    """What the servers of a configuration run; ``None`` if it cannot be read as it is now, which is told."""
    try:
        return runs_of(read_configuration(config), str(absolute(config)))
    except ConfigurationError as error:
        complain(f"{error}; the client is served nothing until that is corrected")
        return None


def uninstall(client: Client, file: Path | None, name: str, *, yes: bool) -> int:
    """Take it out of a client's file; the servers that were moved are back."""
    file = file or client.file(sys.platform, Path.home(), os.environ)
    return _change(
        client,
        file,
        name,
        lambda now: taken_back(now, client, name, absolute(servers_file(file))),
        lambda _: None,
        yes=yes,
        implied=False,
    )


def _change(
    client: Client,
    file: Path,
    name: str,
    change: Callable[[Texts], Texts],
    runs: Callable[[Texts], Admission | None],
    *,
    yes: bool,
    implied: bool,
) -> int:
    """Show the difference, ask, and write.

    Args:
        client: whose file it is.
        file: which.
        name: of the entry; the file as it was without one is kept.
        change: what stands in the files then.
        runs: what the client will have run, and whether that is trusted.
        yes: do not ask.
        implied: that is a yes to what is run, too: the file has said so all along.
    """
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
    admission = runs(now)
    asked = None if implied or admission is None or not admission.untrusted else whole_plan(admission)
    with Streams(as_json=False) as out:
        for line in (
            *difference(file, now.client, after.client),
            *(["It will run:", *asked] if asked else []),
        ):
            out.console.print(line, soft_wrap=True)
        if after.servers is not None and after.servers != now.servers:
            out.console.print(f"The servers move to {servers}", soft_wrap=True)
        if file.is_symlink():
            out.console.print(f"{file} is a link: what is changed is {file.resolve()}", soft_wrap=True)
    question = f"Change the file of {client.title}{', and trust that' if asked else ''}?"
    if not yes and not click.confirm(question, err=True):
        complain("nothing was changed")
        return FAILED
    if admission is not None and admission.untrusted:
        _trust(admission, agreed=implied or bool(asked and not yes))
    # The servers first on the way out, and last on the way back: whatever ends this in between, they stand in one of the files.
    if after.servers is not None and after.servers != now.servers:
        exchange(servers, now.servers, after.servers, follow=False)
    backup = file.with_name(f"{file.name}.backup")
    own = name not in servers_in(now.client, client.key)
    exchange(file, before, after.client, backup if own else None)
    if after.servers is None and now.servers is not None:
        remove(servers)
    kept = f"; what it was is in {backup.name}" if own and before is not None else ""
    complain(f"changed {file}{kept}; start {client.title} anew")
    return WELL


def _trust(admission: Admission, *, agreed: bool) -> None:
    if agreed:
        admission.trust()
    else:
        complain(f"what it runs is not trusted yet, and is left out; trust it: {admission.command}")


def _entry(client: Client, config: Path, options: Sequence[str]) -> dict[str, Any]:
    """What stands in a client's file for a configuration."""
    return client.entry(_words(config, options), entry_environment(os.environ, sys.platform))


def _words(config: Path, options: Sequence[str]) -> list[str]:
    """What runs this very installation on a configuration: clients with a window do not have the PATH of a shell."""
    script = Path(sys.executable).parent / ("callboard.exe" if sys.platform == "win32" else "callboard")
    program = [str(script)] if script.is_file() else [sys.executable, "-m", "callboard"]
    return [*program, "mcp", str(absolute(config)), *options]
