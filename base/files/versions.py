"""The rule for every file of ours that says which version of its format it has. Pure.

A file of the newest version is read as it is. An older one is brought to the newest, version by version. A newer one is refused
by name, and nothing is done to it: what this program cannot read it must not change, and must not take for damage.

Where a file is then written again, its reader does that in one step, all or nothing, with a copy of the old file beside
it (`copies`). A number that is no version at all is damage, and for the reader to report.

Not for the cache: what is in it can be made again, so a new version of it is another folder, and the old one stays usable.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Generic, TypeVar

from ..errors import CallboardError
from ..frozen import frozen

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

Content = TypeVar("Content")


class NewerVersion(CallboardError):
    """A file was written by a newer Callboard, and this one cannot read it. The file is as it was.

    Each kind of file has a subclass, which is an error of that kind too.

    Attributes:
        file: its path; ``None`` of a text that is in no file.
        found: the version of its format.
        newest: the newest version that this Callboard reads.
    """

    def __init__(self, message: str, *, file: Path | None, found: int, newest: int) -> None:
        super().__init__(message)
        self.file = file
        self.found = found
        self.newest = newest


@frozen
class Versions(Generic[Content]):
    """The versions of one format, from 1 on.

    Attributes:
        what: what a file of the format is called in errors, such as ``the state store``.
        newest: the version that is written.
        steps: what makes the next version of a content, for each older version in order.
        newer: makes the error for a newer version; its arguments are those of `NewerVersion`.
    """

    what: str
    newest: int
    steps: tuple[Callable[[Content], Content], ...] = ()
    newer: Callable[..., NewerVersion] = NewerVersion

    def __post_init__(self) -> None:
        assert len(self.steps) == self.newest - 1, f"a step is missing from {self.what}"

    def require(self, found: Any, file: Path | None = None) -> int:
        """Return a version that can be read.

        Args:
            found: the version that the file says.
            file: its path, for the error.

        Raises:
            NewerVersion: it is newer than this Callboard.
            ValueError: it is no version.
        """
        if isinstance(found, bool) or not isinstance(found, int) or found < 1:
            raise ValueError(f"it has no version of its format but {found!r:.40}")
        if found > self.newest:
            where = "" if file is None else f" {file}"
            raise self.newer(
                f"{self.what}{where} has version {found} of its format, and this Callboard reads versions up to "
                f"{self.newest}; nothing was changed. Use the Callboard that wrote it or a newer one, or another file",
                file=file,
                found=found,
                newest=self.newest,
            )
        return found

    def migrated(self, content: Content, found: int) -> Content:
        """Return a content of an older version as the newest has it; one of the newest as it is."""
        for step in self.steps[found - 1 :]:
            content = step(content)
        return content
