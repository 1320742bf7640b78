"""A Python package index on this machine: a few wheels and archives, who asked for them, and by what right."""

from __future__ import annotations

import threading
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any

from npm_registry import Asked

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


class Index:
    """See the module.

    Args:
        files: what it has; the project of each is what stands before the first hyphen of its name.
        login: the value of the header ``Authorization`` that has to be shown; nothing if ``None``.
    """

    def __init__(self, files: list[Path], login: str | None = None) -> None:
        self.asked: list[Asked] = []
        self.host = ""
        self._login = login
        self._files = {file.name: file.read_bytes() for file in files}

    @property
    def url(self) -> str:
        """Where it is."""
        return f"http://{self.host}/simple"

    def answer(self, path: str, authorization: str | None) -> tuple[int, bytes]:
        """The status and the body."""
        self.asked.append(Asked(path, authorization))
        if self._login is not None and authorization != self._login:
            return 401, b""
        kind, _, name = path.strip("/").partition("/")
        if kind == "files" and name in self._files:
            return 200, self._files[name]
        links = [
            f'<a href="/files/{file}">{file}</a>'
            for file in self._files
            if kind == "simple" and file.partition("-")[0].replace("_", "-") == name
        ]
        return (200, "".join(links).encode()) if links else (404, b"")


@contextmanager
def serving(index: Index) -> Iterator[Index]:
    """It answers at `url` in here."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            status, body = index.answer(self.path, self.headers.get("Authorization"))
            self.send_response(status)
            self.send_header("Content-Type", "text/html")
            self.send_header("Content-Length", str(len(body)))
            if status == 401:
                self.send_header("WWW-Authenticate", 'Basic realm="index"')
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: Any) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        index.host = f"127.0.0.1:{server.server_port}"
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        try:
            yield index
        finally:
            server.shutdown()
            thread.join()
