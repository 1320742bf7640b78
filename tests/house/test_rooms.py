"""Where a thing is can be told from its path: rooms in two levels, small folders, one name for one thing."""

from __future__ import annotations

import ast
from collections import Counter, defaultdict
from graphlib import CycleError, TopologicalSorter

import pytest
from house_picture import PLACE, picture
from house_source import ROLES, ROOT, imports, modules

MOST = 14
"""Modules in a folder."""

WIDE = {
    "interop/formats": 29,  # a family: the wire formats
}
"""Folders with more, and how many."""

DEEP = ("facade/cli/", "hosts/python/runner/")
"""Where there is a third level: a folder a command, and the program that runs Python tools."""

STRUCK = {
    "arrival": "PluginLoaded",
    "blame": "CrashAttribution",
    "blamed": "Suspect",
    "carrier": "Transport",
    "claiming": "ClaimCollector",
    "crew": "ThreadPool",
    "desk": "Endpoint",
    "edition": "ProgramVersion",
    "entrusted": "UnreadCalls",
    "family": "ProcessGroup",
    "helpers": "WorkerPool",
    "hooked": "Interceptor",
    "hookthreads": "HookPool",
    "household": "HostContext",
    "inquiry": "ApprovalRequest",
    "intake": "CallParser",
    "landlord": "LifecycleContext",
    "letter": "SharedMessage",
    "letterbox": "SharedInbox",
    "life": "RunningGeneration",
    "lives": "Transitions",
    "lodger": "LoadedPlugin",
    "lodging": "SupervisedHost",
    "lodgings": "HostRegistry",
    "means": "HookServices",
    "member": "PluginHandle",
    "movingin": "Handshake",
    "newcomer": "LoadingPlugin",
    "offering": "Registration",
    "oneending": "Once",
    "passage": "HookPipeline",
    "passenger": "QueuedCall",
    "people": "Approvals",
    "performance": "BackgroundTask",
    "porter": "SharedDispatcher",
    "remains": "Latch",
    "residents": "PluginsToLoad",
    "ring": "RingBuffer",
    "roster": "PluginManager",
    "siege": "LoadTest",
    "sounded": "Probed",
    "succession": "Lifecycle",
    "survey": "ScatterGather",
    "tenancy": "HandshakeDriver",
    "workbench": "DevServer",
    "workshop": "CommandRunner",
}
"""Words of the house's own that have given way to the field's: no module and no class is called so."""

ELSEWHERE = {
    ("facade/exporters/samples.py", "Family"): "what OpenMetrics calls the samples of one name",
    ("interop/registry/members.py", "Member"): "an accessor or adapter of a contribution; no plugin",
}
"""Where a struck word is the field's own."""


def folder_of(path: str) -> str:
    """The folder of a module; a module at the top of a room stands for itself."""
    folder = path.rpartition("/")[0]
    return folder if "/" in folder or folder == "base" else path


def test_no_two_folders_need_each_other() -> None:
    paths = {module.name: module.path for module in modules()}
    below: dict[str, set[str]] = defaultdict(set)
    for found in imports():
        if found.target in paths:
            above, target = folder_of(found.module.path), folder_of(paths[found.target])
            if above != target:
                below[above].add(target)

    try:
        TopologicalSorter(below).prepare()
    except CycleError as error:
        pytest.fail(" needs ".join(error.args[1]))


def test_a_folder_is_small() -> None:
    count = Counter(
        module.path.rpartition("/")[0] for module in modules() if not module.path.endswith("__init__.py")
    )

    assert {folder: many for folder, many in count.items() if many > WIDE.get(folder, MOST)} == {}
    assert {folder: many for folder, many in WIDE.items() if count[folder] < many} == {}


def test_rooms_have_two_levels() -> None:
    deep = [module.path for module in modules() if module.path.count("/") > 2]

    assert [path for path in deep if not path.startswith(DEEP)] == []


def test_the_tests_of_a_room_lie_in_folders_that_are_called_as_its_own() -> None:
    rooms = {module.room for module in modules()}
    tests = [path.relative_to(ROOT / "tests") for path in (ROOT / "tests").rglob("test_*.py")]
    folders = {path.parent for path in tests if path.parts[0] in rooms and len(path.parts) > 2}

    assert [
        str(path)
        for path in sorted(folders)
        if not (ROOT / path).is_dir() and not (ROOT / f"{path}.py").is_file()
    ] == []


def test_a_module_name_stands_once_in_its_room() -> None:
    names = defaultdict(list)
    for module in modules():
        name = module.path.rpartition("/")[2]
        if name not in ROLES:
            names[module.room, name].append(module.path)

    assert [paths for paths in names.values() if len(paths) > 1] == []


def test_no_module_and_no_class_has_a_struck_name() -> None:
    modules_called = {
        module.path: module.path.rpartition("/")[2].removesuffix(".py").replace("_", "").lower()
        for module in modules()
    }
    classes = {
        (module.path, node.name): node.name.lower()
        for module in modules()
        for node in ast.walk(module.tree)
        if isinstance(node, ast.ClassDef)
    }

    assert [path for path, name in modules_called.items() if name in STRUCK] == []
    assert [
        place for place, name in classes.items() if name.lstrip("_") in STRUCK and place not in ELSEWHERE
    ] == []


def test_the_picture_of_the_rooms_is_true() -> None:
    assert PLACE.read_text() == picture(), "draw it anew: python tests/support/house_picture.py"
