"""Foreign text as a person can read it: every character is seen, and is what it looks like. Pure."""

from __future__ import annotations

import re
import unicodedata
from typing import TYPE_CHECKING, Any, Final

from ...base.json import dump_json

if TYPE_CHECKING:
    from collections.abc import Iterable

LONGEST: Final = 200_000
"""Characters of one value, and of a question; nobody reads a longer one, and so nobody says yes to it."""

HIDDEN: Final = re.compile(
    r"[\x00-\x08\x0b-\x1f\x7f-\x9f"  # C0 but tab and line feed, DEL, C1
    r"\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069"  # they turn the direction of what stands beside them
    r"\u200b-\u200d\u2060-\u2065\u206a-\u206f\ufeff\u00ad\u034f\u180b-\u180f\ufff0-\ufffb"  # no width
    r"\u115f\u1160\u17b4\u17b5\u3164\uffa0\u2028\u2029"  # blanks that are letters, and other ends of lines
    r"\ud800-\udfff\U0001d173-\U0001d17a\U000e0000-\U000e0fff]"  # half a pair, musical marks, tags
)
"""Characters that give orders, turn directions or are not seen."""

_QUOTES: Final = frozenset("\u02ba\u02dd\u02ee\u02f6\u05f2\u05f4\u1cd3\u2033\u2036\u3003\uff02")
"""Characters that look like the quotation mark that ends a text in JSON."""


def is_plain(text: str) -> bool:
    """Whether a text holds nothing that is shown by a code."""
    return (text.isascii() and text.isprintable()) or HIDDEN.search(text) is None


def as_json_code(character: str) -> str:
    """Return a character as JSON escapes it: with four digits, twice where it takes a pair of them."""
    code = character.encode("utf-16-be", "surrogatepass").hex()
    return "".join(f"\\u{code[at : at + 4]}" for at in range(0, len(code), 4))


def visible(text: str) -> str:
    """Return a text on one line in which every character is seen, and is what it looks like; others by their code.

    JSON stays JSON, and means the same.
    """
    if text.isascii() and text.isprintable():
        return text
    shown, before = [], " "
    for character in text:
        shown.append(character if _is_seen(character, before) else as_json_code(character))
        before = character
    return "".join(shown)


def _is_seen(character: str, before: str) -> bool:
    """Whether a character is printed, has a form of its own, and looks like no quotation mark."""
    if character.isascii():
        return character.isprintable()
    if not (character.isprintable() and is_plain(character)) or character in _QUOTES:
        return False
    # Variation selectors and the empty braille cell are printable, and nobody sees them.
    if "\ufe00" <= character <= "\ufe0f" or character == "\u2800":
        return False
    return not _combines(character) or _combines(before) or before.isalnum()


def _combines(character: str) -> bool:
    return unicodedata.category(character).startswith("M")


def json_lines(value: Any) -> Iterable[str]:
    """Return the lines of a JSON value, a member of an object a line. They are to be made `visible`."""
    if not isinstance(value, dict) or not value:
        return [_bounded(dump_json(value).decode())]
    members = [f"{dump_json(name).decode()}: {dump_json(item).decode()}" for name, item in value.items()]
    return ["{", *(f"  {_bounded(member)}," for member in members[:-1]), f"  {_bounded(members[-1])}", "}"]


def _bounded(text: str) -> str:
    left = len(text) - LONGEST
    return text if left <= 0 else f"{text[:LONGEST]}… and {left:,} characters more"
