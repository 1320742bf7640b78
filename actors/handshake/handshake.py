"""How plugins are loaded into one generation of a host: each is loaded, initialised, prepared and asked for its schemas.

::

    waits ─▶ asked ─▶ loaded
               └────▶ rejected, with the reason; the others are not touched by that

Everything that can be asked is asked at once: a hundred plugins take the time of the slowest and not the
sum. Only where a start has failed before, and it is to be found out because of whom, one is loaded after the
other.

`Handshake` is pure: it is told what was answered, and says what is to be asked next.
"""

from __future__ import annotations

import sys
from enum import Enum
from typing import TYPE_CHECKING, Any, NamedTuple

from ...base.errors import JsonValueError
from ...base.frozen import frozen
from ...base.json import dump_inner

if TYPE_CHECKING:
    from collections.abc import Callable

    import pykka

    from ...hosts.hosted_tool import HostedToolPlugin

Json = dict[str, Any]


class Ask(NamedTuple):
    """A request of the handshake.

    Attributes:
        plugin: whose it is.
        method: on the wire.
        params: without the word for whom it is.
    """

    plugin: str
    method: str
    params: Json


class PluginLoaded(NamedTuple):
    """A plugin that is loaded.

    Attributes:
        state: what its ``init`` returned, and what its ``get_tool_schemas`` has made of that.
        schemas: its tools.
        prepared: what its ``prepare`` returned; ``None`` if there is nothing to prepare.
    """

    state: Json
    schemas: tuple[Json, ...]
    prepared: Json | None = None


class Refusal(NamedTuple):
    """Why a plugin is rejected, and whether the next generation would have no better answer."""

    cause: str
    permanent: bool


@frozen
class LoadingPlugin:
    """A plugin that is to be loaded.

    Attributes:
        name: the plugin's.
        config: what its ``init`` is given.
        load: what the host is told to load for it, or ``None`` if it was started for just this plugin.
    """

    name: str
    config: Json
    load: Json | None = None


class Stage(Enum):
    """How far one is."""

    WAITS = 1
    ASKED = 2
    LOADED = 3
    REJECTED = 4


_OPEN = (Stage.WAITS, Stage.ASKED)

_WITH_STATE = frozenset({"init", "get_tool_schemas"})

_FIRST = {"load": "loading it", "prepare": "preparing it"}


