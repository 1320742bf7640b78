"""Who is to blame when a host with several plugins does not come up, and is left out for the others' sake.

A host that ends or hangs while plugins are loaded takes the innocent with it, at every start anew. So:

* if just one plugin was being loaded, it is *left out*: the next generations do without it;
* if there were several, the next generation loads them one after the other, and then it is known;
* a plugin that is left out gets another chance after a while, and at once by an order;
* a plugin that runs alone is never left out: there is none to protect.

Pure: it holds no clock and tells nobody.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence


class LeftOut(NamedTuple):
    """Why, and until when."""

    cause: str
    until: float


class Suspects:
    """Of one host. Not thread-safe.

    Args:
        cool_down: seconds that a plugin is left out.

    Attributes:
        one_by_one: the next generation loads them one after the other.
        left_out: who is.
        been_up: a generation has been ready.
    """

    def __init__(self, cool_down: float) -> None:
        self.one_by_one: bool = False
        self.been_up: bool = False
        self.left_out: dict[str, LeftOut] = {}
        self._cool_down = cool_down

    def wanted(self, names: Collection[str], now: float) -> list[str]:
        """Which of these a generation that starts now is to load. If that is none, all are."""
        if not self.left_out:
            return list(names)
        self.left_out = {
            name: out for name, out in self.left_out.items() if name in names and now < out.until
        }
        return [name for name in names if name not in self.left_out] or list(names)

    def ruined(
        self, coming: Sequence[str], living: Collection[str], cause: str, now: float, *, alone: bool
    ) -> bool:
        """A generation came to a bad end; True if the next one will be another for that.

        Args:
            coming: of whom it owed an answer.
            living: the plugins of the host.
            cause: how it ended.
            now: the time.
            alone: nothing else was going on in it: nobody was sent calls yet.
        """
        others = set(living) - set(self.left_out) - set(coming)
        if len(coming) == 1 and alone and others:
            self.left_out[coming[0]] = LeftOut(cause, now + self._cool_down)
            return True
        if not coming or (len(coming) == 1 and not others) or self.one_by_one:
            return False
        self.one_by_one = True
        return True

    def came_up(self) -> None:
        """A generation is ready."""
        self.one_by_one = False
        self.been_up = True

    def pardon(self) -> None:
        """By hand: nobody is left out any more."""
        self.left_out.clear()
