"""The handshake of one generation: sees that its plugins are loaded, and that their actors are told.

The host actor has one and is the only one to use it. What comes after what is for `Handshake` to say.
"""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any

from ...base.errors import JsonValueError
from ...base.locks import Lock
from ...hosts.errors import RequestTooLarge
from ...hosts.protocol.description import PLAIN
from ...supervision.runtime.telling import tell
from ..state.cell import largest_state
from .handshake import Fault, Handshake
from .messages import HandshakeAnswered, HandshakeFailed, HostDown, HostUp

if TYPE_CHECKING:
    from collections.abc import Callable

    import pykka

    from ...hosts.host import Host
    from ...hosts.protocol.description import Description
    from ...hosts.protocol.wire import RawAnswer
    from ...hosts.report.crash_report import CrashReport
    from .handshake import Ask, LoadedPlugin, PluginsToLoad, Refusal


class HandshakeDriver:
    """See the module.

    Args:
        host_actor: of the generation.
        hide: returns a text without the values that were filled into the plugin's entry.
    """

    def __init__(self, host_actor: pykka.ActorRef[Any], hide: Callable[[str], str]) -> None:
        self._host_actor = host_actor
        self._hide = hide
        self._host: Host | None = None
        self._loaded_plugins: dict[str, LoadedPlugin] = {}
        self._left_out: tuple[tuple[LoadedPlugin, str], ...] = ()
        self._handshake = Handshake()
        self._loaded: dict[str, Description] = {}
        self._on_sent: Callable[[], None] | None = None
        self._ready: AnswerCount | None = None

    @property
    def settled(self) -> bool:
        """Whether each plugin is loaded or rejected."""
        return self._handshake.settled

    def failure(self) -> Refusal | None:
        """Why no plugin is loaded, of which each is told its own part; ``None`` if one is."""
        if self._handshake.loaded:
            return None
        failure = self._handshake.failure()
        for name, refusal in self._handshake.refusals.items():
            if (loaded_plugin := self._loaded_plugins.get(name)) is not None:
                loaded_plugin.on_failure(Fault(failure.cause, refusal.cause))
        return failure

    @property
    def handshake(self) -> Handshake:
        """Which plugins are loaded, and which are rejected."""
        return self._handshake

    @property
    def one_by_one(self) -> bool:
        """Whether this generation loads its plugins one after the other."""
        return self._handshake.one_by_one

    @property
    def unanswered(self) -> list[str]:
        return self._handshake.unanswered

    @property
    def is_loading(self) -> bool:
        """Whether the host is still loading what it runs, as far as that can be told."""
        return self._handshake.is_loading or (self._host is not None and self._host.is_loading)

    def open(self, host: Host, plugins: PluginsToLoad) -> None:
        """The process has been started. Raises `HostGone` when it takes no more requests."""
        self._host = host
        self._left_out = plugins.left_out
        largest = largest_state(host.max_line)
        self._handshake = Handshake(one_by_one=plugins.one_by_one, max_state=largest, hide=self._hide)
        self._loaded_plugins = {loaded_plugin.name: loaded_plugin for loaded_plugin in plugins.wanted}
        self._ask(
            [
                ask
                for loaded_plugin in plugins.wanted
                for ask in self._handshake.add(loaded_plugin.loading_plugin())
            ]
        )

    def load(self, loaded_plugin: LoadedPlugin) -> bool:
        """Load one more plugin; False if it is known already. Raises as `open`."""
        known = self._loaded_plugins.get(loaded_plugin.name)
        if known is loaded_plugin:
            return False
        if known is not None:
            self.unload(known)
        self._loaded_plugins[loaded_plugin.name] = loaded_plugin
        self._ask(self._handshake.add(loaded_plugin.loading_plugin()))
        return True

    def unload(self, gone: LoadedPlugin) -> None:
        """Unload a plugin. Raises as `open`."""
        name, loaded_plugin = gone.name, self._loaded_plugins.get(gone.name)
        if loaded_plugin is None or loaded_plugin.tool is not gone.tool:  # another of its name has come
            return
        del self._loaded_plugins[name]
        if self._host is None:
            return
        if loaded_plugin.plugin.host is self._host:
            loaded_plugin.plugin.attach(None)
        asks = self._handshake.unload(name)
        self._loaded.pop(name, None)
        self._host.say_farewell(name)
        self._host.send("unload", {"plugin": name}, HandshakeRequest(loaded_plugin, "unload", lambda _: True))
        self._ask(asks)

    def hear(self, message: HandshakeAnswered | HandshakeFailed) -> bool:
        """A request has come to its end; True if its plugin is loaded or rejected now. Raises as `open`."""
        loaded_plugin = message.loaded_plugin
        if self._loaded_plugins.get(loaded_plugin.name) is not loaded_plugin:
            return False  # it has gone, and perhaps another of its name has come
        match message:
            case HandshakeAnswered(_, method, value, state):
                prepares = self._description(loaded_plugin, method, value).offers("prepare")
                asks = self._handshake.answered(loaded_plugin.name, method, value, state, prepares=prepares)
            case HandshakeFailed(_, method, cause, permanent):
                asks = self._handshake.refused(loaded_plugin.name, method, cause, permanent=permanent)
        self._ask(asks)
        return self._after(loaded_plugin)

    def _description(self, loaded_plugin: LoadedPlugin, method: str = "", value: Any = None) -> Description:
        """What is known of one by now: the host tells of the one it was started for, and of others as it loads them."""
        assert self._host is not None
        if loaded_plugin.load is None:
            return self._host.description
        if method == "load":
            self._loaded[loaded_plugin.name] = self._host.description.of_loaded(value)
        return self._loaded.get(loaded_plugin.name, PLAIN)

    def preparing(self, loaded_plugin: LoadedPlugin | None = None) -> bool:
        """Whether a plugin prepares itself, or any does."""
        loaded_plugins = self._loaded_plugins.values() if loaded_plugin is None else (loaded_plugin,)
        return any(self._handshake.prepares(each.name) for each in loaded_plugins)

    def awaits(self, loaded_plugin: LoadedPlugin) -> bool:
        """Whether a plugin is neither loaded nor rejected yet."""
        return self._loaded_plugins.get(loaded_plugin.name) is loaded_plugin and self._handshake.is_open(
            loaded_plugin.name
        )

    def reject(self, loaded_plugin: LoadedPlugin, seconds: float) -> bool:
        """Reject a plugin: it has had its time. Raises as `open`."""
        self._ask(self._handshake.overdue(loaded_plugin.name, seconds))
        return self._after(loaded_plugin)

    def serve(self, on_sent: Callable[[], None] | None, ready: Callable[[], None]) -> None:
        """Have calls sent here from now on.

        Args:
            on_sent: called after each call that is sent, if they are counted.
            ready: called once all actors know which plugins are loaded.
        """
        self._on_sent = on_sent
        self._ready = AnswerCount(len(self._handshake.loaded), ready)
        for loaded_plugin, cause in self._left_out:
            loaded_plugin.on_rejected(cause)
        for loaded_plugin in tuple(self._loaded_plugins.values()):
            self._show(loaded_plugin)

    def down(self, generation: int, report: CrashReport | None = None) -> None:
        """Have no calls sent here any more; ``report`` of a crash that nobody had a hand in."""
        for loaded_plugin in self._loaded_plugins.values():
            tell(loaded_plugin.tool, HostDown(generation, report))

    def ended(self) -> None:
        """The process has ended."""
        for loaded_plugin in self._loaded_plugins.values():
            if loaded_plugin.plugin.host is self._host:
                loaded_plugin.plugin.attach(None)

    def _after(self, loaded_plugin: LoadedPlugin) -> bool:
        out = not self._handshake.is_open(loaded_plugin.name)
        if out and self._ready is not None:
            self._show(loaded_plugin)
        return out

    def _show(self, loaded_plugin: LoadedPlugin) -> None:
        """Tell a plugin's actor whether it is loaded."""
        if (refusal := self._handshake.refusals.get(loaded_plugin.name)) is not None:
            loaded_plugin.on_rejected(refusal.cause)
        known = self._handshake.loaded.get(loaded_plugin.name)
        if known is None or loaded_plugin.plugin.host is self._host:
            return
        assert self._host is not None
        assert self._ready is not None
        description = self._description(loaded_plugin)
        loaded_plugin.plugin.attach(self._host, description)
        ready = functools.partial(_offered_by, loaded_plugin, self._ready)
        up = HostUp(
            self._host,
            self._host_actor,
            known.schemas,
            known.state,
            ready,
            self._on_sent,
            known.prepared,
            description,
        )
        if not tell(loaded_plugin.tool, up):
            self._ready.without()

    def _ask(self, asks: list[Ask]) -> None:
        """Send requests. What cannot be sent is as good as refused."""
        assert self._host is not None
        while asks:
            ask, *asks = asks
            loaded_plugin = self._loaded_plugins[ask.plugin]
            answer = HandshakeRequest(loaded_plugin, ask.method, functools.partial(tell, self._host_actor))
            try:
                self._host.send(ask.method, loaded_plugin.address(ask.params), answer)
            except JsonValueError as error:
                cause = f"it cannot be sent to a host: {error}"
                asks += self._handshake.refused(ask.plugin, ask.method, cause, permanent=True)
            except RequestTooLarge as error:
                asks += self._handshake.refused(ask.plugin, ask.method, str(error), permanent=False)


