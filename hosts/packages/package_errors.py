"""What can go wrong while a package is made ready."""

from __future__ import annotations

from ...base.errors import PluginLoadError


class PackageError(PluginLoadError):
    """A package could not be fetched, installed or built.

    The message is one sentence with the remedy; after a step of another program, its last lines follow.

    Attributes:
        step: what was being done, such as ``npm ci``; ``None`` outside of any step.
        output: the last that the step's program said.
    """

    def __init__(self, message: str, *, plugin: str, step: str | None = None, output: str = "") -> None:
        shown = [line.rstrip() for line in output.splitlines() if line.strip()][-_SHOWN:]
        super().__init__(
            "\n    ".join([f"{message}; its last words:" if shown else message, *shown]), plugin=plugin
        )
        self.step = step
        self.output = output


_SHOWN = 12
"""Lines of a failed step in its error."""
