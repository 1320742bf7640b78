"""One way to write a transcript, and every provider's way of writing the same; sound ones and broken ones alike."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

CHAT, RESPONSES = "openai.chat_completions", "openai.responses"
ANTHROPIC, BEDROCK, GEMINI = "anthropic.messages", "bedrock.converse", "gemini.generate_content"


# A piece is a kind (c = a call, r = a result, t = a text), an id, the name of a tool, and a number to tell it by

IDS = st.sampled_from(["a", "a", "b", "c", None])
CALLS = st.tuples(st.just("c"), IDS, st.sampled_from(["x", "y"]), st.integers(0, 1))
RESULTS = st.tuples(st.just("r"), IDS, st.sampled_from(["x", "y"]), st.integers(0, 1))
TEXTS = st.tuples(st.just("t"), st.just(None), st.just(""), st.integers(0, 2))
MODEL_TURNS = st.tuples(st.just("model"), st.lists(CALLS | CALLS | TEXTS, min_size=1, max_size=4))
USER_TURNS = st.tuples(st.just("user"), st.lists(RESULTS | RESULTS | TEXTS, min_size=1, max_size=4))
TURNS = st.lists(MODEL_TURNS | USER_TURNS, max_size=7)


def written(turns: Any, provider: str) -> list[Any]:
    return [message for role, pieces in turns for message in WRITERS[provider](role, pieces)]


def _chat(role: str, pieces: Any) -> list[Any]:
    calls = [
        {"id": its, "type": "function", "function": {"name": name, "arguments": f'{{"n": {n}}}'}}
        for kind, its, name, n in pieces
        if kind == "c"
    ]
    texts = [f"text {n}" for kind, _, _, n in pieces if kind == "t"]
    if role == "model":
        return [
            {
                "role": "assistant",
                "content": " ".join(texts) or None,
                **({"tool_calls": calls} if calls else {}),
            }
        ]
    return [
        {"role": "tool", "tool_call_id": its, "content": f"said {n}"} if kind == "r" else {"role": "user", "content": f"text {n}"}
        for kind, its, _, n in pieces
    ]  # fmt: skip


def _responses(role: str, pieces: Any) -> list[Any]:
    makers = {
        "c": lambda its, name, n: {
            "type": "function_call" if name == "x" else "custom_tool_call", "call_id": its, "name": name,
            "arguments" if name == "x" else "input": f'{{"n": {n}}}',
        },
        "r": lambda its, name, n: {
            "type": "function_call_output" if name == "x" else "custom_tool_call_output", "call_id": its, "output": f"said {n}",
        },
        "t": lambda *said: {"role": "assistant" if role == "model" else "user", "content": f"text {said[-1]}"},
    }  # fmt: skip
    return [makers[kind](its, name, n) for kind, its, name, n in pieces]


def _anthropic(role: str, pieces: Any) -> list[Any]:
    makers = {
        "c": lambda its, name, n: {"type": "tool_use", "id": its, "name": name, "input": {"n": n}},
        "r": lambda its, name, n: {"type": "tool_result", "tool_use_id": its, "content": f"said {n}"},
        "t": lambda *said: {"type": "text", "text": f"text {said[-1]}"},
    }
    content = [makers[kind](its, name, n) for kind, its, name, n in pieces]
    return [{"role": "assistant" if role == "model" else "user", "content": content}]


def _bedrock(role: str, pieces: Any) -> list[Any]:
    makers = {
        "c": lambda its, name, n: {"toolUse": {"toolUseId": its, "name": name, "input": {"n": n}}},
        "r": lambda its, name, n: {"toolResult": {"toolUseId": its, "content": [{"json": {"n": n}}]}},
        "t": lambda *said: {"text": f"text {said[-1]}"},
    }
    content = [makers[kind](its, name, n) for kind, its, name, n in pieces]
    return [{"role": "assistant" if role == "model" else "user", "content": content}]


def _gemini(role: str, pieces: Any) -> list[Any]:
    makers = {
        "c": lambda its, name, n: {"functionCall": {"name": name, "args": {"n": n}, **({"id": its} if its else {})}},
        "r": lambda its, name, n: {"functionResponse": {"name": name, "response": {"n": n}, **({"id": its} if its else {})}},
        "t": lambda *said: {"text": f"text {said[-1]}"},
    }  # fmt: skip
    return [{"role": role, "parts": [makers[kind](its, name, n) for kind, its, name, n in pieces]}]


WRITERS = {CHAT: _chat, RESPONSES: _responses, ANTHROPIC: _anthropic, BEDROCK: _bedrock, GEMINI: _gemini}
