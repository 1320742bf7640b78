"""The text of a call's arguments, put together from what a stream says piece by piece."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..calls.arguments import parse_arguments
from ..exact_json import json_text

if TYPE_CHECKING:
    from collections.abc import Iterable


def joined(pieces: Iterable[str]) -> str:
    """Return the pieces as one text.

    A server that cuts between UTF-16 units sends one half of a character at the end of a piece and the
    other at the start of the next. Side by side they are that character again; a half that stays alone
    stays as it is.
    """
    text = "".join(pieces)
    if text.isascii():
        return text
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "surrogatepass")
    return text


def is_whole(text: str) -> bool:
    """Say whether arguments are a whole JSON object, to which nothing can be added any more."""
    return text.rstrip(" \t\n\r").endswith("}") and parse_arguments(text).kind == "object"


def mean_the_same(one: str, other: str) -> bool:
    """Say whether two texts of arguments mean the same, however they are spelt."""
    if one == other:
        return True
    first, second = parse_arguments(one), parse_arguments(other)
    if "malformed" in {first.kind, second.kind}:
        return False
    return json_text(first.payload) == json_text(second.payload)
