"""A repaired transcript keeps its provider's rules, whatever was given, and nothing is lost in silence."""

from __future__ import annotations

import copy
import json
from collections import Counter
from functools import partial
from typing import Any

import pytest
from callboard.interop.transcripts.repair import repair_transcript
from callboard.interop.transcripts.repair_report import LEFT_OUT, NO_RESULT, RepairCode
from hypothesis import given, settings
from hypothesis import strategies as st
from thorough import times
from transcript_rules import (
    anthropic_breaches,
    bedrock_breaches,
    chat_breaches,
    gemini_breaches,
    responses_breaches,
)
from transcript_writers import ANTHROPIC, BEDROCK, CHAT, GEMINI, RESPONSES, TURNS, written

JUDGES = {
    CHAT: chat_breaches,
    RESPONSES: responses_breaches,
    ANTHROPIC: anthropic_breaches,
    BEDROCK: bedrock_breaches,
    GEMINI: gemini_breaches,
}

EVERY = pytest.mark.parametrize("provider", JUDGES)
SOME = settings(max_examples=times(15, 100))  # of each law, for each provider


repaired_whole = partial(repair_transcript, continues=False)
"""Transcripts are whole here: one of outputs alone is taken for an input that goes on from another."""


def is_tool_traffic(piece: Any) -> bool:
    return isinstance(piece, dict) and (
        piece.get("type") in {"tool_use", "tool_result", "function_call", "custom_tool_call"}
        or str(piece.get("type")).endswith("_output")
        or bool({"toolUse", "toolResult", "functionCall", "functionResponse"} & piece.keys())
        or piece.get("role") == "tool"
    )


def everything_else(transcript: list[Any]) -> list[Any]:
    """What is neither a call nor a result, in order; an assistant's Chat message counts without its calls."""
    pieces = [
        piece for message in transcript for piece in (message.get("content") or message.get("parts") or [message])
        if not isinstance(message.get("content"), str)
    ] + [message["content"] for message in transcript if isinstance(message.get("content"), str) and message.get("role") != "tool"]  # fmt: skip
    texts = [piece for piece in pieces if not is_tool_traffic(piece)]
    return [
        {key: item for key, item in piece.items() if key != "tool_calls"}
        if isinstance(piece, dict)
        else piece
        for piece in texts
        if LEFT_OUT not in str(piece)
    ]


@EVERY
@SOME
@given(turns=TURNS)
def test_what_comes_out_keeps_the_rules_of_its_provider(provider, turns):
    repaired, _ = repaired_whole(written(turns, provider), provider)

    assert JUDGES[provider](repaired) == []


@EVERY
@SOME
@given(turns=TURNS)
def test_a_repaired_transcript_is_not_repaired_again(provider, turns):
    once, _ = repaired_whole(written(turns, provider), provider)

    again, repairs = repaired_whole(once, provider)

    assert again is once
    assert repairs == ()


@EVERY
@SOME
@given(turns=TURNS)
def test_a_valid_transcript_comes_back_as_the_same_object(provider, turns):
    transcript = written(turns, provider)
    valid = JUDGES[provider](transcript) == []

    repaired, repairs = repaired_whole(transcript, provider)

    assert (repaired is transcript) == (repairs == ())
    assert repaired is transcript or not valid


@EVERY
@SOME
@given(turns=TURNS)
def test_what_was_given_is_not_changed_and_nothing_but_calls_and_results_is_touched(provider, turns):
    transcript = written(turns, provider)
    before = copy.deepcopy(transcript)

    repaired, _ = repaired_whole(transcript, provider)

    assert transcript == before
    assert everything_else(repaired) == everything_else(before)


@EVERY
@SOME
@given(turns=TURNS)
def test_what_is_left_out_is_told_with_its_value(provider, turns):
    transcript = written(turns, provider)

    repaired, repairs = repaired_whole(transcript, provider)

    left_out = {RepairCode.ORPHAN_RESULT, RepairCode.DUPLICATE_RESULT, RepairCode.DUPLICATE_CALL}
    told = Counter(_said(each.value) for each in repairs if each.code in left_out)
    assert _traffic(transcript) - _traffic(repaired) == told


@EVERY
@SOME
@given(turns=TURNS, follows=st.booleans())
def test_calls_that_are_about_to_run_are_left_alone_if_asked(provider, turns, follows):
    calls = [("model", [("c", "p1", "x", 0), ("c", "p2", "y", 0)])]
    transcript = repaired_whole(written(turns, provider), provider).transcript
    pending = [*transcript, *written(calls, provider)]

    repaired, repairs = repaired_whole(pending, provider, keep_pending=True)

    assert repaired is pending
    assert repairs == ()


@EVERY
@SOME
@given(turns=TURNS)
def test_leaving_calls_alone_is_not_undone_by_doing_it_again(provider, turns):
    once, _ = repaired_whole(written(turns, provider), provider, keep_pending=True)

    assert repaired_whole(once, provider, keep_pending=True).transcript is once


def _traffic(transcript: list[Any]) -> Counter[str]:
    """Calls and results by what they say, their ids apart; made-up results left out."""
    found: list[Any] = []
    for message in transcript:
        found += list(message.get("tool_calls") or [])
        blocks = message.get("content") if isinstance(message.get("content"), list) else message.get("parts")
        found += [piece for piece in (blocks or [message]) if is_tool_traffic(piece)]
        if message.get("role") == "tool" and blocks:
            found.append(message)
    return Counter(said for each in found if NO_RESULT not in (said := _said(each)))


def _said(value: Any) -> str:
    ids = {"id", "call_id", "tool_call_id", "tool_use_id", "toolUseId", "type", "name"}

    def bare(each: Any) -> Any:
        return (
            {key: bare(item) for key, item in each.items() if key not in ids}
            if isinstance(each, dict)
            else each
        )

    return json.dumps(bare(value), sort_keys=True)