class Handshake:
    """See the module. Not thread-safe.

    Args:
        one_by_one: the next one is asked when the one before it is loaded or rejected.
        max_state: the largest state that one may come with, in bytes of JSON.
        hide: returns the text of a rejection without secrets.

    Attributes:
        loaded: the plugins that are loaded.
        refusals: those that are not, and why.
    """

    def __init__(
        self, *, one_by_one: bool = False, max_state: int = sys.maxsize, hide: Callable[[str], str] = str
    ) -> None:
        self.one_by_one = one_by_one
        self._max_state = max_state
        self._hide = hide
        self.loaded: dict[str, PluginLoaded] = {}
        self.refusals: dict[str, Refusal] = {}
        self._loading_plugins: dict[str, LoadingPlugin] = {}
        self._stages: dict[str, Stage] = {}
        self._states: dict[str, Json] = {}
        self._preparing: set[str] = set()
        self._prepared: dict[str, Json] = {}
        self._owed: dict[str, int] = {}
        self._loading: set[str] = set()

    @property
    def settled(self) -> bool:
        """Whether each plugin is loaded or refused."""
        stages = self._stages.values()
        return Stage.ASKED not in stages and Stage.WAITS not in stages

    def is_open(self, name: str) -> bool:
        """Whether a plugin is neither loaded nor refused yet."""
        return self._stages.get(name) in _OPEN

    @property
    def unanswered(self) -> list[str]:
        """Of whom the host owes an answer: if it ends or hangs now, one of them may be why."""
        return [name for name, owed in self._owed.items() if owed]

    def prepares(self, name: str) -> bool:
        """Whether one is at its preparation, which may take longer than all the rest."""
        return name in self._preparing and self._stages.get(name) is Stage.ASKED

    @property
    def is_loading(self) -> bool:
        """Whether the host has been told to load a plugin, and has not answered that."""
        return bool(self._loading)

    def add(self, loading_plugin: LoadingPlugin) -> list[Ask]:
        """One more is to be loaded; nothing if it was added before."""
        if loading_plugin.name in self._stages:
            return []
        self._loading_plugins[loading_plugin.name] = loading_plugin
        self._stages[loading_plugin.name] = Stage.WAITS
        return self._next()

    def unload(self, name: str) -> list[Ask]:
        """One is gone, wherever it stood; nothing that is answered for it matters."""
        for each in (
            self._loading_plugins,
            self._stages,
            self._states,
            self._owed,
            self.loaded,
            self.refusals,
        ):
            each.pop(name, None)
        self._prepared.pop(name, None)
        self._preparing.discard(name)
        self._loading.discard(name)
        return self._next()

    def answered(
        self, name: str, method: str, value: Any, state: Json | None, *, prepares: bool = False
    ) -> list[Ask]:
        """A request was answered; ``prepares`` if the plugin is known to have something to prepare."""
        self._paid(name, method)
        if self._stages.get(name) is not Stage.ASKED:
            return []
        if method == "init":
            state = state if state is not None else value if isinstance(value, dict) else {}
        if state is not None and method in _WITH_STATE:
            if (why := self._objection(state)) is not None:
                return self._reject(name, f"{method} answered with a state that {why}", permanent=True)
            self._states[name] = state
        match method:
            case "init":
                given = self._states[name]
                if prepares:
                    self._preparing.add(name)
                    config = self._loading_plugins[name].config
                    return [self._ask(name, "prepare", {"config": config, "state": given})]
                return [self._ask(name, "get_tool_schemas", {"state": given})]
            case "prepare":
                return self._on_prepared(name, value)
            case "get_tool_schemas":
                return self._on_schemas(name, value)
        return []

    def refused(self, name: str, method: str, cause: str, *, permanent: bool) -> list[Ask]:
        """A request was refused, or cannot be sent."""
        self._paid(name, method)
        permanent = permanent or method == "prepare"
        return self._reject(name, f"{_FIRST.get(method, method)} failed: {cause}", permanent=permanent)

    def overdue(self, name: str, seconds: float) -> list[Ask]:
        """One has taken too long; its answers are still owed."""
        preparing = self.prepares(name)
        late = "preparing it took more than" if preparing else "it was not ready within"
        return self._reject(name, f"{late} {seconds:g} s", permanent=preparing)

    def failure(self) -> Refusal:
        """Why no plugin is loaded, when none is open any more."""
        causes = [refusal.cause for refusal in self.refusals.values()]
        if len(causes) > 1:
            causes = [f"plugin {name!r}: {refusal.cause}" for name, refusal in self.refusals.items()]
        permanent = bool(causes) and all(refusal.permanent for refusal in self.refusals.values())
        return Refusal("; ".join(causes) or "no plugin runs in it", permanent)

    def _objection(self, state: Json) -> str | None:
        """Why a state cannot be what calls are sent with."""
        try:
            size = len(dump_inner(state, what="$.state"))
        except JsonValueError as error:
            return f"cannot be sent to a host: {error}"
        return (
            f"has {size} bytes as JSON; at most {self._max_state} are kept"
            if size > self._max_state
            else None
        )

    def _on_prepared(self, name: str, value: Any) -> list[Ask]:
        self._preparing.discard(name)
        if value is not None and not isinstance(value, dict):
            cause = f"prepare answered with {type(value).__name__}, not with an object"
            return self._reject(name, cause, permanent=True)
        self._prepared[name] = value or {}
        params = {"state": self._states[name]} | ({"prepared": value} if value else {})
        return [self._ask(name, "get_tool_schemas", params)]

    def _on_schemas(self, name: str, value: Any) -> list[Ask]:
        if not isinstance(value, list) or not all(isinstance(schema, dict) for schema in value):
            cause = f"get_tool_schemas answered with {type(value).__name__}, not with a list of objects"
            return self._reject(name, cause, permanent=True)
        self._stages[name] = Stage.LOADED
        self.loaded[name] = PluginLoaded(self._states.pop(name), tuple(value), self._prepared.pop(name, None))
        return self._next()

    def _reject(self, name: str, cause: str, *, permanent: bool) -> list[Ask]:
        if self._stages.get(name) is not Stage.ASKED:
            return []
        self._stages[name] = Stage.REJECTED
        self.refusals[name] = Refusal(self._hide(cause), permanent)
        return self._next()

    def _next(self) -> list[Ask]:
        asks: list[Ask] = []
        for name, stage in self._stages.items():
            if stage is Stage.WAITS and not (self.one_by_one and self._busy):
                self._stages[name] = Stage.ASKED
                loading_plugin = self._loading_plugins[name]
                if loading_plugin.load is not None:
                    asks.append(self._ask(name, "load", loading_plugin.load))
                asks.append(self._ask(name, "init", {"config": loading_plugin.config}))
        return asks

    @property
    def _busy(self) -> bool:
        return Stage.ASKED in self._stages.values()

    def _ask(self, name: str, method: str, params: Json) -> Ask:
        self._owed[name] = self._owed.get(name, 0) + 1
        if method == "load":
            self._loading.add(name)
        return Ask(name, method, params)

    def _paid(self, name: str, method: str) -> None:
        if method == "load":
            self._loading.discard(name)
        if self._owed.get(name):
            self._owed[name] -= 1


