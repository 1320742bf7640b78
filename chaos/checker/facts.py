"""What a recorded run is made of: what was asked, what ran, what was answered, what lived. Pure.

Each fact is one observation with its time in seconds on the run's own clock. Facts of one run stand in
the order in which they happened. Nothing is concluded here: the rules (`call_rules`, `host_rules`,
`history`) hold the facts against each other, and believe no sum that a board has made itself.

A ``generation`` is a generation of a host. `Ran` is told by the tool's side, where the run writes down each
call that it begins before it answers: what reached a tool is known from nobody else.
"""

from __future__ import annotations

from dataclasses import field
from typing import TYPE_CHECKING, Any, NamedTuple

from ...base.frozen import frozen
from ...plugins.results.codes import Code, Outcome
from ...plugins.results.failures import ending_of
from ...supervision.restart.policy import RestartPolicy

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping


class Asked(NamedTuple):
    """A call was submitted.

    Attributes:
        call: its name, of this run alone.
        deadline: seconds it was given; ``None`` for no limit.
    """

    at: float
    plugin: str
    call: str
    deadline: float | None = None


class Submitted(NamedTuple):
    """``submit`` has returned: a call that is submitted from now on comes after this one.

    If the plugin did not offer its tools yet, this is noted when the call ends.
    """

    at: float
    plugin: str
    call: str


class Ran(NamedTuple):
    """A tool has begun to run a call. ``generation`` is 0 where that is not known."""

    at: float
    plugin: str
    call: str
    generation: int = 0


REFUSED = "refused"
"""How a call ended that its server has refused after it was sent."""


def ending_in(result: Mapping[str, Any]) -> str:
    """Return how a call ended: ``success``, ``failure`` (the tool's own), `REFUSED`, or a result code."""
    ending = ending_of(result)
    refused = ending == Code.INVALID_CALL and result.get("outcome") == Outcome.OUTCOME_UNKNOWN
    return REFUSED if refused else ending


class Answered(NamedTuple):
    """A call has ended.

    Attributes:
        ending: as `ending_in` says.
        outcome: ``not_sent`` or ``outcome_unknown``; ``None`` where the tool has answered.
        generation: which generation the answer says it comes from; 0 where it says nothing.
        counted: what the tool's own counter stood at, where it has one and tells it.
        added: by how much that had to grow.
        error: a sentence, where there is one.
        judged: somebody knows what the answer has to be, and has looked at it.
        wrong: what he found wrong with it.
        run: which run of a ledger the answer says it comes from; empty where it says nothing.
        saved: false where it says that the state could not be saved (``state_saved``).
    """

    at: float
    plugin: str
    call: str
    ending: str
    outcome: str | None = None
    generation: int = 0
    counted: int | None = None
    added: int = 1
    error: str = ""
    judged: bool = False
    wrong: str = ""
    run: str = ""
    saved: bool = True


class Replied(NamedTuple):
    """A valid answer to a call was on the line of its host; ``generation`` said it."""

    at: float
    plugin: str
    call: str
    generation: int = 0


class Malformed(NamedTuple):
    """A line of a host was no valid message and no print, so its calls may end with ``protocol_error``."""

    at: float
    plugin: str
    generation: int = 0


class PartsRead(NamedTuple):
    """The caller has read all parts of a call that has ended.

    Attributes:
        numbers: of the parts as the tool counted them, from 1, in the order of reading.
        due: how many parts the tool has emitted before its answer, or its crash; ``None`` if that is not known.
    """

    at: float
    plugin: str
    call: str
    numbers: tuple[int, ...]
    due: int | None = None


class Happened(NamedTuple):
    """An event of the board: its kind, its facts, and its number; 0 where that was not kept."""

    at: float
    plugin: str
    kind: str
    facts: Mapping[str, Any]
    sequence: int = 0

    @property
    def subject(self) -> str:
        """What an `Event` calls it."""
        return self.plugin


class Seen(NamedTuple):
    """A look at the processes of a host: the pids of those of its generations that were alive together."""

    at: float
    plugin: str
    pids: tuple[int, ...]


class Stalled(NamedTuple):
    """The program was given no processor for so many seconds before; ``plugin`` is empty."""

    at: float
    plugin: str
    seconds: float


