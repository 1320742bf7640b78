"""A board in the file of an MCP client: written, put in after a look at the difference, taken out again."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ...config.configuration import read_configuration
from ...config.errors import ConfigurationError
from ...mcp_clients.client import entry_environment
from ...mcp_clients.installation import added, servers_file
from ..ui.exit_codes import WELL
from ..ui.files import absolute
from ..ui.streams import Streams, complain
from ..ui.trust import runs_of
from .changing import Change, carry_out, of_file, texts_of
from .front import install_in_front, take_back

if TYPE_CHECKING:
    from collections.abc import Sequence

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
    trusts = "--trust" in options
    if front:
        return install_in_front(client, file, name, entry, trusts=trusts, yes=yes)
    before, now = texts_of(file)
    with of_file(file):
        after = added(now, client, name, entry, absolute(servers_file(file)))
    admission = None if trusts or after == now else _of_configuration(served)
    return carry_out(Change(client, file, name, before, now, after, admission=admission), yes=yes)


def _of_configuration(config: Path) -> Admission | None:
    """What the servers of a configuration run; ``None`` if it cannot be read as it is now, which is told."""
    try:
        return runs_of(read_configuration(config), str(absolute(config)))
    except ConfigurationError as error:
        complain(f"{error}; the client is served nothing until that is corrected")
        return None


def uninstall(client: Client, file: Path | None, name: str, *, yes: bool) -> int:
    """Take it out of a client's file; the servers that were moved are back."""
    return take_back(client, file or client.file(sys.platform, Path.home(), os.environ), name, yes=yes)


def _entry(client: Client, config: Path, options: Sequence[str]) -> dict[str, Any]:
    """What stands in a client's file for a configuration."""
    return client.entry(_words(config, options), entry_environment(os.environ, sys.platform))


def _words(config: Path, options: Sequence[str]) -> list[str]:
    """What runs this very installation on a configuration: clients with a window do not have the PATH of a shell."""
    script = Path(sys.executable).parent / ("callboard.exe" if sys.platform == "win32" else "callboard")
    program = [str(script)] if script.is_file() else [sys.executable, "-m", "callboard"]
    return [*program, "mcp", str(absolute(config)), *options]
