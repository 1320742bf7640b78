"""Whether a sandbox of the system's is to be had: it is tried, and not only looked for."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...base.errors import PluginLoadError
from ...hosts.sandbox.bwrap import KIND
from ...hosts.sandbox.containment import find_bubblewrap
from ...plugins.sources.entry import parse_entry
from .finding import Finding

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ...config.configuration import Configuration


def check_sandbox(configuration: Configuration | None) -> Iterator[Finding]:
    """A trivial program in a sandbox: whether it runs. It is a failure only where a plugin asks for one."""
    found = find_bubblewrap()
    if found.problem is None:
        tried = f"it was tried, in {found.seconds * 1000:.0f} ms"
        yield Finding("ok", "sandbox (bwrap)", f"{found.version}, {found.path} ({found.source}); {tried}")
        return
    wanted = configuration is not None and any(_asks(entry, configuration) for entry in configuration.plugins)
    yield Finding(
        "FAIL" if wanted else "warn", "sandbox (bwrap)", f"not to be had: {found.problem}", found.remedy
    )


def _asks(entry: object, configuration: Configuration) -> bool:
    try:
        sandbox = parse_entry(entry, configuration.base).options.sandbox
    except PluginLoadError:  # told by the check of the plugins
        return False
    return sandbox == KIND or (isinstance(sandbox, dict) and sandbox.get("kind") == KIND)
