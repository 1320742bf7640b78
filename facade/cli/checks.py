"""What `callboard doctor` looks at: each check yields what it found, with the remedy if it is not well."""

from __future__ import annotations

import re
import resource
import sys
import time
from dataclasses import dataclass, replace
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from ..demo.show import TOOLS
from ..hosts.node import MINIMUM, TYPESCRIPT, node_candidates
from ..hosts.node_tool import NodeToolPlugin
from ..plugins.entry import parse_entry
from ..plugins.errors import CallboardError, PluginLoadError
from ..plugins.source import NodeFileSource, NodeGitSource, NodePackageSource

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from ..callboard import Callboard
    from ..configuration import Configuration

Json = dict[str, Any]

OLDEST_PYTHON = (3, 11)

_CHOSEN = frozenset({"configuration", "CALLBOARD_NODE"})
"""Where somebody has decided for one Node: then no other is tried."""

_FILES = 64, 8
"""Open files that the board takes, and that each host takes."""
_TASKS = 64, 16
"""Processes and threads that the board takes, and that each host takes: Node has a dozen threads."""


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that was looked at.

    Attributes:
        status: ``FAIL`` if something will not work, ``warn`` if something may not.
        what: what was looked at.
        detail: what was found.
        remedy: what to do; empty when there is nothing to do.
    """

    status: Literal["ok", "warn", "FAIL"]
    what: str
    detail: str
    remedy: str = ""


def check_python() -> Iterator[Finding]:
    """The interpreter."""
    version = ".".join(map(str, sys.version_info[:3]))
    detail = f"{version}, {sys.executable or 'embedded in another program'}"
    if sys.version_info < OLDEST_PYTHON:
        oldest = ".".join(map(str, OLDEST_PYTHON))
        yield Finding("FAIL", "Python", detail, f"use Python {oldest} or newer")
    elif not sys.executable:
        yield Finding(
            "warn",
            "Python",
            detail,
            "no watchdog can be started: should this process be killed, hosts may live on",
        )
    else:
        yield Finding("ok", "Python", detail)


def check_packages() -> Iterator[Finding]:
    """The packages that Callboard says it needs."""
    try:
        lines = metadata.requires("callboard") or []
    except metadata.PackageNotFoundError:
        yield Finding(
            "warn", "packages", "callboard is not installed, only found", "run: pip install callboard"
        )
        return
    well = []
    for line in lines:
        needed = Requirement.read(line)
        if needed.extra not in {"", "cli"}:
            continue
        found = _version_of(needed.package)
        remedy = f"run: pip install '{needed.package}{needed.versions}'"
        if found is None:
            yield Finding("FAIL", "packages", f"{needed.package} is not installed", remedy)
        elif not needed.is_met_by(found):
            yield Finding(
                "FAIL", "packages", f"{needed.package} is {found}; {needed.versions} is needed", remedy
            )
        else:
            well.append(f"{needed.package} {found}")
    if well:
        yield Finding("ok", "packages", ", ".join(well))


@dataclass(frozen=True, slots=True)
class Requirement:
    """A line of a distribution's metadata, as far as it is looked at: bounds from below and above."""

    package: str
    versions: str
    extra: str

    @classmethod
    def read(cls, line: str) -> Requirement:
        """Read ``pykka<5,>=4.4; extra == "cli"``."""
        requirement, _, marker = line.partition(";")
        match = re.match(r"\s*([\w.-]+)\s*(?:\[[^]]*\])?\s*\(?([^)]*)\)?", requirement)
        assert match is not None, line
        extra = re.search(r"extra\s*==\s*['\"](\w+)['\"]", marker)
        return cls(match[1], match[2].replace(" ", ""), extra[1] if extra else "")

    def is_met_by(self, version: str) -> bool:
        """Whether a version is within the bounds; other kinds of conditions are not looked at."""
        has = _numbers(version)
        for bound in self.versions.split(","):
            if bound.startswith(">=") and has < _numbers(bound[2:]):
                return False
            if bound.startswith("<") and not bound.startswith("<=") and has >= _numbers(bound[1:]):
                return False
        return True


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(int(number) for number in re.findall(r"\d+", version)[:3])


def _version_of(package: str) -> str | None:
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return None


def check_node(configured: str | None, *, needed: bool) -> Iterator[Finding]:
    """Each place where Node is looked for, and which one is used.

    Args:
        configured: what the configuration says.
        needed: there are tools that need one.
    """
    used = False
    for candidate in node_candidates(configured):
        place = f"Node ({candidate.source})"
        if candidate.problem is not None and candidate.source in _CHOSEN and not used:
            yield Finding(
                "FAIL", place, candidate.problem, "name a Node.js of version 20 or newer there, or none"
            )
            return
        if used or candidate.problem is not None:
            found = candidate.problem or f"{candidate.version_text}, {candidate.path}"
            yield Finding("ok", place, f"{found}; {'not needed' if used else 'passed over'}")
        else:
            used = True
            also = (
                ""
                if candidate.runs_typescript
                else f"; TypeScript tools need {'.'.join(map(str, TYPESCRIPT))}"
            )
            yield Finding("ok", place, f"{candidate.version_text}, {candidate.path}; this one is used{also}")
    if not used:
        remedy = f"install Node.js {MINIMUM[0]} or newer, or run: pip install 'callboard[node]'"
        yield Finding("FAIL" if needed else "warn", "Node", "there is none that can be used", remedy)


