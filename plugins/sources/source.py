"""What every kind of plugin source answers: where a plugin comes from, and all that follows from its kind.

A kind is a frozen class that derives from `Source`, with a `Spelling` that says how it is written. Whoever needs to know what differs
between kinds asks the source; a question that a new kind leaves unanswered is a type error. What has to be made before a plugin can
run is for the loader of the kind.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from pathlib import PurePath
from typing import TYPE_CHECKING, Any, Generic, NamedTuple, TypeVar

from ...base.frozen import frozen
from ...base.paths import at_home, without_dots

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
    from pathlib import Path

Json = dict[str, Any]


class SourceProblem(ValueError):
    """What is wrong with a source, as the rest of a sentence that begins with its name."""


@frozen
class InlineCommand:
    """A program that an entry names itself, and that is no file of a plugin.

    Attributes:
        command: its words.
        base: what the path of the program is relative to.
        folder: where it runs.
        variables: names of the variables that the source gives it.
        env_file: a file of more of them, relative to ``base``; it may hold placeholders.
    """

    command: tuple[str, ...]
    base: Path
    folder: Path
    variables: tuple[str, ...] = ()
    env_file: str | None = None


@frozen
class InlineAddress:
    """A server elsewhere, by the address in its entry.

    Attributes:
        url: the address.
        headers: names of the headers of each request.
    """

    url: str
    headers: tuple[str, ...]


class Source(ABC):
    """Where one plugin, or several of one package, come from. A frozen value; its paths are absolute."""

    __slots__ = ()

    @abstractmethod
    def identity(self) -> str:
        """Return the name of the source under which state is kept.

        It is the same whatever the version, the ref, the spelling and the secrets in an address are.
        """

    @abstractmethod
    def folder(self) -> Path | None:
        """Return the folder whose files are watched for changes; ``None`` of a source without one, such as a repository."""

    @abstractmethod
    def missing(self, roots: Collection[str]) -> Iterator[str]:
        """Yield what the source needs on this machine and does not find, each as a sentence with what to do.

        Files are looked at; nothing is imported or started.

        Args:
            roots: folders of the configuration's Python packages, whose modules its other entries may name too.
        """

    @abstractmethod
    def strict(self) -> Mapping[str, Any] | None:
        """Return the options that the profile ``strict`` sets, beside a sandbox of the system's; ``None`` if nothing runs on this machine."""

    @abstractmethod
    def refused(self) -> Mapping[str, str]:
        """Return the options that cannot hold for such a plugin, by name or as ``limits.memory``, each with the reason as a sentence.

        An option that asks for nothing, such as an empty mapping or false, is no such option.
        """

    @abstractmethod
    def inline(self) -> InlineCommand | InlineAddress | None:
        """Return what the entry itself names to be run or reached; ``None`` of a source that names files or a package of a plugin."""


S_co = TypeVar("S_co", bound=Source, covariant=True)


class Template(NamedTuple):
    """A template of ``callboard new``. Its files lie in the folder of its name, in `callboard.authoring.templates`.

    Attributes:
        name: what the user types.
        tests: the commands that test a fresh plugin, in its folder.
        other_names: further words for it.
    """

    name: str
    tests: tuple[str, ...]
    other_names: tuple[str, ...] = ()


class UnderKey(NamedTuple, Generic[S_co]):
    """How sources of a kind are written as a mapping.

    Attributes:
        key: the key of an entry under which the mapping stands.
        schema: the JSON Schema of the mapping.
        parse: reads it, with the folder that relative paths are relative to. Raises `SourceProblem`.
        name: what an entry is called before its plugin has a name; ``None`` if that cannot be read.
    """

    key: str
    schema: Json
    parse: Callable[[Any, Path], S_co]
    name: Callable[[Mapping[str, Any]], str | None]

    def keys(self) -> frozenset[str]:
        """All keys that may stand in the mapping."""
        shapes = self.schema.get("anyOf", [self.schema])
        return frozenset(key for shape in shapes for key in shape["properties"])


class Spelling(NamedTuple, Generic[S_co]):
    """How sources of a kind are written.

    Attributes:
        under_key: as a mapping; ``None`` of a kind that is written as a text alone.
        prefixes: as a text: what reads the part behind each ``prefix:``, as `UnderKey.parse` does.
        proposed: the spelling that was probably meant by a path without a kind, from the path as it was written and where it leads;
            ``None`` if nothing of the kind is there. May raise `OSError` or `ValueError`.
        templates: what ``callboard new`` makes of the kind.
    """

    under_key: UnderKey[S_co] | None
    prefixes: Mapping[str, Callable[[str, Path], S_co]]
    proposed: Callable[[str, Path], str | None]
    templates: tuple[Template, ...]


def located(path: str, base: Path) -> Path:
    """Return the absolute path of one that is relative to a folder, without ``..``."""
    found = base.absolute() / at_home(path)
    if ".." not in found.parts:
        return found
    return without_dots(found)


def is_word(word: Any) -> bool:
    """Whether a program can be given this as an argument."""
    return isinstance(word, str) and "\0" not in word


def name_of_command(command: Sequence[str]) -> str:
    """Return the name of its script, if an argument looks like one, else that of the program; without the suffix."""
    scripts = [word for word in command[1:] if PurePath(word).suffix and not word.startswith("-")]
    word = next(iter(scripts), command[0])
    return PurePath(word).stem or word
