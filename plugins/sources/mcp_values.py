"""Values of an MCP server's entry: each is read, or refused as the rest of a sentence about the entry. Pure."""

from __future__ import annotations

from typing import Any

from .source import SourceProblem, is_word


def read_renamed(value: Any) -> tuple[tuple[str, str], ...]:
    """Return the new names of tools, with the old one before each."""
    if not isinstance(value, dict) or not all(
        is_word(each) and each for pair in value.items() for each in pair
    ):
        raise SourceProblem("has a 'rename' in 'tools' of 'mcp' that is no mapping of names to names")
    for new in value.values():
        if [*value.values()].count(new) > 1:
            raise SourceProblem(
                f"has two tools with the new name {new!r:.100} in 'rename' of 'tools' in 'mcp'; give one of them another"
            )
    return tuple(value.items())


def read_list(value: dict[str, Any], key: str, what: str) -> tuple[str, ...]:
    """Return the texts under a key; none if it is missing."""
    words = value.get(key, [])
    if not isinstance(words, list | tuple) or not all(map(is_word, words)):
        raise SourceProblem(
            f"has {words!r:.100} as {key!r} of 'mcp'; it has to be a list of {what} without NUL"
        )
    return tuple(words)


def read_pairs(value: dict[str, Any], key: str) -> tuple[tuple[str, str], ...]:
    """Return the names and texts under a key; none if it is missing."""
    pairs = value.get(key, {})
    if not isinstance(pairs, dict) or not all(
        is_word(name) and is_word(text) for name, text in pairs.items()
    ):
        raise SourceProblem(f"has an {key!r} in 'mcp' that is no mapping of names to texts without NUL")
    return tuple(pairs.items())


def read_flag(value: dict[str, Any], key: str) -> bool:
    """Return what stands under a key; false if it is missing."""
    if not isinstance(value.get(key, False), bool):
        raise SourceProblem(f"has {value[key]!r:.100} as {key!r} of 'mcp'; it has to be true or false")
    return bool(value.get(key, False))
