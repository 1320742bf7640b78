"""Resources and prompts of a board's MCP servers, passed on to clients. Blocks: it is for threads.

They keep their addresses and names. A resource is read of the server that has listed it, else of the one whose template fits its address, and no
other server learns the address: there may be a secret in it. A prompt whose name another server has too, or begins with another server's
prefix, gets its own server's name as a prefix. What was cut off of a result is listed to the client whose result it was, and read by its address
alone.
"""

from __future__ import annotations

import threading
import time
from functools import partial
from typing import TYPE_CHECKING, Any, Final, cast

from ..actors.board import NotStarted
from ..actors.calls.waiting import in_thread
from ..base.errors import CallboardError
from ..base.foreign import Log
from ..base.locks import Lock
from ..hosts.errors import HostGone, RemoteError
from ..hosts.mcp.offers import NOT_OFFERED
from ..hosts.mcp.result_bound import cut_from
from .ownership import named_prompts, owners_of

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping

    from ..callboard import Callboard
    from ..hosts.mcp.offers import ResourceSubscription
    from ..hosts.mcp.tool import McpToolPlugin

Json = dict[str, Any]
Listed = dict[str, list[Json]]

logger: Log = Log("callboard.mcp")


PATIENCE: Final = 5.0
"""Seconds for which a list waits for the servers, all together; one that has not answered by then is not waited for again until it has."""


class NotThere(CallboardError):
    """No server has it; says what was asked for."""


class _Question:
    """One server was asked for a list.

    Args:
        server: the plugin.
        is_late: it did not answer in time when it was asked last, so nobody waits for it.
    """

    def __init__(self, server: McpToolPlugin, *, is_late: bool) -> None:
        self.server = server
        self.is_late = is_late
        self.done = threading.Event()

    def wait(self, seconds: float) -> None:
        """Wait for the answer; what the server has listed last counts until it comes."""
        if not self.is_late and not self.done.wait(max(0.0, seconds)):
            self.is_late = True


