"""A registry of npm's on this machine: a few packages, who asked for them, and by what right."""

from __future__ import annotations

import base64
import gzip
import hashlib
import io
import json
import os
import subprocess
import tarfile
import threading
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import unquote

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path


_TOLD = ("dependencies", "optionalDependencies", "peerDependencies", "scripts", "bin")
"""Keys of a package that a registry tells."""


class Asked(NamedTuple):
    """A request."""

    path: str
    authorization: str | None


class Registry:
    """See the module.

    Args:
        packages: their modules, by name; each in version 1.0.0, or in that behind an ``@``.
        token: what has to be shown; nothing if ``None``.

    Attributes:
        integrity: what it says as the hash of all archives; that which they have if ``None``.
    """

    def __init__(self, packages: dict[str, str], token: str | None = None) -> None:
        self.asked: list[Asked] = []
        self.url = ""
        self.host = ""
        self.integrity: str | None = None
        self._token = token
        self._forged: dict[str, bytes] = {}
        named = {
            key.partition("@")[0]: (key.partition("@")[2] or "1.0.0", module)
            for key, module in packages.items()
        }
        self._versions = {name: version for name, (version, _) in named.items()}
        self._tarballs = {name: _tarball(name, version, module) for name, (version, module) in named.items()}

    def publish(self, folder: Path, *, npm: Sequence[str], **home: str) -> str:
        """Pack a folder by npm, as it would be published; the hash of the archive."""
        ended = subprocess.run(
            [*npm, "pack", "--json", "--ignore-scripts"],
            cwd=folder,
            env={**os.environ, **home},
            capture_output=True,
            check=True,
        )
        (told,) = json.loads(ended.stdout)
        self.serve(told["name"], told["version"], (folder / told["filename"]).read_bytes())
        (folder / told["filename"]).unlink()
        return str(told["integrity"])

    def serve(self, name: str, version: str, tarball: bytes) -> None:
        """Serve an archive as a package in that version, and nothing else by its name."""
        self._versions[name], self._tarballs[name] = version, tarball

    def forge(self, name: str, tarball: bytes) -> None:
        """Serve something else as the archive of a package, of which it is told what it was."""
        self._forged[name] = tarball

    def answer(self, path: str, authorization: str | None) -> tuple[int, bytes]:
        """The status and the body."""
        self.asked.append(Asked(path, authorization))
        if self._token is not None and authorization != f"Bearer {self._token}":
            return 401, b"{}"
        name, _, file = unquote(path).strip("/").partition("/-/")
        if name not in self._tarballs:
            return 404, b"{}"
        return 200, self._forged.get(name, self._tarballs[name]) if file else json.dumps(
            self._document(name)
        ).encode()

    def _document(self, name: str) -> dict[str, Any]:
        tarball, number = self._tarballs[name], self._versions[name]
        integrity = "sha512-" + base64.b64encode(hashlib.sha512(tarball).digest()).decode()
        dist = {
            "tarball": f"{self.url}{name}/-/{name}-{number}.tgz",
            "integrity": self.integrity or integrity,
        }
        with tarfile.open(fileobj=io.BytesIO(tarball)) as tar:
            packed = tar.extractfile("package/package.json")
            told = {} if packed is None else json.loads(packed.read())
        needed = {key: told[key] for key in _TOLD if key in told}
        version = {"name": name, "version": number, "dist": dist, **needed}
        return {"name": name, "dist-tags": {"latest": number}, "versions": {number: version}}


@contextmanager
def serving(registry: Registry) -> Iterator[Registry]:
    """It answers at `url` in here."""
    with served(registry.answer) as host:
        registry.host = host
        registry.url = f"http://{host}/"
        yield registry


@contextmanager
def served(answer: Callable[[str, str | None], tuple[int, bytes]], **headers: str) -> Iterator[str]:
    """What answers to a path and a login, as a server on this machine; where it is. A refusal asks for a login."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            status, body = answer(self.path, self.headers.get("Authorization"))
            self.send_response(status)
            self.send_header("Content-Length", str(len(body)))
            for name, value in headers.items():
                self.send_header(name.replace("_", "-"), value)
            if status == 401:
                self.send_header("WWW-Authenticate", 'Basic realm="index"')
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: Any) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        try:
            yield f"127.0.0.1:{server.server_port}"
        finally:
            server.shutdown()
            thread.join()


def _tarball(name: str, number: str, module: str) -> bytes:
    manifest = {
        "name": name,
        "version": number,
        "type": "module",
        "main": "index.js",
        "bin": {name: "index.js"},
    }
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w") as tar:
        for file, content in (("package.json", json.dumps(manifest)), ("index.js", module)):
            info = tarfile.TarInfo(f"package/{file}")
            info.size = len(content)
            info.mode = 0o755
            tar.addfile(info, io.BytesIO(content.encode()))
    return gzip.compress(packed.getvalue(), mtime=0)
