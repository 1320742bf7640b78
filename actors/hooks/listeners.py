"""The hooks of a board: registered, taken off, and found in their order."""

from __future__ import annotations

from math import inf
from typing import TYPE_CHECKING, Any, Self

from ...base.errors import CallboardError
from ...base.locks import Lock
from ...plugins.hooks.terms import ERROR, EVENTS, Listener, in_order

if TYPE_CHECKING:
    from collections.abc import Callable


class HookRegistrationError(CallboardError):
    """A hook cannot be registered as it is asked."""


class HookHandle:
    """A hook's place on a board; `close` takes it off.

    Attributes:
        name: what the hook is called in results and events.
    """

    def __init__(self, name: str, take_off: Callable[[], None]) -> None:
        self.name = name
        self._take_off = take_off

    def close(self) -> None:
        """Ask the hook no more. Events that are with their hooks already come to it yet. Twice is no error."""
        self._take_off()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class Listeners:
    """See the module. Read without a lock, replaced as a whole.

    Attributes:
        ever: whether there has been one. Then calls keep to the way past the hooks, since none may overtake those
            that wait there.
    """

    def __init__(self) -> None:
        self.ever: bool = False
        self._lock = Lock()
        self._all: tuple[Listener, ...] = ()

    def add(
        self,
        event: str,
        hook: Callable[[str, dict[str, Any]], Any],
        *,
        priority: int = 0,
        deadline: float = 5.0,
        observes: bool = False,
        name: str | None = None,
        **unknown: object,
    ) -> HookHandle:
        """Register a hook. Raises `HookRegistrationError`."""
        if unknown:
            raise HookRegistrationError(
                f"a hook has no option {next(iter(unknown))!r}; its options are: priority, deadline, observes, name"
            )
        if event not in EVENTS:
            raise HookRegistrationError(
                f"there is no event {event!r} for hooks; there are: {', '.join(EVENTS)}"
            )
        if not callable(hook):
            raise HookRegistrationError(
                f"a hook is called with each {event}, and {hook!r:.80} cannot be called"
            )
        if not _is_seconds(deadline):
            raise HookRegistrationError(
                f"a hook's deadline is a number of seconds, more than 0; it is {deadline!r:.60}"
            )
        for option, value, fits, wanted in (
            ("priority", priority, isinstance(priority, int), "a whole number"),
            ("observes", observes, isinstance(observes, bool), "true or false"),
            ("name", name, name is None or isinstance(name, str), "a text"),
        ):
            if not fits:
                raise HookRegistrationError(f"a hook's {option} is {wanted}; it is {value!r:.60}")
        name = name or getattr(hook, "__name__", None) or type(hook).__name__
        listener = Listener(name, event, hook, priority, float(deadline), observes or event == ERROR)
        with self._lock:
            self._all = in_order((*self._all, listener))
            self.ever = True
        return HookHandle(name, lambda: self._remove(listener))

    def of(self, event: str) -> tuple[Listener, ...]:
        """The hooks of an event, in order."""
        return tuple(listener for listener in self._all if listener.event == event)

    def _remove(self, listener: Listener) -> None:
        with self._lock:
            self._all = tuple(each for each in self._all if each is not listener)


def _is_seconds(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and 0 < value < inf