class Ordered(NamedTuple):
    """An order by hand: ``restart``, ``park``, ``revive``, ``reload``, ``remove``, or ``load`` of what was removed."""

    at: float
    plugin: str
    verb: str


class Broken(NamedTuple):
    """Something was done to a host on purpose; ``fault`` says what, for people."""

    at: float
    plugin: str
    fault: str


Fact = (
    Asked
    | Submitted
    | Ran
    | Replied
    | Malformed
    | Answered
    | PartsRead
    | Happened
    | Seen
    | Stalled
    | Ordered
    | Broken
)


@frozen
class Terms:
    """What a plugin was promised, which is what it is held to.

    Attributes:
        hosted: it runs in a host.
        mailbox: how many calls may wait; ``None`` where nobody knows.
        idle: seconds that a call may be silent once it has begun; ``None`` for no limit.
        host: that host's name, where it is not the plugin's own.
        policy: when its host is started again.
        repeats: how often a call may be sent again after a crash; 0 for one that is not idempotent.
        ordered: calls run one at a time, so they begin in the order in which they were submitted.
        concurrency: how many calls may run at a time.
        overlap: further generations that may be alive beside the present one, such as a standby.
        ledger: its tool writes down each run, so what is not there did not run.
        counts: its state counts its answers, or adds up what they were asked for, so the counts have no gap.
        remote: its host is no process of ours, so that nothing can be done to it.
        stateless: it is given no state, so that none can be lost between its calls.
    """

    hosted: bool = True
    policy: RestartPolicy = field(default_factory=RestartPolicy)
    repeats: int = 0
    ordered: bool = True
    overlap: int = 0
    ledger: bool = False
    counts: bool = False
    remote: bool = False
    stateless: bool = False
    host: str = ""
    concurrency: int = 1
    idle: float | None = None
    mailbox: int | None = None


@frozen
class Left:
    """What was there after the board had stopped and had not been before it; each in words."""

    processes: tuple[str, ...] = ()
    threads: tuple[str, ...] = ()
    descriptors: tuple[str, ...] = ()


@frozen
class Run:
    """A whole recorded run.

    Attributes:
        facts: in the order of their times.
        terms: of each plugin, by name.
        healed: when the last fault was over; ``None`` if nobody waited for recovery.
        ended: when the run was.
        patience: seconds after ``healed`` in which everything has to work again.
        slack: seconds by which times may be off, since who notes them may be late; 0 on a virtual clock.
        left: what was left behind.
        overheard: the plugins of which each `Malformed` line of their hosts is noted.
    """

    facts: tuple[Fact, ...]
    terms: Mapping[str, Terms]
    healed: float | None = None
    ended: float = 0.0
    patience: float = 30.0
    slack: float = 0.0
    left: Left = field(default_factory=Left)
    overheard: frozenset[str] = frozenset()

    def of(self, plugin: str) -> Iterator[Fact]:
        """The facts of one plugin."""
        return (fact for fact in self.facts if fact.plugin == plugin)

    @property
    def late(self) -> float:
        """Seconds by which what is told may come later on a busy machine: whoever tells it has to be given a processor."""
        return _LATE * self.slack

    def host_of(self, plugin: str) -> str:
        """The host that a plugin runs in; its own name where nothing else is known."""
        terms = self.terms.get(plugin)
        return (terms.host if terms is not None else "") or plugin

    def hosts(self) -> Iterator[tuple[str, Terms]]:
        """The plugins that run in hosts."""
        return ((name, terms) for name, terms in self.terms.items() if terms.hosted)


_LATE = 20


class Violation(NamedTuple):
    """A rule that was broken.

    Attributes:
        rule: its name.
        what: what is wrong, in a sentence with the numbers.
        facts: those that prove it.
    """

    rule: str
    what: str
    facts: tuple[Fact, ...] = ()

    def as_dict(self) -> dict[str, Any]:
        """As JSON."""
        return {"rule": self.rule, "what": self.what, "facts": [fact_dict(fact) for fact in self.facts]}


def fact_dict(fact: Fact) -> dict[str, Any]:
    """A fact as JSON: its kind under ``fact``, and the times to the microsecond."""
    told = fact._asdict() | {"at": round(fact.at, 6)}
    return {"fact": type(fact).__name__.lower()} | {
        name: list(value) if isinstance(value, tuple) else value for name, value in told.items()
    }
