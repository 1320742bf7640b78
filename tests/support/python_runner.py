"""The Python runner as a bare subprocess: see `bare_host`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from bare_host import BareHost
from callboard.hosts.python.runner.origin import PythonOrigin
from callboard.hosts.python.tool import PythonToolPlugin

if TYPE_CHECKING:
    from pathlib import Path


def python_command(path: str = "moody_python.Moody", file: Path | None = None) -> tuple[str, ...]:
    """The runner's command line, for a plugin by its dotted path; of a module in ``file``, if that is given."""
    module = path.rpartition(".")[0]
    origin = PythonOrigin(path, module=module, file=str(file)) if file else PythonOrigin(path)
    return PythonToolPlugin(path.rpartition(".")[2].lower(), origin).command().argv


def python_host(path: str = "moody_python.Moody", file: Path | None = None, **options: Any) -> BareHost:
    """One generation of the runner."""
    return BareHost(python_command(path, file), **options)
