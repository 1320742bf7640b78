"""What `from callboard import Callboard` does not import: all that only some boards need."""

from __future__ import annotations

import functools
import subprocess
import sys
from importlib.util import find_spec

import pytest

KEPT_OUT = {
    "asyncio": "only asynchronous tools need it",
    "callboard.actors.hooks.runner": "only a board with hooks asks them",
    "callboard.actors.hosted.hosted_plugin": "only a board with hosts has one, and all that runs them comes with it",
    "callboard.actors.hosting.host": "as the one before",
    "callboard.actors.reload.reload": "only a host is reloaded",
    "callboard.actors.state.sqlite": "only states that are kept in a file need it",
    "callboard.agent": "whoever wants an agent asks for one",
    "callboard.authoring": "only who writes plugins needs it",
    "callboard.chaos": "it tests boards, and is on none",
    "callboard.cli": "it is a program of its own",
    "callboard.exporters": "whoever exports imports them",
    "callboard.hosts.host": "only a board with hosts has one",
    "callboard.hosts.packages": "only packages are made ready",
    "callboard.hosts.process.process": "only a board with hosts starts one",
    "callboard.hosts.python.runner": "it is what runs in the other process",
    "callboard.interop.schemas.argument_check": "only schemas that ask for something are held to",
    "callboard.interop.formats": "most programs meet one or two of twenty; the list of them is there",
    "callboard.interop.openapi.writing": "only two formats write in that language",
    "callboard.loading.node_loader": "only a Node plugin is loaded so",
    "callboard.loading.hosted_loader": "only a program or a script is loaded so",
    "callboard.loading.python_loader": "only a Python plugin by its source is loaded so",
    "callboard.plugins.hooks.chain": "only a board with hooks carries an event through them",
    "callboard.plugins.sources.node_manifest": "only packages have one",
    "callboard.plugins.sources.python": "only a Python plugin by its source is read so",
    "callboard.reload.rebuild": "only a host is reloaded",
    "click": "only the command line needs it",
    "difflib": "only a mistake needs it",
    "email": "it comes with what reads the metadata of packages",
    "hashlib": "it brings OpenSSL",
    "httpx": "only a provider needs it",
    "importlib.metadata": "only installed plugins are looked up in it",
    "jsonschema_rs": "only schemas that ask for something are held to",
    "psutil": "only hosts are looked at",
    "shutil": "it brings what packs archives",
    "sqlite3": "only states that are kept in a file need it",
    "tempfile": "nothing is written",
    "tenacity": "only what is restarted waits, and it brings asyncio",
    "tomllib": "only a Python package has such a file",
    "zipfile": "it comes with what reads the metadata of packages",
}
"""What is not imported, with all that is in it, and why nobody should miss it."""

ITSELF = {"callboard.interop.formats", "callboard.interop.formats.built_in"}
"""What is imported of these all the same."""

MOST = 211
"""Modules of the house, without the folders they are in, which are next to nothing. A board is made of many small ones, and each costs as much to find as to run."""


@functools.cache
def imported() -> frozenset[str]:
    """What comes with a board, but for what comes with its largest parts from elsewhere."""
    program = (
        "import inspect, orjson, pathlib, pykka, random, subprocess, sys; there = set(sys.modules); "
        "from callboard import Callboard; print(*set(sys.modules) - there)"
    )
    said = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    return frozenset(said.stdout.split())


@pytest.mark.parametrize("name", KEPT_OUT)
def test_a_board_is_imported_without_what_only_some_boards_need(name: str) -> None:
    inside = {found for found in imported() if f"{found}.".startswith(f"{name}.")}

    assert inside - ITSELF == set(), KEPT_OUT[name]


def test_a_python_host_starts_without_what_only_some_plugins_need() -> None:
    program = "import sys, callboard.hosts.python.runner.runner; print(*sys.modules)"
    said = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)

    there = set(said.stdout.split())

    assert there & {"asyncio", "callboard.actors", "pykka", "psutil"} == set()


@pytest.mark.parametrize("name", [name for name in KEPT_OUT if name.startswith("callboard.")])
def test_what_is_kept_out_is_there_to_be_kept_out(name: str) -> None:
    assert find_spec(name) is not None


def test_a_board_is_imported_with_no_more_modules_than_it_has_to_have() -> None:
    packages = {name.rpartition(".")[0] for name in imported()}
    own = {name for name in imported() - packages if name.split(".")[0] == "callboard"}

    assert len(own) <= MOST, f"{len(own)} are imported; see what has come in, and whether it can wait"
