"""Calls in, answers out: each call is given to its tool when that is free for it, and relayed to its end.

A board has mailboxes in which calls wait, but a call that waits there is already on its deadline. Of
a thousand calls to a slow tool most would be given up before their turn. So here a call waits in a
lane of its plugin, without a deadline, and is submitted when one before it has been answered. That
also keeps a plugin's answers in order, and has its results formatted while it does nothing else.
"""

from __future__ import annotations

import threading
from collections import deque
from typing import TYPE_CHECKING, Any

from ...base.foreign import Log
from ...base.locks import Lock
from ...interop.errors import InteropError
from ..ui.crash_files import crash_of
from .requests import NoCall, has_id, no_call_line, requests_in
from .slots import ALL

if TYPE_CHECKING:
    from ...actors.calls.call import Call
    from ...agent.core.core import AgentCore
    from ...config.configuration import Configuration
    from ..ui.crash_files import CrashFiles
    from ..ui.line_input import Line
    from ..ui.signals import Interruption
    from ..ui.streams import LineWriter
    from .slots import Slots

logger: Log = Log("callboard.cli")

Json = dict[str, Any]

_BYTES_A_PLACE = 64 * 1024
"""A call on a long line takes more places, so that what is under way is bounded in bytes too."""

_UNNAMED_AT_ONCE = 8
"""Of the calls that name no tool of the board: most end at once, some are claimed by a plugin."""


class Relay:
    """Runs what lines ask for, and writes what is answered. For one thread, which must be able to wait.

    Args:
        core: submits the calls and makes their messages.
        configuration: of its board.
        writer: where answers go.
        slots: the places for calls under way; who finds none waits, and so does the input.
        interruption: ends it all: every call that was taken in is answered ``cancelled``.
        crashes: keeps what is told of them.

    Attributes:
        failed: how many lines and calls did not end well.
    """

    def __init__(
        self,
        core: AgentCore,
        configuration: Configuration,
        writer: LineWriter,
        slots: Slots,
        interruption: Interruption,
        *,
        crashes: CrashFiles,
    ) -> None:
        self._core = core
        self._config: Json = dict(configuration.agent)
        self._longest = configuration.calls.max_line_bytes
        self._writer = writer
        self._slots = slots
        self._interruption = interruption
        self._crashes = crashes
        self._last_crashes: dict[str | None, str] = {}
        self._plugins: dict[str, str] = {}
        self._lanes: dict[str | None, _Lane] = {}
        self._lock = Lock()
        self.failed: int = 0

    def take(self, line: Line) -> None:
        """Take in what a line asks for; waits for places. When interrupted, nothing of it is run."""
        if self._interruption.reason is not None:
            self._core.board.stop()
        if line.too_long:
            self._refuse(no_call_line(f"the line is longer than {self._longest:,} bytes", line.number))
            return
        try:
            requests = requests_in(line.text, self._core.board.catalog.registry)
        except NoCall as error:
            self._refuse(no_call_line(str(error), line.number))
            return
        for index, request in enumerate(requests):
            try:
                key = self._key(request)
            except InteropError as error:
                if not has_id(request):
                    self._refuse(no_call_line(str(error), line.number, index if len(requests) > 1 else None))
                    continue
                key = None  # the board refuses it, and the answer has the id
            self._lane(key).put(request, self._places(1 + len(line.text) // len(requests) // _BYTES_A_PLACE))

    def finish(self) -> None:
        """Wait until everything is answered, and the last crash of each plugin is told."""
        self._slots.give(self._places(ALL))
        if self._interruption.reason is None:
            for crash in self._last_crashes.values():
                self._crashes.wait_for(crash)

    def _places(self, wanted: int) -> int:
        """Wait for places. When interrupted, end every call: then each has its answer, and its place is free."""
        while not (places := self._slots.take(wanted)):
            self._core.board.stop()
        return places

    def _key(self, request: Any) -> str | None:
        """The plugin whose tool a request names; raises `InteropError` for what is no call."""
        board = self._core.board
        name = board.catalog.registry.inspect_call(request).tool_name
        if name is not None and name not in self._plugins:  # a host that came up late, its tools came late
            self._plugins = {tool.tool_name: tool.plugin_name for tool in board.tools()}
        return None if name is None else self._plugins.get(name)

    def _lane(self, key: str | None) -> _Lane:
        lane = self._lanes.get(key)
        if lane is None:
            plugin = None if key is None else self._core.board.status()["plugins"].get(key)
            width = _UNNAMED_AT_ONCE if plugin is None else plugin["concurrency"]
            lane = self._lanes[key] = _Lane(f"callboard-relay-{key}", width, self)
        return lane

    def _refuse(self, answer: Json) -> None:
        self._note_failure()
        self._writer.write(answer)

    def _note_failure(self) -> None:
        with self._lock:
            self.failed += 1

    # For the lanes, in their threads

    def begin(self, request: Any) -> Call:
        """Submit a request."""
        return self._core.submit(request, self._config)

    def carry(self, call: Call) -> None:
        """Write what a call answers, to its end."""
        for answer in self._core.answers(call):
            self._writer.write(answer)
        if not (result := call.result()).get("success"):
            self._note_failure()
            if (crash := crash_of(result)) is not None:
                self._last_crashes[call.plugin_name] = crash["id"]
        if call.parts_dropped:
            logger.warning("call %s: %d parts came faster than they were read", call.id, call.parts_dropped)

    def end(self, places: int, fault: Exception | None) -> None:
        """A request has come to its end; a fault is for the main thread to tell."""
        if fault is not None:
            self._interruption.stop(fault)
        self._slots.give(places)


class _Lane:
    """The requests to one plugin: they begin in their order, and ``width`` are under way at once.

    Threads come when there is something to do, and go when there is not.
    """

    def __init__(self, name: str, width: int, relay: Relay) -> None:
        self._name = name
        self._width = width
        self._relay = relay
        self._lock = Lock()
        self._waiting: deque[tuple[Any, int]] = deque()
        self._threads = 0

    def put(self, request: Any, places: int) -> None:
        """Put a request at the end."""
        with self._lock:
            self._waiting.append((request, places))
            if self._threads == self._width:
                return
            self._threads += 1
        threading.Thread(target=self._run, name=self._name, daemon=True).start()

    def _run(self) -> None:
        while self._carry_next():
            continue

    def _carry_next(self) -> bool:
        places, fault = 0, None
        try:
            with self._lock:  # over both: requests have to begin in the order in which they were put
                if not self._waiting:
                    self._threads -= 1
                    return False
                request, places = self._waiting.popleft()
                call = self._relay.begin(request)
            self._relay.carry(call)
        except Exception as error:  # noqa: BLE001 - whatever it is, the others go on until they are told
            fault = error
        finally:
            self._relay.end(places, fault)
        return True
