"""A served board, with the official clients of MCP and the conformance suite; `make test-mcp-clients` installs them.

Not collected by `make test`: none of them is there. The SDK for Python is in `test_served_over_both.py`.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tomllib
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from leaks import TEST_MARK, no_leaks
from mcp_client_packages import ITS_SUCCESSOR, SDK, conformance, inspector, talk
from mcp_clients import command, http_server, servers, written
from programs import PROGRAMS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from contextlib import AbstractContextManager

    Served = Callable[[Path], AbstractContextManager[list[str]]]

PATIENCE = 120.0
IS_ERROR = 5
"""The Inspector's exit status for a result that is one."""

_BASELINES = tomllib.loads(Path(__file__).with_name("conformance_baseline.toml").read_text())
BASELINE: dict[str, str] = _BASELINES["server"]
OF_CLIENTS: dict[str, str] = _BASELINES["client"]


@pytest.fixture(params=["pipes", "http"])
def served(request: pytest.FixtureRequest) -> Served:
    """What a client is told of the server: an address, or a program and its words."""

    @contextmanager
    def serving(config: Path) -> Iterator[list[str]]:
        if request.param == "pipes":
            yield command(config)
        else:
            with http_server(config) as address:
                yield [address]

    return serving


def run(words: list[str], folder: Path) -> subprocess.CompletedProcess[str]:
    """Run a client, whose home is that folder."""
    env = dict(os.environ) | TEST_MARK | {"HOME": str(folder), "USERPROFILE": str(folder)}
    return subprocess.run(
        words, cwd=folder, env=env, capture_output=True, text=True, timeout=PATIENCE, check=False
    )


# The SDK for TypeScript


@pytest.mark.parametrize(
    ("package", "era"), [(SDK, "legacy"), (ITS_SUCCESSOR, "legacy"), (ITS_SUCCESSOR, "auto")]
)
def test_the_sdk_for_typescript_lists_calls_cancels_and_hears_of_changes(
    served: Served, tmp_path: Path, package: str, era: str
) -> None:
    with no_leaks(), served(written(tmp_path, servers(words=[]))) as server:
        ended = run(talk(package, era, *server), tmp_path)
        assert ended.returncode == 0, ended.stderr
    heard = json.loads(ended.stdout)

    assert heard["server"] == "callboard"
    assert {"echo", "crash", "hang"} <= set(heard["names"])
    assert texts(heard["echo"]) == ['{"a": 1}']
    assert heard["count"]["structuredContent"] == {"count": 1}
    assert len(heard["progress"]) == 3
    assert heard["progress"] == sorted(heard["progress"])
    assert (heard["fail"]["isError"], texts(heard["fail"])) == (True, ["it failed"])
    assert heard["crash"]["isError"]
    assert of_ours(heard["crash"]) == {
        "callboard/code": "host_crashed",
        "callboard/outcome": "outcome_unknown",
        "callboard/plugin": "words",
    }
    assert heard["after"]["structuredContent"] == {"count": 1}
    assert of_ours(heard["after"]) == {"callboard/restarted": True}
    assert heard["unknown"] == -32602
    assert heard["cancelled"]
    assert texts(heard["following"]) == ['{"b": 2}']
    assert heard["later"] == ["echo", "new"]


def texts(result: dict[str, Any]) -> list[str]:
    return [block["text"] for block in result["content"]]


def of_ours(result: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in result.get("_meta", {}).items() if key.startswith("callboard/")}


# The Inspector


