"""The first lines of a Python host, run as a script: make this interpreter look where it is to look, then begin.

It imports nothing of Callboard, since where that is, is among the things that it is told.

On the parent's own Python that is where the parent looks. In an environment it is the environment, and beside it only the
Callboard, which comes before everything, and what Callboard cannot do without, which comes after. To put the folder
that has them on the path would lend all that lies beside them too: then a plugin that forgot to say what it
needs would run here and nowhere else, and one that looks whether it may use a package would find the parent's.
"""

from __future__ import annotations

import faulthandler
import importlib
import importlib.util
import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Sequence
    from importlib.machinery import ModuleSpec

RUNNER = ".runner.runner"
ORIGIN = ".runner.origin"
NAME = ".runner.name_telling"


def main(told: str) -> None:
    """Become the host that ``told`` describes.

    Args:
        told: JSON: ``room`` (the package that this file is in), ``name`` and ``origin`` (the plugin's), and either ``path``
            (the parent's `sys.path`) or ``callboard`` and ``lent`` (where Callboard and each package is). With ``ask`` the
            process only says the plugin's own name.
    """
    # So that the last words of a crash in native code name a line of Python. Twenty lines of C would push it out of the report.
    if sys.version_info >= (3, 14):
        faulthandler.enable(all_threads=False, c_stack=False)
    else:
        faulthandler.enable(all_threads=False)
    facts = json.loads(told)
    if "path" in facts:
        sys.path[:] = [*facts["path"], *(folder for folder in sys.path if folder not in facts["path"])]
    else:
        sys.meta_path.insert(0, CallboardFinder(facts["room"].partition(".")[0], *facts["callboard"]))
        sys.meta_path.append(Lent(facts["lent"]))
    sys.argv[1:] = []
    asked = facts.get("ask", False)
    runner = importlib.import_module(NAME if asked else RUNNER, facts["room"])
    origin = importlib.import_module(ORIGIN, facts["room"]).PythonOrigin(**facts["origin"])
    if asked:
        runner.run(origin)
    else:
        runner.run(origin, facts["name"])


class CallboardFinder:
    """Finds Callboard and its rooms, which need not lie in one folder; what is in a room is found as ever.

    Args:
        name: of its package.
        file: that is run for it.
        folder: its own.
    """

    def __init__(self, name: str, file: str, folder: str) -> None:
        self._name = name
        self._file = file
        self._folder = folder
        self._rooms = Path(__file__).parents[2]

    def find_spec(self, name: str, path: Sequence[str] | None, target: Any = None) -> ModuleSpec | None:
        """As `importlib` asks it."""
        del path, target
        package, _, room = name.partition(".")
        if package != self._name or "." in room:
            return None
        if not room:
            return _package(name, self._file, self._folder)
        file = self._rooms / room / "__init__.py"
        return _package(name, str(file), str(file.parent)) if file.is_file() else None


class Lent:
    """Finds single packages where the parent has them.

    Args:
        places: file and folder, by name.
    """

    def __init__(self, places: dict[str, list[str]]) -> None:
        self._places = places

    def find_spec(self, name: str, path: Sequence[str] | None, target: Any = None) -> ModuleSpec | None:
        """As `importlib` asks it."""
        del path, target
        return _package(name, *self._places[name]) if name in self._places else None


def _package(name: str, file: str, folder: str) -> ModuleSpec | None:
    return importlib.util.spec_from_file_location(name, file, submodule_search_locations=[folder])


if __name__ == "__main__":
    main(sys.argv[1])
