"""``sampling/createMessage`` as what a model is to be asked, and its answer as that of MCP. Pure.

What is asked is a conversation of its own: texts, and images and audio of the user. Tools in it are not offered, and so refused. Which model is asked,
and what it sees beside, is not the server's to say: its preferences and stop sequences are for clients that heed them, and its wish for context has no effect.
"""

from __future__ import annotations

from typing import Any, Final

from ...base.frozen import frozen
from ...base.json import dump_json
from .elicitation import NotAsked

Json = dict[str, Any]

MOST_BYTES: Final = 1024 * 1024
"""Of a conversation."""

MOST_MESSAGES: Final = 128

MOST_TOKENS: Final = 8192
"""Of an answer; a server that wants more gets as many."""

_WISHES: Final[dict[str, type]] = {
    "modelPreferences": dict,
    "stopSequences": list,
    "includeContext": str,
    "metadata": dict,
}
_SEVERAL: Final = "2025-11-25"
"""The revision from which on a message may hold several blocks."""

_MEDIA: Final = frozenset({"image", "audio"})


@frozen
class Sampling:
    """What a server wants a model to answer.

    Attributes:
        plugin: the server's plugin.
        messages: roles, and what was said: the text, and the blocks that are none.
        system: what the model is told before; ``None`` for nothing.
        max_tokens: of the answer.
        temperature: the provider's if ``None``.
        tool: the tool that was called, if only one call can be meant.
        wishes: what a client of MCP may heed, and a model of ours does not: ``modelPreferences``, ``stopSequences``, ``includeContext``, ``metadata``.
    """

    plugin: str
    messages: tuple[tuple[str, str, tuple[Json, ...]], ...]
    system: str | None
    max_tokens: int
    temperature: float | None
    tool: str | None = None
    wishes: Json | None = None

    @property
    def shown(self) -> Json:
        """What a person is shown of it: all that the model would be told; of media what they are."""
        said: list[Json] = []
        for role, text, media in self.messages:
            named = [f"{each['type']} ({each.get('mimeType')})" for each in media]
            said.append({"role": role, "text": text, **({"media": named} if named else {})})
        system = {} if self.system is None else {"system": self.system}
        return {**system, "messages": said, "max_tokens": self.max_tokens}


def sampling_of(params: Json, plugin: str, tool: str | None) -> Sampling:
    """What a request asks for. Raises `NotAsked`: it cannot be asked, or is too large."""
    messages, system, temperature = (params.get(key) for key in ("messages", "systemPrompt", "temperature"))
    if params.get("tools") or params.get("toolChoice"):
        raise NotAsked("tools in sampling are not offered by this client")
    if not isinstance(messages, list) or not 1 <= len(messages) <= MOST_MESSAGES:
        raise NotAsked(f"'messages' is no list of 1 to {MOST_MESSAGES} messages")
    wishes = {key: params[key] for key, kind in _WISHES.items() if isinstance(params.get(key), kind)}
    if (size := len(dump_json([messages, system, wishes]))) > MOST_BYTES:
        raise NotAsked(f"the conversation has {size:,} bytes; at most {MOST_BYTES:,} are sent")
    tokens = params.get("maxTokens")
    if not isinstance(tokens, int) or isinstance(tokens, bool) or tokens < 1:
        raise NotAsked("'maxTokens' is no number of tokens")
    if not isinstance(system, str | None) or not _is_number(temperature):
        raise NotAsked("'systemPrompt' is no text, or 'temperature' no number")
    read = tuple(_message(each) for each in messages)
    return Sampling(plugin, read, system, min(tokens, MOST_TOKENS), temperature, tool, wishes or None)


def params_of(sampling: Sampling, revision: str) -> Json:
    """The request that asks a client of MCP for the same, in a revision of MCP."""
    messages: list[Json] = []
    for role, text, media in sampling.messages:
        blocks = [*([{"type": "text", "text": text}] if text or not media else []), *media]
        several = revision >= _SEVERAL and len(blocks) > 1
        messages += [{"role": role, "content": each} for each in ([blocks] if several else blocks)]
    facts = {"systemPrompt": sampling.system, "temperature": sampling.temperature}
    said = {key: value for key, value in facts.items() if value is not None}
    return {"messages": messages, "maxTokens": sampling.max_tokens, **said, **(sampling.wishes or {})}


def sampled(text: str, model: str, *, cut: bool) -> Json:
    """The answer to ``sampling/createMessage``; ``cut``: it came to the end of the tokens."""
    content = {"type": "text", "text": text}
    return {
        "role": "assistant",
        "content": content,
        "model": model,
        "stopReason": "maxTokens" if cut else "endTurn",
    }


def _is_number(value: Any) -> bool:
    return value is None or (isinstance(value, int | float) and not isinstance(value, bool))


def _message(message: Any) -> tuple[str, str, tuple[Json, ...]]:
    role = message.get("role") if isinstance(message, dict) else None
    if role not in {"user", "assistant"}:
        raise NotAsked("a message is neither the user's nor the assistant's")
    content = message.get("content")
    texts, media = [], []
    for block in content if isinstance(content, list) else [content]:
        match block:
            case {"type": "text", "text": str(text)}:
                texts.append(text)
            case {"type": kind, "data": str(), "mimeType": str()} if kind in _MEDIA and role == "user":
                media.append({key: block[key] for key in ("type", "data", "mimeType")})
            case _:
                raise NotAsked("a message holds what is neither a text, nor an image or audio of the user")
    if not texts and not media:
        raise NotAsked("a message is empty")
    return role, "\n".join(texts), tuple(media)