def test_the_inspector_lists_calls_reads_and_is_told_of_failures(served: Served, tmp_path: Path) -> None:
    config = written(tmp_path, servers(words=["shares"]))

    def ask(method: str, *words: str) -> tuple[int, Any]:
        ended = run(inspector(*server, "--method", method, *words), tmp_path)
        return ended.returncode, json.loads(ended.stdout)

    with no_leaks(), served(config) as server:
        listed = ask("tools/list", "--strict")
        counted = ask("tools/call", "--tool-name", "count")
        failed = ask("tools/call", "--tool-name", "fail")
        crashed = ask("tools/call", "--tool-name", "crash")
        resources = ask("resources/list")
        read = ask("resources/read", "--uri", "note://one")
        prompt = ask("prompts/get", "--prompt-name", "greet", "--prompt-args", "who=Ann")

    assert (listed[0], counted[0], resources[0], read[0], prompt[0]) == (0, 0, 0, 0, 0)
    assert "echo" in [tool["name"] for tool in listed[1]["tools"]]
    assert counted[1]["structuredContent"] == {"count": 1}
    assert (failed[0], texts(failed[1])) == (IS_ERROR, ["it failed"])
    assert (crashed[0], of_ours(crashed[1])["callboard/code"]) == (IS_ERROR, "host_crashed")
    assert [each["uri"] for each in resources[1]["resources"]] == ["note://one", "note://two"]
    assert read[1]["contents"][0]["text"] == "the first note"
    assert prompt[1]["messages"][0]["content"]["text"] == "Hello Ann"


# The conformance suite, which speaks to servers over HTTP alone


@pytest.fixture(scope="module")
def scenarios(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[dict[str, Any]]]:
    """Of each scenario of the suite, what it has checked."""
    folder = tmp_path_factory.mktemp("conformance")
    program = [sys.executable, str(PROGRAMS / "python" / "conformance_server.py")]
    entry = {"mcp": {"command": program, "env": TEST_MARK}, "name": "suite"}
    results = folder / "results"
    with no_leaks(), http_server(written(folder, {"plugins": [entry]})) as address:
        run(conformance("server", "--url", address, "--suite", "all", "-o", str(results)), folder)
    listed = run(conformance("list", "--server"), folder).stdout
    names = [line.split()[1] for line in listed.splitlines() if line.startswith("  - ")]
    checks = {}
    for name in names:
        (file,) = results.glob(f"server-{name}-2*/checks.json")
        checks[name] = json.loads(file.read_text())
    return checks


def test_the_conformance_suite_passes_but_for_what_the_baseline_gives_a_reason_for(
    scenarios: dict[str, list[dict[str, Any]]],
) -> None:
    failed = {name for name, checks in scenarios.items() if not passes(checks)}

    assert failed - set(BASELINE) == set(), "these fail, and have no reason in the baseline"
    assert set(BASELINE) - failed == set(), "these pass, or are none: they have no place in the baseline"
    assert all(reason.strip() for reason in BASELINE.values())


def passes(checks: list[dict[str, Any]]) -> bool:
    """Whether something was seen to be right, and nothing to be wrong: a scenario that only warns has shown nothing."""
    said = {check["status"] for check in checks}
    return "SUCCESS" in said and "FAILURE" not in said


@pytest.mark.timeout(900)  # two dozen programs, one after the other on one core
def test_a_board_passes_the_suite_for_clients_but_for_what_the_baseline_gives_a_reason_for(
    tmp_path: Path,
) -> None:
    listed = run(conformance("list", "--client"), tmp_path).stdout
    names = [line.split()[1] for line in listed.splitlines() if line.startswith("  - ")]
    program = f"{sys.executable} {PROGRAMS / 'python' / 'conformance_client.py'}"

    def passed(name: str) -> bool:
        """Whether the suite lets it pass: a warning is none."""
        folder = tmp_path / name.replace("/", "-")  # its home, and so that of its tokens
        folder.mkdir()
        ended = run(
            conformance("client", "--command", program, "--scenario", name, "-o", str(folder)), folder
        )
        return ended.returncode == 0

    with no_leaks(), ThreadPoolExecutor(4) as threads:
        failed = {name for name, good in zip(names, threads.map(passed, names), strict=True) if not good}

    assert failed - set(OF_CLIENTS) == set(), "these fail, and have no reason in the baseline"
    assert set(OF_CLIENTS) - failed == set(), "these pass, or are none: they have no place in the baseline"
    assert all(reason.strip() for reason in OF_CLIENTS.values())
