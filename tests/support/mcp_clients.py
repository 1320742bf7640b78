"""The official client of MCP against `callboard mcp`: a real process, over its pipes or over HTTP, in either era.

A server whose start is not what is tested is made by ``ready_servers.py``, which has imported it.
"""

from __future__ import annotations

import atexit
import json
import os
import re
import subprocess
import sys
import tempfile
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import anyio
from command_line import ENVIRONMENT
from leaks import TEST_MARK
from mcp.client import Client
from mcp.client.stdio import StdioServerParameters, stdio_client
from mcp.client.streamable_http import streamable_http_client
from mcp_frames import noting
from programs import PROGRAMS

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Iterator

    from mcp_frames import Answers

SERVER = str(PROGRAMS / "python" / "mcp_server.py")
ERAS = {"handshake": "legacy", "stateless": "auto"}
PATIENCE = 30.0
NOWHERE = Path(os.devnull)
JSON_OR_STREAM = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream"}
"""Headers of a request to a server over HTTP."""


def servers(**words: list[str]) -> dict[str, Any]:
    """A client's file with servers of these names, each with words for `mcp_server.py`."""
    return {
        "mcpServers": {
            name: {"command": sys.executable, "args": [SERVER, *said], "env": TEST_MARK}
            for name, said in words.items()
        }
    }


def written(folder: Path, content: Any) -> Path:
    """A file with this configuration."""
    file = folder / "servers.json"
    file.write_text(json.dumps(content))
    return file


def command(config: Path, *options: str, trusted: bool = True) -> list[str]:
    """The words that serve a configuration, whose commands are trusted unless that is what is tested."""
    trust = ["--trust"] if trusted else []
    return [sys.executable, "-m", "callboard", "mcp", *trust, *options, str(config)]


@contextmanager
def begun(program: list[str], **streams: Any) -> Iterator[subprocess.Popen[Any]]:
    """The process of a program, with pipes to it; killed if the block fails, which else waits for its end."""
    with subprocess.Popen(program, env=ENVIRONMENT, **streams) as process:
        try:
            yield process
        except BaseException:
            process.kill()
            raise


class _ReadyServers:
    """The process that has the servers imported; begun with this module, and so before any test looks what is there."""

    def __init__(self) -> None:
        self._folder = tempfile.TemporaryDirectory()
        self._path = str(Path(self._folder.name, "servers"))
        program = [sys.executable, str(Path(__file__).with_name("ready_servers.py")), self._path]
        self._process = subprocess.Popen(program, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        atexit.register(self._process.__exit__, None, None, None)  # closes the pipes, which ends it

    def command(self, config: Path, *options: str, trusted: bool = True) -> list[str]:
        """As the function `command`."""
        assert self._process.stdout is not None
        if not self._process.stdout.closed:
            self._process.stdout.read(1)  # it listens
            self._process.stdout.close()
        stands_for_it = str(Path(__file__).with_name("ready_server.py"))
        trust = ["--trust"] if trusted else []
        return [sys.executable, "-I", "-S", stands_for_it, self._path, "mcp", *trust, *options, str(config)]


_READY = _ReadyServers()


@asynccontextmanager
async def over_pipes(
    config: Path,
    era: str,
    *words: str,
    said: Path = NOWHERE,
    trusted: bool = True,
    answers: Answers | None = None,
    patience: float = PATIENCE * 3,
    **options: Any,
) -> AsyncIterator[Client]:
    """A client that has started the server itself, with these words.

    What the server says on stderr is written to ``said``; each of its answers is appended to ``answers``.
    """
    program = _READY.command(config, *words, trusted=trusted)
    with anyio.fail_after(patience):
        async with started(program, era, said=said, answers=answers, **options) as client:
            yield client


@asynccontextmanager
async def started(
    program: list[str], era: str, *, said: Path = NOWHERE, answers: Answers | None = None, **options: Any
) -> AsyncIterator[Client]:
    """A client that has started this program; as `over_pipes`."""
    parameters = StdioServerParameters(command=program[0], args=program[1:], env=ENVIRONMENT)
    with said.open("w") as errors:
        pipes = stdio_client(parameters, errlog=errors)
        transport = pipes if answers is None else noting(pipes, answers)
        async with Client(transport, mode=ERAS[era], **options) as client:
            yield client


@contextmanager
def http_server(config: Path, *options: str) -> Iterator[str]:
    """The address of a server that serves over HTTP; it needs no token if none is given to it."""
    named = options if "--token-file" in options else ("--no-token", *options)
    with served_over_http(config, *named) as (address, _):
        yield address


@contextmanager
def served_over_http(
    config: Path,
    *options: str,
    states: Path | None = None,
    descriptors: int | None = None,
    trusted: bool = True,
) -> Iterator[tuple[str, Callable[[], str]]]:
    """The address of a server with these words and no others, and what gives the next line that it says on stderr.

    Args:
        config: what it serves.
        options: its words.
        states: the folder of its user's state; the test run's own if there is none.
        descriptors: how many it may have.
        trusted: the commands of the configuration are trusted.
    """
    words = ("--http", "127.0.0.1:0", *options)
    program = _READY.command(config, *words, trusted=trusted)
    if descriptors is not None:  # which a server that was made before has not
        bound = ["sh", "-c", f'ulimit -n {descriptors}; exec "$@"', "sh"]
        program = [*bound, *command(config, *words)]
    named = {} if states is None else {"XDG_STATE_HOME": str(states)}
    with subprocess.Popen(
        program,
        stderr=subprocess.PIPE,
        text=True,
        env=ENVIRONMENT | named,
    ) as process:
        try:
            assert process.stderr is not None
            line = process.stderr.readline()
            found = re.search(r"http://\S+", line)
            assert found, line
            yield found[0], process.stderr.readline
        finally:
            process.terminate()
            process.wait(PATIENCE)


def header_of(next_line: Callable[[], str]) -> dict[str, str]:
    """The header that a server says its clients have to say."""
    line = ""
    while "Authorization: " not in line:
        line = next_line()
        assert line
    return {"Authorization": line.partition("Authorization: ")[2].strip()}


def serve_to_its_end(
    config: Path, *options: str, states: Path | None = None
) -> subprocess.CompletedProcess[str]:
    """Run it to its end, which comes by itself."""
    env = ENVIRONMENT if states is None else ENVIRONMENT | {"XDG_STATE_HOME": str(states)}
    return subprocess.run(
        command(config, *options), capture_output=True, text=True, timeout=PATIENCE, env=env, check=False
    )


@asynccontextmanager
async def over_http(
    address: str, era: str, *, answers: Answers | None = None, patience: float = PATIENCE * 3, **options: Any
) -> AsyncIterator[Client]:
    """A client of a server that serves over HTTP; each answer is appended to ``answers``."""
    transport = address if answers is None else noting(streamable_http_client(address), answers)
    with anyio.fail_after(patience):
        async with Client(transport, mode=ERAS[era], **options) as client:
            yield client
