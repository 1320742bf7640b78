"""A server over HTTP for a test, which can be killed and started again at the same address."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING, Self

from leaks import TEST_MARK
from programs import PROGRAMS

if TYPE_CHECKING:
    from pathlib import Path
    from types import TracebackType

SERVER = PROGRAMS / "python" / "mcp_http_server.py"


class HttpServer:
    """See the module; ``words`` as the program has them."""

    def __init__(self, *words: str, program: Path = SERVER) -> None:
        self.words = words
        self._program = program
        self.port = 0
        self._process: subprocess.Popen[str] | None = None

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/mcp"

    def start(self) -> None:
        """Start it; it listens then."""
        argv = [sys.executable, str(self._program), str(self.port), *self.words]
        self._process = subprocess.Popen(argv, stdout=subprocess.PIPE, text=True, env=TEST_MARK)
        assert self._process.stdout is not None
        self.port = int(self._process.stdout.readline())

    def kill(self) -> None:
        """Kill it; it is gone then."""
        assert self._process is not None
        self._process.kill()
        self.wait()

    def become(self, *words: str) -> None:
        """End it, and start another at the same address."""
        self.kill()
        self.words = words
        self.start()

    def wait(self) -> None:
        """Wait until it has ended."""
        assert self._process is not None
        assert self._process.stdout is not None
        self._process.wait(30.0)
        self._process.stdout.close()

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None
    ) -> None:
        self.kill()
