"""What the demonstration asks of its tools, and what has to come of it. Pure, and the same for a seed.

Each tool has a lane of its own with a source of chance of its own, so that its calls are the same
however the lanes interleave. The kills are spread over the calls, or over the time, one to each piece
of equal length; the piece after the last kill is quiet.
"""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import field
from functools import cache
from random import Random
from typing import TYPE_CHECKING, Any

from ..base.frozen import frozen

if TYPE_CHECKING:
    from collections.abc import Callable

Json = dict[str, Any]

FEWEST_CALLS = 10
"""So that every lane has one, and every host one more at the end."""

_WORDS = ("every", "call", "ends", "once", "with", "an", "answer", "that", "says", "what", "happened")
_MOODS = ("calm",) * 7 + ("fail", "raise", "exit")


@frozen
class Request:
    """One call, with what is known of its answer.

    Attributes:
        lane: whose it is.
        arguments: what the tool is given; ``n`` tells the calls of a lane apart.
        ending: how it has to end, unless its host is killed: ``success``, ``failure`` or ``tool_raised``.
        answer: what a success has to say, among other things.
        parts: the parts, in order.
    """

    lane: str
    arguments: Json
    ending: str = "success"
    answer: Json = field(default_factory=dict)
    parts: tuple[Any, ...] = ()


@frozen
class Lane:
    """One plugin of the demonstration.

    Attributes:
        name: the plugin's.
        tool: its one tool.
        hosted: it runs in a Node host, which is killed now and then.
        idempotent: its calls may be sent again when the host was killed under them.
        share: of a hundred calls, how many are its.
        make: makes the lane's call ``n``.
    """

    name: str
    tool: str
    hosted: bool
    idempotent: bool
    share: int
    make: Callable[[int, Random], Request]

    def wire(self, request: Request) -> Json:
        """The call as a model would write it, in one of two wire formats."""
        number, arguments = request.arguments["n"], request.arguments
        if number % 2:
            return {
                "id": f"{self.name}-{number}",
                "type": "function",
                "function": {"name": self.tool, "arguments": arguments},
            }
        return {
            "type": "function_call",
            "call_id": f"{self.name}-{number}",
            "name": self.tool,
            "arguments": arguments,
        }


def _words(n: int, chance: Random) -> Request:
    words = chance.choices(_WORDS, k=chance.randint(1, 30))
    arguments = {"n": n, "text": " ".join(words), "work": chance.randint(2, 5)}
    return Request("words", arguments, answer={"n": n, "words": len(words)})


def _primes(n: int, chance: Random) -> Request:
    above, want = chance.randint(1, 9_000), chance.randint(2, 4)
    primes = _primes_below_10_000()
    first = bisect_right(primes, above)
    found = primes[first : first + want]
    arguments = {"n": n, "above": above, "want": want, "work": 1}
    return Request("primes", arguments, answer={"n": n, "primes": list(found)}, parts=found)


def _ledger(n: int, chance: Random) -> Request:
    return Request(
        "ledger", {"n": n, "amount": chance.randint(1, 100), "work": chance.randint(2, 5)}, answer={"n": n}
    )


def _sums(n: int, chance: Random) -> Request:
    numbers = [chance.randint(-1000, 1000) for _ in range(chance.randint(1, 20))]
    arguments = {"n": n, "numbers": numbers, "work": chance.randint(2, 5)}
    return Request("sums", arguments, answer={"n": n, "sum": sum(numbers)})


def _moody(n: int, chance: Random) -> Request:
    mood = chance.choice(_MOODS)
    arguments = {"n": n, "mood": mood, "work": chance.randint(2, 5)}
    ending = {"calm": "success", "fail": "failure"}.get(mood, "tool_raised")
    return Request("moody", arguments, ending, answer={"n": n, "luck": True})


LANES = (
    Lane("words", "count_words", hosted=True, idempotent=True, share=20, make=_words),
    Lane("primes", "find_primes", hosted=True, idempotent=False, share=20, make=_primes),
    Lane("ledger", "book", hosted=True, idempotent=False, share=20, make=_ledger),
    Lane("sums", "add_numbers", hosted=False, idempotent=False, share=20, make=_sums),
    Lane("moody", "try_luck", hosted=False, idempotent=False, share=20, make=_moody),
)


@frozen
class Plan:
    """How much is asked, how often a host is killed, and the seed of all chance.

    Attributes:
        calls: how many calls; ``None`` to go on for ``seconds``.
        seconds: how long; ``None`` to go on until all ``calls`` are made.
        kills: how many hosts are killed.
        seed: of everything that is drawn.
    """

    calls: int | None
    seconds: float | None
    kills: int
    seed: int

    def __post_init__(self) -> None:
        if (self.calls is None) == (self.seconds is None):
            raise ValueError(
                "a plan is for a number of calls or for a number of seconds, and for one of them"
            )

    @property
    def options(self) -> str:
        """The plan as the options of ``callboard demo``."""
        much = f"--calls {self.calls}" if self.seconds is None else f"--seconds {self.seconds:g}"
        return f"{much} --kills {self.kills} --seed {self.seed}"

    def chance(self, purpose: str) -> Random:
        """The source of chance for one purpose."""
        return Random(f"{self.seed} {purpose}")  # noqa: S311 - a game, no secret

    def quota(self, lane: Lane) -> int | None:
        """How many calls a lane makes before the roll call of the hosts; ``None`` for no end."""
        if self.calls is None:
            return None
        flow = self.calls - sum(each.hosted for each in LANES)
        shares = {each.name: flow * each.share // 100 for each in LANES}
        shares[LANES[-1].name] += flow - sum(shares.values())
        return shares[lane.name]

    def allowed(self, lane: Lane, kills: int) -> int | None:
        """How many calls a lane may have made while ``kills`` are done: load may not outrun the kills."""
        quota = self.quota(lane)
        return None if quota is None else -(-quota * (kills + 1) // (self.kills + 1))

    def kills_due(self) -> tuple[float, ...]:
        """When the kills are due, each as a part of all calls, or of all the time."""
        chance = self.chance("kills")
        return tuple((number + chance.uniform(0.2, 0.8)) / (self.kills + 1) for number in range(self.kills))


@cache
def _primes_below_10_000() -> tuple[int, ...]:
    sieve = bytearray([1]) * 10_000
    sieve[:2] = b"\0\0"
    for number in range(2, 100):
        if sieve[number]:
            sieve[number * number :: number] = bytes(len(range(number * number, 10_000, number)))
    return tuple(number for number, prime in enumerate(sieve) if prime)
