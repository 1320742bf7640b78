"""What can go wrong between an agent and its provider, with the facts as attributes.

    CallboardError
    └── ProviderError        the provider could not be asked, or did not answer to the end
        └── AttachmentError  what is attached to a message cannot be sent to it

A key is never part of an error: neither of its text nor of its attributes, and no exception that
bears one, such as that of the HTTP client, is chained to it.
"""

from __future__ import annotations

from typing import Any, Final, Literal, get_args

from ..base.errors import CallboardError

ProviderCode = Literal[
    "bad_config",  # the configuration of the provider cannot be used
    "bad_attachment",  # what is attached to a message cannot be read, or not be sent to this provider
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


class AttachmentError(ProviderError):
    """What is attached to a message cannot be read, or cannot be sent to this provider. Nothing was sent.

    Attributes:
        attachment: which one, as a JSON path into the messages that were to be sent.
        problem: why, as a sentence without its subject.
        could_send: what the provider's API takes instead, in words; empty where that is not the question.
    """

    def __init__(
        self, attachment: str, problem: str, *, provider: str, could_send: tuple[str, ...] = ()
    ) -> None:
        instead = f". It takes {'; '.join(could_send)}" if could_send else ""
        super().__init__(
            f"the attachment {attachment} cannot be sent to provider {provider!r}: it {problem}{instead}",
            provider=provider,
            code="bad_attachment",
        )
        self.attachment = attachment
        self.problem = problem
        self.could_send = could_send

    def event(self) -> dict[str, Any]:
        """Return the ``error`` event, with the attachment and what could be sent."""
        return {**super().event(), "attachment": self.attachment, "could_send": list(self.could_send)}
