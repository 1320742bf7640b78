"""The fixtures of the conformance tests: the host under test, and what may be asked of it.

A plugin and no ``conftest.py``: it is registered when a host is named, so nobody else meets its
fixtures, and it is imported under its own name wherever the package lies.
"""

from __future__ import annotations

import json
import shlex
import shutil
from typing import TYPE_CHECKING, Any

import pytest

from ...base.frozen import frozen
from .raw_host import RawHost

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

Json = dict[str, Any]


@frozen
class Given:
    """What the command line says of the host.

    Attributes:
        argv: its command line.
        tool: the tool to be called, or ``None`` for the first it offers.
        arguments: for that.
        failing: arguments with which it fails, or ``None``.
        stream: a tool that emits parts, with its arguments; or ``None``.
        config: for ``init``.
        patience: seconds it may take for anything.
    """

    argv: tuple[str, ...]
    tool: str | None
    arguments: Json
    failing: Json | None
    stream: tuple[str, Json] | None
    config: Json
    patience: float


def read_given(config: pytest.Config) -> Given:
    """Read the options.

    Raises:
        pytest.UsageError: one of them cannot be read, or the host is no program.
    """
    failing, stream = config.getoption("--host-failing-arguments"), config.getoption("--host-stream-tool")
    return Given(
        argv=_argv(config.getoption("--host-cmd")),
        tool=config.getoption("--host-tool"),
        arguments=_json(config, "--host-arguments"),
        failing=None if not failing else _json(config, "--host-failing-arguments"),
        stream=None if not stream else (stream, _json(config, "--host-stream-arguments")),
        config=_json(config, "--host-config"),
        patience=_patience(config.getoption("--host-patience")),
    )


def pytest_configure(config: pytest.Config) -> None:
    """Read the options once before all, so that what is wrong with one is said once and not by each rule."""
    read_given(config)


def _argv(command: str) -> tuple[str, ...]:
    try:
        program, *arguments = shlex.split(command)
    except ValueError as error:
        raise pytest.UsageError(f"--host-cmd is no command line: {error}") from None
    if shutil.which(program) is None:
        raise pytest.UsageError(f"--host-cmd: there is no program {program!r} that can be run")
    return program, *arguments


def _patience(text: str) -> float:
    try:
        seconds = float(text)
    except ValueError:
        seconds = 0.0
    if seconds > 0:
        return seconds
    raise pytest.UsageError(f"--host-patience is {text!r}; it has to be a number of seconds above 0")


def _json(config: pytest.Config, option: str) -> Json:
    try:
        value = json.loads(config.getoption(option))
    except ValueError as error:
        raise pytest.UsageError(f"{option} is no JSON: {error}") from None
    if not isinstance(value, dict):
        raise pytest.UsageError(f"{option} is {value!r:.60}; it has to be a JSON object")
    return value


@pytest.fixture(scope="session")
def given(request: pytest.FixtureRequest) -> Given:
    """What the command line says of the host."""
    return read_given(request.config)


@pytest.fixture
def start(given: Given) -> Iterator[Callable[[], RawHost]]:
    """Start a generation of the host; all of them are ended after the test."""
    generations: list[RawHost] = []

    def start() -> RawHost:
        generations.append(RawHost(given.argv, given.patience))
        return generations[-1]

    yield start
    for generation in generations:
        generation.kill()


@pytest.fixture
def fresh(start: Callable[[], RawHost]) -> RawHost:
    """A generation that has been asked nothing yet."""
    return start()


@pytest.fixture
def host(fresh: RawHost, given: Given) -> RawHost:
    """A generation that has answered ``init``."""
    fresh.ask("init", {"config": given.config})
    return fresh


@pytest.fixture
def state(host: RawHost) -> Json:
    """The state that its ``init`` returned."""
    result = host.messages()[0].get("result", {})
    state = result.get("state", result.get("value"))
    return state if isinstance(state, dict) else {}


@pytest.fixture
def call(host: RawHost, given: Given, state: Json) -> Json:
    """The parameters of a call that succeeds."""
    tool = given.tool
    if tool is None:
        schemas = host.ask("get_tool_schemas", {"state": state})["result"]["value"]
        assert schemas, host.tell("it offers no tool; name one by --host-tool")
        schema = schemas[0]
        tool = schema.get("function", schema)["name"]
    return {"tool_name": tool, "arguments": given.arguments, "state": state}


@pytest.fixture
def failing(call: Json, given: Given) -> Json:
    """The parameters of a call that fails."""
    return call | {"arguments": given.failing}


@pytest.fixture
def streamed(call: Json, given: Given) -> Json:
    """The parameters of a call that emits parts."""
    assert given.stream is not None
    tool, arguments = given.stream
    return call | {"tool_name": tool, "arguments": arguments}
