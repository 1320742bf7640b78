"""What a plugin is given and what it is kept from, as its entry says it. Pure."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ...base.frozen import frozen

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from .bwrap import SystemSandbox

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


@frozen
class Secret:
    """Where a secret comes from: one of both is ``None``.

    Attributes:
        env: a variable of this process.
        file: a file.
    """

    env: str | None = None
    file: Path | None = None


def read_secrets(given: Mapping[str, Any], base: Path) -> dict[str, Secret]:
    """Read the option ``secrets``; none of them is looked at.

    Args:
        given: the option: ``{"env": NAME}`` or ``{"file": PATH}``, by the name that the plugin knows.
        base: what relative paths are relative to.

    Raises:
        ValueError: says what is wrong with which.
    """
    return dict(_read(given, base))


def _read(given: Mapping[str, Any], base: Path) -> Iterator[tuple[str, Secret]]:
    for name, where in given.items():
        if not _NAME.fullmatch(name):
            raise ValueError(f"{name!r:.100} is no name of a secret; use letters, digits and '_'")
        match where:
            case {"env": str(variable)} if len(where) == 1 and variable:
                yield name, Secret(env=variable)
            case {"file": str(path)} if len(where) == 1 and path and "\0" not in path:
                yield name, Secret(file=base / Path(path).expanduser())
            case _:  # its value is not shown: it may be the secret itself
                raise ValueError(
                    f'of {name!r} it has to be said where it comes from: {{"env": NAME}} or {{"file": PATH}}'
                )


@frozen
class Confinement:
    """How a plugin is kept apart from others; by default not at all.

    Attributes:
        sandbox: what it may use in a sandbox of the system's; ``None`` for no such sandbox.
        secrets: where its secrets come from, by name.
    """

    sandbox: SystemSandbox | None = None
    secrets: Mapping[str, Secret] | None = None


FREE = Confinement()
"""For a plugin that is kept from nothing."""
