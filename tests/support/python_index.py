"""A Python package index on this machine: a few wheels and archives, who asked for them, and by what right."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

from npm_registry import Asked, served

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


class Index:
    """See the module.

    Args:
        files: what it has; the project of each is what stands before the first hyphen of its name.
        login: the value of the header ``Authorization`` that has to be shown; nothing if ``None``.
    """

    def __init__(self, files: list[Path], login: str | None = None) -> None:
        self.asked: list[Asked] = []
        self.host = ""
        self._login = login
        self._files = {file.name: file.read_bytes() for file in files}

    @property
    def url(self) -> str:
        """Where it is."""
        return f"http://{self.host}/simple"

    def answer(self, path: str, authorization: str | None) -> tuple[int, bytes]:
        """The status and the body."""
        self.asked.append(Asked(path, authorization))
        if self._login is not None and authorization != self._login:
            return 401, b""
        kind, _, name = path.strip("/").partition("/")
        if kind == "files" and name in self._files:
            return 200, self._files[name]
        links = [
            f'<a href="/files/{file}">{file}</a>'
            for file in self._files
            if kind == "simple" and file.partition("-")[0].replace("_", "-") == name
        ]
        return (200, "".join(links).encode()) if links else (404, b"")


@contextmanager
def serving(index: Index) -> Iterator[Index]:
    """It answers at `url` in here."""
    with served(index.answer, Content_Type="text/html") as host:
        index.host = host
        yield index
