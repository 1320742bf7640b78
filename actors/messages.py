"""The messages of the actors, all frozen: what may be told or asked, and by whom.

`Dispatch` is for everybody; the rest is between the house's own actors.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from ..base.frozen import frozen
from ..base.validation import require_call_options
from ..hosts.protocol.description import PLAIN
from ..supervision.restart.exits import ExitKind

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    import pykka

    from ..hosts.host import Host
    from ..hosts.limits.limits import Exceeded
    from ..hosts.process.process import ProcessExit
    from ..hosts.protocol.description import Description
    from ..hosts.report.crash_report import CrashReport
    from .calls.call import Call
    from .handshake.loaded_plugin import LoadedPlugin
    from .hosted.request import HostedRun
    from .hosting.contracts import Reporter
    from .local.run import ThreadRun
    from .routing.decision import Claims


@frozen
class Dispatch:
    """To the router, asked: run this tool call. The answer is its `Call`, at once.

    Attributes:
        tool_call: in any wire format that the board's registry reads.
        context: given to tools that accept one.
        deadline: seconds; ``None`` for the tool's or the board's default.
    """

    tool_call: Any
    context: dict[str, Any] | None = None
    deadline: float | None = None

    def __post_init__(self) -> None:
        require_call_options(self.context, self.deadline)


@frozen
class Route:
    """To the router: find the tool for a call whose claims have to be asked, or have been."""

    call: Call
    claims: Claims | None = None


@frozen
class Claimed:
    """To the router: the plugins have said what they think of a call, as far as they have (``None``: no opinion)."""

    call: Call
    claims: Claims


class Work:
    """To a tool actor: the mailbox has granted a piece of work."""


WORK: Final = Work()


@frozen
class HostUp:
    """To a tool actor: a life of the host answers calls. They are sent to it once it is told to be ready.

    Attributes:
        host: the life.
        life: the actor that sees to it.
        schemas: its tools.
        state: what its ``init`` returned, and what its ``get_tool_schemas`` has made of that.
        ready: to be called once its tools are offered; until then nobody is told that it is ready.
        on_sent: to be called after each call that is sent to it, if anybody counts them.
        prepared: what the plugin has prepared, if it has.
        description: the plugin and its host, as they describe themselves.
    """

    host: Host
    life: pykka.ActorRef[Any]
    schemas: tuple[dict[str, Any], ...]
    state: dict[str, Any]
    ready: Callable[[], None]
    on_sent: Callable[[], None] | None = None
    prepared: dict[str, Any] | None = None
    description: Description = PLAIN


@frozen
class HostReady:
    """To a tool actor: everybody is told that this life of the host is ready.

    Attributes:
        generation: of that life.
    """

    generation: int


@frozen
class HostDown:
    """To a tool actor: that life has ended.

    Attributes:
        generation: of that life.
        report: of a crash that nobody outside had a hand in.
    """

    generation: int
    report: CrashReport | None = None


@frozen
class HostOut:
    """To a tool actor: the host is parked or stopped, or has no place for the plugin, and that will stay so for a while.

    Attributes:
        error: a sentence for those who call.
        report: the last crash report as JSON, if there is one.
        holds: the mailbox's count of them at that time, by which this is known to be stale.
    """

    error: str
    report: Mapping[str, Any] | None
    holds: int


@frozen
class GivenUp:
    """To a tool actor: a call that was under way has been ended by its deadline or its caller."""

    call: Call


@frozen
class Overdue:
    """To a tool actor: a run was given up, and its grace time is over."""

    run: HostedRun | ThreadRun


@frozen
class Probed:
    """To a tool actor: a shared host in which a run is overdue was asked something; whether it answers."""

    run: HostedRun
    answers: bool


@frozen
class ThreadBack:
    """To a tool actor: the fenced-off thread of a run has come back after all."""

    run: ThreadRun


@frozen
class Shutdown:
    """To the router and the tool actors: stop. To the router: end the calls that wait for claims."""

    reason: str


@frozen
class HandshakeAnswered:
    """To a host actor: ``init``, ``get_tool_schemas`` or the like was answered for a plugin."""

    loaded_plugin: LoadedPlugin
    method: str
    value: Any
    state: dict[str, Any] | None


@frozen
class HandshakeFailed:
    """To a host actor: ``init``, ``get_tool_schemas`` or the like was refused for a plugin.

    Attributes:
        permanent: the next life would be refused the same way.
    """

    loaded_plugin: LoadedPlugin
    method: str
    cause: str
    permanent: bool


class Begin:
    """To a host actor that waits: start the process."""


BEGIN: Final = Begin()


@frozen
class StartOverdue:
    """To a host actor: it should have been ready by now; ``extended`` if it was given time for a preparation."""

    extended: bool = False


@frozen
class LoadPlugin:
    """To a host actor: one more plugin lives in the host from now on."""

    loaded_plugin: LoadedPlugin


@frozen
class UnloadPlugin:
    """To a host actor: a plugin lives in the host no more."""

    loaded_plugin: LoadedPlugin


@frozen
class LoadOverdue:
    """To a host actor that is ready: a plugin that came later should have been by now; see `StartOverdue`."""

    loaded_plugin: LoadedPlugin
    extended: bool = False


@frozen
class LoadProbed:
    """To a host actor: a plugin was overdue after so many seconds; whether the host answers anything else."""

    loaded_plugin: LoadedPlugin
    patience: float
    answers: bool


@frozen
class EndLife:
    """To a host actor: end this life; ``kind`` is not `REQUESTED` when a call outstayed its grace time."""

    reason: str
    kind: ExitKind = ExitKind.REQUESTED


@frozen
class TakeOver:
    """To a host actor that waits as a standby: be the life that ``reporter`` reports on."""

    reporter: Reporter


@frozen
class Retire:
    """To a host actor: a successor has been started; end once what is under way has ended."""

    reason: str


@frozen
class LimitReached:
    """To a host actor: its life has come to a limit."""

    exceeded: Exceeded


@frozen
class Drain:
    """To a host actor that retires: the successor takes the calls now, or none will come."""


@frozen
class Drained:
    """To a host actor that retires: nothing is under way any more, or may be.

    Attributes:
        late: calls were still under way when the time for that was over.
    """

    late: bool = False


@frozen
class ProcessEnded:
    """To a host actor, from its pump: the process has ended."""

    exit: ProcessExit
    report: CrashReport
    breach: str | None


@frozen
class TreeGone:
    """To a host actor, from its pump: the whole tree has ended but for these pids."""

    leftovers: tuple[int, ...]
