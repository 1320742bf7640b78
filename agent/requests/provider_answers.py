"""What a provider may say while it is asked, and in the end: held to its shape, so that a wrong one is named. Pure.

A provider is anybody's code, and what it says goes to the program that shows it, into the session and into its file. What is
let through here without its shape fails there, far from the one who said it; so nothing is guessed, and a
`ContractError` says what the provider said and what it should have. What has the right shape and makes no sense (calls
without an id, results of nothing) is settled in `answer_steps.py`.
"""

from __future__ import annotations

from typing import Any, Final

from ...base.errors import ContractError, JsonValueError
from ...base.json import copy_json

Json = dict[str, Any]

_OF_THE_TURN: Final = frozenset({"done", "no_answer", "part", "preview"})
"""What a turn tells of itself. A ``done`` of another origin would end it for the listener."""

_TEXTS: Final = frozenset({"text", "reasoning"})


def told(provider: str, event: Any) -> Json:
    """Return an event as it is. Raises `ContractError`: it is none, or not the provider's to tell."""
    kind = event.get("type") if isinstance(event, dict) else None
    if not isinstance(kind, str):
        raise _wrong(
            provider, f"it yielded {event!r:.80}; an event is a dict with a type, such as {_AN_EVENT}"
        )
    if kind in _OF_THE_TURN:
        raise _wrong(provider, f"it yielded an event of type {kind!r}, which only the turn tells")
    if kind in _TEXTS and not isinstance(event.get("text"), str):
        raise _wrong(provider, f"the event of type {kind!r} has {event.get('text')!r:.80} for its text")
    if kind == "message":
        (message,) = kept(provider, [event.get("message")])
        return {**event, "message": message}
    return dict(event)


def gathered(provider: str, partial: Any, heard: Json) -> Json:
    """Return the whole answer: what the provider has gathered, and of what it left out, what was heard.

    Raises:
        ContractError: ``partial`` is no dict, or what is in it cannot be an answer.
    """
    if partial is None:
        return heard
    if not isinstance(partial, dict):
        raise _wrong(provider, f"state['partial'] is {partial!r:.80}; it has to be a dict")
    content, calls, stop = (partial.get(key) for key in ("content", "tool_calls", "stop_reason"))
    if content is not None and not isinstance(content, str):
        raise _wrong(provider, f"state['partial']['content'] is {content!r:.80}; it has to be a text")
    if calls is not None and not isinstance(calls, list | tuple):
        raise _wrong(provider, f"state['partial']['tool_calls'] is {calls!r:.80}; it has to be a list")
    if stop is not None and not isinstance(stop, str):
        raise _wrong(provider, f"state['partial']['stop_reason'] is {stop!r:.80}; it has to be a text")
    said = {
        "content": content or heard.get("content"),
        "tool_calls": heard.get("tool_calls") if calls is None else calls,
        "stop_reason": stop or heard.get("stop_reason"),
    }
    return {**partial, **{key: value for key, value in said.items() if value is not None}}


def kept(provider: str, messages: list[Any]) -> list[Json]:
    """Return core messages as copies of their own. Raises `ContractError`: one is no message, or not JSON."""
    for message in messages:
        metadata = message.get("metadata") if isinstance(message, dict) else None
        if not isinstance(message, dict) or not isinstance(message.get("role"), str):
            raise _wrong(provider, f"its message {message!r:.80} has no role, so it is none")
        if metadata is not None and not isinstance(metadata, dict):
            raise _wrong(provider, f"the metadata of its message is {metadata!r:.80}; it has to be a dict")
    try:
        return [copy_json(message, what="message") for message in messages]
    except JsonValueError as error:
        raise _wrong(provider, f"its message cannot be kept: {error}") from error


_AN_EVENT: Final = '{"type": "text", "text": "…"}'


def _wrong(provider: str, problem: str) -> ContractError:
    return ContractError(f"provider {provider!r}: {problem}", plugin=provider)
