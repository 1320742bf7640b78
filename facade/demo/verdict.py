"""What the demonstration shows of its end: the rules of the kit in nine lines, and how every call ended. Pure.

Nothing here is believed because the board says so: the kit's rules look at every call by itself, and the board's own
counts have to come to the same numbers.
"""

from __future__ import annotations

from collections import Counter
from statistics import median
from typing import TYPE_CHECKING

from ..base.frozen import frozen
from ..chaos.checker.facts import Answered
from ..chaos.checker.standings import Standing
from ..chaos.report.figures import figures
from .plan import LANES

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from ..chaos.report.figures import Figures
    from ..trial.trial import Ended

HOSTED = tuple(lane.name for lane in LANES if lane.hosted)
"""The plugins that run in hosts."""

_WHY = {
    "success": "",
    "failure": "the tool said no, as asked",
    "tool_raised": "the tool raised, as asked",
    "host_crashed": "its host was killed; it may have run",
}
"""Why calls end so in the demonstration."""


@frozen
class Check:
    """One thing that has to be true.

    Attributes:
        name: in a word or two.
        ok: it is true.
        detail: the numbers, or what is wrong.
    """

    name: str
    ok: bool
    detail: str


@frozen
class Tallied:
    """Calls that ended in one way.

    Attributes:
        ending: ``success``, ``failure`` (the tool's own) or a result code.
        outcome: whether the tool may have run, as a failure of Callboard's says; ``None`` of the tool's own answer.
        count: how many.
        why: in words; empty of a success.
    """

    ending: str
    outcome: str | None
    count: int
    why: str


@frozen
class Verdict:
    """How the demonstration went.

    Attributes:
        ended: the trial.
        told: its figures.
        tallied: all calls by how they ended: successes first, then what is most.
        checks: what had to be true.
    """

    ended: Ended
    told: Figures
    tallied: tuple[Tallied, ...]
    checks: tuple[Check, ...]

    @property
    def ok(self) -> bool:
        """Whether all was as it had to be."""
        return all(check.ok for check in self.checks)

    def hosts(self, fact: str) -> Counter[str]:
        """How many ``crashes`` or ``restarts`` the board has counted, by host."""
        return Counter({name: self.ended.plugins[name]["host"][fact] for name in HOSTED})


def verdict(ended: Ended) -> Verdict:
    """Look at everything."""
    counts = Counter((fact.ending, fact.outcome) for fact in ended.run.facts if isinstance(fact, Answered))
    tallied = [
        Tallied(ending, outcome, count, _WHY.get(ending, "which nothing here asks for"))
        for (ending, outcome), count in counts.most_common()
    ]
    tallied.sort(key=lambda one: one.ending != "success")
    found = Verdict(ended, figures(ended.run), tuple(tallied), ())
    return Verdict(ended, found.told, found.tallied, tuple(_checks(found)))


def _checks(found: Verdict) -> Iterator[Check]:
    broken = {check.rule: check.said for check in found.ended.checks if check.standing is Standing.BROKEN}
    for name, (rules, look) in _LINES.items():
        ok, said = look(found)
        wrong = [broken.pop(rule) for rule in rules if rule in broken]
        yield Check(name, ok and not wrong, "; ".join(wrong) or said)
    for rule, said in broken.items():
        yield Check(rule, ok=False, detail=said)


def _answered(found: Verdict) -> tuple[bool, str]:
    answered, submitted = found.told.endings.total(), found.told.submitted
    counts = [plugin["calls"] for plugin in found.ended.plugins.values()]
    told = {sum(count[key] for count in counts) for key in ("submitted", "ended")}
    plan = found.ended.plan
    planned = plan.seconds is not None or submitted >= plan.calls + len(LANES)  # more make good for kills
    return told == {submitted} and planned, f"{answered:,} of {submitted:,} calls, each once"


