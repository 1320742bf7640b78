"""Why a model stopped: the words of all providers, and the few that they come to. Pure.

A provider of one's own may say it in the provider's words or in ours. A word that is not known is ``other``, which ends
an answer as ``stop`` does.
"""

from __future__ import annotations

from typing import Any, Final, Literal, NamedTuple

StopReason = Literal["stop", "tool_calls", "length", "refused", "paused", "other"]
"""Why the model stopped, in the words of all providers. A ``paused`` answer goes on if it is sent back."""

_WORDS: Final[dict[StopReason, str]] = {
    "stop": "stop end_turn stop_sequence eos complete completed",
    "tool_calls": "tool_calls tool_call tool_use function_call",
    "length": "length max_tokens max_output_tokens model_length model_context_window_exceeded continuation",
    "refused": (
        "refused refusal content_filter content_filtered guardrail_intervened "
        "safety recitation blocklist prohibited_content spii jailbreak model_armor "
        "image_safety image_prohibited_content image_recitation escalation"
    ),
    "paused": "paused pause_turn",
}
_BY_WORD: Final[dict[str, StopReason]] = {
    word: reason for reason, words in _WORDS.items() for word in words.split()
}


class Stop(NamedTuple):
    """Why an answer ended, as far as it matters for what comes next.

    Attributes:
        reason: in the words of all providers; ``None`` if it is not known.
        detail: what the provider itself says of it; empty if nothing.
    """

    reason: StopReason | None = None
    detail: str = ""


def stop_reason(said: Any) -> StopReason | None:
    """Return what a word of a provider's comes to; ``None`` if it is no word."""
    if not isinstance(said, str) or not said:
        return None
    # Gemini's server of Chat Completions says more behind a colon: "content_filter: SAFETY".
    return _BY_WORD.get(said.lower().partition(":")[0], "other")


def stop_of(partial: Any) -> Stop:
    """Return why the answer ended that ``state["partial"]`` has."""
    said = partial.get("stop_reason") if isinstance(partial, dict) else None
    detail = partial.get("stop_detail") if isinstance(partial, dict) else None
    reason = stop_reason(said)
    if isinstance(detail, str) and detail:
        return Stop(reason, detail)
    return Stop(reason, said if isinstance(said, str) and said != reason else "")


def why_refused(stop: Stop) -> str:
    """Return a sentence that says that an answer was refused."""
    return "the model refused to answer, or a filter of its provider stopped it" + _because(stop)


def why_cut_off(stop: Stop) -> str:
    """Return a sentence that says that an answer reached the limit of its length."""
    return "the answer was cut off: it reached the limit of its length" + _because(stop)


def why_empty(stop: Stop) -> str:
    """Return a sentence that says that an answer had nothing in it."""
    if stop.reason == "length":
        return "the model said nothing before it reached the limit of its answer" + _because(stop)
    return "the model said nothing" + _because(stop)


def _because(stop: Stop) -> str:
    return f" ({stop.detail})" if stop.detail else ""
