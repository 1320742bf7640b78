"""One request to a provider, as often as it has to be sent: what is sent, and what comes of what comes back. Pure.

`ProviderRequest` owns no connection, no clock and no key. The shell in `http.py` sends what it says, feeds it what
comes, and asks it what follows from a failure; there are two shells, and one of this.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from ...base.errors import JsonValueError
from ...interop.assembly.event_bytes import EventReader, EventStreamError
from ...interop.calls.arguments import parse_arguments
from ...interop.exact_json import exact_json, json_text
from ..errors import ProviderError
from ..wires.attempts import Again, AttemptFailed, Failure, after_failure, of_error, of_status, request_id

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from ..wires.options import Options
    from ..wires.wire import StreamReader, Wire

Json = dict[str, Any]

MAX_ERROR_BYTES: Final = 64 * 1024
"""How much is read of an answer that is an error."""

_STREAMS: Final = ("text/event-stream", "application/x-ndjson", "application/jsonl", "")
_OK: Final = 200


class ProviderRequest:
    """A request under way. Not thread-safe.

    Args:
        wire: the API.
        options: the provider's configuration.
        payload: the body.
        random: gives floats in ``[0, 1)``; the source of the jitter.

    Attributes:
        url: where to.
        body: what is sent, as bytes.
        attempt: how often it was sent; 0 until then.

    Raises:
        ProviderError: the payload is not JSON.
    """

    def __init__(self, wire: Wire, options: Options, payload: Json, random: Callable[[], float]) -> None:
        self.url: str = options.base_url + wire.path
        self.attempt: int = 0
        self._wire = wire
        self._options = options
        self._random = random
        self._reader: StreamReader = wire.read()
        self._events = EventReader()
        self._bytes = 0
        self._handed_on = False
        self._request_id: str | None = None
        self._payload = payload
        self._mended: Json | None = None
        self.body: bytes = self._written(payload)

    def _written(self, payload: Json) -> bytes:
        try:
            return json_text(exact_json(payload, what="payload")).encode()
        except JsonValueError as error:
            raise ProviderError(
                f"the request to provider {self._options.provider!r} is not JSON: {error}",
                provider=self._options.provider,
                code="bad_config",
            ) from error

    @property
    def headers(self) -> dict[str, str]:
        """What is sent beside the key. Compressed answers are not invited: they could not be bounded."""
        return {
            "accept": "text/event-stream",
            "accept-encoding": "identity",
            "content-type": "application/json",
            "user-agent": "callboard",
            **self._options.headers,
        }

    @property
    def partial(self) -> Json:
        """What came of the answer, with calls that are under way cut off: ``state["partial"]``."""
        self._reader.close()
        return self._reader.partial.as_json()

    def begin(self) -> None:
        """Forget what came before: it is sent, once more."""
        self.attempt += 1
        self._reader = self._wire.read()
        self._events = EventReader()
        self._bytes = 0

    def accepts(self, status: int, headers: Mapping[str, str]) -> bool:
        """Say whether what follows is a stream of events; if not, it is for `refusal`."""
        self._request_id = request_id(headers)
        kind = headers.get("content-type", "").partition(";")[0].strip().lower()
        return status == _OK and kind in _STREAMS and _is_plain(headers)

    def refusal(self, status: int, headers: Mapping[str, str], body: str, now: float) -> Failure:
        """Return the failure that an answer is which is no stream.

        Args:
            status: its status.
            headers: with lower-case names.
            body: the beginning of it.
            now: the time of day, as a Unix timestamp.
        """
        read = parse_arguments(body)
        said = body if read.kind == "malformed" else read.payload
        if status != _OK:
            failure = of_status(status, headers, said, now)
            if self._wire.mend is not None and failure.code == "refused":
                self._mended = self._wire.mend(self._payload, body)
            return failure
        if isinstance(said, dict) and said.get("error"):
            return of_error(said["error"])
        kind = headers.get("content-type", "nothing")
        if not _is_plain(headers):
            kind += f", packed as {headers['content-encoding'][:20]}"
        begins = " ".join(body[:120].split())
        return Failure(
            "bad_response",
            f"answered with {kind[:80]!r} instead of a stream of events; it begins {begins!r}. Is 'base_url' right?",
            status=status,
            request_id=self._request_id,
        )

    def feed(self, data: bytes) -> Iterator[Json]:
        """Take the next bytes of a stream; yield what they say.

        Raises:
            AttemptFailed: the provider failed, or what came is no stream of events.
        """
        self._bytes += len(data)
        if self._bytes > self._options.max_response_bytes:
            raise AttemptFailed(
                self._bad(f"answered with more than {self._options.max_response_bytes} bytes")
            )
        yield from self._said(lambda: self._events.feed(data))

    def finish(self) -> Iterator[Json]:
        """Take the end of a stream; yield what is left to be told. Raises as `feed`, and if it came too early."""
        yield from self._said(self._events.finish)
        for event in self._reader.finish():
            self._handed_on = True
            yield event

    def after(self, failure: Failure) -> tuple[float, Json]:
        """Return how long to wait before it is sent again, and the event that tells of it.

        A body that can be mended is sent again at once, however often it may be sent otherwise.

        Raises:
            ProviderError: it is not sent again.
        """
        if failure.request_id is None:
            failure = failure._replace(request_id=self._request_id)
        again = self._again_mended() or after_failure(
            failure,
            self.attempt,
            max_retries=self._options.max_retries,
            handed_on=self._handed_on,
            random=self._random,
        )
        if again is None:
            raise failure.as_error(self._options.provider, self.attempt)
        event = {"type": "retry", "attempt": self.attempt, "delay": again.after, "reason": failure.said}
        return again.after, {**event, "code": failure.code}

    def _again_mended(self) -> Again | None:
        if self._mended is None:
            return None
        self._payload, self._mended = self._mended, None
        self.body = self._written(self._payload)
        return Again(0.0)

    def _said(self, read: Callable[[], tuple[Json, ...]]) -> Iterator[Json]:
        try:
            events = read()
        except EventStreamError as error:
            raise AttemptFailed(self._bad(f"sent what is no stream of events: {error.problem}")) from None
        for event in events:
            for told in self._reader.feed(event):
                self._handed_on = True
                yield told

    def _bad(self, said: str) -> Failure:
        return Failure("bad_response", said, status=_OK)


def _is_plain(headers: Mapping[str, str]) -> bool:
    return headers.get("content-encoding", "identity").lower() in {"identity", ""}
