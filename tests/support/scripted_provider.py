"""A provider that says what a test has written down, as somebody who embeds an agent would write one."""

from __future__ import annotations

import asyncio
import copy
import threading
from typing import TYPE_CHECKING, Any

from conversations import chat_call

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterator

Json = dict[str, Any]


def asks(*calls: tuple[Any, ...], content: str = "") -> Json:
    """An answer with calls: each a name, an id and the text of its arguments."""
    return {"content": content, "tool_calls": [chat_call(*call) for call in calls]}


def said(content: str) -> Json:
    """An answer without calls."""
    return {"content": content}


class Scripted:
    """See the module.

    Args:
        answers: what it says, request by request; an exception is raised behind what the answer before
            it in a tuple says. The last one is said again and again.

    Attributes:
        requests: the native messages that it was sent.
        tools: names of the tools that it was offered, request by request.
        contexts: the contexts of its requests.
        held: the answers wait for this, once they have said their text.
        asked: set with each request.
    """

    name = "scripted"
    version = "1"

    def __init__(self, *answers: Any) -> None:
        self.answers = list(answers)
        self.requests: list[list[Json]] = []
        self.tools: list[list[str]] = []
        self.contexts: list[Json] = []
        self.held = threading.Event()
        self.held.set()
        self.speaking = threading.Event()

    def init(self, config: Json) -> Json:
        """The state of a request."""
        return {"config": config}

    def _next(self, native_messages: list[Json], state: Json, context: Json) -> tuple[Json, Exception | None]:
        self.requests.append(copy.deepcopy(native_messages))
        self.tools.append([(tool.get("function") or tool)["name"] for tool in state["_tools"]])
        self.contexts.append(context)
        number = min(len(self.requests), len(self.answers)) - 1
        answer = self.answers[number]
        if isinstance(answer, Exception):
            return said(""), answer
        return answer if isinstance(answer, tuple) else (answer, None)

    def send_request_stream(
        self, native_messages: list[Json], state: Json, *, context: Json
    ) -> Iterator[Json]:
        """Say the next answer."""
        answer, trouble = self._next(native_messages, state, context)
        state["partial"] = dict(answer)
        for word in answer["content"].split():
            yield {"type": "text", "text": f"{word} "}
        self.speaking.set()
        self.held.wait()
        if trouble is not None:
            raise trouble


class ScriptedAwaiting(Scripted):
    """The same, written for an event loop."""

    send_request_stream = None

    def __init__(self, *answers: Any) -> None:
        super().__init__(*answers)
        self.closed = 0

    async def send_request_stream_async(
        self, native_messages: list[Json], state: Json, *, context: Json
    ) -> AsyncIterator[Json]:
        """Say the next answer."""
        answer, trouble = self._next(native_messages, state, context)
        state["partial"] = dict(answer)
        try:
            for word in answer["content"].split():
                yield {"type": "text", "text": f"{word} "}
            self.speaking.set()
            if not self.held.is_set():
                await asyncio.Event().wait()
            if trouble is not None:
                raise trouble
        finally:
            self.closed += 1
