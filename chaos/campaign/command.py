"""Very many rounds, one seed after the other: what ``python -m callboard.chaos campaign`` does."""

from __future__ import annotations

import json
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from random import SystemRandom
from typing import TYPE_CHECKING

from ..checker.standings import STATUS, Standing
from ..commands.argparse_types import seconds, whole
from .drawing import draw_plan
from .plan import KINDS, OTHER_KINDS
from .round import Round

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable
    from typing import Any

    from .deeds import Face
    from .plan import Plan
    from .round import Ended

SIZES = ("plugins", "callers", "calls", "happenings", "seconds")
"""What of a plan can be chosen, to shrink it by hand."""


def add_command(
    commands: argparse._SubParsersAction[argparse.ArgumentParser],
    make_board: Callable[[dict[str, Any], Callable[[int], bytes]], Face],
    has_node: Callable[[], bool],
) -> None:
    """Add ``campaign`` to the commands of a program.

    Args:
        commands: of the program.
        make_board: see `Round`.
        has_node: whether there is a Node.js that can run tools.
    """
    parser = commands.add_parser(
        "campaign", help="random configurations, held against the ledgers of their tools"
    )
    parser.add_argument("--rounds", type=whole(1), default=100, help="how many, each of the next seed (100)")
    parser.add_argument("--seed", type=int, help="of the first round")
    parser.add_argument("--plugins", type=int, default=3, choices=range(1, 7), help="plugins of each (3)")
    parser.add_argument("--callers", type=whole(1), default=4, help="callers of each (4)")
    parser.add_argument("--calls", type=whole(0), default=120, help="calls of each (120)")
    parser.add_argument("--happenings", type=whole(0), default=8, help="faults and orders of each (8)")
    parser.add_argument("--seconds", type=seconds, default=1.2, help="in which they come (1.2)")
    parser.add_argument(
        "--kind",
        action="append",
        dest="kinds",
        choices=(*KINDS, *OTHER_KINDS),
        help="of plugins, instead of all that are no MCP servers; may be given again",
    )
    parser.add_argument(
        "--fail-fast", action="store_true", help="end with the first round that breaks a rule"
    )
    parser.add_argument("--print", action="store_true", dest="shows", help="print the plans, and do nothing")
    parser.set_defaults(run=lambda given: run(given, make_board, has_node()))


def run(
    given: argparse.Namespace,
    make_board: Callable[[dict[str, Any], Callable[[int], bytes]], Face],
    has_node: bool,
) -> int:
    """Carry the rounds out; returns 0 when every rule held in each and was held against something, and 1 when not."""
    first = SystemRandom().randrange(100_000) if given.seed is None else given.seed
    kinds = given.kinds or (KINDS if has_node else tuple(kind for kind in KINDS if kind != "node"))
    sizes = {name: getattr(given, name) for name in SIZES}
    plans = (draw_plan(seed, kinds=kinds, **sizes) for seed in range(first, first + given.rounds))
    if given.shows:
        for plan in plans:
            _say(json.dumps(plan.as_dict()))
        return 0
    sums = _Sums()
    began = time.monotonic()
    for plan in plans:
        with tempfile.TemporaryDirectory(prefix="callboard-campaign-") as folder:
            ended = Round(plan, Path(folder), make_board).run()
        sums.add(ended)
        _tell(ended, _again(plan, given))
        if ended.violations and given.fail_fast:
            break
    sums.tell(time.monotonic() - began)
    return STATUS[sums.standing]


def _again(plan: Plan, given: argparse.Namespace) -> str:
    words = ["python -m callboard.chaos campaign --rounds 1", f"--seed {plan.seed}"]
    words += [f"--{name} {getattr(given, name)}" for name in SIZES]
    words += [f"--kind {kind}" for kind in given.kinds or ()]
    return " ".join(words)


def _tell(ended: Ended, again: str) -> None:
    mark = "✗" if ended.violations else "·" if ended.untested else "✓"
    kinds = ", ".join(plugin.kind for plugin in ended.plan.plugins)
    _say(
        f" {mark} seed {ended.plan.seed:<7} {kinds:<36} {ended.endings.total():>4} calls, "
        f"{ended.endings['success']:>3} well, {ended.done.total():>2} happenings, {ended.seconds:4.1f} s"
    )
    if ended.untested:
        _say(f"   not tested: {ended.untested}")
    for violation in ended.violations[:10]:
        _say(f" ✗ {violation.rule}: {violation.what}")
    if not ended.ok:
        _say(f"   The plan: {json.dumps(ended.plan.as_dict())}")
        _say(f"   The same again: {again}")


class _Sums:
    """What came of all rounds together."""

    def __init__(self) -> None:
        self.rounds = 0
        self.broken = 0
        self.untested = 0
        self._looked_at: Counter[str] = Counter()
        self._wrong: Counter[str] = Counter()
        self._endings: Counter[str] = Counter()
        self._done: Counter[str] = Counter()

    @property
    def standing(self) -> Standing:
        """Held if every rule was, each against something, and each round tested something."""
        if self.broken:
            return Standing.BROKEN
        return Standing.NOT_TESTED if self.untested or self._unseen else Standing.HELD

    @property
    def _unseen(self) -> list[str]:
        """The rules that have looked at nothing in any round."""
        return [rule for rule, count in self._looked_at.items() if not count]

    def add(self, ended: Ended) -> None:
        """Count one round."""
        self.rounds += 1
        self.broken += bool(ended.violations)
        self.untested += bool(ended.untested)
        self._endings += ended.endings
        self._done += ended.done
        for one in ended.checks:
            self._looked_at[one.rule] = self._looked_at[one.rule] + one.looked_at  # a zero stands there, too
            self._wrong[one.rule] += bool(one.violations)

    def tell(self, seconds: float) -> None:
        """The last lines: each rule, what was done, and the verdict."""
        _say()
        for rule, count in self._looked_at.items():
            mark = "✗" if self._wrong[rule] else "✓" if count else "·"
            wrong = f", broken in {self._wrong[rule]:,} rounds" if self._wrong[rule] else ""
            _say(f" {mark} {rule:<31}  {f'{count:,} looked at' if count else 'not tested'}{wrong}")
        _say(f"\n Calls      {_list(self._endings)}")
        _say(f" Happenings {_list(self._done)}")
        words = [f"RULES ARE BROKEN IN {self.broken:,}"] * bool(self.broken)
        words += [f"{self.untested:,} TESTED NOTHING"] * bool(self.untested)
        words += [f"NOT TESTED: {', '.join(self._unseen)}"] * bool(self._unseen)
        _say(f"\n {self.rounds:,} rounds in {seconds:.1f} s: {', '.join(words) or 'every rule holds'}.")


def _list(counts: Counter[str]) -> str:
    return ", ".join(f"{count:,} {what}" for what, count in counts.most_common()) or "none"


def _say(text: str = "") -> None:
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()