def check_handshake(configured: str | None) -> Iterator[Finding]:
    """A Node host with a tool that ships with Callboard: whether it starts and answers."""
    began = time.monotonic()
    try:
        with NodeToolPlugin("doctor", TOOLS / "words.mjs", node=configured) as tool:
            state = tool.init({})
            tool.get_tool_schemas(state)
            ready = time.monotonic()
            answer = tool.execute_tool("count_words", {"n": 1, "text": "two words", "work": 0}, state)
            answered = time.monotonic()
    except CallboardError as error:
        yield Finding("FAIL", "Node host", str(error), "see the lines above; -v logs what the host said")
        return
    right = isinstance(answer, dict) and answer.get("success") and answer["result"]["words"] == 2  # noqa: PLR2004
    if not right:
        yield Finding(
            "FAIL", "Node host", f"it answered {answer!r:.200}", "report this: the tool ships with Callboard"
        )
        return
    yield Finding(
        "ok",
        "Node host",
        f"ready in {(ready - began) * 1000:.0f} ms, a call took {(answered - ready) * 1000:.1f} ms",
    )


def check_limits(hosts: int) -> Iterator[Finding]:
    """What the system lets this process have, for so many hosts."""
    files, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    yield _limit("open files", files, _FILES[0] + hosts * _FILES[1], "ulimit -n", hosts)
    for name, most, remedy in (
        ("processes", resource.getrlimit(resource.RLIMIT_NPROC)[0], "ulimit -u"),
        ("processes (container)", _cgroup_tasks(), "the container's pids limit"),
    ):
        if most is not None and most != resource.RLIM_INFINITY:
            yield _limit(name, most, _TASKS[0] + hosts * _TASKS[1], remedy, hosts)


def _limit(name: str, most: int, needed: int, raising: str, hosts: int) -> Finding:
    detail = f"{'no limit' if most == resource.RLIM_INFINITY else f'{most:,}'}; {needed:,} for {hosts} hosts"
    if most == resource.RLIM_INFINITY or most >= needed * 2:
        return Finding("ok", name, detail)
    return Finding("FAIL" if most < needed else "warn", name, detail, f"raise it: {raising} {needed * 4}")


def _cgroup_tasks() -> int | None:
    """How many more processes and threads the container may have; ``None`` without a limit."""
    folder = Path("/sys/fs/cgroup")
    try:
        most, now = (folder / "pids.max").read_text(), (folder / "pids.current").read_text()
    except OSError:
        return None
    return None if most.strip() == "max" else max(0, int(most) - int(now))


def check_plugins(board: Callboard) -> Iterator[Finding]:
    """Each plugin of a configuration: whether it loads and starts, and what its host prints."""
    configuration = board.configuration
    board.configuration = replace(configuration, plugins=tuple(map(_not_required, configuration.plugins)))
    with board:
        status = board.status()
    for failed in status["failed"]:
        yield Finding(
            "FAIL", "plugin", f"{failed['source']}: {failed['error']}", "correct its entry in 'plugins'"
        )
    for name, plugin in status["plugins"].items():
        yield from _plugin(name, plugin)


def _not_required(entry: Any) -> Any:
    """One that is required and fails would end the start, and hide how the others are."""
    return {**entry, "required": False} if isinstance(entry, dict) else entry


def _plugin(name: str, plugin: Mapping[str, Any]) -> Iterator[Finding]:
    what, tools, host = f"plugin {name}", ", ".join(plugin["tools"]) or "no tools", plugin.get("host")
    if host is None:
        yield Finding("ok", what, f"{tools}; in this process")
        return
    if problem := plugin.get("problem"):
        yield Finding("FAIL", what, problem, "correct the tool's schemas")
        return
    if host["state"] != "ready":
        said = f"its host is {host['state']}: {host['why']}"
        words = last_words((host["last_crash"] or {}).get("stderr", ""))
        yield Finding(
            "FAIL", what, said if words in said else f"{said}; its last words: {words}", "mend the tool"
        )
        return
    strays = host.get("counts", {}).get("stray", 0)
    if host["crashes"]:
        yield Finding(
            "warn", what, f"{tools}; its host is ready, at start {host['generation']}", "-v logs why"
        )
    elif strays:
        said = f"{tools}; its host printed {strays} lines to stdout that are no messages"
        yield Finding("warn", what, said, "print to stderr; -v logs the lines")
    else:
        yield Finding("ok", what, f"{tools}; its host is ready, and prints nothing but messages to stdout")


def last_words(stderr: str) -> str:
    """The line of a host's stderr that says most: the last that names an error, else the last; or nothing."""
    lines = [line.strip() for line in stderr.splitlines() if line.strip()]
    errors = [line for line in lines if re.search(r"\w(Error|Exception)\b", line)]
    return (errors or lines or [""])[-1]


def count_hosts(configuration: Configuration) -> int:
    """How many of a configuration's plugins run in hosts; a package may have more than one."""
    return sum(_is_hosted(entry, configuration.base) for entry in configuration.plugins)


def _is_hosted(entry: Any, base: Path) -> bool:
    try:
        source = parse_entry(entry, base).source
    except PluginLoadError:
        return False  # told by the check of the plugins
    return isinstance(source, NodeFileSource | NodePackageSource | NodeGitSource)