@frozen(eq=False)
class LoadedPlugin:
    """A plugin as the generations of its host know it.

    Attributes:
        name: the plugin's, on the board.
        plugin: told which generation is the present one.
        config: what its ``init`` is given.
        tool: the actor that sends its calls.
        load: what the host is told to load for it; ``None`` of one that has its host for itself.
        on_loaded: told each time that its tools are those of a new generation; in its actor's thread.
        on_rejected: told why a generation cannot have it.
        on_failure: told its part in why a generation has no plugin at all.
    """

    name: str
    plugin: HostedToolPlugin
    config: dict[str, Any]
    tool: pykka.ActorRef[Any]
    load: dict[str, Any] | None
    on_loaded: Callable[[], None]
    on_rejected: Callable[[str], None]
    on_failure: Callable[[Fault], None]

    def loading_plugin(self) -> LoadingPlugin:
        """What a generation has to know to load it."""
        return LoadingPlugin(self.name, self.config, self.load)

    def address(self, params: dict[str, Any]) -> dict[str, Any]:
        """Parameters of a request that is for this plugin; in a host of its own nobody has to say so."""
        return params if self.load is None else params | {"plugin": self.name}


@frozen
class Fault:
    """Why a host has none of its plugins, and which part of that is one plugin's own.

    Attributes:
        of_all: as it stands in the cause of the host's end; empty of a plugin that was never refused.
        own: the plugin's.
    """

    of_all: str = ""
    own: str = ""

    def told_in(self, why: str) -> str:
        """What the plugin is told of an end: its own fault in place of those of all, which each would repeat."""
        return why.replace(self.of_all, self.own) if self.is_part_of(why) else why

    def is_part_of(self, why: str) -> bool:
        """Whether the faults of several plugins stand in there."""
        return self.of_all != self.own and self.of_all in why


class PluginsToLoad(NamedTuple):
    """What a generation is to load.

    Attributes:
        wanted: those.
        left_out: those that it has to do without, and why.
        one_by_one: the next one when the one before it is loaded or rejected.
    """

    wanted: tuple[LoadedPlugin, ...]
    left_out: tuple[tuple[LoadedPlugin, str], ...] = ()
    one_by_one: bool = False
