"""Whose results were cut: what was cut off is listed to that client alone, and read by its address."""

from __future__ import annotations

import re
from collections import deque
from typing import TYPE_CHECKING, Any, Final

from ..hosts.mcp.result_bound import RESULTS

if TYPE_CHECKING:
    from collections.abc import Mapping

Json = dict[str, Any]

_CUT: Final = re.compile(rf"{RESULTS}[^/\s]{{0,300}}/[0-9a-f]{{32}}")
"""The address of a result that was cut, without its part: of a server of ours, or of one that is a board itself."""

_NOTE: Final = 16_384
"""Characters at the end of a text that have an address of what was cut off, if anything was."""

_MOST_CUT: Final = 1000
"""Results whose clients are known. Of one before them the address still stands in the result itself."""


class CutResults:
    """Which client's results were cut. In the event loop.

    A client is told apart by identity; one that is another object for each request has no results listed.
    """

    def __init__(self) -> None:
        self._cut: deque[tuple[object, str]] = deque(maxlen=_MOST_CUT)

    def note(self, client: object, result: Mapping[str, Any]) -> None:
        """A result that a client is given."""
        # An address stands in the note at the end of a text; nobody else can know one.
        texts = [result.get("result"), result.get("error")]
        if isinstance(blocks := result.get("content"), list):
            texts += [block.get("text") for block in blocks if isinstance(block, dict)]
        for text in texts:
            if isinstance(text, str) and RESULTS in (end := text[-_NOTE:]):
                self._cut.extend((client, address) for address in dict.fromkeys(_CUT.findall(end)))

    def add(self, client: object, address: str) -> None:
        """As `note`, of a result of which this address has what was cut off."""
        self._cut.append((client, address))

    def listed(self, client: object, resources: list[Json]) -> list[Json]:
        """Of these resources those that a client may be told of."""
        own = {address for of, address in self._cut if of is client}
        return [each for each in resources if not each["uri"].startswith(RESULTS) or _is_among(own, each)]


def _is_among(own: set[str], resource: Json) -> bool:
    found = _CUT.match(resource["uri"])
    return found is not None and found[0] in own
