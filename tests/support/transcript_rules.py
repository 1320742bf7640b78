"""What each provider asks of a transcript, written down apart from the code that sees to it.

A judge names every breach; the code under test shares nothing with it.
"""

from __future__ import annotations

from collections import Counter
from typing import Any

Json = dict[str, Any]


def chat_breaches(messages: list[Any]) -> list[str]:
    breaches: list[str] = []
    owed: list[str] = []
    for turn, message in enumerate(messages):
        if message.get("role") == "tool":
            if message.get("tool_call_id") in owed:
                owed.remove(message["tool_call_id"])
            else:
                breaches.append(f"{turn}: a tool message that nothing directly before it asks for")
            continue
        if owed:
            breaches.append(f"{turn}: comes before the results of {owed}")
        owed = [call.get("id") for call in message.get("tool_calls") or []]
        if len(set(owed)) < len(owed) or not all(owed):
            breaches.append(f"{turn}: ids {owed}")
    return breaches + ([f"at the end: no results of {owed}"] if owed else [])


def responses_breaches(items: list[Any]) -> list[str]:
    answers = {"function_call_output": "function_call", "custom_tool_call_output": "custom_tool_call"}
    breaches: list[str] = []
    open_calls: dict[str, str] = {}
    seen: set[str] = set()
    for turn, item in enumerate(items):
        kind, its = item.get("type"), item.get("call_id")
        if kind in answers.values():
            if not its or its in seen:
                breaches.append(f"{turn}: id {its!r}")
            seen.add(its)
            open_calls[its] = kind
        elif kind in answers and open_calls.pop(its, None) != answers[kind]:
            breaches.append(f"{turn}: a {kind} that answers nothing")
    return breaches + [f"no output of {its}" for its in open_calls]


def block_breaches(messages: list[Any], calls: Any, results: Any, *, unique: bool) -> list[str]:
    """``calls(message)`` and ``results(message)`` give ids; the latter ``None`` for blocks that are no results."""
    breaches: list[str] = []
    seen: set[str] = set()
    owed: list[str] = []
    for turn, message in enumerate(messages):
        if not (message.get("content") or message.get("parts")):
            breaches.append(f"{turn}: empty")
        found = results(message)
        given = [its for its in found if its is not None]
        if found[: len(given)] != given:
            breaches.append(f"{turn}: results that do not stand first")
        if Counter(given) != Counter(owed):
            breaches.append(f"{turn}: owed {owed}, given {given}")
        owed = calls(message)
        for its in owed:
            if unique and (not its or its in seen):
                breaches.append(f"{turn}: id {its!r}")
            seen.add(its)
    return breaches + ([f"at the end: no results of {owed}"] if owed else [])


def anthropic_breaches(messages: list[Any]) -> list[str]:
    def calls(message: Json) -> list[Any]:
        blocks = message["content"] if message["role"] == "assistant" else []
        return [b.get("id") for b in blocks if isinstance(b, dict) and b.get("type") == "tool_use"]

    def results(message: Json) -> list[Any]:
        return [
            str(b["tool_use_id"]) if isinstance(b, dict) and b.get("type") == "tool_result" else None
            for b in message["content"]
        ]

    empty = [f"{turn}: empty" for turn, message in enumerate(messages) if not message["content"]]
    return empty + block_breaches(joined(messages), calls, results, unique=True)


def joined(messages: list[Json]) -> list[Json]:
    """Anthropic makes one turn of messages of one role that follow each other."""
    turns: list[Json] = []
    for message in messages:
        if turns and turns[-1]["role"] == message["role"]:
            turns[-1] = {**turns[-1], "content": [*turns[-1]["content"], *message["content"]]}
        else:
            turns.append(message)
    return turns


def bedrock_breaches(messages: list[Any]) -> list[str]:
    def calls(message: Json) -> list[Any]:
        return [b["toolUse"].get("toolUseId") for b in message["content"] if "toolUse" in b]

    def results(message: Json) -> list[Any]:
        return [str(b["toolResult"]["toolUseId"]) if "toolResult" in b else None for b in message["content"]]

    return block_breaches(messages, calls, results, unique=True)


def gemini_breaches(contents: list[Any]) -> list[str]:
    """Names as many as calls, in their order; an id exactly where the call has it."""

    def calls(message: Json) -> list[Any]:
        return [_name_and_id(p["functionCall"]) for p in message["parts"] if "functionCall" in p]

    def results(message: Json) -> list[Any]:
        return [
            _name_and_id(p["functionResponse"]) if "functionResponse" in p else None for p in message["parts"]
        ]

    breaches = block_breaches(contents, calls, results, unique=False)
    for turn, message in enumerate(contents):
        ids = [called for _, called in calls(message) if called is not None]
        if len(set(ids)) < len(ids):
            breaches.append(f"{turn}: one id for two calls")
        given = [each for each in results(message) if each is not None]
        if turn and given and given != calls(contents[turn - 1]):
            breaches.append(f"{turn}: another order")
    return breaches


def _name_and_id(said: Json) -> tuple[Any, Any]:
    return said.get("name"), said.get("id")
