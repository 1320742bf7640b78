"""Plugins that are programs: any command that speaks the tool host protocol, and scripts that Bash runs.

    {"host": {"command": ["perl", "count_words.pl"], "protocol": "thp/1", "cwd": "tools", "id": "count"}}
    {"bash_tool": {"path": "./my-tools"}}   {"bash_tool": {"file": "./count.sh", "id": "count"}}

The command is a list of words and reaches the program as it stands: no shell ever reads it. What is wrong
with one is said as the rest of a sentence about the entry; whether the program is there is found out when
it is started.
"""

from __future__ import annotations

from pathlib import Path, PurePath
from typing import TYPE_CHECKING, Any

from ...base.frozen import frozen
from ...base.paths import at_home, without_dots
from ...base.suggestions import meant

if TYPE_CHECKING:
    from collections.abc import Sequence

PROTOCOLS = ("thp/1", "thp/1+")
"""What a program may be said to speak; with the plus, it is asked what it knows beyond version 1."""

COMMAND_KEYS = frozenset({"command", "protocol", "cwd", "id"})
BASH_KEYS = frozenset({"path", "file", "id"})


class SourceProblem(ValueError):
    """What is wrong with a source, as the rest of a sentence that begins with its name."""


@frozen
class CommandSource:
    """A program that is a host.

    Attributes:
        command: its words; the first is a name that is looked up on PATH, or, with a slash in it, a path.
        directory: where it runs; paths among its arguments are the program's to read, and so relative to this.
        base: what the path of the program is relative to.
        id: the plugin's name.
        extended: it knows more than version 1, and may be asked what.
    """

    command: tuple[str, ...]
    directory: Path
    base: Path
    id: str
    extended: bool = False


@frozen
class BashSource:
    """A script, or a folder of them.

    Attributes:
        path: where it is.
        id: the plugin's name; that of the file, without its suffix, or of the folder, unless it is given.
    """

    path: Path
    id: str


def parse_bash(value: Any, base: Path) -> BashSource:
    """Read what stands under the key ``bash_tool``.

    Raises:
        SourceProblem: it is no such mapping; says what was probably meant.
    """
    if not isinstance(value, dict):
        raise SourceProblem("has a 'bash_tool' that is no mapping")
    for key, item in value.items():
        if key not in BASH_KEYS:
            raise SourceProblem(f"has the unknown key {key!r} in 'bash_tool'; {meant(str(key), BASH_KEYS)}")
        if not is_word(item) or not item:
            raise SourceProblem(f"has {item!r:.100} as {key!r} of 'bash_tool'; it has to be a text")
    if ("path" in value) == ("file" in value):
        raise SourceProblem("has a 'bash_tool' without exactly one of 'path' and 'file'")
    return bash_source(value.get("path") or value["file"], base, value.get("id"))


def bash_source(path: str, base: Path, name: str | None = None) -> BashSource:
    """The source of scripts at a path."""
    found = located(path, base)
    return BashSource(found, name or found.stem or "bash")


def parse_command(value: Any, base: Path) -> CommandSource:
    """Read what stands under the key ``host``.

    Raises:
        SourceProblem: it is no such mapping; says what was probably meant.
    """
    if not isinstance(value, dict):
        raise SourceProblem("has a 'host' that is no mapping")
    for key in value:
        if key not in COMMAND_KEYS:
            raise SourceProblem(f"has the unknown key {key!r} in 'host'; {meant(str(key), COMMAND_KEYS)}")
    command = value.get("command")
    if isinstance(command, str):
        raise SourceProblem(
            f"has {command!r:.100} as 'command' of 'host'; it has to be a list of words, such as "
            f"{command.split() or ['perl', 'count_words.pl']!r:.100}: no shell takes it apart"
        )
    if not isinstance(command, list | tuple) or not command or not all(map(is_word, command)):
        raise SourceProblem(
            f"has {command!r:.100} as 'command' of 'host'; it has to be a list of words without NUL, the program first"
        )
    if not command[0]:
        raise SourceProblem("has an empty word as the program in 'command' of 'host'; name the program")
    protocol = value.get("protocol")
    if protocol not in PROTOCOLS:
        said = f"has {protocol!r:.100} as" if "protocol" in value else "has no"
        raise SourceProblem(f"{said} 'protocol' of 'host'; it has to be one of: {', '.join(PROTOCOLS)}")
    for key in ("cwd", "id"):
        if key in value and (not is_word(value[key]) or not value[key]):
            raise SourceProblem(f"has {value[key]!r:.100} as {key!r} of 'host'; it has to be a text")
    root = base.absolute()
    return CommandSource(
        tuple(command),
        located(value.get("cwd", "."), base),
        root,
        value.get("id") or name_of_command(command),
        extended=protocol == "thp/1+",
    )


def located(path: str, base: Path) -> Path:
    """The absolute path of one that is relative to a folder, without ``..``."""
    found = base.absolute() / at_home(path)
    if ".." not in found.parts:
        return found
    return without_dots(found)


def is_word(word: Any) -> bool:
    """Whether a program can be given this as an argument."""
    return isinstance(word, str) and "\0" not in word


def name_of_command(command: Sequence[str]) -> str:
    """The name of its script, if an argument looks like one, else that of the program; without the suffix."""
    scripts = [word for word in command[1:] if PurePath(word).suffix and not word.startswith("-")]
    word = next(iter(scripts), command[0])
    return PurePath(word).stem or word
