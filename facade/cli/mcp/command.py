"""`callboard mcp`: a configuration as an MCP server, for every client of MCP; and its place in a client's file."""

from __future__ import annotations

import importlib.util
import socket
import sys
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ...authoring.dev_server import TappedCallboard
from ...callboard import Callboard
from ...hosts.tap import overhearing
from ...mcp_clients.client import CLIENTS
from ..ui.crash_files import CrashFiles, crash_folder
from ..ui.exit_codes import WELL
from ..ui.files import ConfigFile
from ..ui.options import common, trust_option
from ..ui.streams import complain
from ..ui.trust import admit
from .client_config import install, print_config, uninstall
from .login import login as log_in
from .stderr_logs import StderrLogs, log_folder

if TYPE_CHECKING:
    from collections.abc import Callable

    from ...supervision.runtime.events import Event

_LOOPBACK = ("127.", "::1")
_NEEDED = {"mcp", "mcp_types", "starlette", "uvicorn", "anyio", "pydantic"}
_CLIENT = click.Choice(list(CLIENTS))
_MAX_TOKEN = 4096


@click.command("mcp", short_help="Serve the tools of a configuration to clients of MCP.")
@click.argument("config", type=ConfigFile(), required=False)
@click.option(
    "--http",
    "address",
    metavar="HOST:PORT",
    help="Serve over streamable HTTP, and not over stdin and stdout.",
)
@click.option(
    "--token-file", type=click.Path(dir_okay=False, path_type=Path), metavar="FILE",
    help="With --http: clients have to say what stands in FILE as a bearer token.",
)  # fmt: skip
@click.option(
    "--behind-proxy",
    is_flag=True,
    help="With --http: another server stands before it, and lets only the right ones in.",
)
@click.option(
    "--watch", is_flag=True, help="Follow the file: load anew what changes in it, and leave the others alone."
)
@click.option(
    "--log-dir", type=click.Path(file_okay=False, path_type=Path), metavar="DIR",
    help="Where what the servers say on stderr is kept; a folder of the user's state if it is not given.",
)  # fmt: skip
@click.option(
    "--print-config",
    "printed",
    type=_CLIENT,
    help="Write what stands for it in the file of a client, and serve nothing.",
)
@click.option(
    "--install",
    "installed",
    type=_CLIENT,
    help="Put it into the file of a client, after showing the difference.",
)
@click.option("--uninstall", "uninstalled", type=_CLIENT, help="Take it out of the file of a client again.")
@click.option(
    "--login",
    metavar="NAME",
    help="Log in to that server over HTTP of CONFIG, in a browser, and serve nothing.",
)
@click.option(
    "--file", "file", type=click.Path(dir_okay=False, path_type=Path), metavar="FILE",
    help="The client's file, if it is not where that client has it.",
)  # fmt: skip
@click.option(
    "--name", default="callboard", show_default=True, metavar="NAME", help="Its name in the client's file."
)
@click.option("--yes", is_flag=True, help="Do not ask before a client's file is changed.")
@trust_option
@common
def mcp(
    config: str | None,
    *,
    address: str | None,
    token_file: Path | None,
    printed: str | None,
    installed: str | None,
    uninstalled: str | None,
    login: str | None,
    file: Path | None,
    name: str,
    behind_proxy: bool,
    watch: bool,
    log_dir: Path | None,
    yes: bool,
) -> int:
    """Serve the tools of CONFIG as an MCP server, over stdin and stdout or over HTTP.

    CONFIG may be the file in which a client keeps its servers: then all of them are run, watched and restarted behind this one.

    `callboard mcp --install claude` moves the servers of that client behind Callboard; with CONFIG it adds that one, and leaves
    the others alone.
    """
    chosen = [each for each in (printed, installed, uninstalled, login, address) if each is not None]
    if len(chosen) > 1:
        raise click.UsageError("choose one of --http, --print-config, --install, --uninstall and --login")
    if address is None and (token_file is not None or behind_proxy):
        raise click.UsageError("--token-file and --behind-proxy are for --http")
    if (watch or log_dir is not None) and (uninstalled is not None or login is not None):
        raise click.UsageError("--watch and --log-dir are for a board that serves")
    options = ["--watch"] if watch else []
    options += [] if log_dir is None else ["--log-dir", str(log_dir.absolute())]
    if uninstalled is not None:
        return uninstall(CLIENTS[uninstalled], file, name, yes=yes)
    _require_sdk()  # a client tells nobody why a server of its file does not start
    if installed is not None:
        return install(CLIENTS[installed], file, name, config, options, yes=yes)
    if config is None:
        raise click.UsageError("CONFIG is missing: the file that lists the plugins, or that of an MCP client")
    if login is not None:
        return log_in(config, login)
    if printed is not None:
        return print_config(CLIENTS[printed], name, config, options)
    return _serve(config, address, token_file, log_dir, behind_proxy=behind_proxy, watch=watch)


