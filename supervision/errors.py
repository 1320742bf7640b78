"""What the supervisor refuses, and to whom it happened."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..base.errors import CallboardError, PluginLoadError
from .restart.spec import AdmissionRefused

if TYPE_CHECKING:
    from .generation import RunningGeneration
    from .verbs import Answer


class UnknownChild(CallboardError):
    """An order names a child that the supervisor does not have, such as a plugin that runs in this process.

    Attributes:
        child: the name.
        children: the names there are.
    """

    def __init__(self, child: str, children: list[str], problem: str | None = None) -> None:
        super().__init__(problem or f"there is no host {child!r}; there are: {', '.join(children) or 'none'}")
        self.child = child
        self.children = children


class ChildExists(AdmissionRefused, PluginLoadError):
    """A child is added under an id that is taken. For who loads a plugin, whose host has that id, it is a `PluginError`.

    Attributes:
        child: the id.
        answer: ``already_started`` if it runs, else ``already_present``.
        running: the generation that has the address, or ``None``.
    """

    def __init__(self, child: str, answer: Answer, running: RunningGeneration | None) -> None:
        super().__init__(
            f"there is a child {child!r} already ({answer.value}); remove it first, or use its name",
            plugin=child,
        )
        self.child = child
        self.answer = answer
        self.running = running


class StartFailed(CallboardError):
    """A child was not taken in, because what is to start it failed.

    Attributes:
        child: its id.
    """

    def __init__(self, child: str, cause: str) -> None:
        super().__init__(f"the child {child!r} was not taken in: starting it failed: {cause}")
        self.child = child
