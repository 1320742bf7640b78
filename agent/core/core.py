"""`AgentCore`: what an agent is built on. Sessions, model requests, tool calls, and the loop of all three.

A thin face: which tools a request offers is settled in `request.py`, what a model is sent in `exchange.py`, what
comes next in `turn.py`, and calls are run by the board. Each asynchronous method does what the one without its
``a`` does, and never blocks the event loop.

Every tool call gets its message, in the order of the calls, whatever happened to it: a history with an unanswered
call is refused by every provider. Calls to different tools run at the same time, calls to one tool in their
order. A caller that stops waiting cancels the calls that are left.
"""

from __future__ import annotations

import os
import uuid
from contextlib import aclosing, contextmanager
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, Never, Protocol, Self, Unpack

from ...actors.board import Board
from ...actors.calls.call import Call
from ...actors.endpoint.endpoint import ToolSettings
from ...actors.hosting.settings import HostSettings
from ...base.errors import CallboardError
from ...base.json import copy_json
from ...base.validation import require, require_mapping, require_seconds, shown
from ...hosts.hosted_tool import HostedToolPlugin
from ...plugins.adapter.adapter import PluginAdapter
from ...plugins.adapter.async_bridge import call_in_thread
from ...plugins.contract.context import core_context
from ..errors import ProviderError
from ..loop.drivers import Limits, drive, drive_async
from ..loop.inbox import Inbox
from ..loop.one_request import one_request, one_request_async
from ..loop.tool_calls import ToolCalls
from ..loop.tool_loop import ToolLoop
from ..requests.active_provider import Providers
from ..requests.contributed_formats import BroughtFormats
from ..sampling import Sampler
from ..sessions.session import Session, new_message
from ..sessions.store import SessionStore
from ..threads import WorkerPool
from .arguments import require_calls, require_config, require_limits, require_session

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Callable, Generator, Iterable, Iterator, Mapping, Sequence

    from ...actors.hooks.listeners import HookHandle
    from ...actors.services import AnswersByModel
    from ...plugins.contract.option_types import Hook, HookEvent, HookOptions
    from ..loop.cancellation import Cancellation
    from ..loop.model_reading import Spawn
    from ..requests.active_provider import ModelRequest

Json = dict[str, Any]

MAX_ROUNDS = 25
"""How often a model is asked in one turn, unless the caller says otherwise."""


class HoldsBoard(Protocol):
    """What stands before a board, such as a running `Callboard`."""

    @property
    def board(self) -> Board:
        """The board."""


