"""Who was there when the host crashed: which tool, which arguments, which state.

Whatever was in flight at each of the last K crashes, and never came to a good end in between, is
*blamed*. Suspect arguments, or a blamed tool beside others, are put in quarantine: refused for a while,
so that their neighbours can go on. Suspect state is given up for a fresh one.

Three things keep the innocent out of it:

* a crash that nobody in the host can have caused (SIGKILL, SIGTERM) is not counted by the caller;
* one good end clears a name;
* where the very same arguments were there each time, they are blamed and nothing else: a tool and a
  state that were there only with them are not the closest cause.

Pure: it holds no clock and tells nobody.
"""

from __future__ import annotations

from collections import deque
from typing import Any, NamedTuple

from ...base.frozen import frozen


@frozen
class QuarantinePolicy:
    """How many crashes it takes, and for how long.

    Attributes:
        crashes: in a row, at each of which the same was in flight.
        seconds: how long the blamed is refused.
    """

    crashes: int = 3
    seconds: float = 300.0

    def __post_init__(self) -> None:
        if self.crashes < 2:  # noqa: PLR2004 - one crash says nothing
            raise ValueError(f"quarantine 'crashes' is {self.crashes}; it must be 2 or more")
        if not self.seconds > 0:
            raise ValueError(f"quarantine 'seconds' is {self.seconds}; it must be more than 0")


class InFlight(NamedTuple):
    """A call that was in flight at a crash.

    Attributes:
        tool: its tool's name, or ``None``.
        digest: of its tool and arguments.
        state: the version of the state that it was given.
    """

    tool: str | None
    digest: str
    state: int


class Suspect(NamedTuple):
    """What is blamed: ``tool``, ``arguments`` or ``state``; and which."""

    kind: str
    which: str | int | None


class CrashAttribution:
    """The crashes of one host and what is concluded from them. Not thread-safe.

    Args:
        policy: how many crashes it takes.
        confines: tools and arguments come into quarantine; otherwise only a state is blamed.
    """

    def __init__(self, policy: QuarantinePolicy, *, confines: bool = True) -> None:
        self._policy = policy
        self._confines = confines
        self._crashes: deque[tuple[int, set[Suspect]]] = deque(maxlen=policy.crashes)
        self._until: dict[Suspect, float] = {}

    @property
    def watchful(self) -> bool:
        """Whether calls have to be looked at: one is suspected, or in quarantine."""
        return bool(self._crashes or self._until)

    @property
    def confining(self) -> bool:
        """Whether anybody is in quarantine, so that a call's arguments matter."""
        return bool(self._until)

    def lost(self, crash: int, call: InFlight, now: float, *, several: bool) -> list[Suspect]:
        """A call was in flight at a crash; returns what is blamed by that and was not before.

        Args:
            crash: the generation that crashed; all calls that it cost bear the same.
            call: the call.
            now: the time.
            several: the host serves other tools too, so that one of them can be blamed.
        """
        if not self._crashes or self._crashes[-1][0] != crash:
            self._crashes.append((crash, set()))
        self._crashes[-1][1].update(_names(call))
        if len(self._crashes) < self._policy.crashes:
            return []
        arguments, tool, state = _names(call)
        if self._always(arguments):  # the closest cause; the tool and the state were there only because of it
            return self._confine(arguments, now)
        blamed = self._confine(tool, now) if several and self._always(tool) else []
        return [*blamed, state] if self._always(state) else blamed

    def absent(self, crash: int) -> None:
        """At a crash with calls in flight there was none of ours, unless one was told: what is suspected cannot be it."""
        if self._crashes and self._crashes[-1][0] != crash:
            self._crashes.clear()

    def _always(self, name: Suspect) -> bool:
        return all(name in present for _, present in self._crashes)

    def _confine(self, one: Suspect, now: float) -> list[Suspect]:
        if one in self._until or not self._confines:
            return []
        self._until[one] = now + self._policy.seconds
        return [one]

    def ended_well(self, call: InFlight) -> None:
        """A call came to a good end: its arguments, its tool and its state are cleared."""
        for _, present in self._crashes:
            present.difference_update(_names(call))

    def refuses(self, tool: str | None, digest: str, now: float) -> tuple[Suspect, float] | None:
        """Whether a call is refused: what is blamed, and for how many more seconds."""
        for one in (Suspect("tool", tool), Suspect("arguments", digest)):
            until = self._until.get(one)
            if until is not None and now < until:
                return one, until - now
        return None

    def expired(self, now: float) -> list[Suspect]:
        """What has been in quarantine for long enough, for `let_out`."""
        return [one for one, until in self._until.items() if now >= until]

    def inside(self) -> list[Suspect]:
        """Whatever is in quarantine."""
        return list(self._until)

    def let_out(self, suspects: list[Suspect]) -> None:
        """Take these out of quarantine."""
        for one in suspects:
            self._until.pop(one, None)

    def pardon(self) -> None:
        """By hand: forget all crashes, and let all out."""
        self._until.clear()
        self._crashes.clear()

    def as_list(self, now: float) -> list[dict[str, Any]]:
        """Who is in quarantine, as JSON."""
        return [
            {"kind": one.kind, "which": one.which, "seconds": round(until - now, 3)}
            for one, until in self._until.items()
            if until > now
        ]


def _names(call: InFlight) -> tuple[Suspect, Suspect, Suspect]:
    return Suspect("arguments", call.digest), Suspect("tool", call.tool), Suspect("state", call.state)
