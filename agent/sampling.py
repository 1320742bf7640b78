"""What MCP servers want a model to say, asked of a provider: a request of its own, without the board's tools and sessions.

For that there is a board without plugins, and a core on it that has the provider. Both are made with the first request.
"""

from __future__ import annotations

from contextlib import closing
from typing import TYPE_CHECKING, Any, Protocol

from ..actors.board import Board
from ..base.errors import CallboardError
from ..base.locks import Lock
from ..hosts.mcp.sampling import sampled

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterable, Mapping, Sequence

    from ..hosts.mcp.sampling import Sampling
    from .sessions.session import Session

Json = dict[str, Any]


class AsksModel(Protocol):
    """What is needed of an `AgentCore`."""

    def create_session(self) -> Session:
        """As there."""

    def add_message(
        self, session: Session, role: str, content: Any, attachments: Sequence[Any] | None = None
    ) -> Session:
        """As there."""

    def send_request_stream(self, session: Session, config: Json) -> Generator[Json, None, None]:
        """As there."""

    def close(self) -> None:
        """As there."""


class NoAnswer(CallboardError):
    """The model has not answered; says why."""


class Sampler:
    """See the module. From any thread.

    Args:
        make: makes a core on that board, which closes what it has, and returns it with the configuration of a request.
    """

    ready = True

    def __init__(self, make: Callable[[Board], tuple[AsksModel, Mapping[str, Any]]]) -> None:
        self._make = make
        self._lock = Lock()
        self._board: Board | None = None
        self._core: AsksModel | None = None
        self._config: Mapping[str, Any] = {}
        self._closed = False

    def sample(self, asked: Sampling, stopped: Callable[[], bool]) -> Json:
        """Ask the model; the answer is that of MCP. It blocks.

        Args:
            asked: what.
            stopped: says that nobody waits for the answer any more.

        Raises:
            NoAnswer: there is none.
            CallboardError: the provider cannot be asked.
        """
        core = self._prepared()
        session = core.create_session()
        if asked.system is not None:
            session = core.add_message(session, "system", asked.system)
        for role, text, media in asked.messages:
            session = core.add_message(session, role, text, list(media) or None)
        config = {**self._config, "max_output_tokens": asked.max_tokens}
        if asked.temperature is not None:
            config["temperature"] = asked.temperature
        model = str(config.get("model") or config.get("provider") or "unknown")
        with closing(core.send_request_stream(session, config)) as events:
            said, cut = _answer(events, stopped)
        return sampled(said, model, cut=cut)

    def close(self) -> None:
        """Close what was made for it. A request that is under way fails."""
        with self._lock:
            self._closed = True
            core, board, self._core, self._board = self._core, self._board, None, None
        try:
            if core is not None:
                core.close()
        finally:
            if board is not None:
                board.stop()

    def _prepared(self) -> AsksModel:
        with self._lock:  # across the making: two first requests make one core
            if self._closed:
                raise NoAnswer("the board is stopping")
            if self._core is None:
                self._board = self._board or Board()
                self._core, self._config = self._make(self._board)
            return self._core


def _answer(events: Iterable[Json], stopped: Callable[[], bool]) -> tuple[str, bool]:
    """Return what the model said, and whether it was cut short. Raises `NoAnswer`."""
    said, silent, cut = "", "the model has said nothing", False
    for event in events:
        if stopped():
            raise NoAnswer("the answer is not awaited any more")
        match event:
            case {"type": "error", "error": why}:
                raise NoAnswer(f"the model was not to be asked: {why!s:.500}")
            case {"type": "no_answer", "error": str(why)}:
                silent = why
            case {"type": "message", "message": {"role": "assistant", "content": str(content)} as message}:
                said = content
                cut = (message.get("metadata") or {}).get("incomplete", {}).get("code") == "length"
    if not said:
        raise NoAnswer(silent)
    return said, cut
