"""What the demonstration asks of its tools, and what has to come of it. Pure, and the same for a seed."""

from __future__ import annotations

import itertools
from bisect import bisect_right
from functools import cache
from typing import TYPE_CHECKING, Any

from ..base.frozen import frozen
from ..chaos.load.requests import Expected, Request, Source

if TYPE_CHECKING:
    from collections.abc import Callable
    from random import Random

Json = dict[str, Any]

FEWEST_CALLS = 10
"""So that every plugin has one, and one more at the end."""

_WORDS = ("every", "call", "ends", "once", "with", "an", "answer", "that", "says", "what", "happened")
_MOODS = ("calm",) * 7 + ("fail", "raise", "exit")


@frozen
class Lane:
    """One plugin of the demonstration.

    Attributes:
        name: the plugin's.
        tool: its one tool.
        make: makes the arguments of the call ``n``, and what is expected of it.
        hosted: it runs in a Node host, which is killed now and then.
        idempotent: its calls may be sent again when the host was killed under them.
    """

    name: str
    tool: str
    make: Callable[[int, Random], tuple[Json, Expected]]
    hosted: bool = True
    idempotent: bool = False

    def source(self) -> Source:
        """Its calls, one after the other."""
        numbers = itertools.count(1)
        return Source(self.name, lambda chance: self.request(next(numbers), chance), counts=self.hosted)

    def request(self, number: int, chance: Random) -> Request:
        """A call as a model would write it, in one of two wire formats."""
        arguments, expected = self.make(number, chance)
        call = {"name": self.tool, "arguments": arguments}
        if number % 2:
            return Request({"type": "function", "function": call}, expected=expected)
        return Request({"type": "function_call", **call}, expected=expected)


def _words(n: int, chance: Random) -> tuple[Json, Expected]:
    words = chance.choices(_WORDS, k=chance.randint(1, 30))
    arguments = {"n": n, "text": " ".join(words), "work": chance.randint(2, 5)}
    return arguments, Expected(answer={"n": n, "words": len(words)}, counter="count")


def _primes(n: int, chance: Random) -> tuple[Json, Expected]:
    above, want = chance.randint(1, 9_000), chance.randint(2, 4)
    primes = _primes_below_10_000()
    first = bisect_right(primes, above)
    found = primes[first : first + want]
    arguments = {"n": n, "above": above, "want": want, "work": 1}
    return arguments, Expected(answer={"n": n, "primes": list(found)}, parts=found, counter="count")


def _ledger(n: int, chance: Random) -> tuple[Json, Expected]:
    amount = chance.randint(1, 100)
    arguments = {"n": n, "amount": amount, "work": chance.randint(2, 5)}
    return arguments, Expected(answer={"n": n}, counter="balance", added=amount)


def _sums(n: int, chance: Random) -> tuple[Json, Expected]:
    numbers = [chance.randint(-1000, 1000) for _ in range(chance.randint(1, 20))]
    arguments = {"n": n, "numbers": numbers, "work": chance.randint(2, 5)}
    return arguments, Expected(answer={"n": n, "sum": sum(numbers)})


def _moody(n: int, chance: Random) -> tuple[Json, Expected]:
    mood = chance.choice(_MOODS)
    arguments = {"n": n, "mood": mood, "work": chance.randint(2, 5)}
    ending = {"calm": "success", "fail": "failure"}.get(mood, "tool_raised")
    return arguments, Expected(ending, answer={"n": n, "luck": True})


LANES = (
    Lane("words", "count_words", _words, idempotent=True),
    Lane("primes", "find_primes", _primes),
    Lane("ledger", "book", _ledger),
    Lane("sums", "add_numbers", _sums, hosted=False),
    Lane("moody", "try_luck", _moody, hosted=False),
)


@cache
def _primes_below_10_000() -> tuple[int, ...]:
    sieve = bytearray([1]) * 10_000
    sieve[:2] = b"\0\0"
    for number in range(2, 100):
        if sieve[number]:
            sieve[number * number :: number] = bytes(len(range(number * number, 10_000, number)))
    return tuple(number for number, prime in enumerate(sieve) if prime)
