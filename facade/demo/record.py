"""What happened in the demonstration, held against what had to happen. Pure.

Nothing here is believed because the board says so: every call is looked at by itself, the states are
followed from answer to answer, and the board's own counts have to come to the same numbers.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from statistics import median
from typing import TYPE_CHECKING, Any

from .plan import LANES

if TYPE_CHECKING:
    from .plan import Plan, Request

Json = dict[str, Any]

HOSTED = tuple(lane.name for lane in LANES if lane.hosted)


@dataclass(slots=True)
class Kill:
    """One host that was killed.

    Attributes:
        host: its name.
        pid, birth: the process that was killed, and when it was created (a pid is used again).
        at: when, on the show's clock.
        recovered: seconds until another process of that host answered a call; ``None`` until it has.
    """

    host: str
    pid: int
    birth: float | None
    at: float
    recovered: float | None = None


@dataclass(frozen=True, slots=True)
class Ended:
    """One call that has ended.

    Attributes:
        request: what was asked.
        result: the result mapping.
        parts: as they came.
        attempts: how often it was given to its tool.
        at: when, on the show's clock.
    """

    request: Request
    result: Json
    parts: list[Any]
    attempts: int
    at: float

    @property
    def ending(self) -> str:
        """``success``, ``failure`` (the tool's own) or a result code."""
        return "success" if self.result.get("success") else str(self.result.get("code") or "failure")


@dataclass(frozen=True, slots=True)
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


@dataclass(frozen=True, slots=True)
class Aftermath:
    """What was there at the end.

    Attributes:
        status: the board's, when all hosts were ready again.
        states: of the hosted plugins, as committed last.
        seconds: from the first call to the last answer.
        processes: pids of ours that live after the board was stopped.
        threads: names of threads that live after the board was stopped, and did not before it was started.
    """

    status: Json
    states: dict[str, Json]
    seconds: float
    processes: list[int]
    threads: list[str]


@dataclass(slots=True)
class Record:
    """Everything that is noted while it happens; `verdict` judges it.

    Attributes:
        submitted: calls by lane.
        ended: all calls that have ended, in the order of their ends.
        kills: in their order.
        crashes: hosts whose crash was reported.
        interrupted: calls that were under way in them, as the crash reports say.
    """

    submitted: Counter[str] = field(default_factory=Counter)
    ended: list[Ended] = field(default_factory=list)
    kills: list[Kill] = field(default_factory=list)
    crashes: Counter[str] = field(default_factory=Counter)
    interrupted: int = 0

    def note_end(self, end: Ended) -> None:
        """A call has ended; if another process answered than the one that was killed, its host is back."""
        self.ended.append(end)
        if end.request.lane in HOSTED and end.ending == "success":
            for kill in self.kills:
                if kill.host == end.request.lane and kill.recovered is None and kill.pid != _of(end, "pid"):
                    kill.recovered = end.at - kill.at

    def note_crash(self, host: str, in_flight: int) -> None:
        """A crash was reported."""
        self.crashes[host] += 1
        self.interrupted += in_flight

    def by_ending(self, lane: str | None = None) -> Counter[str]:
        """How many calls ended how."""
        return Counter(end.ending for end in self.ended if lane in {None, end.request.lane})

    def sent_again(self) -> int:
        """How many times a call was given to its tool once more."""
        return sum(max(0, end.attempts - 1) for end in self.ended)

    def recoveries(self) -> list[float]:
        """Seconds from each kill to the next answer."""
        return [kill.recovered for kill in self.kills if kill.recovered is not None]

    # The verdict

    def verdict(self, plan: Plan, after: Aftermath) -> list[Check]:
        """Everything that has to be true, and whether it is."""
        return [
            self._answered(plan, after),
            self._endings(),
            self._answers(),
            self._crashes(plan, after),
            self._told(),
            self._states(after),
            self._recovery(),
            self._left(after),
        ]

    def _answered(self, plan: Plan, after: Aftermath) -> Check:
        submitted = self.submitted.total()
        once = Counter((end.request.lane, end.request.arguments["n"]) for end in self.ended)
        counts = [plugin["calls"] for plugin in after.status["plugins"].values()]
        ok = (
            len(self.ended) == submitted == len(once)
            and submitted == (submitted if plan.calls is None else plan.calls)
            and sum(count["submitted"] for count in counts)
            == sum(count["ended"] for count in counts)
            == submitted
        )
        return Check("answered", ok, f"{len(self.ended):,} of {submitted:,} calls, each once")

    def _endings(self) -> Check:
        """Whatever was not hit by a kill ended as it was asked to."""
        astray = [end for end in self.ended if end.ending not in {end.request.ending, "host_crashed"}]
        crashed = [
            end for end in self.ended if end.ending == "host_crashed" and end.request.lane not in HOSTED
        ]
        counts = self.by_ending()
        said = ", ".join(f"{count:,} {ending}" for ending, count in counts.most_common())
        if astray:
            said += f"; {len(astray)} unasked for, such as {astray[0].result!r:.200}"
        return Check("as asked", not astray and not crashed, said)

    def _answers(self) -> Check:
        wrong = [end for end in self.ended if not _fits(end)]
        said = "every answer belongs to its call, parts complete and in order"
        if wrong:
            said = f"{len(wrong)} are wrong, such as {wrong[0].result!r:.200} to {wrong[0].request!r:.200}"
        return Check("answers", not wrong, said)

    def _crashes(self, plan: Plan, after: Aftermath) -> Check:
        killed = Counter(kill.host for kill in self.kills)
        hosts = {name: after.status["plugins"][name]["host"] for name in HOSTED}
        restarts = Counter({name: host["restarts"] for name, host in hosts.items() if host["restarts"]})
        crashes = Counter({name: host["crashes"] for name, host in hosts.items() if host["crashes"]})
        ok = killed == self.crashes == crashes == restarts and killed.total() == plan.kills
        ok = ok and all(host["state"] == "ready" for host in hosts.values())
        said = f"{len(self.kills)} kills = {crashes.total()} crashes noticed = {restarts.total()} restarts"
        return Check("crashes", ok, said)

    def _told(self) -> Check:
        """Each call that a kill hit was either told so or, where that does no harm, sent again."""
        crashed, again = self.by_ending()["host_crashed"], self.sent_again()
        said = f"{self.interrupted} calls under way: {crashed} told host_crashed, {again} sent again"
        return Check("told", crashed + again == self.interrupted, said)

    def _states(self, after: Aftermath) -> Check:
        """The count goes up by one with each answer, whoever gave it, and the balance by each amount."""
        gaps: list[str] = []
        said: list[str] = []
        for name in HOSTED:
            successes = self._successes(name)
            counted = [_of(end, "count") for end in successes]
            if counted != list(range(1, len(successes) + 1)) or after.states[name].get("count") != len(
                successes
            ):
                gaps.append(f"{name} counted {after.states[name].get('count')} of {len(successes)} answers")
            said.append(f"1…{len(successes):,}")
        balance = 0
        for end in self._successes("ledger"):
            balance += end.request.arguments["amount"]
            if _of(end, "balance") != balance:
                gaps.append(
                    f"the balance is {_of(end, 'balance')} after {end.request.arguments}, not {balance}"
                )
                break
        return Check(
            "state", not gaps, "; ".join(gaps) or f"counts {', '.join(said)} without a gap, balance right"
        )

    def _successes(self, lane: str) -> list[Ended]:
        """In the order of the calls, which is the order in which a tool that does one at a time does them."""
        ends = (end for end in self.ended if end.request.lane == lane and end.ending == "success")
        return sorted(ends, key=lambda end: int(end.request.arguments["n"]))

    def _recovery(self) -> Check:
        times = self.recoveries()
        if not self.kills:
            return Check("recovery", True, "nothing was killed")
        missing = len(self.kills) - len(times)
        if missing:
            return Check(
                "recovery", False, f"after {missing} of {len(self.kills)} kills the host never answered again"
            )
        said = f"{_ms(median(times))} from SIGKILL to the next answer, {_ms(max(times))} at most"
        return Check("recovery", True, said)

    def _left(self, after: Aftermath) -> Check:
        said = f"{len(after.processes)} processes, {len(after.threads)} threads"
        if after.threads:
            said += f" ({', '.join(after.threads)})"
        return Check("left behind", not after.processes and not after.threads, said)


def _of(end: Ended, key: str) -> Any:
    answer = end.result.get("result")
    return answer.get(key) if isinstance(answer, dict) else None


def _fits(end: Ended) -> bool:
    if end.ending == "success":
        right = all(_of(end, key) == value for key, value in end.request.answer.items())
        return right and tuple(end.parts) == end.request.parts
    return tuple(end.parts) == end.request.parts[: len(end.parts)]


def _ms(seconds: float) -> str:
    return f"{seconds * 1000:,.0f} ms"
