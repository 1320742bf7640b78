"""What decides is pure: it knows no thread, clock, process or chance, and leans on nothing that does."""

from __future__ import annotations

import fnmatch
from pathlib import PurePosixPath

from house_purity import ALLOWED, FOLDERS, IMPURE, MODULES, SHELLS, is_pure
from house_source import imports, modules


def test_the_tables_of_what_is_pure_are_up_to_date() -> None:
    paths = [module.path for module in modules()]
    below = tuple(f"{folder}/" for folder in FOLDERS)

    assert [folder for folder in FOLDERS if not any(path.startswith(f"{folder}/") for path in paths)] == []
    assert [pattern for pattern in MODULES if not fnmatch.filter(paths, pattern)] == []
    assert [pattern for pattern in MODULES if pattern.startswith(below)] == []
    assert [path for path in SHELLS if path not in paths or not path.startswith(below)] == []


def test_a_shell_of_a_pure_folder_is_one() -> None:
    paths = {module.name: module.path for module in modules()}
    leans = {
        found.module.path
        for found in imports()
        if not found.type_only
        if found.top in IMPURE or (found.target in paths and not is_pure(paths[found.target]))
    }

    reading = {path for path in SHELLS if PurePosixPath(path).parts[:2] == ("plugins", "sources")}
    assert set(SHELLS) - leans - reading == set()


def test_a_folder_of_decisions_alone_is_named_as_one() -> None:
    inside: dict[str, list[str]] = {}
    for module in modules():
        folder, _, file = module.path.rpartition("/")
        if file != "__init__.py":
            inside.setdefault(folder, []).append(module.path)

    below = tuple(f"{folder}/" for folder in FOLDERS)
    named_one_by_one = [
        folder
        for folder, paths in inside.items()
        if not f"{folder}/".startswith(below) and all(is_pure(path) for path in paths)
    ]
    assert named_one_by_one == []


def test_a_pure_module_knows_no_thread_clock_process_or_chance() -> None:
    impure = [
        str(found)
        for found in imports()
        if is_pure(found.module.path) and found.top in IMPURE and not found.type_only
        if (found.module.path, found.top) not in ALLOWED
    ]

    assert impure == []


def test_a_pure_module_leans_on_pure_modules_only() -> None:
    paths = {other.name: other.path for other in modules()}
    impure = [
        str(found)
        for found in imports()
        if is_pure(found.module.path) and not found.type_only
        if found.target in paths and not is_pure(paths[found.target])
    ]

    assert impure == []
