"""The log of a service: one object of JSON a line, and the events of a board in it."""

from __future__ import annotations

import json
import logging
import time
import traceback
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ..callboard import Callboard
    from ..supervision.runtime.events import Event, Subscription

__all__ = ["JsonFormatter", "log_events"]

_ALARMING: Final = frozenset(
    {
        *("actor_failed", "dead_letter", "group_parked", "hook_failed", "host_crashed", "host_parked"),
        *("host_reload_failed", "plugin_unavailable", "standby_failed", "state_reset", "state_store_failing"),
        *(
            "place_freed",
            "state_not_taken_over",
            "state_store_set_aside",
            "thread_failed",
            "thread_fenced",
            "tool_quarantined",
        ),
    }
)

_MOST = 64 * 1024
"""Characters of a message, and of a traceback: a tool may have said them."""


class JsonFormatter(logging.Formatter):
    """Makes a line of each record: an object with ``time``, ``level``, ``logger`` and ``message``.

    ``time`` is UTC, as in RFC 3339. Of an error there is an ``error`` with ``type``, ``message`` and ``traceback``; of what
    `log_events` writes an ``event`` with its kind, subject, sequence and facts. Whatever a tool has said, a line stays a line, and
    nothing in it is an order to a terminal.
    """

    def format(self, record: logging.LogRecord) -> str:
        """The line, without its end."""
        told: dict[str, Any] = {
            "time": f"{time.strftime('%Y-%m-%dT%H:%M:%S', time.gmtime(record.created))}.{int(record.msecs):03d}Z",
            "level": record.levelname,
            "logger": record.name,
            "message": record.getMessage()[:_MOST],
        }
        if record.exc_info and record.exc_info[1] is not None:
            error = record.exc_info[1]
            lines = "".join(traceback.format_exception(error))
            told["error"] = {
                "type": type(error).__name__,
                "message": str(error)[:_MOST],
                "traceback": lines[-_MOST:],
            }
        if (event := getattr(record, "event", None)) is not None:
            told["event"] = event
        # ASCII, so that nothing in it turns text around or is taken for an order; of that JSON lets DEL alone stand.
        return json.dumps(told, separators=(",", ":"), default=repr).replace("\x7f", "\\u007f")


def log_events(
    board: Callboard, logger: logging.Logger | None = None, kinds: Iterable[str] | None = None
) -> Subscription:
    """Log the events of a board until the subscription is closed: failures as warnings, all else as information.

    Args:
        board: one that runs.
        logger: where to; ``callboard.events`` if ``None``.
        kinds: which; all if ``None``.

    Raises:
        NotStarted: the board does not run.
        ValueError: there is no such kind.
    """
    log = logger or logging.getLogger("callboard.events")

    def write(event: Event) -> None:
        level = logging.WARNING if event.kind in _ALARMING else logging.INFO
        if log.isEnabledFor(level):
            facts = {
                "kind": event.kind,
                "subject": event.subject,
                "sequence": event.sequence,
                "facts": event.facts,
            }
            log.log(level, "%s: %s", event.subject, event.kind, extra={"event": facts})

    return board.subscribe(write, kinds)
