"""The words between an administrator and the supervisor: what may be wished for a child, and what became of it."""

from __future__ import annotations

from enum import StrEnum


class Answer(StrEnum):
    """What became of an administrator's wish."""

    OK = "ok"
    ALREADY_STARTED = "already_started"
    ALREADY_PRESENT = "already_present"
    RUNNING = "running"
    RESTARTING = "restarting"
    NOT_FOUND = "not_found"


class Verb(StrEnum):
    """What an administrator may wish for a child that exists.

    ``terminate`` ends it, and keeps its place; it may be wished twice, and calls a restart off that is pending.
    ``restart`` starts one that was terminated; ``delete`` frees the id of such a one.
    """

    TERMINATE = "terminate"
    RESTART = "restart"
    DELETE = "delete"
