"""What an MCP server shares beside its tools: resources and prompts, read as they are. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from .listing import MAX_PAGES, MAX_TOOLS

if TYPE_CHECKING:
    from collections.abc import Callable

Json = dict[str, Any]

SHARED: Final = {
    "resources/list": "resources",
    "resources/templates/list": "resources",
    "resources/read": "resources",
    "prompts/list": "prompts",
    "prompts/get": "prompts",
    "logging/setLevel": "logging",
}
"""Requests that go to the server as they are, each with what it has to offer for that."""

NOT_OFFERED: Final = "NotOffered"
"""The type of the error of a server that has none of them."""


class EndlessList(ValueError):
    """A list has no end that could be waited for; says why."""


def whole_list(ask: Callable[[Json], Any], key: str) -> list[Json]:
    """The items of all pages of a list, without what is no item.

    Args:
        ask: asks for the page that these params name; returns the result.
        key: where the items stand in it.

    Raises:
        EndlessList: there are too many pages or items, or a cursor comes twice.
    """
    found: list[Json] = []
    seen: set[str] = set()
    params: Json = {}
    while True:
        page = ask(params)
        items = page.get(key) if isinstance(page, dict) else None
        found += [each for each in items if isinstance(each, dict)] if isinstance(items, list) else []
        cursor = page.get("nextCursor") if isinstance(page, dict) else None
        if not isinstance(cursor, str):
            return found
        if cursor in seen:
            raise EndlessList(f"the list of {key} goes in a circle: it has the cursor {cursor!r:.60} twice")
        seen.add(cursor)
        if len(seen) >= MAX_PAGES or len(found) > MAX_TOOLS:
            raise EndlessList(
                f"the list of {key} has no end: more than {MAX_PAGES} pages or {MAX_TOOLS:,} items"
            )
        params = {"cursor": cursor}
