"""What every measurement is given: how thorough to be, and the peer, if there is one.

A measurement is a function from a `Contest` to rows of the table. It makes its contestants, lets
them take turns, and cleans up after itself.
"""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from peers.mcp_peer import Peer
from table import Bound, Row, compared, microseconds, per_second

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from harness import Samples


@dataclass(frozen=True, slots=True)
class Contest:
    """See the module.

    Attributes:
        quick: a short form, to see that everything runs; its numbers are rough.
        no_peer: why the MCP peer does not take part, or ``None`` when it does.
    """

    quick: bool = False
    no_peer: str | None = None

    def times(self, count: int, quick: int) -> int:
        """``count``, or ``quick`` in the short form."""
        return quick if self.quick else count

    @contextmanager
    def peer(self, *server: str) -> Iterator[Peer | None]:
        """Give the peer, connected, in the present place; ``None`` when it does not take part. ``server`` as of `Peer`."""
        if self.no_peer is not None:
            yield None
            return
        with Peer(*server) as peer:
            yield peer

    def beside_peer(
        self,
        what: str,
        samples: Mapping[str, Samples],
        *,
        rates: bool = False,
        stage: Bound | None = None,
        goal: Bound | None = None,
    ) -> Row:
        """The row that says how many times better ``callboard`` did than ``peer``, if that took part.

        Args:
            what: was measured.
            samples: of the contestants, by name.
            rates: they are calls a second, and no seconds.
            stage: what this version has to reach.
            goal: what is to be reached in the end.
        """
        show = per_second if rates else microseconds
        ours, theirs = samples["callboard"], samples.get("peer")
        what, value = f"{what}, times {'as many' if rates else 'faster'}", show(ours.median)
        if theirs is None:
            return Row(what, value, f"mcp: {self.no_peer}", stage=stage, goal=goal)
        ratio = ours.over(theirs) if rates else theirs.over(ours)
        return compared(what, value, f"mcp {show(theirs.median)}", ratio, stage=stage, goal=goal)
