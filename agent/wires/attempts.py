"""What a failed request comes to: whose fault it is, whether to ask again, and when. Pure.

Nothing is asked again once a piece of the answer was handed on: the model would say it otherwise the second
time, and no reader could put the two together.
"""

from __future__ import annotations

import math
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING, Any, Final, NamedTuple
from urllib.parse import urlsplit

from ...base.frozen import frozen
from ...supervision.restart.backoff import Backoff
from ..errors import ProviderError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from ..errors import ProviderCode

LONGEST_WAIT: Final = 60.0
"""Seconds. A provider that wants to be left alone for longer is; the error says for how long."""

_BACKOFF: Final = Backoff(first=0.5, min=1.0, max=30.0, jitter=0.25)

_STATUSES: Final[dict[int, tuple[ProviderCode, bool]]] = {
    401: ("unauthorized", False),
    403: ("unauthorized", False),
    408: ("timed_out", True),
    409: ("refused", True),
    429: ("rate_limited", True),
    503: ("overloaded", True),
    529: ("overloaded", True),
}
_TYPES: Final[dict[str, tuple[ProviderCode, bool]]] = {
    "authentication_error": ("unauthorized", False),
    "permission_error": ("unauthorized", False),
    "invalid_request_error": ("refused", False),
    "not_found_error": ("refused", False),
    "request_too_large": ("refused", False),
    "insufficient_quota": ("rate_limited", False),
    "billing_error": ("rate_limited", False),
    "rate_limit_error": ("rate_limited", True),
    "rate_limit_exceeded": ("rate_limited", True),
    "overloaded_error": ("overloaded", True),
    "server_is_overloaded": ("overloaded", True),
    "timeout_error": ("timed_out", True),
    "api_error": ("server_error", True),
    "server_error": ("server_error", True),
}
"""What providers call their errors, in a body or in the midst of a stream."""


class Failure(NamedTuple):
    """One attempt that came to nothing.

    Attributes:
        code: what happened.
        said: a sentence without its subject, without secrets.
        retryable: asking again may help.
        status: of the answer, if there was one.
        retry_after: seconds, if the provider said so.
        request_id: if the provider said so.
    """

    code: ProviderCode
    said: str
    retryable: bool = False
    status: int | None = None
    retry_after: float | None = None
    request_id: str | None = None

    def as_error(self, provider: str, attempts: int) -> ProviderError:
        """Return it as what is raised after so many attempts."""
        times = f" (asked {attempts} times)" if attempts > 1 else ""
        return ProviderError(
            f"provider {provider!r} {self.said}{times}",
            provider=provider,
            code=self.code,
            status=self.status,
            retry_after=self.retry_after,
            request_id=self.request_id,
            retryable=self.retryable,
        )


class AttemptFailed(Exception):
    """Carries a `Failure` from where it is found to where it is decided about."""

    def __init__(self, failure: Failure) -> None:
        super().__init__(failure.said)
        self.failure = failure


@frozen
class Again:
    """Ask again, ``after`` so many seconds."""

    after: float


def after_failure(
    failure: Failure, attempt: int, *, max_retries: int, handed_on: bool, random: Callable[[], float]
) -> Again | None:
    """Say whether to ask again after the attempt with that number, the first being 1.

    The provider's own word on when counts, if it is not longer than `LONGEST_WAIT`; else the waits grow.
    """
    if handed_on or not failure.retryable or attempt > max_retries:
        return None
    if failure.retry_after is None:
        return Again(_BACKOFF.delay(attempt - 1, random))
    return Again(failure.retry_after) if failure.retry_after <= LONGEST_WAIT else None


def of_status(status: int, headers: Mapping[str, str], body: Any, now: float) -> Failure:
    """Return the failure that an answer with this status is.

    Args:
        status: any but 200.
        headers: with lower-case names.
        body: the error as JSON, or as text.
        now: the time of day, as a Unix timestamp.
    """
    kind, message = error_of(body)
    code, retryable = _STATUSES.get(
        status,
        ("server_error", True) if status >= 500 else ("refused", False),  # noqa: PLR2004 - classes of HTTP
    )
    if kind in {"insufficient_quota", "billing_error"}:  # a 429 that no waiting helps against
        code, retryable = _TYPES[kind]
    if headers.get("x-should-retry") in {"true", "false"}:
        retryable = headers["x-should-retry"] == "true"
    where = f" It points to {_host(headers)}, where no request is sent." if 300 <= status < 400 else ""  # noqa: PLR2004 - classes of HTTP
    return Failure(
        code,
        f"answered {status}{': ' + message if message else ''}{where}",
        retryable,
        status,
        retry_after(headers, now),
        request_id(headers),
    )


def of_error(error: Any, *, status: int = 200) -> Failure:
    """Return the failure that an error in the midst of a stream is."""
    kind, message = error_of(error)
    code, retryable = _TYPES.get(kind or "", ("server_error", True))
    return Failure(
        code, f"broke off with an error: {message or kind or 'it does not say which'}", retryable, status
    )


def error_of(body: Any) -> tuple[str | None, str]:
    """Return what an error calls itself, and what it says, in one line of bounded length."""
    error = body.get("error", body) if isinstance(body, dict) else body
    if not isinstance(error, dict):
        return None, _line(error) if isinstance(error, str) else ""
    named = [each for each in (error.get("code"), error.get("type")) if isinstance(each, str)]
    kind = next((each for each in named if each in _TYPES), named[0] if named else None)
    message = error.get("message") or error.get("detail") or error.get("error")
    return kind, _line(message) if isinstance(message, str) else (kind or "")


def retry_after(headers: Mapping[str, str], now: float) -> float | None:
    """Return after how many seconds the provider wants to be asked again; ``None`` if it does not say.

    ``Retry-After`` is a number of seconds or a date; ``retry-after-ms``, which is finer, comes first.
    """
    for name, unit in (("retry-after-ms", 1000.0), ("retry-after", 1.0)):
        try:
            seconds = float(headers[name]) / unit
        except (KeyError, ValueError):
            continue
        return max(0.0, seconds) if math.isfinite(seconds) else None
    try:
        return max(0.0, parsedate_to_datetime(headers["retry-after"]).timestamp() - now)
    except (KeyError, ValueError, OverflowError):
        return None


def request_id(headers: Mapping[str, str]) -> str | None:
    """Return what the provider calls the request."""
    return headers.get("x-request-id") or headers.get("request-id")


def _line(text: str) -> str:
    joined = " ".join(text.split())
    return joined if len(joined) <= _LONGEST_LINE else joined[:_LONGEST_LINE] + "…"


_LONGEST_LINE: Final = 500


def _host(headers: Mapping[str, str]) -> str:
    try:
        return urlsplit(headers.get("location", "")).hostname or "another address"
    except ValueError:
        return "another address"
