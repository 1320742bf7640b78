"""What has to be true of a ledger and of what callers were told. Pure: both go in, what is broken comes out.

The rules of a run (`invariants`) know when a call began. These know of each run where it began and ended among
the others, and with which state: so they also tell what overlapped, and which state was kept that should not have
been.

A *kept* answer is one that the tool has given and its caller has got: a success, or the tool's own failure. With it,
and with nothing else, the state is committed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..checker.call_rules import submissions
from ..checker.facts import Answered, Asked, Happened, Ordered, Ran, Violation
from ..checker.history import call_stories
from ..checker.invariants import Check

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from ..checker.facts import Fact, Run
    from .ledger import Ledger, LedgerRun

KEPT = frozenset({"success", "failure"})
"""The endings with which a state is committed."""


def not_sent_never_ran(run: Run, ledger: Ledger) -> Iterator[Violation]:
    """A call that was answered ``not_sent`` is in no ledger."""
    runs = ledger.of_calls()
    for answer in _answers(run).values():
        if answer.outcome == "not_sent" and answer.call in runs:
            said = f"{_name(answer)} was answered {answer.ending}, not_sent; the ledger has {len(runs[answer.call])} of its runs"
            yield Violation(NOT_SENT, said, _facts(run, answer.call))


def a_success_ran(run: Run, ledger: Ledger) -> Iterator[Violation]:
    """What a tool has answered stands in the ledger, with its end, and as the answer says."""
    runs = ledger.of_calls()
    for answer in _answers(run).values():
        if answer.ending not in _ANSWERED:
            continue
        ran = runs.get(answer.call, [])
        same = [one for one in ran if one.run == answer.run] if answer.run else ran
        said = ""
        if not same:
            said = f"and the ledger has no such run ({answer.run or 'none at all'})"
        elif not any(one.how == _ANSWERED[answer.ending] for one in same):
            how = ", ".join(one.how or "no end" for one in same)
            said = f"and the ledger has: {how}"
        elif answer.counted is not None and same[-1].made != answer.counted:
            said = f"with the count {answer.counted}, and the ledger has {same[-1].made}"
        if said:
            yield Violation(
                SUCCESS, f"{_name(answer)} was answered {answer.ending}, {said}", _facts(run, answer.call)
            )


_ANSWERED = {"success": "success", "failure": "failure", "tool_raised": "raise"}
"""The endings that a tool has given itself, and how the ledger calls them."""


def runs_within_repeats(run: Run, ledger: Ledger) -> Iterator[Violation]:
    """A call has at most ``repeats + 1`` runs, one if it may not be repeated; and nothing runs that was not submitted."""
    asked = {fact.call for fact in run.facts if isinstance(fact, Asked)}
    for call, ran in ledger.of_calls().items():
        plugin = ran[0].plugin
        most = 1 + (run.terms[plugin].repeats if plugin in run.terms else 0)
        if call not in asked:
            yield Violation(REPEATS, f"call {call} of {plugin!r} ran, and nobody had submitted it")
        elif len(ran) > most:
            said = f"call {call} of {plugin!r} has {len(ran)} runs; {most} are allowed"
            yield Violation(REPEATS, said, _facts(run, call))


def runs_begin_in_order(run: Run, ledger: Ledger) -> Iterator[Violation]:
    """At concurrency 1 the first runs of calls begin in the order of submission; a call that is sent again keeps its place."""
    places, answers = submissions(run), _answers(run)
    for plugin, ran in ledger.of_plugins().items():
        if plugin not in run.terms or run.terms[plugin].concurrency > 1:
            continue
        begun: set[str] = set()
        last: LedgerRun | None = None
        for one in ran:
            if one.call in begun or one.call not in places or was_given_up(one, answers.get(one.call)):
                continue
            begun.add(one.call)
            if last is not None and places[one.call].ended < places[last.call].begun:
                said = f"call {one.call} of {plugin!r} was submitted before {last.call}, and ran after it"
                yield Violation(ORDER, said, (*_facts(run, one.call), *_facts(run, last.call)))
            elif last is None or places[one.call].begun > places[last.call].begun:
                last = one


def no_more_at_once(run: Run, ledger: Ledger) -> Iterator[Violation]:
    """No more runs of a plugin go on at once than its concurrency allows, but for those in threads that were given up."""
    fenced = {
        fact.facts["call"]
        for fact in run.facts
        if isinstance(fact, Happened) and fact.kind == "thread_fenced"
    }
    loaded, at_end, answers = _times_loaded(run, Asked), _times_loaded(run, Answered), _answers(run)
    for plugin, ran in ledger.of_plugins().items():
        terms = run.terms.get(plugin)
        if terms is None:
            continue
        going: list[LedgerRun] = []
        for one in ran:
            if was_given_up(one, answers.get(one.call)):
                continue
            going = [before for before in going if _goes_on(before, one)]
            counted = going
            # A thread can be given up, and not be ended; nor when its plugin is taken off.
            # The new plugin may take a call that was submitted while it was loaded: the load is noted a moment later.
            if not terms.hosted:
                same = at_end.get(one.call)
                counted = [
                    each for each in going if each.call not in fenced and loaded.get(each.call) == same
                ]
            if len(counted) >= terms.concurrency:
                others = ", ".join(each.call for each in counted)
                said = f"call {one.call} of {plugin!r} began a run while {others} went on; {terms.concurrency} may at once"
                yield Violation(OVERLAP, said, _facts(run, one.call, *(each.call for each in counted)))
            going.append(one)


def _times_loaded(run: Run, kind: type[Asked | Answered]) -> dict[str, int]:
    """How often the plugin of each call had been loaded again when it was submitted, or had ended."""
    found: dict[str, int] = {}
    times: dict[str, int] = {}
    for fact in run.facts:
        if isinstance(fact, Ordered) and fact.verb == "load":
            times[fact.plugin] = times.get(fact.plugin, 0) + 1
        elif isinstance(fact, kind):
            found[fact.call] = times.get(run.host_of(fact.plugin), 0)
    return found


def _goes_on(run: LedgerRun, at: LedgerRun) -> bool:
    """Whether a run goes on when another begins. One that never ended and is not in its process has died with its own."""
    if run.ended is None:
        return run.pid == at.pid
    return run.ended > at.begun


def was_given_up(run: LedgerRun, answer: Answered | None) -> bool:
    """Whether it is of a call that an MCP server was to give up.

    Such a server does not say when the call is over, so the next one is not kept waiting. A server that was stopped meanwhile begins it late.
    """
    if run.count is not None or answer is None or answer.outcome == "not_sent":
        return False
    return answer.ending in _GIVEN_UP


_GIVEN_UP = frozenset({"cancelled", "deadline_exceeded"})


def state_goes_up_by_one(run: Run, ledger: Ledger) -> Iterator[Violation]:
    """Each kept answer has made the committed state one more, and nothing else has changed it."""
    answers, resets, runs = _answers(run), _resets(run), ledger.of_calls()
    for plugin, ran in ledger.of_plugins().items():
        terms = run.terms.get(plugin)
        if terms is None:
            continue
        kept = [one for one in ran if _is_kept(one, runs, answers)]
        state = _Committed(ledger, plugin, resets.get(plugin, 0))
        for one in kept:
            if one.count is None:  # it has no state
                continue
            state.pass_on_to(one.begun)
            due = state.due(one) if terms.concurrency == 1 else state.known(one)
            if due:
                said = f"call {one.call} of {plugin!r} was given the count {one.count}; {due}"
                yield Violation(STATE, said, _facts(run, one.call))
            if one.made != one.count + 1:
                said = f"call {one.call} of {plugin!r} made {one.made} of the count {one.count}"
                yield Violation(STATE, said, _facts(run, one.call))
            state.keep(one, saved=answers[one.call].saved)


class _Committed:
    """The state that a plugin goes on with, as far as kept answers tell: one count, or those that it may be."""

    def __init__(self, ledger: Ledger, plugin: str, resets: int) -> None:
        self._anews = [anew for anew in ledger.anews if anew.plugin == plugin]
        self._resets = resets
        self._saved: tuple[int, ...] = (0,)
        self._present: tuple[int, ...] = (0,)
        self._made: list[tuple[int, int]] = []

    def pass_on_to(self, line: int) -> None:
        """Take what has happened to the plugin before that line."""
        while self._anews and self._anews[0].line < line:
            anew = self._anews.pop(0)
            self._present = self._saved = self._saved if anew.keeps else (0,)
            if not anew.keeps:
                self._made = []

    def due(self, run: LedgerRun) -> str:
        """What is wrong with the count that a run was given; empty if nothing is."""
        if run.count in self._present:
            return ""
        if self._reset(run):
            return ""
        return f"{' or '.join(map(str, self._present))} was due"

    def known(self, run: LedgerRun) -> str:
        """As `due`, where several run at once: any that was committed by then will do."""
        if any(line < run.begun and count == run.count for line, count in [(0, 0), *self._made]):
            return ""
        return "" if self._reset(run) else "no kept answer has left that"

    def _reset(self, run: LedgerRun) -> bool:
        """Whether the state was given up, since the host crashed with it again and again (``state_reset``)."""
        if run.count == 0 and self._resets:
            self._resets -= 1
            return True
        return False

    def keep(self, run: LedgerRun, *, saved: bool) -> None:
        """Its answer was kept. What could not be saved may be saved later, with another."""
        assert run.made is not None
        assert run.ended is not None
        self._present = (run.made,)
        self._saved = (run.made,) if saved else (*self._saved, run.made)
        self._made.append((run.ended, run.made))


def _is_kept(one: LedgerRun, runs: Mapping[str, list[LedgerRun]], answers: Mapping[str, Answered]) -> bool:
    answer = answers.get(one.call)
    if answer is None or answer.ending not in KEPT or one.how != answer.ending:
        return False
    return one.run == answer.run if answer.run else one is runs[one.call][-1]


def _resets(run: Run) -> dict[str, int]:
    found: dict[str, int] = {}
    for fact in run.facts:
        if isinstance(fact, Happened) and fact.kind == "state_reset":
            found[fact.plugin] = found.get(fact.plugin, 0) + 1
    return found


def _answers(run: Run) -> dict[str, Answered]:
    """The first answer of each call; that there is one is for the rules of the run."""
    found: dict[str, Answered] = {}
    for fact in run.facts:
        if isinstance(fact, Answered):
            found.setdefault(fact.call, fact)
    return found


def _name(answer: Answered) -> str:
    return f"call {answer.call} of {answer.plugin!r}"


def _facts(run: Run, *calls: str) -> tuple[Fact, ...]:
    stories = call_stories(run)
    return tuple(
        fact for call in calls if call in stories for fact in stories[call].facts if not isinstance(fact, Ran)
    )


NOT_SENT = "not sent never ran"
SUCCESS = "an answer stands in the ledger"
REPEATS = "runs within repeats"
ORDER = "runs begin in order"
OVERLAP = "no more at once"
STATE = "state goes up by one"

LEDGER_RULES: dict[str, Callable[[Run, Ledger], Iterable[Violation]]] = {
    NOT_SENT: not_sent_never_ran,
    SUCCESS: a_success_ran,
    REPEATS: runs_within_repeats,
    ORDER: runs_begin_in_order,
    OVERLAP: no_more_at_once,
    STATE: state_goes_up_by_one,
}
"""The rules of a ledger by their names, in the order in which they are told."""


def check_ledger(run: Run, ledger: Ledger) -> tuple[Check, ...]:
    """Hold a ledger, and what callers were told, against every rule of `LEDGER_RULES`.

    That each call ends once, and in time, needs no ledger: see `invariants.check`.
    """
    checks = []
    for rule, find in LEDGER_RULES.items():
        found = tuple(find(run, ledger))
        count, what = _LOOKED_AT[rule](run, ledger)
        more = f" (and {len(found) - 1} more)" if len(found) > 1 else ""
        checks.append(Check(rule, found[0].what + more if found else f"{count:,} {what}", count, found))
    return tuple(checks)


def _answered(run: Run, wanted: Callable[[Answered], bool]) -> int:
    return sum(wanted(answer) for answer in _answers(run).values())


def _of_one(run: Run, ledger: Ledger) -> int:
    one = {name for name, terms in run.terms.items() if terms.concurrency == 1}
    return sum(each.plugin in one for each in ledger.runs)


_LOOKED_AT: dict[str, Callable[[Run, Ledger], tuple[int, str]]] = {
    NOT_SENT: lambda run, _: (
        _answered(run, lambda one: one.outcome == "not_sent"),
        "calls that were not sent",
    ),
    SUCCESS: lambda run, _: (_answered(run, lambda one: one.ending in _ANSWERED), "answers of tools"),
    REPEATS: lambda _, ledger: (len(ledger.of_calls()), "calls that ran"),
    ORDER: lambda run, ledger: (_of_one(run, ledger), "runs of tools that run one call at a time"),
    OVERLAP: lambda _, ledger: (len(ledger.runs), "runs"),
    STATE: lambda run, _: (_answered(run, lambda one: one.ending in KEPT), "kept answers"),
}
