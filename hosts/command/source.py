"""Sources of plugins that are programs: any command that speaks the tool host protocol.

    {"host": {"command": ["perl", "count_words.pl"], "protocol": "thp/1", "cwd": "tools", "id": "count"}}

The command is a list of words and reaches the program as it stands: no shell ever reads it.
"""

from __future__ import annotations

import os
import shlex
from typing import TYPE_CHECKING, Any, Final

from ...base.frozen import frozen
from ...base.json import dump_json
from ...base.suggestions import meant
from ...base.threads import import_apart
from ...plugins.sources.source import (
    InlineCommand,
    SourceProblem,
    Spelling,
    UnderKey,
    is_word,
    located,
    name_of_command,
)
from ..hosted_source import HostedSource

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping
    from pathlib import Path

    from ..sandbox.confinement import Confinement
    from .tool import CommandToolPlugin

_KEY: Final = "host"
_KEYS: Final = frozenset({"command", "protocol", "cwd", "id"})
_PROTOCOLS: Final = ("thp/1", "thp/1+")
"""What a program may be said to speak; with the plus, it is asked what it knows beyond version 1."""

_SILENT: Final = (
    "a program of version 1 of the protocol does not say when a tool begins or goes on, so that no silence can be measured; "
    '\'deadline\' holds, or of a program that knows more write "protocol": "thp/1+"'
)


@frozen
class CommandSource(HostedSource):
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

    def name(self) -> str:
        return self.id

    def host(self) -> str:
        return "program"

    def argv(self) -> tuple[str, ...]:
        return self.command

    def identity(self) -> str:
        return f"host:{os.path.normpath(self.directory)} {dump_json(list(self.command)).decode()}"

    def folder(self) -> Path:
        return self.directory

    def missing(self, _: Collection[str]) -> Iterator[str]:
        import shutil  # noqa: PLC0415 - only `check` asks what is missing

        program = self.command[0]
        there = (self.base / program).exists() if "/" in program else shutil.which(program) is not None
        if not there:
            yield f"there is no program {program!r}"

    def strict(self) -> Mapping[str, Any]:
        return {"claims": "own"}

    def refused(self) -> Mapping[str, str]:
        return {} if self.extended else {"idle_deadline": _SILENT}

    def inline(self) -> InlineCommand:
        return InlineCommand(self.command, self.base, self.directory)

    def tool(self, name: str, env: Mapping[str, str], confinement: Confinement) -> CommandToolPlugin:
        import_apart(".tool", __package__)
        from .tool import CommandToolPlugin  # noqa: PLC0415 - a source is read by who starts no host

        return CommandToolPlugin(
            name,
            self.command,
            cwd=self.directory,
            base=self.base,
            env=env,
            confinement=confinement,
            extended=self.extended,
        )


def _parse(value: Any, base: Path) -> CommandSource:
    if not isinstance(value, dict):
        raise SourceProblem(f"has a {_KEY!r} that is no mapping")
    for key in value:
        if key not in _KEYS:
            raise SourceProblem(f"has the unknown key {key!r} in {_KEY!r}; {meant(str(key), _KEYS)}")
    command = value.get("command")
    if isinstance(command, str):
        raise SourceProblem(
            f"has {command!r:.100} as 'command' of {_KEY!r}; it has to be a list of words, such as "
            f"{command.split() or ['perl', 'count_words.pl']!r:.100}: no shell takes it apart"
        )
    if not isinstance(command, list | tuple) or not command or not all(map(is_word, command)):
        raise SourceProblem(
            f"has {command!r:.100} as 'command' of {_KEY!r}; it has to be a list of words without NUL, the program first"
        )
    if not command[0]:
        raise SourceProblem(f"has an empty word as the program in 'command' of {_KEY!r}; name the program")
    protocol = value.get("protocol")
    if protocol not in _PROTOCOLS:
        found = f"has {protocol!r:.100} as" if "protocol" in value else "has no"
        raise SourceProblem(f"{found} 'protocol' of {_KEY!r}; it has to be one of: {', '.join(_PROTOCOLS)}")
    for key in ("cwd", "id"):
        if key in value and (not is_word(value[key]) or not value[key]):
            raise SourceProblem(f"has {value[key]!r:.100} as {key!r} of {_KEY!r}; it has to be a text")
    return CommandSource(
        tuple(command),
        located(value.get("cwd", "."), base),
        base.absolute(),
        value.get("id") or name_of_command(command),
        extended=protocol == "thp/1+",
    )


def _name(entry: Mapping[str, Any]) -> str | None:
    match entry:
        case {"host": _, "name": str(name)} | {"host": {"id": str(name)}}:
            return f"host:{name}"
        case {"host": {"command": [*words]}} if words and all(isinstance(word, str) for word in words):
            return shlex.join(words)
    return None


def _not_proposed(_: str, __: Path) -> None:
    """A path alone does not say which protocol its program speaks."""


_TEXT: Final = {"type": "string", "minLength": 1}

SPELLING: Final[Spelling[CommandSource]] = Spelling(
    under_key=UnderKey(
        _KEY,
        {
            "type": "object",
            "properties": {
                "command": {"type": "array", "items": {"type": "string"}, "minItems": 1},
                "protocol": {"enum": list(_PROTOCOLS)},
                "cwd": _TEXT,
                "id": _TEXT,
            },
            "additionalProperties": False,
            "required": ["command", "protocol"],
        },
        _parse,
        _name,
    ),
    prefixes={},
    proposed=_not_proposed,
    templates=(),
)