class PassedOn:
    """See the module.

    Args:
        board: asked for its servers each time; one that is not started has none.
    """

    def __init__(self, board: Callboard) -> None:
        self._board = board
        self._known: dict[tuple[str, str], tuple[object, list[Json]]] = {}
        self._asked: dict[tuple[str, str], _Question] = {}
        self._lock = Lock()

    def resources(self) -> list[Json]:
        """Of all servers that have ever answered."""
        return _first_of_each(self._resources(), "uri")

    def templates(self) -> list[Json]:
        """Of all servers that have ever answered."""
        return _first_of_each(self._templates(), "uriTemplate")

    def read(self, uri: str) -> Json:
        """What a resource holds, as its server says it.

        Raises:
            NotThere: no server has it, or its server does not say.
            RemoteError: its server answers with an error.
        """
        server = self._server_of(uri)
        try:
            return self._board.read_resource(server, uri)
        except (CallboardError, KeyError) as error:
            if isinstance(error, RemoteError) and error.answer is not None:
                raise
            said = error.detail if isinstance(error, RemoteError) else error
            raise NotThere(f"the server {server!r} does not read the resource {uri!r:.200}: {said}") from None

    def prompts(self) -> list[Json]:
        """Of all servers that have ever answered, under the names that `prompt` takes."""
        return [{**prompt, "name": name} for name, (_, prompt) in self._named_prompts().items()]

    def prompt(self, name: str, arguments: Mapping[str, str]) -> Json:
        """A prompt with these arguments.

        Raises:
            NotThere: no server has it.
            HostError: its server does not answer, or refuses.
        """
        try:
            server, prompt = self._named_prompts()[name]
        except KeyError:
            raise NotThere(f"no server has the prompt {name!r:.200}") from None
        return self._board.get_prompt(server, prompt["name"], arguments)

    def complete(self, ref: Json, argument: Json, context: Json | None) -> Json:
        """How an argument of a prompt or a template may go on; no way, if its server does not say that of any.

        Raises:
            NotThere: no server has it.
            HostError: its server does not answer, or refuses.
        """
        server, its_own = self._referred_to(ref)
        try:
            return self._board.complete(server, its_own, argument, context)
        except RemoteError as error:
            if error.type == NOT_OFFERED:
                return {"completion": {"values": []}}
            if error.answer is not None:
                raise
            raise NotThere(f"the server {server!r} completes nothing here: {error.detail}") from None

    def _referred_to(self, ref: Json) -> tuple[str, Json]:
        """Whose prompt or template that is, and what its server calls it."""
        if (uri := ref.get("uri")) is not None:
            for listing in (partial(self._remembered, "templates"), self._templates):
                for server, templates in listing().items():
                    if any(each.get("uriTemplate") == uri for each in templates):
                        return server, ref
            return self._server_of(uri), ref
        remembered = named_prompts(self._remembered("prompts"))[0]
        named = remembered if ref["name"] in remembered else self._named_prompts()
        if ref["name"] not in named:
            raise NotThere(f"no server has the prompt {ref['name']!r:.200}")
        server, prompt = named[ref["name"]]
        return server, {**ref, "name": prompt["name"]}

    def subscribe(self, uri: str) -> tuple[str, McpToolPlugin, ResourceSubscription]:
        """Have the server of a resource tell when it changes; returns whose it is, and what ends that.

        Raises:
            NotThere: no server has it, or its server takes no such subscription.
            HostError: its server does not answer.
        """
        name = self._server_of(uri)
        server = self.servers().get(name)
        if server is None:
            raise NotThere(f"the server {name!r} has gone")
        try:
            return name, server, server.subscribe_resource(uri)
        except RemoteError as error:
            raise NotThere(f"the server {name!r} tells no changes of {uri!r:.200}: {error.detail}") from None

    def _named_prompts(self) -> dict[str, tuple[str, Json]]:
        named, left_out = named_prompts(self._of_all("prompts", self._board.prompts))
        for server, name in left_out:
            logger.warning(
                "the prompt %.100r of %r is left out: a prompt of another server is called so", name, server
            )
        return named

    def set_log_level(self, level: str) -> None:
        """Have all servers that can be told log from this level on; each is told in a thread of its own, and nobody waits."""
        for name, server in self.servers().items():
            in_thread(partial(_set_log_level, name, server, level), f"callboard-log-{name}")

    def asks_of_any(self, plugin: str) -> bool:
        """Whether a server asks and does not say for which call; that is kept for the next board, and nobody waits for it."""
        server = self.servers().get(plugin)
        if server is None or not server.asks_of_any:
            return False
        in_thread(partial(_keep_listing, plugin, server), f"callboard-keep-{plugin}")
        return True

    def _server_of(self, uri: str) -> str:
        """Whose resource it is. Raises `NotThere`: no server's, or it cannot be said whose."""
        servers = self.servers()
        cut = cut_from(uri)
        if cut is not None and cut in servers:
            return cut
        resources, templates = self._remembered("resources"), self._remembered("templates")
        # What was listed before holds; a template does only if no other server may have one that fits as well.
        found = owners_of(uri, resources, templates if len(templates) == len(servers) else {})
        found = found or owners_of(uri, self._resources(), self._templates())
        if len(found) == 1:
            return found[0]
        if not found:
            raise NotThere(f"no server lists the resource {uri!r:.200}, or has a template that fits it")
        names = " and ".join(map(repr, found))
        raise NotThere(f"the resource {uri!r:.200} is asked of none: templates of the servers {names} fit it")

    def known_server_of(self, uri: str) -> str | None:
        """Return the server of a resource by what was listed before; ``None`` if that does not tell. Never blocks."""
        if (cut := cut_from(uri)) is not None:
            return cut
        owners = owners_of(uri, self._remembered("resources"), self._remembered("templates"))
        return owners[0] if owners else None

    def known_server_with(self, prompt: str) -> str | None:
        """As `known_server_of`, for a prompt by its name."""
        named = named_prompts(self._remembered("prompts"))[0]
        return named[prompt][0] if prompt in named else None

    def _resources(self) -> Listed:
        return self._of_all("resources", self._board.resources)

    def _templates(self) -> Listed:
        return self._of_all("templates", self._board.resource_templates)

    def servers(self) -> dict[str, McpToolPlugin]:
        """The MCP servers on the board, by name; each is the same object until it leaves."""
        try:
            handles = self._board.board.plugin_manager.handles()
        except NotStarted:
            return {}
        hosted = {name: handle.plugin for name, handle in handles.items()}
        return {
            name: cast("McpToolPlugin", each)
            for name, each in hosted.items()
            if each is not None and each.kind == "mcp"
        }

    def _remembered(self, kind: str) -> Listed:
        """What the servers have listed last; those are missing that never have."""
        found = {}
        for name, server in self.servers().items():
            who, items = self._known.get((kind, name), (None, []))
            if who is server:
                found[name] = items
        return found

    def _of_all(self, kind: str, ask: Callable[[str], list[Json]]) -> Listed:
        """What all servers list now, or have listed last: what a server has is no other's while it does not run."""
        asked = [self._ask(kind, name, server, ask) for name, server in self.servers().items()]
        until = time.monotonic() + PATIENCE
        for question in asked:
            question.wait(until - time.monotonic())
        return self._remembered(kind)

    def _ask(
        self, kind: str, name: str, server: McpToolPlugin, ask: Callable[[str], list[Json]]
    ) -> _Question:
        """Ask a server what it lists, unless that was asked and is not answered yet."""
        with self._lock:
            before = self._asked.get((kind, name))
            if before is not None and before.server is server and not before.done.is_set():
                return before
            question = _Question(server, is_late=self._is_late(server))
            self._asked[kind, name] = question
        in_thread(partial(self._hear, question, kind, name, ask), f"callboard-list-{name}")
        return question

    def _is_late(self, server: McpToolPlugin) -> bool:
        return any(each.is_late for each in self._asked.values() if each.server is server)

    def _hear(self, question: _Question, kind: str, name: str, ask: Callable[[str], list[Json]]) -> None:
        try:
            items = ask(name)
        except HostGone:  # it is starting, down or gone, which is reported elsewhere; the others answer
            pass
        except (CallboardError, KeyError) as error:
            logger.warning("the server %r lists nothing beside its tools: %s", name, error)
        else:
            others = self.servers().keys() - {name}
            self._known[kind, name] = question.server, _without_results_of(others, items)
            question.is_late = False
        finally:
            question.done.set()


def _without_results_of(others: Collection[str], items: list[Json]) -> list[Json]:
    """Return what a server lists, without addresses that stand for cut results of others."""
    return [each for each in items if cut_from(str(each.get("uri"))) not in others]


def _set_log_level(name: str, server: McpToolPlugin, level: str) -> None:
    try:
        server.set_log_level(level)
    except HostGone:  # each generation is told its level when it begins
        pass
    except CallboardError as error:
        logger.warning("the server %r was not told what to log: %s", name, error)


def _keep_listing(name: str, server: McpToolPlugin) -> None:
    try:
        server.keep_listing()
    except CallboardError as error:
        logger.warning("that the server %r asks is not kept: %s", name, error)


def _first_of_each(of_all: Listed, key: str) -> list[Json]:
    found: dict[str, Json] = {}
    for items in of_all.values():
        for item in items:
            if isinstance(item.get(key), str):
                found.setdefault(item[key], item)
    return list(found.values())
