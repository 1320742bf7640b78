"""What a provider wants to have back, in its place among what the core's message says anyway. Pure.

A signed thought or an encrypted piece of reasoning has to be sent back as it came, where it stood. The core has
no words for it, so it is kept beside the message; what the core does say, text and calls, is
kept as a placeholder alone, so that the message stays the only one who says it. If there is nothing but
placeholders, nothing is kept.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

Json = dict[str, Any]

PLACE: Final = "callboard_place"
"""Key of a placeholder: ``text``, or ``call`` with an ``id``."""

TEXT: Final[Mapping[str, Any]] = {PLACE: "text"}


def call_place(call_id: str) -> Json:
    """Return the placeholder of a call."""
    return {PLACE: "call", "id": call_id}


def worth_keeping(items: Sequence[Json]) -> tuple[Json, ...]:
    """Return the items, or nothing if all of them are placeholders."""
    return tuple(items) if any(PLACE not in item for item in items) else ()


def filled(kept: Iterable[Json], text: Sequence[Any], calls: Sequence[tuple[str, Any]]) -> list[Any]:
    """Return the items in order, with what the message says in their places.

    What has no place comes last, text before calls; a place whose text or call is gone stays empty.

    Args:
        kept: what was kept.
        text: the message's text in the provider's form: one item, or none.
        calls: its calls in the provider's form, by their own ids.
    """
    texts, waiting = list(text), list(calls)
    items: list[Any] = []
    for item in kept:
        match item.get(PLACE):
            case None:
                items.append(item)
            case "text":
                items += texts
                texts = []
            case _:
                # By place and not by a table: a server may have given one id to two calls.
                found = next((each for each in waiting if each[0] == item.get("id")), None)
                if found is not None:
                    waiting.remove(found)
                    items.append(found[1])
    return [*items, *texts, *(call for _, call in waiting)]