class AnswerCount:
    """Calls ``then`` when so many have counted, or have said that they will not; not if all have.

    From any thread.
    """

    def __init__(self, count: int, then: Callable[[], None]) -> None:
        self._lock = Lock()
        self._left = count
        self._counted = False
        self._then = then

    def one(self) -> None:
        """One has counted."""
        self._less(counted=True)

    def without(self) -> None:
        """One will not."""
        self._less(counted=False)

    def _less(self, *, counted: bool) -> None:
        with self._lock:
            self._left -= 1
            self._counted = self._counted or counted
            over = self._left == 0 and self._counted
        if over:
            self._then()


def _offered_by(loaded_plugin: LoadedPlugin, ready: AnswerCount) -> None:
    """In the thread of its actor, which sends its calls here once the host is told to be ready."""
    loaded_plugin.on_loaded()
    ready.one()


class HandshakeRequest:
    """The owner of a request of the handshake with one plugin: turns its end into a message."""

    def __init__(self, loaded_plugin: LoadedPlugin, method: str, tell_actor: Callable[[Any], bool]) -> None:
        self.call_id = method
        self.request_id: str | None = None
        self.raw: RawAnswer | None = None
        self._loaded_plugin = loaded_plugin
        self._tell = tell_actor

    def on_part(self, payload: Any, size: int) -> None:
        """No part of a handshake is of interest."""

    def on_begun(self) -> None:
        """Not asked for."""

    def on_answer(self, value: Any, state: dict[str, Any] | None) -> None:
        """It was answered."""
        self._tell(HandshakeAnswered(self._loaded_plugin, self.call_id, value, state))

    def on_refused(self, error: dict[str, Any]) -> None:
        """It was refused."""
        cause = f"{error.get('type', 'Error')}: {error.get('detail', '')}"
        loading = error.get("phase") == "load"
        method = "load" if loading else self.call_id
        self._tell(HandshakeFailed(self._loaded_plugin, method, cause, permanent=loading))

    def on_breach(self, reason: str, detail: str, facts: dict[str, int]) -> None:
        """The host broke the protocol instead."""
        permanent = reason == "wrong_version"
        self._tell(HandshakeFailed(self._loaded_plugin, self.call_id, detail, permanent=permanent))

    def on_lost(self, report: CrashReport) -> None:
        """The end of the process is told by the pump."""

    def on_released(self) -> None:
        """Never abandoned."""
