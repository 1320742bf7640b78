"""Logging in to a server over HTTP: the one step in which a user is asked something."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import click

from ...callboard import Callboard
from ...hosts.mcp_http.tool import McpHttpPlugin
from ...loading.loader import load_entry
from ..ui.exit_codes import FAILED, WELL
from ..ui.streams import complain

if TYPE_CHECKING:
    from ...config.configuration import Configuration


def login(config: str, name: str) -> int:
    """Log in to the server of that name, of a configuration."""
    server = _named(Callboard(config).configuration, name)
    try:
        asked = server.login(show)
    except ModuleNotFoundError as error:
        package = (error.name or "").partition(".")[0]
        raise click.UsageError(f"this needs the package {package!r}; run: pip install mcp") from None
    except OSError as error:
        complain(f"the token cannot be kept: {error.strerror or error}")
        return FAILED
    complain(f"logged in to {name!r}" if asked else f"the server {name!r} asks for no login")
    return WELL


def show(address: str) -> None:
    """Show the user where to agree."""
    complain(f"open this address in a browser on this machine, and agree there:\n{address}")


def _named(configuration: Configuration, name: str) -> McpHttpPlugin:
    """The server of that name; of the others nothing is loaded. Raises `click.UsageError`."""
    names = []
    for entry in configuration.plugins:
        if (
            not isinstance(entry, Mapping)
            or not isinstance(entry.get("mcp"), Mapping)
            or "url" not in entry["mcp"]
        ):
            continue
        for one in load_entry(entry, configuration):
            server = getattr(one, "hosted", None)
            if isinstance(server, McpHttpPlugin):
                if server.name == name:
                    return server
                names.append(server.name)
    known = ", ".join(map(repr, names)) or "none"
    raise click.BadParameter(
        f"there is no server over HTTP called {name!r}; there are: {known}", param_hint="'--login'"
    )
