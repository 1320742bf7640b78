"""What a line is in a conversation: something said, or a command. Pure."""

from __future__ import annotations

import re
from typing import Final, NamedTuple

COMMANDS: Final = {
    "show": "the whole of a result, of the last one without a number: /show 3",
    "tools": "the tools, and where they run",
    "status": "how the plugins and their hosts are",
    "session": "this conversation: its id, its file, how long it is",
    "save": "keep this conversation in a file from now on: /save FILE",
    "retry": "ask for another answer to what you said last",
    "new": "begin another conversation",
    "help": "this list",
    "exit": "leave; Ctrl-D does the same",
}

_ORDER: Final = re.compile(r"/(\w*)(?:\s+(.*))?", re.DOTALL)


class Said(NamedTuple):
    """Something for the model."""

    text: str


class Order(NamedTuple):
    """A command, without its ``/``, and what stands behind it."""

    name: str
    about: str


def read_line(line: str) -> Said | Order | None:
    """Return what a line says; ``None`` for a blank one.

    What begins with a word behind a ``/`` is a command; ``/etc/hosts``, say, is none, and ``//`` is never one.
    """
    text = line.strip()
    if not text:
        return None
    order = _ORDER.fullmatch(text)
    if order is not None:
        return Order(order[1], (order[2] or "").strip())
    return Said(text.removeprefix("/") if text.startswith("//") else text)


def help_lines() -> dict[str, str]:
    """Return the commands and what they do."""
    return {f"/{name}": does for name, does in COMMANDS.items()} | {
        "Ctrl-C": "ends the turn; a second one in a row leaves"
    }
