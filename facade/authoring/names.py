"""What a new plugin is called, from the name of its folder. Pure.

One name has to do as an npm package, as a Python distribution and, with `_` for `-`, as a Python module, so the
narrowest rules of the three hold for all.
"""

from __future__ import annotations

import keyword
import re
import sys

from ..base.errors import CallboardError
from ..base.frozen import frozen

_NAME = re.compile(r"[a-z][a-z0-9]*(?:[-_][a-z0-9]+)*")
_LONGEST = 100

_TAKEN = {"callboard", "callboard_tool", "node_modules", "src", "test", "tests"}
"""Modules and folders that the new package would shadow, or be shadowed by."""


class BadName(CallboardError):
    """A folder's name cannot be that of a package.

    Attributes:
        name: the folder's.
    """

    def __init__(self, name: str, problem: str) -> None:
        super().__init__(f"{name!r} cannot be the name of a plugin: {problem}")
        self.name = name


@frozen
class Names:
    """How a plugin is called.

    Attributes:
        name: its package: ``my-tools``.
        module: its Python module: ``my_tools``.
    """

    name: str
    module: str


def names_of(folder: str) -> Names:
    """The names of a plugin in a folder of that name.

    Raises:
        BadName: it can have none; says what would do.
    """
    module = folder.replace("-", "_")
    if _NAME.fullmatch(folder) is None or len(folder) > _LONGEST:
        rule = f"a letter, then letters and digits, with single hyphens between, all small and at most {_LONGEST}"
        near = _nearest(folder)
        raise BadName(folder, f"it has to be {rule}" + (f"; {near!r} would do" if near else ""))
    if keyword.iskeyword(module):
        raise BadName(folder, f"it is a word of Python itself; '{folder}-tools' would do")
    if module in sys.stdlib_module_names or module in _TAKEN:
        raise BadName(folder, f"a module of that name is there already; '{folder}-tools' would do")
    return Names(folder, module)


def _nearest(folder: str) -> str | None:
    """A name like that which could be used, if there is anything left of it."""
    words = re.findall(r"[a-z0-9]+", re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "-", folder).casefold())
    near = "-".join(words).lstrip("0123456789-")[:_LONGEST].rstrip("-")
    return near if _NAME.fullmatch(near) and near.replace("-", "_") not in _TAKEN else None
