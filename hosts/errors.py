"""What can go wrong between Callboard and a host.

    CallboardError
    └── HostError             names the host
        ├── HostStartError    it could not be started; says whether trying again can help
        ├── HostGone          it is not there (any more) to be asked
        ├── HostTimeout       it did not answer in time
        ├── RemoteError       it answered: with an error (type, detail, stack)
        ├── ProtocolBreach    it answered with what is no answer
        └── RequestTooLarge   the request is beyond the line limit; nothing was sent

Nothing in here knows a process or the wire, so that the whole room may stand on it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..base.errors import CallboardError, PluginAway
from ..plugins.results.failures import titled

if TYPE_CHECKING:
    from collections.abc import Mapping

THREAD_FAILED = "thread_failed"
"""Why a process was ended whose own fault it was not: the thread of ours that reads it has failed."""


class HostError(CallboardError):
    """Root of the errors between Callboard and one host.

    Attributes:
        host: the host's name, which is its plugin's.
    """

    def __init__(self, message: str, *, host: str) -> None:
        super().__init__(message)
        self.host = host


class HostStartError(HostError):
    """A host could not be started.

    Attributes:
        permanent: the same start would fail the same way again (no Node, no such file).
    """

    def __init__(self, message: str, *, host: str, permanent: bool) -> None:
        super().__init__(message, host=host)
        self.permanent = permanent


class HostGone(HostError, PluginAway):
    """The host is not running, or ended before it answered.

    Attributes:
        report: the crash report as JSON when it ended while it owed the answer, so that the
            request may have had its effect; ``None`` when nothing was sent.
    """

    def __init__(self, message: str, *, host: str, report: dict[str, Any] | None = None) -> None:
        super().__init__(message, host=host)
        self.report = report


class HostTimeout(HostError):
    """The host did not answer a request in time; the request may still be under way there.

    Attributes:
        method: the wire method that was asked.
        seconds: how long it was waited for.
    """

    def __init__(self, *, host: str, method: str, seconds: float) -> None:
        super().__init__(f"host {host!r} did not answer {method} within {seconds:g} s", host=host)
        self.method = method
        self.seconds = seconds


class RemoteError(HostError):
    """The host answered ``ok: false``: the tool raised, or the request could not be read there.

    Attributes:
        type: the remote error's class name, such as ``TypeError``.
        detail: its message.
        stack: its stack trace, or the empty string.
        phase: ``load`` or ``init`` when the plugin never came to generation, else ``None``.
        answer: the error of JSON-RPC with which an MCP server has answered for a resource, a prompt or a completion, else ``None``.
    """

    def __init__(self, error: dict[str, Any], *, host: str) -> None:
        self.type: str = str(error.get("type") or "Error")
        self.detail: str = str(error.get("detail") or "")
        self.stack: str = str(error.get("stack") or "")
        phase = error.get("phase")
        self.phase: str | None = phase if isinstance(phase, str) else None
        answer = error.get("answer")
        self.answer: dict[str, Any] | None = answer if isinstance(answer, dict) else None
        super().__init__(titled(self.type, self.detail), host=host)


class ProtocolBreach(HostError):
    """The host broke the protocol instead of answering; the request may have had its effect.

    Attributes:
        reason: ``wrong_version``, ``wrong_shape``, ``line_too_long``, ``too_many_values`` or ``too_many_strays``.
        detail: a sentence for people.
        facts: the numbers in it: ``bytes``, ``values`` and ``limit``, as far as they apply.
    """

    def __init__(
        self, *, host: str, reason: str, detail: str, facts: Mapping[str, int] | None = None
    ) -> None:
        super().__init__(f"host {host!r} broke the protocol: {detail}", host=host)
        self.reason = reason
        self.detail = detail
        self.facts: dict[str, int] = dict(facts or {})


class ToolGone(HostError):
    """A call came to a host that does not offer its tool any more. Nothing was sent.

    Attributes:
        tool: the name that it was called by.
    """

    def __init__(self, tool: str, *, host: str) -> None:
        super().__init__(f"{host!r} does not offer the tool {tool!r:.200} any more", host=host)
        self.tool = tool


class RequestTooLarge(HostError):
    """A request is larger than one line may be. Nothing was sent; the host is unharmed.

    Attributes:
        size: the request's size in bytes.
        limit: the largest line allowed, in bytes.
    """

    def __init__(self, *, host: str, size: int, limit: int) -> None:
        super().__init__(
            f"the request is {size:,} bytes, the limit for one line is {limit:,}; "
            "send less, or raise the limit 'max_line_bytes'",
            host=host,
        )
        self.size = size
        self.limit = limit
