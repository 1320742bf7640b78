"""Tools in which nothing is wrong, so that `callboard chaos` has to say so: every example, every template, MCP servers of others.

`make test` tries one of each kind, and `make test-kit` all of them, with Callboard installed from a wheel.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

from callboard.authoring.template import TEMPLATES
from command_line import EXAMPLES, callboard
from leaks import TEST_MARK
from programs import PROGRAMS
from real_mcp_servers import node_server, python_server

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

Json = dict[str, Any]


class Healthy(NamedTuple):
    """One plugin.

    Attributes:
        name: of the example, template or server.
        prepare: makes what it needs in a folder, and returns its entry of a configuration there.
    """

    name: str
    prepare: Callable[[Path], Json]

    def isolated(self) -> Healthy:
        """The same in a host of its own, of one that runs in the board's process."""
        return Healthy(f"{self.name} isolated", lambda folder: {**self.prepare(folder), "isolate": True})


def tried(one: Healthy, folder: Path, *, concurrency: int, seed: int) -> tuple[int, Json]:
    """What `callboard chaos` says of it: the exit status and the report."""
    entry = {**one.prepare(folder), "concurrency": concurrency}
    quick = {"backoff": {"first": 0.0, "min": 0.01, "max": 0.1}, "intensity": 50}
    config = folder / "chaos.json"
    config.write_text(json.dumps({"plugins": [entry], "supervision": quick}))
    has_host = "isolate" in entry or not str(entry.get("plugin")).startswith("path:")
    kills = ["--kills", "3"] if has_host else []
    ended = callboard("chaos", "--trust", str(config), "--calls", "60", *kills, "--seed", str(seed), "--json")
    return ended.returncode, json.loads(ended.stdout)


def amiss(report: Json) -> list[str]:
    """What does not hold though it applies, or was not tested."""
    broken = [f"{one['rule']}: {one['said']}" for one in report["checks"] if one["standing"] == "broken"]
    return [*broken, *report["not_tested"]]


def example(name: str, **more: Any) -> Healthy:
    """An example of this repository, configured as it is shipped, and with what it has to be told besides."""
    return Healthy(name, partial(_copied, name, more))


def _copied(name: str, more: Json, folder: Path) -> Json:
    shutil.copytree(EXAMPLES / name, folder, dirs_exist_ok=True)
    return {**_entry(folder), **more}


def _entry(folder: Path) -> Json:
    if (config := folder / "agent.json").exists():
        (entry,) = json.loads(config.read_text())["plugins"]
        return {"plugin": entry} if isinstance(entry, str) else dict(entry)
    return {"plugin": "node:." if (folder / "package.json").exists() else "path:."}


def template(kind: str) -> Healthy:
    """What `callboard new` writes."""
    return Healthy(f"new {kind}", partial(_written, kind))


def _written(kind: str, folder: Path) -> Json:
    written = folder / "my-tools"
    assert callboard("new", kind, str(written)).returncode == 0
    shutil.copytree(written, folder, dirs_exist_ok=True)
    return _entry(folder)


def every_example() -> list[Healthy]:
    """All examples that are plugins, those in Python in both places."""
    allowed = {"config": {"allowed_paths": [str(EXAMPLES / "bash-tools")], "stream": True}}
    told = {"js-fs-tools": allowed}
    folders = sorted(each.name for each in EXAMPLES.iterdir() if each.is_dir() and each.name[0] not in "._")
    found = [example(name, **told.get(name, {})) for name in folders]
    return [*found, *(one.isolated() for one in found if "python" in one.name)]


def every_template() -> list[Healthy]:
    """All that `callboard new` can write, in Python in both places."""
    return [*map(template, TEMPLATES), template("python").isolated()]


def mcp_server(name: str, command: Callable[[Path], list[str]]) -> Healthy:
    """An MCP server that is run so."""
    return Healthy(name, lambda folder: {"mcp": {"command": command(folder), "env": TEST_MARK}, "name": name})


def echoing_server() -> Healthy:
    """A small MCP server that is here."""
    program = str(PROGRAMS / "python" / "mcp_echo_server.py")
    return mcp_server("echoing", lambda _: [sys.executable, program])


def servers_of_others() -> list[Healthy]:
    """MCP servers as their makers publish them, of Node and Python."""
    return [
        mcp_server("everything", lambda _: node_server("server-everything")),
        mcp_server("memory", lambda _: node_server("server-memory")),
        mcp_server("filesystem", lambda folder: [*node_server("server-filesystem"), _repository(folder)]),
        mcp_server("time", lambda _: python_server("mcp-server-time")),
        mcp_server("git", lambda _: python_server("mcp-server-git")),
    ]


def _repository(folder: Path) -> str:
    made = folder / "repository"
    made.mkdir()
    (made / "hello.txt").write_text("hello")
    subprocess.run(["git", "init", "-q", str(made)], check=True)
    return str(made)
