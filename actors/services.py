"""What the parts of one board share, handed on as one value. The board makes it, and closes what is in it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

from ..base.frozen import frozen

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable

    from ..hosts.mcp.sampling import Sampling
    from ..hosts.process_tree.watchdog import Watchdog
    from ..plugins.hooks.forms import Form, FormAnswer
    from ..supervision.runtime.clock import Clock
    from ..supervision.runtime.events import EventStream
    from ..supervision.runtime.start_slots import StartSlots
    from .state.persister import StateKeeper
    from .threads.hook_pool import HookPool


class AnswersByModel(Protocol):
    """Asks a model for others. From any thread.

    Attributes:
        ready: there is one.
    """

    @property
    def ready(self) -> bool: ...

    def sample(self, asked: Sampling, stopped: Callable[[], bool]) -> dict[str, Any]:
        """Ask it and wait; ``stopped`` says that nobody waits for the answer any more. Raises what keeps it from answering."""


class AsksCallers(Protocol):
    """Has those asked who made a call, where they can be; from any thread, and nothing blocks."""

    def offers(self) -> frozenset[str]:
        """What they may be asked for at present: ``elicitation``, ``sampling``."""

    def of_handshake(self) -> bool:
        """Whether there is one client of MCP, and it speaks the handshake era. Servers that speak both eras are then spoken to in that one."""

    def client_of(self, call: str) -> Hashable:
        """Who made a call, by its id: equal for two calls of one client, as far as that is known; ``None`` for the board's own program."""

    def log_level(self) -> str | None:
        """The least grave level of MCP of which they want to be told what programs log; ``None`` if they do not."""

    def log(self, plugin: str, calls: tuple[str, ...], params: dict[str, Any]) -> None:
        """A plugin's program logs something: the params of MCP's notification. It may be about any of these calls, if there are some."""

    def asker(
        self, asked: Form | Sampling, calls: tuple[str, ...]
    ) -> Callable[[Callable[[Any, str], None]], Callable[[], None]] | None:
        """What asks them, or ``None`` if they cannot be asked.

        It is given what is to be called with the answer, later and from another thread: with a `FormAnswer` to a form, else with what MCP says
        of a model's answer, or with ``None`` and why there is none. It returns what withdraws the question.

        Args:
            asked: what a program wants to know.
            calls: the ids of the calls of which one has made it ask.
        """


class AsksPeople(Protocol):
    """Has people and models asked; from any thread, and nothing blocks."""

    @property
    def callers(self) -> AsksCallers | None:
        """Who has callers asked, which comes before all others; ``None`` where they cannot be."""

    @property
    def takes_forms(self) -> bool:
        """Whether anybody is there who has forms filled in."""

    @property
    def has_model(self) -> bool:
        """Whether there is a model that can be asked."""

    def ask_model(
        self, asked: Sampling, call: str, done: Callable[[dict[str, Any] | None, str], None]
    ) -> Callable[[], None]:
        """As `ask_form`, of a model; ``None`` and why, if it has not answered."""

    def ask_form(self, form: Form, call: str, done: Callable[[FormAnswer], None]) -> Callable[[], None]:
        """Have ``done`` called with the answer, at once or from another thread; returns what withdraws it."""


@frozen(eq=False, kw_only=True)
class Services:
    """See the module. For a part that needs two or more of them; one that needs the clock alone takes the clock.

    Attributes:
        clock: the board's time.
        events: where it publishes.
        threads: where code of others runs that may not come back.
        watchdog: ends the hosts with this process.
        random: the source of the jitter of hosts.
        start_slots: how many hosts start at the same time.
        keeper: keeps the plugins' states beyond this process, or ``None``.
        tool_runtime: what plugins of this process find in their context under that name.
        people: who asks people and models; ``None`` for a part without a board.
    """

    clock: Clock
    events: EventStream
    threads: HookPool
    watchdog: Watchdog
    random: Callable[[], float]
    start_slots: StartSlots
    keeper: StateKeeper | None = None
    tool_runtime: Any = None
    people: Callable[[], AsksPeople] | None = None

    def close(self) -> None:
        """Let go of what the board has made, once all its hosts have ended or had their time."""
        if self.keeper is not None:
            self.keeper.close()
        self.watchdog.close()  # kills the hosts that have not ended
        self.threads.close()
