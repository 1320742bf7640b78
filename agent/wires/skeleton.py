"""What a provider wants to have back, in its place among what the core's message says anyway. Pure.

A signed thought or an encrypted piece of reasoning has to be sent back as it came, where it stood. The core has
no words for it, so it is kept beside the message; what the core does say, text and calls, is
kept as a placeholder alone, so that the message stays the only one who says it. A placeholder may have keys that the
provider wants to have back in what stands there. If there is nothing but placeholders without keys, nothing is kept.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

Json = dict[str, Any]

PLACE: Final = "callboard_place"
"""Key of a placeholder: ``text``, with its ``length`` in characters, or ``call`` with an ``id``."""

KEYS: Final = "keys"
"""Key of a placeholder: what else stands in its place."""


def text_place(length: int, keys: Mapping[str, Any] | None = None) -> Json:
    """Return the placeholder of a text."""
    return _with_keys({PLACE: "text", "length": length}, keys)


def call_place(call_id: str, keys: Mapping[str, Any] | None = None) -> Json:
    """Return the placeholder of a call."""
    return _with_keys({PLACE: "call", "id": call_id}, keys)


def worth_keeping(items: Sequence[Json]) -> tuple[Json, ...]:
    """Return the items, or nothing if all of them are placeholders without keys."""
    return tuple(items) if any(PLACE not in item or item.get(KEYS) for item in items) else ()


def filled(
    kept: Iterable[Json], text: str, calls: Sequence[tuple[str, Json]], say: Callable[[str], list[Json]]
) -> list[Json]:
    """Return the items in order, with what the message says in their places.

    What has no place comes last, text before calls; a place whose text or call is gone stays empty. Text that is not as
    long as its places stands in the first of them: it was changed, and nothing tells where it belongs.

    Args:
        kept: what was kept.
        text: the message's text.
        calls: its calls in the provider's form, by their own ids.
        say: writes a text in the provider's form, as one item; as none if it cannot be said.
    """
    kept, waiting = tuple(kept), list(calls)
    pieces = _pieces(kept, text)
    items: list[Json] = []
    for item in kept:
        match item.get(PLACE):
            case None:
                items.append(item)
            case "text":
                items += (_and_keys(said, item) for said in say(next(pieces, "")))
            case _:
                # By place and not by a table: a server may have given one id to two calls.
                found = next((each for each in waiting if each[0] == item.get("id")), None)
                if found is not None:
                    waiting.remove(found)
                    items.append(_and_keys(found[1], item))
    return [*items, *(said for piece in pieces for said in say(piece)), *(call for _, call in waiting)]


def _pieces(kept: Iterable[Json], text: str) -> Iterator[str]:
    """Yield the text that stands in each place; all of it if there is none."""
    lengths = [item.get("length") for item in kept if item.get(PLACE) == "text"]
    known = [length for length in lengths if type(length) is int and length >= 0]
    if not lengths or len(known) < len(lengths) or sum(known) != len(text):
        yield text
        return
    start = 0
    for length in known:
        yield text[start : start + length]
        start += length


def _with_keys(place: Json, keys: Mapping[str, Any] | None) -> Json:
    return {**place, KEYS: dict(keys)} if keys else place


def _and_keys(said: Json, place: Json) -> Json:
    keys = place.get(KEYS)
    return {**said, **keys} if isinstance(keys, dict) else said
