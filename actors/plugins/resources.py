"""`ToolRuntime`: the live clients and managers of tools, which outlive calls, requests and cores.

What a plugin prepares is JSON, and its state is too; what is neither (a connection, a session with a server, a
pool) is made here under a name, when it is first asked for, and closed with the board. Tools find it as
``context["tool_runtime"]``, if they accept a context. It is of this process: nothing of it crosses to a host.

The names are shared by all plugins of a board, so that two can use one client. Begin them with the plugin's
name where that is not meant.
"""

from __future__ import annotations

import threading
import time
from typing import TYPE_CHECKING, Any, Self, TypeVar

from ...base.errors import CallboardError
from ...base.foreign import Log
from ...base.locks import Lock
from ...base.validation import require_callable, require_seconds, require_text
from ...plugins.adapter.async_bridge import call_in_thread, settled, settled_here
from ...plugins.results.failures import describe

if TYPE_CHECKING:
    from collections.abc import Callable

logger: Log = Log("callboard.actors")

Resource = TypeVar("Resource")


class ToolRuntimeError(CallboardError):
    """The tool runtime has been closed, or a resource needs itself to be made.

    Attributes:
        resource: the name that was asked for.
    """

    def __init__(self, message: str, *, resource: str) -> None:
        super().__init__(message)
        self.resource = resource


class _Place:
    """One resource: who makes it, and what came of that."""

    __slots__ = ("close", "error", "maker", "name", "settled", "value")

    def __init__(self, name: str, close: Callable[[Any], Any] | None) -> None:
        self.name = name
        self.close = close
        self.maker = threading.get_ident()
        self.settled = threading.Event()
        self.value: Any = None
        self.error: Exception | None = None

    def outcome(self) -> Any:
        """Wait until it is made, and return it. Raises what making it raised."""
        self.settled.wait()
        if self.error is not None:
            raise self.error
        return self.value

    def fail(self, error: Exception) -> None:
        self.error = error
        self.settled.set()


class ToolRuntime:
    """What tools keep for longer than a call, and is neither state nor prepared data: clients, sessions, pools.

    A board has one, and plugins find it as ``context["tool_runtime"]`` in `prepare` and in the hooks that run a tool, if these accept ``context``. It
    is of this process: plugins in hosts have none. The names are shared by all plugins of a board. From any thread, and any event loop.
    """

    def __init__(self) -> None:
        self._lock = Lock()
        self._places: dict[str, _Place] = {}
        self._closed = False

    def get(
        self,
        name: str,
        make: Callable[[], Resource],
        *,
        close: Callable[[Resource], Any] | None = None,
    ) -> Resource:
        """Return the resource of that name; make it if there is none.

        A caller that asks while it is made waits for it. If that fails, all that waited get the error, and the next
        who asks tries again.

        Args:
            name: shared by all who ask for the same.
            make: makes it; what it has to await is awaited in an event loop of its own.
            close: closes it in the end; may be asynchronous. Its own ``aclose`` or ``close`` when ``None``.

        Raises:
            ToolRuntimeError: it has been closed, or ``make`` asks for what it makes.
            Exception: what ``make`` raises.
        """
        _require(name, make, close)
        place, mine = self._place(name, close)
        if not mine:
            if not place.settled.is_set() and place.maker == threading.get_ident():
                raise ToolRuntimeError(
                    f"the resource {name!r} is asked for by what makes it, in the same thread", resource=name
                )
            value: Resource = place.outcome()
            return value
        try:
            made = settled_here(make())
        except BaseException as error:  # those who wait for it hear of it too, even of an interrupt
            self._failed(place, error)
            raise
        self._made(place, made)
        resource: Resource = made
        return resource

    async def get_async(
        self,
        name: str,
        make: Callable[[], Any],
        *,
        close: Callable[[Any], Any] | None = None,
    ) -> Any:
        """Do as `get`, awaiting: ``make`` may be asynchronous, and runs in this event loop."""
        _require(name, make, close)
        place, mine = self._place(name, close)
        if not mine:
            return await call_in_thread(place.outcome)
        try:
            made = await settled(make())
        except BaseException as error:  # as above, even of a cancel
            self._failed(place, error)
            raise
        self._made(place, made)
        return made

    def names(self) -> list[str]:
        """What there is, in the order in which it was first asked for."""
        with self._lock:
            made = (place for place in self._places.values() if place.settled.is_set())
            return [place.name for place in made]

    def close(self, timeout: float = 5.0) -> list[str]:
        """Close all resources, the last that was made first; return those that did not close.

        One that hangs has its share of the time, and is left behind; one that raises is logged.

        Args:
            timeout: seconds for all of them.
        """
        require_seconds("timeout", timeout)
        with self._lock:
            self._closed = True
            places, self._places = list(self._places.values()), {}
        made = [place for place in reversed(places) if place.settled.is_set()]
        until = time.monotonic() + timeout
        left = []
        for number, place in enumerate(made):
            share = max(0.0, until - time.monotonic()) / (len(made) - number)
            if not _close_within(place, share):
                left.append(place.name)
        return left

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _place(self, name: str, close: Callable[[Any], Any] | None) -> tuple[_Place, bool]:
        """The place of a name, and whether it is for the one who asks to fill it."""
        with self._lock:
            if self._closed:
                raise ToolRuntimeError(
                    f"the resource {name!r} is asked for after the tool runtime was closed", resource=name
                )
            place = self._places.get(name)
            if place is not None:
                return place, False
            place = self._places[name] = _Place(name, close)
            return place, True

    def _made(self, place: _Place, value: Any) -> None:
        with self._lock:
            late = self._closed
            if not late:  # in order of making: what was needed to make it is in its place already
                self._places[place.name] = self._places.pop(place.name)
                place.value = value
                place.settled.set()
        if late:
            error = ToolRuntimeError(
                f"the tool runtime was closed while the resource {place.name!r} was made", resource=place.name
            )
            place.fail(error)
            _run_close(place, value)
            raise error

    def _failed(self, place: _Place, error: BaseException) -> None:
        with self._lock:
            if self._places.get(place.name) is place:
                del self._places[place.name]
        if isinstance(error, Exception):
            place.fail(error)
        else:  # an exit or a cancellation is its own; to the others it is a failure
            place.fail(
                ToolRuntimeError(
                    f"making the resource {place.name!r} was broken off: {describe(error)}",
                    resource=place.name,
                )
            )


def _close_within(place: _Place, seconds: float) -> bool:
    closing = threading.Thread(
        target=_run_close,
        args=(place, place.value),
        name=f"callboard-close-{place.name}",
        daemon=True,
    )
    closing.start()
    closing.join(seconds)
    if not closing.is_alive():
        return True
    logger.warning("the resource %r did not close within %.1f s, and is left behind", place.name, seconds)
    return False


def _run_close(place: _Place, value: Any) -> None:
    close = place.close
    try:
        if close is not None:
            ending = close(value)
        else:
            own = getattr(value, "aclose", None) or getattr(value, "close", None)
            ending = own() if callable(own) else None
        settled_here(ending)
    except BaseException as error:  # noqa: BLE001 - tool code: SystemExit too ends in here
        logger.warning("closing the resource %r raised %s", place.name, describe(error))


def _require(name: Any, make: Any, close: Any) -> None:
    """Raises `TypeError`: a resource is asked for in another way than it can be."""
    require_text("the name of a resource", name)
    require_callable("what makes a resource", make)
    if close is not None:
        require_callable("what closes a resource", close)
