"""The tasks of a served board's clients, as values: their owners, their states, and how much is kept. Pure: times are given.

| from | to |
|---|---|
| ``working`` | ``input_required``, ``completed``, ``failed``, ``cancelled`` |
| ``input_required`` | ``working``, ``completed``, ``failed``, ``cancelled`` |

The other states are final. A task is forgotten when its time is over, in whatever state it is.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple

from ..mcp_protocol.served_client import INTERNAL_ERROR

if TYPE_CHECKING:
    from collections.abc import Iterable

Json = dict[str, Any]

WORKING: Final = "working"
INPUT_REQUIRED: Final = "input_required"
COMPLETED: Final = "completed"
FAILED: Final = "failed"
CANCELLED: Final = "cancelled"
_ENDS: Final = frozenset({COMPLETED, FAILED, CANCELLED})

MOST: Final = 2000
"""Tasks of all clients that are kept at a time."""

MOST_OF_ONE: Final = 250
"""Tasks of one client."""

MOST_BYTES: Final = 64 * 1024 * 1024
"""Of the results of all tasks."""

USUAL_TTL: Final = 60 * 60 * 1000
LEAST_TTL: Final = 1000
MOST_TTL: Final = 24 * 60 * 60 * 1000
"""Milliseconds for which a task is kept from its beginning on: if the client does not say, at the least, and at the most."""

POLL_INTERVAL: Final = 500
"""Milliseconds after which a client is to look again."""

MOST_MESSAGE: Final = 1000
"""Characters of the status message of a task."""

PAGE: Final = 100
"""Tasks in one answer to ``tasks/list``."""


class TooMany(Exception):
    """There is no room for one more task; says what to do."""


class Ending(NamedTuple):
    """How a call ended: with a result, or with an error of JSON-RPC as code, message and data.

    Attributes:
        result: ``None`` if there is an error.
        error: ``None`` if there is a result.
        size: bytes of the two.
    """

    result: Json | None
    error: tuple[int, str, Any] | None
    size: int

    @property
    def has_failed(self) -> bool:
        """Whether it is an error, or a result with ``isError``."""
        return self.error is not None or (self.result or {}).get("isError") is True


class Task:
    """One task; `TaskTable` alone changes it.

    Attributes:
        id: one that nobody can guess.
        number: counts tasks in the order in which they began.
        owner: the identity of its client; ``None`` if any client that knows the id may use it.
        ttl: milliseconds.
        created, updated: times as texts.
        status, message: as the protocol has them; the message may be empty.
        ending: how the call ended; ``None`` until then.
        inputs: requests of its server that the client has to answer, by their keys.
    """

    def __init__(self, task_id: str, number: int, owner: object | None, ttl: int, at: str) -> None:
        self.id = task_id
        self.number = number
        self.owner = owner
        self.ttl = ttl
        self.created = self.updated = at
        self.status: str = WORKING
        self.message: str = ""
        self.ending: Ending | None = None
        self.inputs: dict[str, Json] = {}
        self.was_read: bool = False

    @property
    def has_ended(self) -> bool:
        """Whether its state is final."""
        return self.status in _ENDS

    def said(self, *, stateless: bool) -> Json:
        """Return the task as the protocol writes it in an era, without its result."""
        ttl, interval = ("ttlMs", "pollIntervalMs") if stateless else ("ttl", "pollInterval")
        found: Json = {"taskId": self.id, "status": self.status}
        if self.message:
            found["statusMessage"] = self.message
        return found | {
            "createdAt": self.created,
            "lastUpdatedAt": self.updated,
            ttl: self.ttl,
            interval: POLL_INTERVAL,
        }


class TaskTable:
    """See the module.

    Args:
        most: tasks of all clients.
        most_of_one: tasks of one client.
        most_bytes: of all results.
    """

    def __init__(
        self, most: int = MOST, most_of_one: int = MOST_OF_ONE, most_bytes: int = MOST_BYTES
    ) -> None:
        self._most, self._most_of_one, self._most_bytes = most, most_of_one, most_bytes
        self._tasks: dict[str, Task] = {}
        self._count = 0
        self._dropped: list[Task] = []
        self.bytes: int = 0

    def begin(self, task_id: str, owner: object | None, ttl: Any, at: str) -> Task:
        """Keep a new task.

        Args:
            task_id: one that nobody can guess.
            owner: see `Task`.
            ttl: milliseconds that the client asks for; ``None`` if it does not say.
            at: the time.

        Raises:
            TooMany: as many as may be are kept, and no result of theirs was read.
        """
        own = self.of(owner)
        if owner is not None and len(own) >= self._most_of_one:
            self._make_room(own, f"{len(own):,} tasks of this client are kept")
        elif len(self._tasks) >= self._most:
            self._make_room(self._tasks.values(), f"{len(self._tasks):,} tasks of all clients are kept")
        self._count += 1
        task = self._tasks[task_id] = Task(task_id, self._count, owner, ttl_of(ttl), at)
        return task

    def _make_room(self, tasks: Iterable[Task], why: str) -> None:
        read = next((each for each in tasks if each.was_read), None)
        if read is None:
            raise TooMany(
                f"{why}: read or cancel some, wait until their time is over, or call without a task"
            )
        self._drop(read)

    def find(self, task_id: str, owner: object | None) -> Task | None:
        """A client's task; ``None`` if it has none of that id."""
        task = self._tasks.get(task_id)
        return task if task is not None and (task.owner is None or task.owner is owner) else None

    def of(self, owner: object | None) -> list[Task]:
        """Return the tasks of a client, the oldest first."""
        return [each for each in self._tasks.values() if each.owner is owner]

    def page(self, owner: object, after: int) -> tuple[list[Task], int | None]:
        """Return some tasks of a client after a number, and the number after which there are more; ``None`` at the end."""
        found = [each for each in self.of(owner) if each.number > after]
        return found[:PAGE], found[PAGE - 1].number if len(found) > PAGE else None

    def turn(self, task: Task, status: str, at: str, message: str = "") -> bool:
        """Set the state of a task; False if it has ended, which is final."""
        if task.has_ended:
            return False
        task.status, task.message, task.updated = status, message[:MOST_MESSAGE], at
        return True

    def end(self, task: Task, status: str, ending: Ending, at: str, message: str = "") -> bool:
        """End a task, and keep its result; False if it had ended already, which is final.

        A result for which there is no room is not kept: the task fails, and says so.
        """
        if task.has_ended:
            return False
        is_kept = task.id in self._tasks  # else its time is over
        if is_kept and not self._has_room(ending.size):
            message = f"the result of {ending.size:,} bytes is not kept: the results of tasks have {self.bytes:,} bytes already"
            status, ending = FAILED, Ending(None, (INTERNAL_ERROR, message, None), 0)
        self.turn(task, status, at, message)
        task.inputs = {}
        if is_kept:
            self.bytes += ending.size
        task.ending = ending
        return True

    def _has_room(self, size: int) -> bool:
        for each in [each for each in self._tasks.values() if each.was_read]:
            if self.bytes + size <= self._most_bytes:
                break
            self._drop(each)
        return self.bytes + size <= self._most_bytes

    def _drop(self, task: Task) -> None:
        self.forget(task)
        self._dropped.append(task)

    def take_dropped(self) -> list[Task]:
        """Return the tasks that were forgotten to make room since the last call."""
        dropped, self._dropped = self._dropped, []
        return dropped

    def read(self, task: Task) -> None:
        """Note that a client was given the result, if there is one: it is dropped first where there is no room."""
        task.was_read = task.has_ended

    def forget(self, task: Task) -> None:
        """Keep a task no longer."""
        if self._tasks.pop(task.id, None) is not None and task.ending is not None:
            self.bytes -= task.ending.size

    def __iter__(self) -> Any:
        return iter(tuple(self._tasks.values()))

    def __len__(self) -> int:
        return len(self._tasks)


def ttl_of(said: Any) -> int:
    """Return the milliseconds for which a task is kept, by what its client asks for."""
    # Over HTTP it may be NaN, which no JSON is and which is not equal to itself.
    if not isinstance(said, int | float) or isinstance(said, bool) or said != said:  # noqa: PLR0124 - see above
        return USUAL_TTL
    return int(min(max(said, LEAST_TTL), MOST_TTL))
