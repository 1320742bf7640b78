"""A child from the supervisor's side: what it has to know of it, its running generation, and what that generation tells."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

from ..base.frozen import frozen
from .restart.spec import ROOT
from .runtime.telling import tell

if TYPE_CHECKING:
    from collections.abc import Callable

    import pykka

    from .restart.exits import Exit
    from .restart.policy import RestartPolicy


@frozen
class GenerationReady:
    """A generation answers calls."""

    child: str
    generation: int


@frozen
class GenerationDeclined:
    """A generation will not be."""

    child: str
    generation: int


@frozen
class GenerationWell:
    """A generation says of itself that it is well."""

    child: str
    generation: int


@frozen
class GenerationEnded:
    """A generation has ended."""

    child: str
    generation: int
    exit: Exit


class RunningGeneration(Protocol):
    """One running generation of a child."""

    def stop(self, reason: str) -> None:
        """Begin to end it; returns at once. Its end is reported like any other."""

    def retire(self, reason: str) -> None:
        """Begin to end it once what is under way in it has ended: its successor has been started."""


@frozen
class GenerationReporter:
    """By which a generation tells its supervisor how it goes; from any thread, never blocking."""

    supervisor: pykka.ActorRef[Any]
    child: str
    generation: int

    def ready(self) -> None:
        """It answers calls."""
        tell(self.supervisor, GenerationReady(self.child, self.generation))

    def declined(self) -> None:
        """It will not run this time, and nothing is wrong with that. Instead of `ended`."""
        tell(self.supervisor, GenerationDeclined(self.child, self.generation))

    def well(self) -> None:
        """It knows that it is well: the whole budget is given back now, before the generation counts as stable."""
        tell(self.supervisor, GenerationWell(self.child, self.generation))

    def ended(self, exit_: Exit) -> None:
        """It has ended, and nothing of it is left. Once."""
        tell(self.supervisor, GenerationEnded(self.child, self.generation, exit_))


@frozen
class ChildSpec:
    """What the supervisor has to know of a child.

    Attributes:
        id: unique among the supervisor's children.
        start: starts the next generation and returns at once; ``None`` if it declines to run.
        policy: when to start it again.
        on_change: told of each change of state, in the supervisor's thread: the event's kind and
            its facts. Must not block.
        on_removed: called in that thread, too, once the child is forgotten, and another may have its id.
        group: the group that it is in; the root if it is empty.
        significant: its end for good means something to its group; see `AutoShutdown`.
        dynamic: it does not come back with a group that had to be started again, and is stopped
            together with others of its kind.

    Raises:
        ValueError: it has no id, or nothing that starts it.
    """

    id: str
    start: Callable[[GenerationReporter], RunningGeneration | None]
    policy: RestartPolicy
    on_change: Callable[[str, dict[str, Any]], None] = lambda _kind, _facts: None
    group: str = ROOT
    significant: bool = False
    dynamic: bool = False
    on_removed: Callable[[], None] = lambda: None

    def __post_init__(self) -> None:
        child_id: Any = self.id  # what a caller without a type checker gave
        start: Any = self.start
        if not isinstance(child_id, str) or not child_id:
            raise ValueError(f"a child needs an id, a text that is not empty; it is {self.id!r}")
        if not callable(start):
            what = f"the child {self.id!r} needs something that starts it; 'start' is {self.start!r}"
            raise ValueError(what)  # noqa: TRY004 - one kind of error for all of a specification
