"""What a Python package says that it needs: its dependencies, and the Pythons that it runs on.

They stand in ``pyproject.toml`` under ``[project]``. Where that says nothing of dependencies, or leaves them to its build
(``dynamic``), they stand in ``requirements.txt``. Both are looked for in the manifest's subdirectory, then in the
package's directory. Which of them are met is not asked here.
"""

from __future__ import annotations

import tomllib
from typing import TYPE_CHECKING, Any

from ...base.errors import PluginLoadError
from ...base.frozen import frozen
from ...base.paths import resolved
from .requirement_lines import Option, Refusal, requirement_lines

if TYPE_CHECKING:
    from pathlib import Path

    from ..sources.python import PythonPackage

_PROJECT = "pyproject.toml"
_LINES = "requirements.txt"
_MOST_FILES = 100
_MOST_BYTES = 4 * 1024 * 1024
"""Of all files together; a file may be named more than once."""


@frozen
class PythonNeeds:
    """What a package needs.

    Attributes:
        directory: the package.
        name: what the project is called, or its directory.
        requirements: as they stand there, one requirement each.
        constraints: lines that bound the versions, and ask for nothing.
        python: the versions of Python that it runs on, such as ``>=3.11``; any if ``None``.
    """

    directory: Path
    name: str
    requirements: tuple[str, ...] = ()
    constraints: tuple[str, ...] = ()
    python: str | None = None


def read_python_needs(package: PythonPackage) -> PythonNeeds:
    """Read what a package needs; nothing if it has neither file.

    Raises:
        PluginLoadError: a file cannot be read, or says it in another way than it should.
    """
    folders = dict.fromkeys((package.root, package.directory.resolve()))
    project = next((file for each in folders if (file := each / _PROJECT).is_file()), None)
    table = _project_table(project, package.directory) if project else {}
    name = table.get("name")
    called = name if isinstance(name, str) and name else package.directory.resolve().name
    python = table.get("requires-python")
    if python is not None and not isinstance(python, str):
        raise _refused(
            package.directory, project, f"has {python!r:.100} as requires-python; it has to be a text"
        )
    if "dependencies" in table:
        return PythonNeeds(
            package.directory, called, _declared(package.directory, project, table), python=python
        )
    lines = next((file for each in folders if (file := each / _LINES).is_file()), None)
    if lines is None:
        return PythonNeeds(package.directory, called, python=python)
    reader = _Lines(package.directory)
    reader.read(lines)
    return PythonNeeds(
        package.directory,
        called,
        tuple(reader.requirements),
        tuple(reader.constraints),
        python,
    )


def _project_table(file: Path, directory: Path) -> dict[str, Any]:
    try:
        project = tomllib.loads(_text(file, directory)).get("project", {})
    except tomllib.TOMLDecodeError as error:
        raise _refused(directory, file, f"is no TOML ({error}); correct it") from error
    if not isinstance(project, dict):
        raise _refused(directory, file, f"has {project!r:.100} as project; it has to be a table")
    return project


def _declared(directory: Path, file: Path | None, table: dict[str, Any]) -> tuple[str, ...]:
    found = table["dependencies"]
    if not isinstance(found, list) or not all(isinstance(each, str) for each in found):
        raise _refused(directory, file, f"has {found!r:.100} as dependencies; it has to be a list of texts")
    return tuple(found)


class _Lines:
    """Reads a ``requirements.txt`` with all files that it names, into one."""

    def __init__(self, directory: Path) -> None:
        self._directory = directory
        self._files = self._bytes = 0
        self.requirements: list[str] = []
        self.constraints: list[str] = []

    def read(self, file: Path, *, named: str = _LINES, bounds: bool = False) -> None:
        if "://" in named or not resolved(file).is_relative_to(self._directory.resolve()):
            raise _refused(
                self._directory, file, f"is not read: {named!r:.200} leads out of the package; move it there"
            )
        self._files += 1
        text = _text(file, self._directory)
        self._bytes += len(text)
        if self._files > _MOST_FILES or self._bytes > _MOST_BYTES:
            raise _refused(
                self._directory,
                file,
                f"is one too many: with what they name, requirements are more than {_MOST_FILES} files or "
                f"{_MOST_BYTES >> 20} MB; correct a file that names itself, or name fewer",
            )
        for line in requirement_lines(text):
            match line:
                case str():
                    (self.constraints if bounds else self.requirements).append(line)
                case Option("--editable", name):
                    raise _refused(
                        self._directory,
                        file,
                        f"has the editable requirement {name!r}, which pip would build in its own folder; name a wheel of it",
                    )
                case Option(kind, name):
                    self.read(file.parent / name, named=name, bounds=bounds or kind == "--constraint")
                case Refusal(problem):
                    raise _refused(self._directory, file, problem)


def _text(file: Path, directory: Path) -> str:
    try:
        if file.exists() and not file.is_file():
            raise _refused(directory, file, "is no file; name one")
        if file.stat().st_size > _MOST_BYTES:
            raise _refused(directory, file, f"has more than {_MOST_BYTES >> 20} MB; it has to be shorter")
        return file.read_text(encoding="utf-8")
    except OSError as error:
        raise _refused(directory, file, f"cannot be read ({error.strerror}); make it readable") from error
    except UnicodeDecodeError as error:
        raise _refused(directory, file, "is no UTF-8; save it as such") from error


def _refused(directory: Path, file: Path | None, problem: str) -> PluginLoadError:
    return PluginLoadError(f"{file} {problem}", plugin=str(directory))