def _require_sdk() -> None:
    """See that it is there, without the second that its import takes."""
    if importlib.util.find_spec("mcp") is None:
        raise click.UsageError(
            "'callboard mcp' needs the package 'mcp', the protocol's own SDK; run: pip install mcp"
        )


def _serve(
    config: str,
    address: str | None,
    token_file: Path | None,
    log_dir: Path | None,
    *,
    behind_proxy: bool,
    watch: bool,
) -> int:
    listening = None if address is None else _listen(address, guarded=token_file is not None or behind_proxy)
    token = None if token_file is None else _token(token_file)
    configuration = admit(Callboard(config).configuration, config)
    logs = _logs(Path(config), log_dir)
    board_of = _board_of(config, logs, watch=watch)

    def make(hears: Callable[[Event], None]) -> Callboard:
        board = board_of(subscribers=(hears, CrashFiles(crash_folder()).hear))
        board.configuration = configuration
        return board

    try:
        from ...mcp.http import serve_http  # noqa: PLC0415 - the SDK takes longer to import than all other commands
        from ...mcp.stdio import serve_stdio  # noqa: PLC0415 - as above
    except ModuleNotFoundError as error:
        package = (error.name or "").partition(".")[0]
        if package not in _NEEDED:
            raise
        raise click.UsageError(f"this needs the package {package!r}; run: pip install mcp") from None
    if listening is None:
        if sys.stdin is not None and sys.stdin.isatty():
            complain(
                "serving on stdin and stdout, for a client that starts this by itself: see --print-config and --install; Ctrl-D ends it"
            )
        serve_stdio(make)
    else:
        host, port = listening.getsockname()[:2]
        complain(f"serving on http://{f'[{host}]' if ':' in host else host}:{port}/mcp")
        with listening:
            folder = None if logs is None else logs.folder
            serve_http(make, listening, token, behind_proxy=behind_proxy, logs=folder)
    return WELL


def _board_of(config: str, logs: StderrLogs | None, *, watch: bool) -> Callable[..., Callboard]:
    carry = None if logs is None else overhearing(logs.listen)
    if not watch:
        return partial(TappedCallboard, config, carry=carry)
    try:
        from ...mcp.watched_board import WatchedBoard  # noqa: PLC0415 - an extra, which most boards do without
    except ModuleNotFoundError as error:
        if error.name != "watchfiles":
            raise
        raise click.UsageError(
            "--watch needs the extra 'dev', which is watchfiles; install callboard[dev]"
        ) from None
    file = Path(config).expanduser()
    return partial(WatchedBoard, file, lambda found: admit(found, config), complain, carry=carry)


def _logs(config: Path, folder: Path | None) -> StderrLogs | None:
    """Where servers are heard; nowhere if the usual folder cannot be had, which keeps no board from serving."""
    try:
        return StderrLogs(folder or log_folder(config))
    except OSError as error:
        said = f"cannot write logs into {error.filename}: {error.strerror}"
        if folder is not None:
            raise click.BadParameter(said, param_hint="'--log-dir'") from error
        complain(f"{said}; what servers say on stderr is not kept. Give another folder with --log-dir")
        return None


def _listen(address: str, *, guarded: bool) -> socket.socket:
    """A socket that listens there. Beyond this machine only if something guards it."""
    host, colon, port = address.rpartition(":")
    host = host.strip("[]")
    if not colon or not host or not port.isascii() or not port.isdecimal() or int(port) > 65535:  # noqa: PLR2004 - the last port
        raise click.BadParameter(
            f"it is {address!r}; it has to be HOST:PORT, such as 127.0.0.1:8811", param_hint="'--http'"
        )
    try:
        family, *_, place = socket.getaddrinfo(
            host, int(port), type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
        listening = socket.create_server(place[:2], family=family, reuse_port=False)
    except OSError as error:
        raise click.BadParameter(
            f"cannot listen on {address}: {error.strerror or error}", param_hint="'--http'"
        ) from error
    if not guarded and not str(listening.getsockname()[0]).startswith(_LOOPBACK):
        listening.close()
        raise click.UsageError(
            f"{address} can be reached from other machines; give --token-file, or --behind-proxy if another server guards it"
        )
    return listening


def _token(file: Path) -> str:
    try:
        with file.open("rb") as opened:
            said = opened.read(_MAX_TOKEN + 1).strip()
    except OSError as error:
        raise click.BadParameter(
            f"cannot read {file}: {error.strerror}", param_hint="'--token-file'"
        ) from error
    if (
        not said
        or len(said) > _MAX_TOKEN
        or not said.isascii()
        or not said.decode("ascii").isprintable()
        or b" " in said
    ):
        raise click.BadParameter(
            f"{file} has to hold a token of 1 to {_MAX_TOKEN} printable characters",
            param_hint="'--token-file'",
        )
    return said.decode("ascii")
