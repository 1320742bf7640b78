"""What stands for something else in the files of MCP clients: ``${env:TOKEN}``, ``${workspaceFolder}`` and the like. Pure.

| placeholder | is filled with |
|---|---|
| ``${env:NAME}``, ``${NAME}`` | the variable; a ``${NAME:-word}`` without one with the word |
| ``${workspaceFolder}`` | the folder of the file |
| ``${workspaceFolderBasename}`` | its name |
| ``${userHome}`` | the home of the user |
| ``${pathSeparator}``, ``${/}`` | what separates the parts of a path |
| ``${input:NAME}`` | nothing: only its client asks a person for it |

These are the spellings of VS Code, Cursor and Claude Code.
"""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

_PLACEHOLDER = re.compile(r"\$\{(?P<kind>env:|input:)?(?P<name>[^${}:]+|/)(?::-(?P<default>[^{}]*))?\}")


class Unfilled(ValueError):
    """A placeholder that cannot be filled; says which, why, and what to do.

    Attributes:
        name: what it names.
    """

    def __init__(self, name: str, problem: str) -> None:
        super().__init__(problem)
        self.name = name


def fill(text: str, environment: Mapping[str, str], folder: Path, home: Path) -> str:
    """The text with its placeholders filled. What was filled in is not read again.

    Args:
        text: of a client's file.
        environment: the variables that may be filled in.
        folder: where the file is.
        home: that of the user.

    Raises:
        Unfilled: a variable is not set, or a person would have to be asked.
    """
    known = {
        "workspaceFolder": str(folder),
        "workspaceFolderBasename": folder.name,
        "userHome": str(home),
        "pathSeparator": os.sep,
        "/": os.sep,
    }

    def filled(found: re.Match[str]) -> str:
        kind, name, default = found["kind"], found["name"], found["default"]
        if kind == "input:":
            raise Unfilled(
                name,
                f"needs the input {name!r}, for which only its own client asks; write ${{env:NAME}} in its place, and set that variable",
            )
        if kind is None and name in known:
            return known[name]
        if name in environment:
            return environment[name]
        if default is not None:
            return default
        raise Unfilled(name, f"needs the variable {name!r}, which is not set; set it")

    return _PLACEHOLDER.sub(filled, text)
