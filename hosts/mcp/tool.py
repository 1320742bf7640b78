"""An MCP server as a plugin: the command line that runs it, and the session that it is spoken to in."""

from __future__ import annotations

import secrets
from contextlib import suppress
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from ...base.foreign import Log
from ...base.locks import Lock
from ...base.version import __version__
from ...plugins.results.provider_native import make_provider_native_tool_result
from ..command.container import container_of
from ..command.tool import CommandToolPlugin
from ..errors import HostGone, RemoteError
from ..packages.command_runner import CommandRunner
from ..process.process import Command
from ..protocol.blocking_request import ask
from ..sandbox.confinement import FREE, Confinement
from .listing import Listing, ToolList
from .offers import NOT_OFFERED, SUBSCRIBE, EndlessList, ResourceSubscription, Subscriptions, whole_list
from .result_bound import DEFAULT_LIMIT, KeptResults, cut_from
from .revision import HANDSHAKES, REVISIONS, STATELESS, Stage
from .selection import ALL, Selection, prefix_of
from .session import Session

if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Mapping, Sequence

    from ..protocol.dialect import Dialect
    from .listing import LastListing
    from .pins import Pins


READ_TIMEOUT = 30.0
"""Seconds for one page of a list, one resource or one prompt."""

_CLIENT = {"name": "callboard", "version": __version__}


CONTAINER_DEADLINE = 10.0
"""Seconds that an engine has to end a container."""

Json = dict[str, Any]

logger: Log = Log("callboard.mcp")


def _after(end: Command, further: Callable[[], object] | None) -> None:
    """End a container whose starter has gone; one that has ended with it is none of that name any more."""
    try:
        with CommandRunner(CONTAINER_DEADLINE) as runner:
            ended = runner.run(end)
        logger.debug("%s %s: %s", " ".join(end.argv), ended.text, ended.said)
    except (OSError, ValueError) as error:
        logger.warning("the container %s could not be ended: %s", end.argv[-1], error)
    finally:
        if further is not None:
            further()


