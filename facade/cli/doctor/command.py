"""`callboard doctor`: what works here, and the remedy for what does not."""

from __future__ import annotations

import sys
from collections import Counter
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ...base.errors import PluginLoadError
from ...callboard import Callboard
from ...config.errors import ConfigurationError
from ...hosts.sandbox.bwrap import KIND, OUTSIDE, SystemSandbox, read_system_sandbox
from ...hosts.sandbox.containment import NO_NAMES, find_bubblewrap, find_outside, no_filter, open_sockets
from ...hosts.sandbox.outside import resolvers
from ...sources.entry import parse_entry
from ...trust.admission import NotTrusted, remedy_of
from ..ui.exit_codes import FAILED, WELL
from ..ui.files import ConfigFile
from ..ui.options import common, json_option, quiet, trust_option
from ..ui.streams import Streams
from ..ui.text import Text
from ..ui.trust import admit
from .finding import Finding, counted
from .node import check_handshake, check_node
from .plugin_checks import check_plugins, count_hosts
from .python import check_packages, check_python

if sys.platform == "win32":
    _NO_LIMIT = -1
else:
    import resource

    _NO_LIMIT = resource.RLIM_INFINITY

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ...config.configuration import Configuration
    from ..ui.console import SafeConsole


_STYLES = {"ok": "green", "warn": "yellow", "FAIL": "bold red"}
_HOSTS = 10
"""For the limits, when there is no configuration to say how many."""


@click.command(short_help="What works here, and the remedy for what does not.")
@click.argument("config", type=ConfigFile(), required=False)
@trust_option
@json_option
@common
def doctor(config: str | None, as_json: bool) -> int:
    """Look at Python, the packages, Node.js, a Node host, the system's sandbox and its limits.

    With CONFIG also at each of its plugins, which are started for it and not called. Exit status 1 if something
    does not work.
    """
    well = True
    quiet()
    with Streams(as_json=as_json) as out:
        for finding in _examine(config, out.stdin):
            well &= finding.status != "FAIL"
            if out.people:
                _show(finding, out.console)
            else:
                out.print_json(asdict(finding))
    return WELL if well else FAILED


def _examine(config: str | None, stdin: int) -> Iterator[Finding]:
    yield from check_python()
    yield from check_packages()
    board = None
    if config is not None:
        try:
            board = Callboard(config)
        except ConfigurationError as error:
            remedy = "give the path of a JSON or TOML file" if error.path == "$" else f"correct {error.path}"
            yield Finding("FAIL", "configuration", str(error), remedy)
    configuration = None if board is None else board.configuration
    hosts = Counter(node=_HOSTS) if configuration is None else count_hosts(configuration)
    node = None if configuration is None else configuration.node
    findings = list(check_node(node, needed=hosts["node"] > 0))
    yield from findings
    if all(not finding.remedy for finding in findings):
        yield from check_handshake(node)
    yield from check_sandbox(configuration)
    yield from check_limits(hosts.total())
    if board is not None:
        plugins = counted(len(board.configuration.plugins), "plugin")
        yield Finding("ok", "configuration", f"{board.configuration.file}, {plugins}")
        assert config is not None
        try:
            board.configuration = admit(board.configuration, config, stdin)
        except NotTrusted as error:
            many = f"{len(error.steps)} of {len(error.plan.steps)} steps that fetch or build code"
            yield Finding(
                "FAIL", "plugins", f"none was started: {many} are not trusted yet", remedy_of(config)
            )
        else:
            yield from check_plugins(board)


def _show(finding: Finding, console: SafeConsole) -> None:
    mark = (f" {finding.status:<4}", _STYLES[finding.status])
    console.print(Text.assemble(mark, (f"  {finding.what:<22}  ", "bold"), finding.detail), soft_wrap=True)
    if finding.remedy:
        console.print(Text.assemble(" " * 7, ("→ ", "yellow"), finding.remedy), soft_wrap=True)


_FILES = 64, 8
"""Open files that the board takes, and that each host takes."""
_TASKS = 64, 16
"""Processes and threads that the board takes, and that each host takes: Node has a dozen threads."""


def check_limits(hosts: int) -> Iterator[Finding]:
    """What the system lets this process have, for so many hosts; nothing on Windows, which sets no such limits."""
    if sys.platform == "win32":
        yield from ()
    else:
        files, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
        yield _limit("open files", files, _FILES[0] + hosts * _FILES[1], "ulimit -n", hosts)
        for name, most, remedy in (
            ("processes", resource.getrlimit(resource.RLIMIT_NPROC)[0], "ulimit -u"),
            ("processes (container)", _cgroup_tasks(), "the container's pids limit"),
        ):
            if most is not None and most != _NO_LIMIT:
                yield _limit(name, most, _TASKS[0] + hosts * _TASKS[1], remedy, hosts)


def _limit(name: str, most: int, needed: int, raising: str, hosts: int) -> Finding:
    detail = f"{'no limit' if most == _NO_LIMIT else f'{most:,}'}; {needed:,} for {counted(hosts, 'host')}"
    if most == _NO_LIMIT or most >= needed * 2:
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


def check_sandbox(configuration: Configuration | None) -> Iterator[Finding]:
    """A trivial program in a sandbox: whether it runs. It is a failure only where a plugin asks for one."""
    found = find_bubblewrap()
    every = [] if configuration is None else [_asked(each, configuration) for each in configuration.plugins]
    wanted = [sandbox for sandbox in every if sandbox is not None]
    if found.problem is not None:
        yield Finding(
            "FAIL" if wanted else "warn", "sandbox (bwrap)", f"not available: {found.problem}", found.remedy
        )
        return
    tried = f"it was tried, in {found.seconds * 1000:.0f} ms"
    detail = f"{found.version}, {found.path} ({found.source}); {tried}"
    lacking, remedy = no_filter(), 'write "seccomp": false into "sandbox" to go without one'
    if lacking:
        yield Finding("warn", "sandbox (bwrap)", f"{detail}; {lacking}", remedy)
    else:
        yield Finding("ok", "sandbox (bwrap)", detail)
    opened = next(filter(None, map(open_sockets, wanted)), "")
    if opened:
        remedy = """leave 'network' out, write "network": "outside", or take a kernel from Linux 6.12 on"""
        yield Finding("warn", "sandbox (network)", opened, remedy)
    if any(sandbox.network == OUTSIDE for sandbox in wanted):
        yield from _check_outside()


def _check_outside() -> Iterator[Finding]:
    connector = find_outside()
    if connector.problem is not None:
        yield Finding("FAIL", "sandbox (outside)", f"not available: {connector.problem}", connector.remedy)
        return
    yield Finding(
        "ok", "sandbox (outside)", f"{connector.path}; it was tried, in {connector.seconds * 1000:.0f} ms"
    )
    if resolvers() is None:
        remedy = "name one of the outside in /etc/resolv.conf, by its IPv4 address"
        yield Finding("warn", "sandbox (names)", NO_NAMES, remedy)


def _asked(entry: object, configuration: Configuration) -> SystemSandbox | None:
    try:
        sandbox = parse_entry(entry, configuration.base).options.sandbox
        if sandbox == KIND or (isinstance(sandbox, dict) and sandbox.get("kind") == KIND):
            return read_system_sandbox(sandbox, configuration.base)
    except (PluginLoadError, ValueError):  # told by the check of the plugins
        pass
    return None
