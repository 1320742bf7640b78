"""The loop of every actor of Callboard: nothing that is raised in it ends it, and no other actor either.

pykka ends an actor whose told message raises, and *all* actors of the process, the embedder's too, on what is no
`Exception`. What our actors are told is seen to by their ``on_receive``. This is the ground below it: a bug in
there, a handler of pykka's own log, or an exception that was set off in the thread from outside.
"""

from __future__ import annotations

import queue
import sys
import threading
import time
from typing import TYPE_CHECKING, Any, ClassVar, Final, NamedTuple, Self, TypeVar

import pykka

from ...base.foreign import Log, contain
from ...base.forking import disown_in_child, keep
from ...base.locks import RLock

if TYPE_CHECKING:
    from collections.abc import Callable

    from pykka._actor import ActorInbox
    from pykka._types import OptExcInfo

    from .clock import Clock

logger: Log = Log("callboard.supervision")


class _Registry:
    """What pykka knows of our actors; of others it is not for us to say that they are not there."""

    def forked(self, parent: int) -> None:
        """In a child that was forked off: they are no more, so that a message to one fails at once."""
        registry, gone = pykka.ActorRegistry, threading.Event()
        gone.set()
        registry._actor_refs_lock = RLock()  # noqa: SLF001 - another thread may have held it
        for ref in list(registry._actor_refs):  # noqa: SLF001 - to take them out one by one would be logged
            if issubclass(ref.actor_class, SteadyActor):
                keep(ref)
                registry._actor_refs.remove(ref)  # noqa: SLF001 - what `unregister` does but for its line in the log
                ref.actor_stopped = gone


_REGISTRY = _Registry()
disown_in_child(_REGISTRY)


Value = TypeVar("Value")


class _Outcome(NamedTuple):
    value: Any
    error: BaseException | None


class ReplyFuture(pykka.Future[Value]):
    """The future in which an actor of Callboard answers. It is set once, and may be read by several threads.

    pykka's waits on a `threading.Condition`. An exception that a signal handler raises in there may leave its lock taken, and the
    actor would wait for it as it answers, for ever. A ``SimpleQueue`` is written in C: no handler runs while its lock is held.
    """

    def __init__(self) -> None:
        super().__init__()
        self._outcome: _Outcome | None = None
        self._wakes: queue.SimpleQueue[None] = queue.SimpleQueue()

    def get(self, *, timeout: float | None = None) -> Any:
        """Wait for the answer.

        Args:
            timeout: seconds; for ever if ``None``.

        Raises:
            pykka.Timeout: there was none in that time.
            Exception: what the actor raised in place of an answer.
        """
        if self._get_hook is not None:
            return super().get(timeout=timeout)
        until = None if timeout is None else time.monotonic() + timeout
        while (outcome := self._outcome) is None:
            left = None if until is None else until - time.monotonic()
            if left is not None and left <= 0:
                raise pykka.Timeout(f"{timeout} seconds")
            try:
                self._wakes.get(timeout=left)
            except queue.Empty:
                continue
            finally:  # for the others that wait; one too many has a reader look once more
                self._wakes.put(None)
        if outcome.error is not None:
            raise outcome.error
        return outcome.value

    def set(self, value: Any = None) -> None:
        """ReplyFuture. Raises `queue.Full` if that was done before."""
        self._end(_Outcome(value, None))

    def set_exception(self, exc_info: OptExcInfo | None = None) -> None:
        """ReplyFuture by what was raised; that which is being handled if ``None``. Raises as `set`."""
        _, error, traceback = exc_info or sys.exc_info()
        assert error is not None
        self._end(_Outcome(None, error.with_traceback(traceback)))

    def set_get_hook(self, func: Any) -> None:
        """As of `pykka.Future`. Raises as `set`."""
        self._require_unset()
        super().set_get_hook(func)

    def _end(self, outcome: _Outcome) -> None:
        self._require_unset()
        self._outcome = outcome
        self._wakes.put(None)

    def _require_unset(self) -> None:
        if self._outcome is not None or self._get_hook is not None:
            raise queue.Full