class AgentCore:
    """What an agent is built on: sessions, model requests, tool calls, and the loop of all three.

    It is a context manager; `close` ends what is its own. The methods that begin with an *a* do the same without blocking the event loop, which
    is asyncio's; a caller that stops waiting for calls, or leaves a turn, ends what is left of it.

    Args:
        board: the board to run tools on, or who holds it, such as a `Callboard`, whose configured providers it
            has then too; one of its own when ``None``, which `close` stops.
        format_timeout: seconds a plugin's formatting hooks may take; past that its default holds.
        preview_timeout: seconds a plugin may take for the preview of a call; past that there is none.
        session_dir: a folder where `run` keeps each session as it goes on; nowhere if ``None``.

    Attributes:
        board: the board.

    Raises:
        TypeError, ValueError: an argument is not what its name says.
        NotStarted: who holds the board does not run.
    """

    def __init__(
        self,
        board: Board | HoldsBoard | None = None,
        *,
        format_timeout: float = 5.0,
        preview_timeout: float = 1.0,
        session_dir: str | os.PathLike[str] | None = None,
    ) -> None:
        is_folder = session_dir is None or isinstance(session_dir, str | os.PathLike)
        require(is_folder, "session_dir", session_dir, "the path of a folder")
        require_seconds("format_timeout", format_timeout)
        require_seconds("preview_timeout", preview_timeout)
        self._own = board is None
        self._sampler: Sampler | None = None
        self._before: AnswersByModel | None = None
        self.board: Board = Board() if board is None else board if isinstance(board, Board) else _held(board)
        self._calls = ToolCalls(self.board, format_timeout=format_timeout, preview_timeout=preview_timeout)
        self._providers = Providers()
        # Who holds the board may have providers of its configuration, whose owner it stays, and say which is meant.
        for each in getattr(board, "providers", ()):
            self._providers.take(each.adapter)
        self._defaults: Json = dict(getattr(board, "request_defaults", ()))
        self._formats = BroughtFormats(self.board, self._providers.all)
        self._store = None if session_dir is None else SessionStore(session_dir)

    def close(self) -> None:
        """Close the providers, extensions and features that were registered as classes, and stop the board if it is this core's own."""
        if self._sampler is not None:
            if self.board.hooks.sampler is self._sampler:
                self.board.hooks.sampler = self._before
            self._sampler.close()
        self._providers.close()
        if self._own:
            self.board.stop()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    # Tools and providers

    def register_tool(
        self,
        tool: Any,
        *,
        config: Json | None = None,
        name: str | None = None,
        settings: ToolSettings | None = None,
    ) -> None:
        """Register a tool plugin, an instance or a class; a `HostedToolPlugin` has its host started and waited for.

        Its schemas may be in a format that a provider, an extension or a feature of this core brings, whichever is
        registered first. One that nothing reads yet waits; what uses the core meanwhile raises `ContractError`.
        A plugin's `prepare` finds this core in its context, and the configuration of a request that says nothing itself.

        Raises:
            PluginError: it breaks the contract, its name or a tool's name is taken, or its host does not come up.
            TypeError: the configuration or the settings are none.
        """
        self._formats.put(self._putting(tool, config, name, settings))

    def _putting(
        self, tool: Any, config: Json | None, name: str | None, settings: ToolSettings | None
    ) -> Callable[[], object]:
        """What puts a tool plugin on the board; it may be called again after it has failed. Raises as `register_tool`."""
        require_mapping("config", config)
        is_settings = settings is None or isinstance(settings, ToolSettings)
        require(is_settings, "settings", settings, "ToolSettings")
        if isinstance(tool, HostedToolPlugin):
            host = HostSettings(config or {})
            adapter = PluginAdapter(tool, name=name)
            return partial(self.board.add_hosted, adapter, tool, host=host, settings=settings)
        adapter = PluginAdapter(tool, name=name, config=config)
        around = core_context(core=self, config=self._config_of_no_request())
        return partial(self.board.add, adapter, config=config or {}, settings=settings, context=around)

    def _config_of_no_request(self) -> Json:
        """What the configuration of a request is that says nothing itself; the set-up of tools sees it."""
        try:
            return self._providers.resolved({}, self._defaults)
        except ProviderError:  # the provider is not known yet, or only requests name it
            return dict(self._defaults)

    def register_provider(
        self, provider: Any, config: Json | None = None, *, name: str | None = None
    ) -> None:
        """Register a provider, an instance or a class; ``config`` holds for all of its requests.

        Raises:
            PluginError: it breaks the contract, or its name is taken.
        """
        self._providers.add(provider, config, name)
        self._formats.look_again({})
        self._lend_model()

    def _lend_model(self) -> None:
        """Let MCP servers on the board have a model asked, if nobody does that yet."""
        there = self.board.hooks.sampler
        if there is None or not there.ready:
            self._before, self._sampler = there, Sampler(self._without_tools)
            self.board.hooks.sampler = self._sampler

    def _without_tools(self, board: Board) -> tuple[AgentCore, Json]:
        core = AgentCore(board)
        for adapter in self._providers.all():
            core._providers.take(adapter)
        core._defaults = self._defaults
        return core, {}

    def register_provider_extension(
        self, extension: Any, config: Json | None = None, *, name: str | None = None
    ) -> None:
        """Register what changes how a provider is asked. Raises `PluginError`: it breaks the contract."""
        self._providers.add_extension(extension, config, name)
        self._formats.look_again({})

    def register_feature(self, feature: Any, config: Json | None = None, *, name: str | None = None) -> None:
        """Register what adds something to the requests of all providers. Raises `PluginError`: it breaks the contract."""
        self._providers.add_feature(feature, config, name)
        self._formats.look_again({})

    def hook(self, event: HookEvent, hook: Hook, **options: Unpack[HookOptions]) -> HookHandle:
        """Have a callable asked about each call of the board from now on. Arguments and errors as `Callboard.hook`."""
        return self.board.hooks.add(event, hook, **options)

    # Tool calls

    def execute_tool_calls(
        self, tool_calls: Iterable[Any], config: Json, *, context: Mapping[str, Any] | None = None
    ) -> list[Json]:
        """Run the calls; returns a ``role: "tool"`` message for each, in their order.

        Args:
            tool_calls: in any wire format that the board reads.
            config: the request's configuration; tools see it in their context.
            context: added to the tools' context.

        Raises:
            TypeError: it is no list of calls.
        """
        with self._submitted(tool_calls, config, context, streaming=False) as calls:
            return [self._calls.message(call, call.result()) for call in calls]

    async def aexecute_tool_calls(
        self, tool_calls: Iterable[Any], config: Json, *, context: Mapping[str, Any] | None = None
    ) -> list[Json]:
        """Do as `execute_tool_calls`, awaiting."""
        with self._submitted(tool_calls, config, context, streaming=False) as calls:
            return [await call_in_thread(self._calls.message, call, await call) for call in calls]

    def iter_tool_messages(
        self, tool_calls: Iterable[Any], config: Json, *, context: Mapping[str, Any] | None = None
    ) -> Generator[Json, None, None]:
        """Run the calls; yields, for each in order, ``{"part": …}`` as they come and then its message.

        A part carries ``tool_call_id`` and ``tool_name`` beside what the tool gave.
        """
        with self._submitted(tool_calls, config, context, streaming=True) as calls:
            for call in calls:
                yield from self.answers(call)

    async def aiter_tool_messages(
        self, tool_calls: Iterable[Any], config: Json, *, context: Mapping[str, Any] | None = None
    ) -> AsyncGenerator[Json, None]:
        """Do as `iter_tool_messages`, awaiting."""
        answers: Inbox[Json | None] = Inbox()
        helpers = WorkerPool("callboard-tool-messages", most=1)
        with self._submitted(tool_calls, config, context, streaming=True) as calls:
            for call in calls:
                helpers.do(partial(self._read, call, answers))
            for _ in calls:
                while True:
                    answer = await answers.get_async()
                    if answer is None:  # one of them has ended
                        break
                    yield answer

    def submit(
        self,
        tool_call: Any,
        config: Json,
        *,
        context: Mapping[str, Any] | None = None,
        streaming: bool = True,
    ) -> Call:
        """Run one call; returns its handle at once. `answers` makes its messages.

        Args:
            tool_call: in any wire format that the board reads.
            config: the request's configuration; tools see it in their context.
            context: added to the tools' context.
            streaming: have a tool that can stream do so.

        Raises:
            TypeError: the configuration or the context is none.
            ContractError: a registered tool waits for a format that nothing reads.
        """
        if self._formats.unread is not None:
            self._formats.require_read()
        require_config(config)
        require_mapping("context", context)
        layer = core_context(core=self, config=config, extra=context)
        return self._calls.submit(tool_call, layer, streaming=streaming)

    def answers(self, call: Call) -> Iterator[Json]:
        """What one call of `submit` answers: its parts as they come, and last its message.

        In the shapes of `iter_tool_messages`. Whether the call succeeded is for its result to say.
        """
        require(isinstance(call, Call), "a call", call, "what submit returned")
        return self._calls.answers(call)

    # Sessions

    def create_session(self, *unnamed: Never, **metadata: Any) -> Session:
        """Return an empty session with an id of its own.

        Raises:
            TypeError: metadata without a name was given.
            JsonValueError: the metadata is not JSON.
        """
        if unnamed:
            raise TypeError(
                f"metadata of a session has names, such as title='…'; {shown(unnamed[0])} has none"
            )
        return Session(f"session_{uuid.uuid4().hex}", metadata=copy_json(metadata, what="metadata"))

    def add_message(
        self,
        session: Session,
        role: str,
        content: Any,
        attachments: Sequence[Any] | None = None,
        metadata: Mapping[str, Any] | None = None,
    ) -> Session:
        """Return the session with one more message. Calls that are open are answered first, as unknown.

        Raises:
            JsonValueError: something in the message is not JSON.
            TypeError: it is no session, or no message can be made of what was given.
            ValueError: a tool message does not answer the next open call, or an attachment is too large.
        """
        require_session(session)
        return session.with_message(new_message(role, content, attachments, metadata))

    def fork(self, session: Session) -> Session:
        """Return the same conversation under an id of its own, to go on with in another way.

        Raises:
            TypeError: it is no session.
        """
        require_session(session)
        return replace(session, id=self.create_session().id)

    @property
    def sessions(self) -> SessionStore:
        """The sessions in ``session_dir``. Raises `CallboardError`: there is none."""
        if self._store is None:
            raise CallboardError("this core keeps no sessions; make it with session_dir")
        return self._store

    # Model requests, and the loop

    def send_request_stream(
        self, session: Session, config: Json, *, context: Mapping[str, Any] | None = None
    ) -> Generator[Json, None, None]:
        """Ask the model once; yield the events of its answer, last its ``message``. No tool is run.

        A provider that fails is told by an ``error`` event, before the message of what it had said till then. An answer that
        was refused, or is empty, is told by a ``no_answer`` event.

        Raises:
            ProviderError: it is not known which provider is meant.
            HookError, ContractError: a hook of the provider's failed, or nothing reads what a tool declares.
        """
        require_session(session)
        yield from one_request(session, self._request(config, context))

    async def asend_request_stream(
        self, session: Session, config: Json, *, context: Mapping[str, Any] | None = None
    ) -> AsyncGenerator[Json, None]:
        """Do as `send_request_stream`, awaiting."""
        require_session(session)
        request = await call_in_thread(self._request, config, context)
        async with aclosing(one_request_async(session, request)) as events:
            async for event in events:
                yield event

    def run(
        self,
        session: Session,
        config: Json,
        *,
        max_rounds: int = MAX_ROUNDS,
        context: Mapping[str, Any] | None = None,
        cancel: Cancellation | None = None,
        deadline: float | None = None,
    ) -> Generator[Json, None, None]:
        """Ask the model, run the calls that it asks for, and so on until it asks for none; yield events.

        The last one is ``done``, with the ``session`` as it is then and the ``reason``. If the model refused to answer or
        said nothing, a ``no_answer`` event tells why. Whatever happens, each call of the session has its tool message. Closing the generator ends the turn.

        Args:
            session: it has to end with what the model is to answer.
            config: of each request: ``provider``, ``model``, ``tags``, ``models`` and the provider's options.
            max_rounds: how often the model may be asked; calls of its last answer are not run.
            context: added to the context of tools and providers, which has the ``session_id``.
            cancel: ends the turn when it is cancelled.
            deadline: seconds that the turn may take.

        Raises:
            TypeError: the session, the configuration or a limit is none.
            ValueError: ``max_rounds`` is less than 1, or ``deadline`` than 0.
            SessionFileError: the session's file cannot be opened, or holds another conversation.
        """
        require_limits(max_rounds, cancel, deadline)
        loop = self._loop(session, config, max_rounds, context)
        return drive(loop, Limits(self.board.clock, cancel, deadline))

    async def arun(
        self,
        session: Session,
        config: Json,
        *,
        max_rounds: int = MAX_ROUNDS,
        context: Mapping[str, Any] | None = None,
        cancel: Cancellation | None = None,
        deadline: float | None = None,
    ) -> AsyncGenerator[Json, None]:
        """Do as `run`, awaiting; cancelling the task ends the turn too."""
        require_limits(max_rounds, cancel, deadline)
        make = partial(self._loop, session, config, max_rounds, context)
        async with aclosing(drive_async(make, Limits(self.board.clock, cancel, deadline))) as events:
            async for event in events:
                yield event

    def _request(self, config: Json, context: Mapping[str, Any] | None) -> ModelRequest:
        require_config(config)
        require_mapping("context", context)
        resolved = self._providers.resolved(config, self._defaults)
        self._formats.require_read(resolved)
        # It is the context of a layer that was built for this request.
        if context is not None and context.get("config") is config:
            context = {**context, "config": resolved}
        layer = core_context(core=self, config=resolved, extra=context)
        return self._providers.request(self.board, resolved, layer)

    def _loop(
        self,
        session: Session,
        config: Json,
        max_rounds: int,
        context: Mapping[str, Any] | None,
        spawn: Spawn | None = None,
    ) -> ToolLoop:
        require_session(session)
        require_config(config)
        require_mapping("context", context)
        known = {"session_id": session.id, **(context or {})}
        return ToolLoop(
            session,
            max_rounds=max_rounds,
            compose=partial(self._request, config, known),
            calls=self._calls,
            keep=None if self._store is None else self._store.open,
            spawn=spawn,
        )

    @contextmanager
    def _submitted(
        self, tool_calls: Iterable[Any], config: Json, context: Mapping[str, Any] | None, *, streaming: bool
    ) -> Iterator[list[Call]]:
        """Run the calls; those that have not ended when this is left are cancelled. Raises `TypeError`."""
        require_calls(tool_calls)
        calls: list[Call] = []
        try:
            calls.extend(
                self.submit(tool_call, config, context=context, streaming=streaming)
                for tool_call in tool_calls
            )
            yield calls
        finally:
            for call in calls:
                call.cancel()

    def _read(self, call: Call, answers: Inbox[Json | None]) -> None:
        try:
            for answer in self.answers(call):
                answers.put(answer)
        finally:
            answers.put(None)


def _held(holder: Any) -> Board:
    """The board of its holder. Raises `TypeError`: it is neither a board nor a holder of one."""
    board = None if isinstance(holder, type) else getattr(holder, "board", None)
    if not isinstance(board, Board):
        raise TypeError(
            f"the board of a core is {shown(holder)}; it has to be a Board, or a Callboard that was started"
        )
    return board
