"""Asking plugins whether a call is theirs, where a plugin that hangs or raises harms nobody.

`can_handle_tool_call` is tool code, so it runs on threads of its own: one that is idle if there
is one, else a new one. A thread that hangs in a claim is only lost for that one claim. A plugin
with too many of them is not asked any more until one comes back.
"""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable
from typing import Any

from ..plugins.adapter import PluginAdapter
from ..plugins.calling import Invocation
from ..supervision.events import EventStream
from .state import StateCell

MAX_STUCK = 8
"""Claims of one plugin that may hang at once; a plugin with more has no opinion."""

_IDLE_SECONDS = 10.0

Answer = Callable[[bool | None], None]


class ClaimsAsker:
    """Asks claims on threads of its own. Thread-safe; `ask` never blocks."""

    def __init__(self, events: EventStream) -> None:
        self._events = events
        self._jobs: queue.SimpleQueue[tuple[PluginAdapter, StateCell, Invocation, Answer] | None] = (
            queue.SimpleQueue()
        )
        self._lock = threading.Lock()
        self._idle = 0
        self._asking: dict[str, int] = {}

    @property
    def asking(self) -> int:
        """How many claims are under way."""
        with self._lock:
            return sum(self._asking.values())

    def ask(self, adapter: PluginAdapter, cell: StateCell, invocation: Invocation, answer: Answer) -> None:
        """Have ``answer`` called with the plugin's verdict, from another thread, if it ever gives one.

        A claim that raises counts as no opinion and is published as ``claim_failed``.
        """
        with self._lock:
            if self._asking.get(adapter.name, 0) >= MAX_STUCK:
                stuck = True
            else:
                stuck = False
                self._asking[adapter.name] = self._asking.get(adapter.name, 0) + 1
                if self._idle:
                    self._idle -= 1
                else:
                    threading.Thread(target=self._run, name="callboard-claims", daemon=True).start()
        if stuck:
            self._failed(adapter.name, invocation, f"{MAX_STUCK} earlier claims have not come back")
            answer(None)
        else:
            self._jobs.put((adapter, cell, invocation, answer))

    def close(self) -> None:
        """Let the idle threads end."""
        with self._lock:
            idle, self._idle = self._idle, 0
        for _ in range(idle):
            self._jobs.put(None)

    def _run(self) -> None:
        while True:
            try:
                job = self._jobs.get(timeout=_IDLE_SECONDS)
            except queue.Empty:
                with self._lock:
                    if self._idle == 0:  # a job is on its way to this thread
                        continue
                    self._idle -= 1
                    return
            if job is None:
                return
            adapter, cell, invocation, answer = job
            verdict = self._claim(adapter, cell, invocation)
            with self._lock:
                self._asking[adapter.name] -= 1
                self._idle += 1
            answer(verdict)

    def _claim(self, adapter: PluginAdapter, cell: StateCell, invocation: Invocation) -> bool | None:
        try:
            return adapter.claim(invocation, cell.copy()[0])
        except BaseException as error:  # noqa: BLE001 - tool code: SystemExit too ends in here
            self._failed(adapter.name, invocation, f"{type(error).__name__}: {error}")
            return None

    def _failed(self, plugin: str, invocation: Invocation, error: str) -> None:
        facts: dict[str, Any] = {"tool": invocation.tool_name, "error": error}
        self._events.publish("claim_failed", plugin, **facts)
