"""A board in the file of an MCP client: written, put in after a look at the difference, taken out again."""

from __future__ import annotations

import os
import sys
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ...config.configuration import read_configuration, read_value
from ...config.errors import ConfigurationError
from ...config.json_text import JsonTextError
from ...mcp_clients.client import entry_environment, placeholders_of
from ...mcp_clients.client_file import ClientFileError, exchange, read_file, remove
from ...mcp_clients.installation import (
    SERVERS,
    Texts,
    added,
    candidates_in,
    put_in_front,
    servers_file,
    servers_in,
    taken_back,
)
from ..doctor.finding import counted
from ..ui.exit_codes import FAILED, WELL
from ..ui.files import absolute
from ..ui.options import quiet
from ..ui.streams import Streams, complain
from ..ui.trust import admit, runs_of, whole_plan
from .difference import difference
from .started import lines_of, start_all

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from ...mcp_clients.client import Client
    from ...trust.admission import Admission
    from .started import Started


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
    if front:
        return _install_in_front(client, file, name, options, yes=yes)
    entry = _entry(client, served, options)
    return _change(
        client,
        file,
        name,
        lambda now: added(now, client, name, entry, absolute(servers_file(file))),
        lambda _: None if "--trust" in options else _of_configuration(served),
        yes=yes,
    )


def _install_in_front(client: Client, file: Path, name: str, options: Sequence[str], *, yes: bool) -> int:
    """Start what would move, say what comes up, and move what can run behind Callboard."""
    served = servers_file(file)
    entry = _entry(client, served, options)
    now = Texts(read_file(file) or "", read_file(served))
    with of_file(file):
        put_in_front(
            now, client, name, entry, absolute(served)
        )  # what is refused is refused before anything runs
        servers = {**servers_in(now.servers or "", SERVERS), **candidates_in(now.client, client.key)}
    if not _may_start(now, client, served, trusts="--trust" in options, yes=yes):
        complain("nothing was started, and nothing was changed")
        return FAILED
    started = _started(servers, served, trusts="--trust" in options)
    stays = {each.name for each in started if each.state == "stays"}
    if stays and stays == servers.keys() and now.servers is None:  # which is refused: it is said why
        for line in lines_of(started, file):
            complain(line)
    moved = {key: server for key, server in servers.items() if key not in stays}
    env = entry.get("env", {}) | (placeholders_of(moved.values(), os.environ) if client.fills else {})
    full = {**entry, "env": env} if env else entry

    def change(read: Texts) -> Texts:
        return put_in_front(read, client, name, full, absolute(served), stays=stays)

    return _change(client, file, name, change, lambda _: None, yes=yes, said=list(lines_of(started, file)))


def _may_start(now: Texts, client: Client, served: Path, *, trusts: bool, yes: bool) -> bool:
    """Whether what would move may be started: nobody is asked of files of the user's own clients, in their places."""
    moved = candidates_in(now.client, client.key)
    admission = runs_of(read_value({SERVERS: moved}, absolute(served).parent, served), str(served))
    if trusts or not admission.untrusted:
        return True
    lines = whole_plan(admission)
    if not yes:
        with Streams(as_json=False) as out:
            for line in ["It would run:", *(lines or [f"  {admission.command} shows it"])]:
                out.console.print(line, soft_wrap=True)
        if not click.confirm("Start these servers, to see what comes up, and trust them?", err=True):
            return False
    admission.trust()
    return True


def _started(servers: Mapping[str, Any], served: Path, *, trusts: bool) -> list[Started]:
    """What becomes of these servers; none of another one that came with the folder is started without trust."""
    configuration = read_value({SERVERS: dict(servers)}, absolute(served).parent, served)
    if not configuration.plugins:
        return []
    complain(f"starting {counted(len(configuration.plugins), 'server')}, to see what comes up")
    quiet()
    with Streams(as_json=False):
        return start_all(admit(configuration, str(absolute(served)), trusts=trusts))


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
    )


def _change(
    client: Client,
    file: Path,
    name: str,
    change: Callable[[Texts], Texts],
    runs: Callable[[Texts], Admission | None],
    *,
    yes: bool,
    said: Sequence[str] = (),
) -> int:
    """Show the difference, ask, and write.

    Args:
        client: whose file it is.
        file: which.
        name: of the entry; the file as it was without one is kept.
        change: what stands in the files then.
        runs: what the client will have run, and whether that is trusted.
        yes: do not ask.
        said: what is said before the question.
    """
    servers = servers_file(file)
    before = read_file(file)
    now = Texts(before or "", read_file(servers))
    with of_file(file):
        after = change(now)
    if after == now:
        for line in said:
            complain(line)
        complain(f"{file} is as it should be; nothing to do")
        return WELL
    admission = runs(now)
    asked = None if admission is None or not admission.untrusted else whole_plan(admission)
    with Streams(as_json=False) as out:
        for line in (
            *said,
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
        _trust(admission, agreed=bool(asked and not yes))
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


@contextmanager
def of_file(file: Path) -> Iterator[None]:
    """Name the file of which a text cannot be changed."""
    try:
        yield
    except JsonTextError as error:
        raise ClientFileError(file, str(error)) from None


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