class McpToolPlugin(CommandToolPlugin):
    """The tools of one MCP server that is spoken to over its pipes.

    Args:
        name: the plugin's name, unique on its board.
        command: the program and its arguments.
        cwd, base, env, confinement: as `CommandToolPlugin`.
        revision: the revision to speak, such as ``2025-11-25``; found out if ``None``.
        roots: addresses of folders (``file:///…``) that the server may work in, if it asks.
        selection: which tools are offered, and under which names.
        result_limit: the most bytes of a result; what is beyond them can be read as resources.

    Attributes:
        subscriptions: what is to be heard of its resources and prompts.
        servers: returns the prefixes of all servers of the board, for whose tools none of this one is to be taken; from any thread.
        pins: what the server's tools are held to; ``None`` for nothing.
        last_listing: what it offered when it was last up; ``None`` where nobody asks.
    """

    kind = "mcp"
    _unfit: Callable[[dict[str, Any]], str | None] = staticmethod(lambda _: None)
    """Says of a schema why the transport cannot offer a tool with it, in the stateless era."""

    def __init__(
        self,
        name: str,
        command: Sequence[str],
        *,
        cwd: str | os.PathLike[str] | None = None,
        base: str | os.PathLike[str] | None = None,
        env: Mapping[str, str] | None = None,
        revision: str | None = None,
        roots: Sequence[str] = (),
        selection: Selection = ALL,
        result_limit: int = DEFAULT_LIMIT,
        confinement: Confinement = FREE,
    ) -> None:
        if revision is not None and revision not in REVISIONS:
            raise ValueError(f"no such revision of MCP: {revision!r:.40}; known are {', '.join(REVISIONS)}")
        super().__init__(name, command, cwd=cwd, base=base, env=env, extended=True, confinement=confinement)
        self._revision = revision
        self._roots = tuple(roots)
        self._selection = selection
        self.pins: Pins | None = None
        self.last_listing: LastListing | None = None
        self._listed_before = ToolList()
        self._instructions = ""
        self.servers: Callable[[], frozenset[str]] = frozenset
        self.subscriptions: Subscriptions = Subscriptions(name)
        self._session: Session | None = None
        self._asked_of_any = False
        self._keeping = Lock()
        self._ran_as_tasks: set[str] = set()
        self._results = KeptResults(name, result_limit)
        self.dialect: Callable[[], Dialect] | None = self._new_session

    def _command(self) -> Command:
        container = container_of(self.argv, f"callboard-{prefix_of(self.name)}-{secrets.token_hex(8)}")
        if container is None:
            return super()._command()
        command = self._command_of(container.argv)
        end = Command(
            (self._found(self.argv[0], command.env), "kill", container.name), command.env, command.cwd
        )
        return replace(command, after=partial(_after, end, command.after))

    def _selected(self) -> Selection:
        own = prefix_of(self.name)
        return replace(
            self._selection, own=own if self._selection.apart else "", others=self.servers() - {own}
        )

    @property
    def _offered(self) -> ToolList:
        """The list of its tools that was read last, of this generation or one before."""
        session = self._session
        return session.offered if session is not None and session.offered.whole else self._listed_before

    def _new_session(self) -> Session:
        self._listed_before, self._instructions = self._offered, self.instructions
        self._asked_of_any = self.asks_of_any
        self._session = Session(
            _CLIENT,
            revision=self._next_revision(),
            # A server over HTTP does not end over ``server/discover``. One that has not answered a handshake may know that alone.
            asks_first=self.address is not None or self.begins_otherwise,
            roots=self._roots,
            selection=self._selected,
            results=self._results,
            name=self.name,
            source=self.input_source,
            unfit=self._unfit,
            pins=self.pins,
            on_tools_changed=self.on_tools_changed,
            own_name=lambda name: self.own_names.get(name, name),
            subscriptions=self.subscriptions,
            ran_as_tasks=self._ran_as_tasks,
        )
        return self._session

    @property
    def result_limit(self) -> int:
        """The most bytes of a result; a larger one is cut."""
        return self._results.limit

    @property
    def offered_names(self) -> list[str]:
        """The names of its tools; none before they were listed."""
        return list(self._offered.wire)

    @property
    def instructions(self) -> str:
        """What the server says of how it is used, or said when it was last up; empty if nothing."""
        session = self._session
        return session.instructions if session is not None and session.offered.whole else self._instructions

    @property
    def makes_tasks(self) -> bool:
        """Whether the server may answer any call with a task, as those of the stateless era may."""
        return self._session is not None and self._session.makes_tasks

    @property
    def asks_of_any(self) -> bool:
        """Whether the server asks and does not say for which call, as far as it has ever asked."""
        session, kept = self._session, None if self.last_listing is None else self.last_listing.kept
        remembered = self._asked_of_any or (kept is not None and kept.asks_of_any)
        return remembered or (session is not None and session.asks_of_any)

    def ran_as_task(self, tool_name: str) -> bool:
        """Whether the server has answered a call of the tool with a task."""
        return self._own_name(tool_name) in self._ran_as_tasks

    @property
    def left_out(self) -> dict[str, str]:
        """Tools of the server that are not offered, by the server's name, and why."""
        return self._offered.left_out

    @property
    def idle_rules(self) -> list[str]:
        """The rules of its entry's ``tools`` that fit none of the server's tools, as ``deny 'write_fil'``; none before they were listed."""
        declared = self._offered.declared
        return self._selection.idle(tool["name"] for tool in declared) if declared else []

    @property
    def differing(self) -> dict[str, tuple[str, ...]]:
        """Tools that are not declared as they were kept, by the server's name, and what of them is otherwise."""
        return {} if self.pins is None else self.pins.differing

    def known_as(self, tool_name: str) -> tuple[str, ...]:
        """The server's own name, and that with a prefix, which it has or would have beside another server's."""
        own = self._own_name(tool_name)
        selection = self._selected()
        return own, replace(selection, prefix=selection.prefix or selection.own).offered_as(own)

    def _own_name(self, tool_name: str) -> str:
        """The server's own name for a tool."""
        name = self.own_names.get(tool_name, tool_name)
        return self._offered.wire.get(name, name)

    def apart(self, own_name: str) -> str | None:
        """The name with the plugin's as a prefix, unless the entry says otherwise or has renamed the tool."""
        own = self._offered.wire.get(own_name, own_name)
        gives_way = self._selection.apart and not self._selection.prefix and own == own_name
        return replace(self._selection, prefix=prefix_of(self.name)).offered_as(own) if gives_way else None

    def may_repeat(self, name: str) -> bool:
        """Whether the server says of a tool that it may run twice; a claim, which only who trusts the server heeds."""
        return self.own_names.get(name, name) in self._offered.repeatable

    def remembered(self) -> tuple[list[dict[str, Any]], Mapping[str, str]] | None:
        """See `HostedToolPlugin.remembered`. What its entry or its pins refuse now is not among it."""
        kept = None if self.last_listing is None else self.last_listing.kept
        if kept is None or self._session is not None:
            return None
        listing = ToolList(self._selected(), pins=self.pins)
        listing.add({"tools": kept.tools})
        self._listed_before, self._instructions = listing, kept.instructions
        return listing.tools, kept.names

    def keep_listing(self) -> None:
        """Write down what it offers, if that is not done. Blocks; raises what `LastListing.settle` raises."""
        session, last = self._session, self.last_listing
        if last is None or session is None or not session.offered.whole:
            return
        with self._keeping:  # what one thread has read, it writes before another reads
            given = {own: name for name, own in self.own_names.items()}
            names = {own: given.get(own, own) for own in session.offered.wire}
            declared, said = session.offered.declared, session.instructions
            last.settle(Listing(declared, names, said, self.asks_of_any))

    @property
    def begins_otherwise(self) -> bool:
        """Whether the generation that has ended got no further than a question that its server may not know."""
        last = self._session
        if last is None or self._revision is not None:
            return False
        return last.stage is Stage.DISCOVERING or (
            last.stage is Stage.SHAKING_HANDS and last.revision is None
        )

    def _next_revision(self) -> str | None:
        """What to begin the next generation with.

        A server of the handshake era may end, or say nothing, when it is asked what it does not know; so a generation that got no further
        than that question is followed by one that begins with the handshake, and so is one that has shaken hands.
        """
        last = self._session
        if self._revision is not None or last is None:
            return self._revision
        if last.stage is Stage.DISCOVERING:
            return HANDSHAKES[0]
        return None if last.revision == STATELESS else last.revision

    def resources(self) -> list[dict[str, Any]]:
        """Its resources, as it says them, and what was cut off of its results; none if it has none. Raises as `Host.ask`."""
        return [*self._listed("resources/list", "resources"), *self._results.resources()]

    def resource_templates(self) -> list[dict[str, Any]]:
        """As `resources`, its templates of addresses."""
        return self._listed("resources/templates/list", "resourceTemplates")

    def read_resource(self, uri: str) -> dict[str, Any]:
        """What a resource holds, under ``contents``. Raises as `Host.ask`."""
        if (kept := self._results.read(uri)) is not None:
            return kept
        if cut_from(uri) == self.name:  # no server is told what another address may be made of
            raise RemoteError(
                {"type": "NotKept", "detail": f"{uri:.200} is not kept any more"}, host=self.name
            )
        return self._read("resources/read", {"uri": uri})

    def prompts(self) -> list[dict[str, Any]]:
        """As `resources`, its prompts."""
        return self._listed("prompts/list", "prompts")

    def get_prompt(self, name: str, arguments: Mapping[str, str]) -> dict[str, Any]:
        """A prompt with these arguments, under ``messages``. Raises as `Host.ask`."""
        return self._read("prompts/get", {"name": name, "arguments": dict(arguments)})

    def complete(self, ref: Json, argument: Json, context: Json | None = None) -> Json:
        """How an argument of a prompt or of a template may go on, under ``completion``. Raises as `Host.ask`."""
        more = {} if context is None else {"context": context}
        return self._read("completion/complete", {"ref": ref, "argument": argument, **more})

    def subscribe_resource(self, uri: str) -> ResourceSubscription:
        """Have it tell when a resource changes, in each of its generations; one that is not up is asked once it is. Raises as `Host.ask`."""
        if self.subscriptions.add(uri):
            try:
                self._ask_for_news(SUBSCRIBE[0], uri)
            except BaseException:  # raised again
                self.subscriptions.discard(uri)
                raise
        return ResourceSubscription(partial(self._unsubscribe, uri))

    def _unsubscribe(self, uri: str) -> None:
        if self.subscriptions.discard(uri):
            self._ask_for_news(SUBSCRIBE[1], uri)
            # It may have been subscribed to again meanwhile, of which the server may have heard first.
            if uri in self.subscriptions.uris:
                self._ask_for_news(SUBSCRIBE[0], uri)

    def _ask_for_news(self, method: str, uri: str) -> None:
        with suppress(HostGone):  # the next generation begins with what is subscribed to then
            self._read(method, {"uri": uri})

    def set_log_level(self, level: str) -> None:
        """Have it log from this level on, if it can be told so; a server of the stateless era is told with each request. Raises as `Host.ask`."""
        if self._session is None or self._session.revision == STATELESS:
            return
        try:
            self._read("logging/setLevel", {"level": level})
        except RemoteError as error:
            if error.type != NOT_OFFERED:
                raise

    def _listed(self, method: str, key: str) -> list[dict[str, Any]]:
        try:
            return whole_list(partial(self._read, method), key)
        except RemoteError as error:
            if error.type == NOT_OFFERED:
                return []
            raise
        except EndlessList as error:
            raise RemoteError({"type": "EndlessList", "detail": str(error)}, host=self.name) from None

    def _read(self, method: str, params: dict[str, Any]) -> dict[str, Any]:
        host = self.host
        if host is None:
            raise HostGone(f"the host of {self.name!r} is not running", host=self.name)
        result: dict[str, Any] = ask(host, method, params, READ_TIMEOUT)[0]
        return result

    def format_tool_result(self, result: dict[str, Any], state: dict[str, Any]) -> Any:
        """The blocks of a result that is more than text, as they are; ``None`` of any other."""
        content = result.get("content")
        if not isinstance(content, list):
            return None
        return make_provider_native_tool_result(format="mcp.2025_11_25.tool", content={"content": content})
