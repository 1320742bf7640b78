"""Which entries of a configuration are asked about before they run, and the step of each.

Those with an inline command or an address, of a file that came with a folder. A value that a program gives comes with none, and the
files of the user's own clients are the user's.
"""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..base.paths import resolved
from ..hosts.packages.conditions import conditions_of
from ..mcp_clients.client import CLIENTS
from ..mcp_clients.installation import servers_file
from ..plugins.env_file import read_env_file
from ..plugins.placeholders import fill
from ..plugins.sources.source import InlineCommand
from .inline_runs import run_step

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ..config.configuration import Configuration
    from ..config.plugin_options import Options
    from ..hosts.packages.consent import Step
    from ..plugins.sources.source import InlineAddress, Source


class Runs:
    """See the module.

    Args:
        configuration: whose entries they are.

    Attributes:
        asks: whether it is of a file that came with a folder.
    """

    def __init__(self, configuration: Configuration) -> None:
        self.asks: bool = configuration.file is not None and not is_users_own(configuration.file)

    def step(self, entry: Any, source: Source, options: Options) -> Step | None:
        """Return what is asked about before an entry runs; ``None`` if nothing is.

        Args:
            entry: as it is written.
            source: what it names.
            options: how it is run.
        """
        inline = source.inline()
        if not self.asks or inline is None:
            return None
        conditions = conditions_of(options.confinement.sandbox, options.sandbox)
        return run_step(
            inline,
            entry,
            variables=(*options.env, *options.inherit, *names_in_file(inline)),
            inherited=options.inherit,
            secrets=options.confinement.secrets,
            sandbox=conditions.get("run"),
        )


def names_in_file(inline: InlineCommand | InlineAddress | None) -> tuple[str, ...]:
    """The names of the variables in the file that an entry names; none of one that its loader will refuse.

    A pipe or a device is not read: it gives what it has once, or never.
    """
    if not isinstance(inline, InlineCommand) or inline.env_file is None:
        return ()
    with suppress(ValueError, RuntimeError):  # the latter of a home that nobody has
        named = fill(inline.env_file, os.environ, inline.base, Path.home(), os.sep)
        file = inline.base / Path(named).expanduser()
        if file.exists() and not file.is_file():
            return (f"whatever stands in {file}",)
        return tuple(read_env_file(file))
    return ()


def users_files(system: str, home: Path, environ: Mapping[str, str]) -> frozenset[Path]:
    """Return the files of all known clients of a user, and those to which ``--install`` moves their servers.

    Args:
        system: as ``sys.platform``.
        home: the user's.
        environ: as of `Client.file`.
    """
    clients = {client.file(system, home, environ) for client in CLIENTS.values()}
    return frozenset(clients | {servers_file(file) for file in clients})


def is_users_own(file: Path) -> bool:
    """Whether a file is one of them by the folder that it is named in: what it names is looked for there.

    So a link from elsewhere to such a file is none.
    """
    own = users_files(sys.platform, Path.home(), os.environ)
    return _place(file) in {_place(each) for each in own}


def _place(file: Path) -> Path:
    return resolved(file.absolute().parent) / file.name