def stop_and_wait(actor: pykka.ActorRef[Any]) -> None:
    """Stop an actor, and return once it has stopped.

    pykka's own `stop` waits for ever where the actor ends, for an earlier stop, as this one is sent: nobody reads it then.
    """
    stopped = actor.stop(block=False)
    while True:
        alive = actor.is_alive()
        try:
            stopped.get(timeout=_UNREAD)
        except pykka.Timeout:
            if alive:
                continue
        return


_UNREAD: Final = 1.0
"""Seconds in which an actor that ends reads what was sent before."""


class SteadyActor(pykka.ThreadingActor):
    """See the module.

    Args:
        clock: the inbox comes from it.
    """

    use_daemon_thread: ClassVar[bool] = True
    """A board that was never stopped must not keep the interpreter from exiting."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock  # before the inbox, which comes from it
        super().__init__()

    @classmethod
    def start(cls, *args: Any, **kwargs: Any) -> pykka.ActorRef[Self]:
        return cls.launch(cls(*args, **kwargs))

    @classmethod
    def launch(cls, actor: Self) -> pykka.ActorRef[Self]:
        """Start an actor that was made before, so that parts of it can be shared beforehand.

        `start` makes and starts in one step, and keeps the object to itself.
        """
        try:
            cls.attach(actor)
            actor._start_actor_loop()
        except BaseException:  # no thread can be started, or an interrupt came
            actor._end_unowned()
            raise
        return actor.actor_ref

    @classmethod
    def attach(cls, actor: Self) -> pykka.ActorRef[Self]:
        """As `launch`, of one whose messages another actor hands over in its own thread."""
        interrupt: BaseException | None
        try:
            interrupt = actor._steadily(pykka.ActorRegistry.register, actor.actor_ref)
        except BaseException as error:  # noqa: BLE001 - raised below, as one that came a moment earlier
            interrupt = error
        if interrupt is not None:
            actor._end_unowned()
            raise interrupt
        return actor.actor_ref

    def _end_unowned(self) -> None:
        """End an actor of which nobody has the address, whether it has a thread by now or not: one that none runs answers no stop."""
        self._steadily(self.stop)
        self._steadily(pykka.ActorRegistry.unregister, self.actor_ref)
        self.actor_stopped.set()

    def _create_actor_inbox(self) -> ActorInbox:  # type: ignore[override] # static there, but called on the actor
        return self._clock.inbox()

    @staticmethod
    def _create_future() -> pykka.Future[Any]:
        return ReplyFuture()

    def _actor_loop_setup(self) -> None:
        self._steadily(self.on_start)

    def _actor_loop_running(self) -> None:
        while not self.actor_stopped.is_set():
            try:
                envelope = self.actor_inbox.get()
                try:
                    response = self._handle_receive(envelope.message)
                except BaseException:  # it is the asker's, if there is one
                    if envelope.reply_to is None:
                        raise
                    envelope.reply_to.set_exception(sys.exc_info())
                else:
                    if envelope.reply_to is not None:
                        envelope.reply_to.set(response)
            except BaseException as error:  # noqa: BLE001 - see the module
                contain(error, logger, "a step of %s failed", self)

    def _stop(self) -> None:
        self._steadily(pykka.ActorRegistry.unregister, self.actor_ref)
        self.actor_stopped.set()
        self._steadily(self.on_stop)

    def _steadily(self, step: Callable[..., object], *values: Any) -> BaseException | None:
        """Do it; returns an interrupt that came meanwhile, for the thread of a caller."""
        try:
            step(*values)
        except BaseException as error:  # noqa: BLE001 - see the module
            return contain(error, logger, "a step of %s failed", self)
        return None
