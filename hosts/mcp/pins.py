"""What a server declares, held to what was kept of it when it was first listed, or learnt since. Pure but for what it is given to call.

The first listing is believed, for there is nothing to hold it to. From then on each tool that is declared otherwise, is new or is gone, is reported. Where
changes are withheld, a tool that is declared otherwise or is new is not offered until it is accepted.

A server may have other tools for clients with other capabilities, so its tools are kept for each set of capabilities. The first listing for a further
set is compared with the other sets: a tool of theirs may be missing, and one that is there has to be declared as in one of them. A new tool is reported
once.
"""

from __future__ import annotations

import hashlib
import json
from functools import partial
from typing import TYPE_CHECKING, Any, Final

from ...plugins.hooks.approval import changes_between, declared_as

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

Json = dict[str, Any]
Declared = dict[str, str]
"""Tools by the server's own names, each as `kept_as` has it."""

LONGEST: Final = 16_384
"""Characters of a declaration that is kept as it is; of a longer one there is a digest, and no difference can be shown."""

_WITHHELD: Final = "it is not declared as it was kept ('pin'); 'callboard plan CONFIG' shows the difference; if it is right, accept it with 'callboard trust CONFIG'"


_SAID: Final = 8
"""Tools that are named where it is said which are not as they were kept."""


def kept_as(tool: Json, hides: Callable[[str], bool] = lambda _: False) -> str:
    """Return a declaration as it is kept: its text, or a digest if it is long or ``hides`` finds a secret in it."""
    text = declared_as(tool)
    if len(text) <= LONGEST and not hides(text):
        return text
    return f"sha256:{hashlib.sha256(text.encode('utf-8', 'replace')).hexdigest()}"


def differences(kept: Mapping[str, str], now: Mapping[str, str]) -> dict[str, tuple[str, ...]]:
    """The tools that are not as they were kept, and what of them is otherwise, a sentence each."""
    kept, now = _as_kept_now(kept), _as_kept_now(now)
    found = {name: _difference(kept.get(name), now.get(name)) for name in {**kept, **now}}
    return {name: said for name, said in found.items() if said}


def _as_kept_now(kept: Mapping[str, str]) -> Declared:
    """Return kept declarations in the order of `declared_as`, which an older file may not have."""
    return {
        name: declared_as(json.loads(text)) if text.startswith("{") else text for name, text in kept.items()
    }


def _difference(was: str | None, now: str | None) -> tuple[str, ...]:
    if was == now:
        return ()
    if was is None or now is None:
        return ("it is new",) if was is None else ("it is gone",)
    if was.startswith("{") and now.startswith("{"):
        return changes_between([json.loads(was)], [json.loads(now)])
    return (f"it is declared otherwise, in more than {LONGEST:,} characters or with a secret in them",)


class Pins:
    """What is kept of one server. `refusal` and `heard` are called while a listing is read, and do not block; `settle` may.

    Args:
        kept: what is kept for each set of capabilities, which is named as `capabilities_text` does.
        withholds: whether a tool that is not as it was kept is left out.
        keep: writes down for one set what was heard first, and what is otherwise now; may block.
        hides: returns whether a declaration has a secret; then a digest of it is kept.

    Attributes:
        on_differing: called with the differences when there are others than before; must not block.
        withholds: as given.
        differing: the differences.
    """

    def __init__(
        self,
        kept: Mapping[str, Declared],
        *,
        withholds: bool,
        keep: Callable[[str, Declared, Declared | None], None],
        hides: Callable[[str], bool] = lambda _: False,
    ) -> None:
        self._kept_as = partial(kept_as, hides=hides)
        self.on_differing: Callable[[dict[str, tuple[str, ...]]], object] = lambda _: None
        self._kept = {able: _as_kept_now(tools) for able, tools in kept.items()}
        self._able: str | None = None
        self.withholds: bool = withholds
        self._keep = keep
        self._heard: tuple[str, Declared] | None = None
        self._settled: Mapping[str, Declared] = dict(kept)
        self.differing: dict[str, tuple[str, ...]] = {}

    def declared_to(self, capabilities: Iterable[str]) -> None:
        """The listing that is read from now on is for a client with these capabilities."""
        self._able = capabilities_text(capabilities)

    @property
    def why(self) -> str:
        """What of the tools is not declared as it was kept, in a sentence."""
        said = [f"{name} ({changes[0]:.200})" for name, changes in list(self.differing.items())[:_SAID]]
        further = len(self.differing) - len(said)
        more = f" and {further:,} more" if further else ""
        return f"{', '.join(said)}{more}" if said else "all is as it was kept"

    def refusal(self, tool: Json) -> str | None:
        """Why a tool is not offered; ``None`` if it may be."""
        if not self.withholds or not self._kept:
            return None
        own = None if self._able is None else self._kept.get(self._able)
        sets = self._kept.values() if own is None else (own,)
        text = self._kept_as(tool)
        return None if any(each.get(tool["name"]) == text for each in sets) else _WITHHELD

    def heard(self, tools: list[Json]) -> None:
        """A listing was read whole."""
        able, now = self._able or "", {tool["name"]: self._kept_as(tool) for tool in tools}
        self._heard = able, now
        kept = self._kept.get(able)
        if kept is None:
            kept = known_of(now, tuple(self._kept.values()))
            self._kept[able] = kept if self.withholds else now | kept
        before, self.differing = self.differing, differences(kept, now)
        if self.differing != before:
            self.on_differing(self.differing)

    def settle(self) -> None:
        """Write down what was heard, if that is not done."""
        if self._heard is not None and self._settled.get(self._heard[0]) != self._heard[1]:
            able, now = self._heard
            self._settled = {**self._settled, able: now}
            kept = self._kept[able]
            self._keep(able, kept, None if now == kept else now)


def capabilities_text(capabilities: Iterable[str]) -> str:
    """A set of capabilities, as it stands in a record."""
    return ",".join(sorted(capabilities))


def known_of(now: Declared, sets: Sequence[Declared]) -> Declared:
    """Return what the first listing for a set of capabilities is compared with: its tools as other sets have them, or itself if nothing is kept."""
    if not sets:
        return now
    known = {}
    for name, text in now.items():
        if found := [each[name] for each in sets if name in each]:
            known[name] = text if text in found else found[-1]
    return known