def _as_asked(found: Verdict) -> tuple[bool, str]:
    """What was not hit by a kill ended as it was asked to."""
    unasked = [one for one in found.tallied if one.ending not in _WHY]
    unasked += [
        Tallied("host_crashed", None, count, "")
        for name, endings in found.told.by_plugin.items()
        if name not in HOSTED and (count := endings["host_crashed"])
    ]
    said = ", ".join(f"{one.count} ended with {one.ending}, unasked for" for one in unasked)
    return not unasked, said or "what no kill hit ended as it was asked to"


def _crashes(found: Verdict) -> tuple[bool, str]:
    noticed = Counter(one.host for one in found.told.recoveries if one.fault)
    crashes, restarts = found.hosts("crashes"), found.hosts("restarts")
    kills = found.ended.kills
    ok = noticed == crashes == restarts and kills == crashes.total() == found.ended.plan.kills
    ok = ok and all(found.ended.plugins[name]["host"]["state"] == "ready" for name in HOSTED)
    return ok, f"{kills} kills = {crashes.total()} crashes noticed = {restarts.total()} restarts"


def _told(found: Verdict) -> tuple[bool, str]:
    """Each call that a kill hit was told so or, where that does no harm, sent again."""
    crashed, again = found.told.endings["host_crashed"], found.told.repeated
    under_way = sum(one.lost for one in found.told.recoveries)
    said = f"{under_way} calls under way: {crashed} told host_crashed, {again} sent again"
    return crashed + again == under_way, said


def _outcomes(found: Verdict) -> tuple[bool, str]:
    """A failure of Callboard's says whether the tool may have run; the tool's own answer needs no such word."""
    told: Counter[str | None] = Counter()
    for one in found.tallied:
        if one.ending not in {"success", "failure"}:
            told[one.outcome] += one.count
    if told[None]:
        return False, f"{told[None]} of {told.total()} failures do not say whether the tool may have run"
    said = ", ".join(f"{count:,} {outcome}" for outcome, count in told.most_common() if outcome)
    return True, said or "no call failed but by its tool's own word"


def _states(found: Verdict) -> tuple[bool, str]:
    """What was committed last has counted every success."""
    counted = {name: found.told.by_plugin[name]["success"] for name in HOSTED}
    gaps = [
        f"{name} has counted {last} of its {count} answers"
        for name, count in counted.items()
        if (last := found.ended.states[name].get("count")) != count
    ]
    told = ", ".join(f"1…{count:,}" for count in counted.values())
    return not gaps, "; ".join(gaps) or f"counts {told} without a gap, balance right"


def _recovery(found: Verdict) -> tuple[bool, str]:
    if not found.told.recoveries:
        return True, "nothing was killed"
    times = found.told.spans("answered")
    if missing := len(found.told.recoveries) - len(times):
        return False, f"after {missing} of {len(found.told.recoveries)} kills the host never answered again"
    return True, f"{_ms(median(times))} from SIGKILL to the next answer, {_ms(max(times))} at most"


def _ms(seconds: float) -> str:
    return f"{seconds * 1000:,.0f} ms"


def _held(said: str) -> Callable[[Verdict], tuple[bool, str]]:
    return lambda _: (True, said)


_LINES: dict[str, tuple[tuple[str, ...], Callable[[Verdict], tuple[bool, str]]]] = {
    "answered": (("each call ends once", "each call ends in time", "runs as often as it may"), _answered),
    "as asked": (("unknown has a reason", "calls begin in order", "one call at a time"), _as_asked),
    "answers": (
        ("each answer is its call's", "no reply crosses generations"),
        _held("every answer belongs to its call, parts complete and in order"),
    ),
    "crashes": (
        (
            "one generation at a time",
            "generations count up",
            "no start before its time",
            "restarts within budget",
        ),
        _crashes,
    ),
    "told": (("events keep their order",), _told),
    "outcomes": ((), _outcomes),
    "state": (("counts without a gap",), _states),
    "recovery": (("works after the faults",), _recovery),
    "left behind": (("nothing left behind",), _held("0 processes, 0 threads")),
}
"""What is shown, in this order: the rules of the kit that it stands on, and a look of its own."""
