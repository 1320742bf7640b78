"""What a host is allowed to see of the parent's environment: a short list, and what was declared.

Everything else stays behind, API keys above all: a tool gets a secret only when its entry in
the configuration says so.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

_ALLOWED = frozenset({
    "HOME", "LANG", "LANGUAGE", "LOGNAME", "PATH", "TMPDIR", "TZ", "USER",
    "COMSPEC", "PATHEXT", "SYSTEMDRIVE", "SYSTEMROOT", "TEMP", "TMP", "USERPROFILE", "WINDIR",
})  # fmt: skip


_LOCALE = "LC_"
"""What the other allowed names begin with."""

OF_SERVERS = (
    frozenset(
        {
            "APPDATA",
            "HOMEDRIVE",
            "HOMEPATH",
            "LOCALAPPDATA",
            "PROCESSOR_ARCHITECTURE",
            "PROGRAMFILES",
            "USERNAME",
        }
    )
    if sys.platform == "win32"
    else frozenset({"SHELL", "TERM"})
)
"""What the official SDKs of MCP give every server beside `_ALLOWED`. None of it is a secret."""

_FOLDS = sys.platform == "win32"


def host_environment(
    parent: Mapping[str, str], declared: Mapping[str, str], *, folds: bool = _FOLDS
) -> dict[str, str]:
    """The environment of a host: the allowed names of ``parent``, then all of ``declared``.

    Args:
        parent: that of this process.
        declared: what its entry in the configuration says.
        folds: ``Path`` and ``PATH`` are one variable, as Windows has it; names are in capitals then.
    """
    if folds:
        parent, declared = ({name.upper(): value for name, value in of.items()} for of in (parent, declared))
    # Not by `items`: of this process that decodes every value there is, at each start of a host.
    allowed = {name: parent[name] for name in parent if name in _ALLOWED or name.startswith(_LOCALE)}
    return allowed | dict(declared)


def secrets_of(environment: Mapping[str, str]) -> tuple[str, ...]:
    """The values of a host's environment that nobody else should read: all but those of allowed names."""
    return tuple([
        value
        for name, value in environment.items()
        if not (name in _ALLOWED or name in OF_SERVERS or name.startswith(_LOCALE))
    ])  # fmt: skip


def inherited(parent: Mapping[str, str], names: Iterable[str], *, folds: bool = _FOLDS) -> dict[str, str]:
    """The variables of these names that ``parent`` has. What a shell exports as a function is none."""
    if folds:
        parent = {name.upper(): value for name, value in parent.items()}
        names = [name.upper() for name in names]
    return {name: parent[name] for name in names if name in parent and not parent[name].startswith("()")}
