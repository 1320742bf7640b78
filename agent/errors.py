"""What can go wrong between an agent and its provider, with the facts as attributes.

    CallboardError
    └── ProviderError    the provider could not be asked, or did not answer to the end

A key is never part of an error: neither of its text nor of its attributes, and no exception that
bears one, such as that of the HTTP client, is chained to it.
"""

from __future__ import annotations

from typing import Any, Final, Literal, get_args

from ..plugins.errors import CallboardError

ProviderCode = Literal[
    "bad_config",  # the configuration of the provider cannot be used
    "missing_package",  # the HTTP client is not installed
    "missing_key",  # the environment variable that should have the key is not set
    "unauthorized",  # the key is refused
    "refused",  # the provider refuses this request: sent again, it is refused again
    "rate_limited",  # too many requests, or too many tokens
    "overloaded",  # the provider has no room at the moment
    "server_error",  # the provider failed
    "unreachable",  # no connection, or one that broke before an answer came
    "timed_out",  # nothing came in time
    "bad_response",  # what came is no answer: garbage, the wrong kind of content, far too much
    "cut_off",  # the answer began, and broke off
]

PROVIDER_CODES: Final[tuple[str, ...]] = get_args(ProviderCode)
"""All codes of a `ProviderError`."""


class ProviderError(CallboardError):
    """The provider could not be asked, or did not answer to the end.

    Attributes:
        provider: its name.
        code: what happened, out of `PROVIDER_CODES`.
        status: the HTTP status, if one came.
        retry_after: seconds after which the provider wants to be asked again, if it said so.
        request_id: what the provider calls the request, for its support.
        retryable: asked again, it may well answer. That has been tried as often as is configured.
    """

    def __init__(
        self,
        message: str,
        *,
        provider: str,
        code: ProviderCode,
        status: int | None = None,
        retry_after: float | None = None,
        request_id: str | None = None,
        retryable: bool = False,
    ) -> None:
        super().__init__(message)
        self.provider = provider
        self.code: ProviderCode = code
        self.status = status
        self.retry_after = retry_after
        self.request_id = request_id
        self.retryable = retryable

    def event(self) -> dict[str, Any]:
        """Return the ``error`` event that tells of it; facts that are not known are left out."""
        facts = {"status": self.status, "retry_after": self.retry_after, "request_id": self.request_id}
        return {
            "type": "error",
            "error": str(self),
            "code": self.code,
            "provider": self.provider,
            "retryable": self.retryable,
            **{key: fact for key, fact in facts.items() if fact is not None},
        }
