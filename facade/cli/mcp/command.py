"""`callboard mcp`: a configuration as an MCP server, for every client of MCP; and its place in a client's file."""

from __future__ import annotations

import importlib.util
import sys
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ...authoring.dev_server import TappedCallboard
from ...callboard import Callboard
from ...hosts.tap import overhearing
from ...mcp_clients.client import CLIENTS
from ...mcp_http.guard import LOOPBACK, Guard
from ..ui.crash_files import KINDS, CrashFiles, crash_folder
from ..ui.exit_codes import WELL
from ..ui.files import ConfigFile, absolute
from ..ui.options import common, trust_option
from ..ui.streams import complain
from ..ui.trust import admit, trusts_all
from .client_config import install, print_config, uninstall
from .http_options import HttpOptions, http_options, is_local
from .login import login as log_in
from .stderr_logs import StderrLogs, log_folder

if TYPE_CHECKING:
    from collections.abc import Callable

    from ...config.configuration import Configuration
    from ...mcp.serving import Hears, MakeBoard

_NEEDED = {"mcp", "mcp_types", "starlette", "uvicorn", "anyio", "pydantic"}
_CLIENT = click.Choice(list(CLIENTS))


@click.command("mcp", short_help="Serve the tools of a configuration to clients of MCP.")
@click.argument("config", type=ConfigFile(), required=False)
@http_options
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
    printed: str | None,
    installed: str | None,
    uninstalled: str | None,
    login: str | None,
    file: Path | None,
    name: str,
    watch: bool,
    log_dir: Path | None,
    yes: bool,
    **http: Any,
) -> int:
    """Serve the tools of CONFIG as an MCP server, over stdin and stdout or over HTTP.

    CONFIG may be the file in which a client keeps its servers: then all of them are run, watched and restarted behind this one.

    `callboard mcp --install claude` moves the servers of that client behind Callboard; with CONFIG it adds that one, and leaves
    the others alone.
    """
    over_http = HttpOptions(**http)
    chosen = [
        each for each in (printed, installed, uninstalled, login, over_http.address) if each is not None
    ]
    if len(chosen) > 1:
        raise click.UsageError("choose one of --http, --print-config, --install, --uninstall and --login")
    if (watch or log_dir is not None) and (uninstalled is not None or login is not None):
        raise click.UsageError("--watch and --log-dir are for a board that serves")
    options = ["--watch"] if watch else []
    options += [] if log_dir is None else ["--log-dir", str(absolute(log_dir))]
    options += ["--trust"] if trusts_all() else []
    if uninstalled is not None:
        return uninstall(CLIENTS[uninstalled], file, name, yes=yes)
    if over_http.address is not None or login is not None:
        _require_sdk()
    if installed is not None:
        return install(CLIENTS[installed], file, name, config, options, yes=yes)
    if config is None:
        raise click.UsageError("CONFIG is missing: the file that lists the plugins, or that of an MCP client")
    if login is not None:
        return log_in(config, login)
    if printed is not None:
        return print_config(CLIENTS[printed], name, config, options)
    return _serve(config, over_http, log_dir, watch=watch)


def _require_sdk() -> None:
    """See that it is there, without the second that its import takes."""
    if importlib.util.find_spec("mcp") is None:
        raise click.UsageError(
            "'--http' and '--login' need the package 'mcp', the protocol's own SDK; run: pip install mcp"
        )


def _serve(config: str, http: HttpOptions, log_dir: Path | None, *, watch: bool) -> int:
    configuration = Callboard(config).configuration
    http.require_profile(configuration)
    listening = http.listen()
    token = None if listening is None else http.token(Path(config))
    trusts = trusts_all()
    configuration = _admit(configuration, config, trusts=trusts)
    logs = _logs(Path(config), log_dir)
    board_of = _board_of(config, logs, watch=watch, trusts=trusts)

    def make(hears: Hears) -> Callboard:
        board = board_of(subscribers=(hears, (CrashFiles(crash_folder()).hear, KINDS)))
        board.configuration = configuration
        return board

    if listening is None:
        _serve_pipes(make)
        return WELL
    try:
        from ...mcp_http.http import serve_http  # noqa: PLC0415 - the SDK takes longer to import than all other commands
    except ModuleNotFoundError as error:
        package = (error.name or "").partition(".")[0]
        if package not in _NEEDED:
            raise
        raise click.UsageError(f"this needs the package {package!r}; run: pip install mcp") from None
    http.announce(listening, token, Path(config))
    names = LOOPBACK | {listening.getsockname()[0]} if is_local(listening) else None
    with listening:
        folder = None if logs is None else logs.folder
        serve_http(make, listening, Guard(token, names, http.behind_proxy), http.limits, folder)
    return WELL


def _serve_pipes(make: MakeBoard) -> None:
    from ...mcp_stdio.stdio import serve_stdio  # noqa: PLC0415 - it brings asyncio, which no other step needs

    if sys.stdin is not None and sys.stdin.isatty():
        complain(
            "serving on stdin and stdout, for a client that starts this by itself: see --print-config and --install; Ctrl-D ends it"
        )
    serve_stdio(make)


def _admit(configuration: Configuration, config: str, *, trusts: bool) -> Configuration:
    """Hold it to what its user has agreed to. Whoever reads what to type is elsewhere than where this was started."""
    return admit(configuration, str(absolute(Path(config).expanduser())), trusts=trusts)


def _board_of(config: str, logs: StderrLogs | None, *, watch: bool, trusts: bool) -> Callable[..., Callboard]:
    carry = None if logs is None else overhearing(logs.listen)
    if not watch:
        return partial(TappedCallboard, config, carry=carry)
    try:
        from .watched_board import WatchedBoard  # noqa: PLC0415 - an extra, which most boards do without
    except ModuleNotFoundError as error:
        if error.name != "watchfiles":
            raise
        raise click.UsageError(
            "--watch needs the package 'watchfiles'; run: pip install watchfiles"
        ) from None
    file = Path(config).expanduser()
    return partial(
        WatchedBoard, file, lambda found: _admit(found, config, trusts=trusts), complain, carry=carry
    )


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
