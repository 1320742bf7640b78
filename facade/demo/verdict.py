"""What has to be true at the end of the demonstration, and whether it is. Pure.

Nothing here is believed because the board says so: every call is looked at by itself, the states are
followed from answer to answer, and the board's own counts have to come to the same numbers.
"""

from __future__ import annotations

from collections import Counter
from statistics import median
from typing import TYPE_CHECKING, Any

from ..base.frozen import frozen
from .record import HOSTED

if TYPE_CHECKING:
    from .plan import Plan
    from .record import Ended, Record

Json = dict[str, Any]


@frozen
class Check:
    """One thing that has to be true.

    Attributes:
        name: in a word or two.
        ok: it is true.
        detail: the numbers.
    """

    name: str
    ok: bool
    detail: str


@frozen
class Aftermath:
    """What there was at the end.

    Attributes:
        status: the board's, when all hosts were ready again.
        states: of the hosted plugins, as committed last.
        seconds: from the first call to the last answer.
        processes: pids of ours that lived after the board was stopped.
        threads: names of threads that lived after it, and had not before it.
    """

    status: Json
    states: dict[str, Json]
    seconds: float
    processes: list[int]
    threads: list[str]


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


_WHY = {
    "success": "",
    "failure": "the tool said no, as asked",
    "tool_raised": "the tool raised, as asked",
    "host_crashed": "its host was killed; it may have run",
}
"""Why calls end so in the demonstration."""


def tallied(record: Record) -> list[Tallied]:
    """All calls by how they ended: successes first, then what is most."""
    counts = Counter((end.ending, end.outcome) for end in record.ended)
    told = [
        Tallied(ending, outcome, count, _WHY.get(ending, "which nothing here asks for"))
        for (ending, outcome), count in counts.most_common()
    ]
    return sorted(told, key=lambda one: one.ending != "success")


def verdict(plan: Plan, record: Record, after: Aftermath) -> list[Check]:
    """Look at everything."""
    return [
        _answered(plan, record, after),
        _as_asked(record),
        _answers(record),
        _crashes(plan, record, after),
        _told(record),
        _outcomes(record),
        _states(record, after),
        _recovery(record),
        _left(after),
    ]


def _answered(plan: Plan, record: Record, after: Aftermath) -> Check:
    submitted = record.submitted.total()
    different = {(end.request.lane, end.request.arguments["n"]) for end in record.ended}
    counts = [plugin["calls"] for plugin in after.status["plugins"].values()]
    told = {sum(count[key] for count in counts) for key in ("submitted", "ended")}
    ok = len(record.ended) == len(different) == submitted and told == {submitted}
    ok = ok and plan.calls in {None, submitted}
    return Check("answered", ok, f"{len(record.ended):,} of {submitted:,} calls, each once")


def _as_asked(record: Record) -> Check:
    """What was not hit by a kill ended as it was asked to."""
    astray = [
        end
        for end in record.ended
        if end.ending != end.request.ending
        and not (end.ending == "host_crashed" and end.request.lane in HOSTED)
    ]
    said = "what no kill hit ended as it was asked to"
    if astray:
        said = f"{len(astray)} ended unasked for, such as {astray[0].result!r:.200}"
    return Check("as asked", not astray, said)


def _answers(record: Record) -> Check:
    wrong = [end for end in record.ended if not _fits(end)]
    if wrong:
        said = f"{len(wrong)} are wrong, such as {wrong[0].result!r:.200} to {wrong[0].request!r:.200}"
        return Check("answers", False, said)
    return Check("answers", True, "every answer belongs to its call, parts complete and in order")


def _fits(end: Ended) -> bool:
    if end.ending != "success":
        return tuple(end.parts) == end.request.parts[: len(end.parts)]
    right = all(end.said(key) == value for key, value in end.request.answer.items())
    return right and tuple(end.parts) == end.request.parts


def _crashes(plan: Plan, record: Record, after: Aftermath) -> Check:
    hosts = {name: after.status["plugins"][name]["host"] for name in HOSTED}
    killed = Counter(kill.host for kill in record.kills)
    crashes = Counter({name: host["crashes"] for name, host in hosts.items()})
    restarts = Counter({name: host["restarts"] for name, host in hosts.items()})
    ok = killed == record.crashes == crashes == restarts and killed.total() == plan.kills
    ok = ok and all(host["state"] == "ready" for host in hosts.values())
    said = f"{killed.total()} kills = {crashes.total()} crashes noticed = {restarts.total()} restarts"
    return Check("crashes", ok, said)


def _told(record: Record) -> Check:
    """Each call that a kill hit was told so or, where that does no harm, sent again."""
    crashed, again = record.by_ending()["host_crashed"], record.sent_again()
    said = f"{record.under_way} calls under way: {crashed} told host_crashed, {again} sent again"
    return Check("told", crashed + again == record.under_way, said)


def _outcomes(record: Record) -> Check:
    """A failure of Callboard's says whether the tool may have run; the tool's own answer needs no such word."""
    ours = [end for end in record.ended if end.ending not in {"success", "failure"}]
    told = Counter(end.outcome for end in ours)
    silent = told[None]
    said = ", ".join(f"{count:,} {outcome}" for outcome, count in told.most_common() if outcome)
    if silent:
        said = f"{silent} of {len(ours)} failures do not say whether the tool may have run"
    return Check("outcomes", not silent, said or "no call failed but by its tool's own word")


def _states(record: Record, after: Aftermath) -> Check:
    """A count goes up by one with each answer, whichever process gives it, and the balance by each amount."""
    gaps: list[str] = []
    counts: list[str] = []
    for name in HOSTED:
        counted = [end.said("count") for end in record.successes(name)]
        last = after.states[name].get("count")
        if counted != list(range(1, len(counted) + 1)) or last != len(counted):
            gaps.append(f"{name} has counted {last} of its {len(counted)} answers, or not one by one")
        counts.append(f"1…{len(counted):,}")
    balance = 0
    for end in record.successes("ledger"):
        balance += end.request.arguments["amount"]
        if end.said("balance") != balance:
            gaps.append(f"the balance is {end.said('balance')} where it has to be {balance}")
            break
    return Check(
        "state", not gaps, "; ".join(gaps) or f"counts {', '.join(counts)} without a gap, balance right"
    )


def _recovery(record: Record) -> Check:
    times = record.recoveries()
    if not record.kills:
        return Check("recovery", True, "nothing was killed")
    missing = len(record.kills) - len(times)
    if missing:
        said = f"after {missing} of {len(record.kills)} kills the host never answered again"
        return Check("recovery", False, said)
    said = f"{_ms(median(times))} from SIGKILL to the next answer, {_ms(max(times))} at most"
    return Check("recovery", True, said)


def _left(after: Aftermath) -> Check:
    said = f"{len(after.processes)} processes, {len(after.threads)} threads"
    if after.threads:
        said += f" ({', '.join(after.threads)})"
    return Check("left behind", not after.processes and not after.threads, said)


def _ms(seconds: float) -> str:
    return f"{seconds * 1000:,.0f} ms"
