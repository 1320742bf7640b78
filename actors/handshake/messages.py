"""What the handshake tells: the actors of the plugins that were loaded, and the actor of the host that loads them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ...base.frozen import frozen
from ...hosts.protocol.description import PLAIN

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    import pykka

    from ...hosts.host import Host
    from ...hosts.protocol.description import Description
    from ...hosts.report.crash_report import CrashReport
    from .handshake import LoadedPlugin
    from .outage import NextStart


@frozen
class HostUp:
    """To a tool actor: a generation of the host answers calls. They are sent to it once it is told to be ready.

    Attributes:
        host: the generation.
        host_actor: the actor that sees to it.
        schemas: its tools.
        state: what its ``init`` returned, and what its ``get_tool_schemas`` has made of that.
        ready: to be called once its tools are offered; until then nobody is told that it is ready.
        on_sent: to be called after each call that is sent to it, if anybody counts them.
        prepared: what the plugin has prepared, if it has.
        description: the plugin and its host, as they describe themselves.
    """

    host: Host
    host_actor: pykka.ActorRef[Any]
    schemas: tuple[dict[str, Any], ...]
    state: dict[str, Any]
    ready: Callable[[], None]
    on_sent: Callable[[], None] | None = None
    prepared: dict[str, Any] | None = None
    description: Description = PLAIN


@frozen
class HostReady:
    """To a tool actor: everybody is told that this generation of the host is ready.

    Attributes:
        generation: its number.
    """

    generation: int


@frozen
class HostDown:
    """To a tool actor: that generation has ended.

    Attributes:
        generation: its number.
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
        next_start: returns when the host is started again; ``None`` if it runs, without the plugin.
    """

    error: str
    report: Mapping[str, Any] | None
    holds: int
    next_start: Callable[[], NextStart] | None = None


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
        permanent: the next generation would be refused the same way.
    """

    loaded_plugin: LoadedPlugin
    method: str
    cause: str
    permanent: bool


@frozen
class LoadPlugin:
    """To a host actor: one more plugin runs in the host from now on."""

    loaded_plugin: LoadedPlugin


@frozen
class UnloadPlugin:
    """To a host actor: a plugin runs in the host no more."""

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
