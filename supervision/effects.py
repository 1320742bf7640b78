"""What the supervision has its actor do: five deeds and the news. Values, nothing else."""

from __future__ import annotations

from typing import Any

from ..base.frozen import frozen


@frozen
class StartGeneration:
    """Start the child's next generation."""

    child: str
    generation: int


@frozen
class StopGeneration:
    """End a generation of the child; its end will be reported.

    Attributes:
        retire: its successor has been started. It may finish what is under way.
    """

    child: str
    generation: int
    reason: str
    retire: bool = False


@frozen
class Schedule:
    """Report `Supervision.due` with this token at this time.

    Attributes:
        child: whose time it is; a group's name if ``group``.
    """

    child: str
    token: int
    at: float
    group: bool = False


@frozen
class Changed:
    """The child is in a new state. ``kind`` names the event to publish, with its facts.

    Attributes:
        child: whose news it is; a group's name if ``group``.
    """

    child: str
    kind: str
    facts: dict[str, Any]
    group: bool = False


@frozen
class Removed:
    """The child is gone, and its id is free."""

    child: str
    group: bool = False


@frozen
class Finished:
    """All have been shut down, but for generations of these children, which did not end in time."""

    child: str
    left: tuple[str, ...]


Effect = StartGeneration | StopGeneration | Schedule | Changed | Removed | Finished
Effects = tuple[Effect, ...]
