"""A ledger: what tools have written down of their own runs, and what it says. Pure.

A tool appends a line of JSON to one file when it begins a run, and another before it answers (see
``ledger_tool``). The file is opened with ``O_APPEND`` and each line is one write, so the lines of several
processes stand in the order in which they were written. What has run is known from nobody else; what
anybody was told about it is not believed.

What a reader would get wrong: a run without an end mark is none that still goes on. Its process may have ended.
"""

from __future__ import annotations

import json
from dataclasses import field, replace
from typing import TYPE_CHECKING, Any

from ...base.errors import CallboardError
from ...base.frozen import frozen

if TYPE_CHECKING:
    from collections.abc import Iterable


class LedgerDamaged(CallboardError):
    """A line of a ledger is no mark, so the ledger proves nothing.

    Attributes:
        line: its number, from 1 on.
    """

    def __init__(self, line: int, text: str) -> None:
        super().__init__(f"line {line} of the ledger is no mark: {text!r:.120}")
        self.line = line


@frozen
class LedgerRun:
    """One run of a tool.

    Attributes:
        call: whose.
        plugin: the tool's.
        run: the name of this run, unlike all others of the ledger.
        pid: of the process that it ran in.
        count: the count in the state that it was given; ``None`` of a tool that has no state.
        begun: the number of the line that says so.
        ended: the number of the line that says how it ended; ``None`` if there is none.
        how: it ended: ``success``, ``failure``, ``raise``, ``invalid``, ``stopped`` (it heeded a cancel); empty without an end.
        made: the count in the state that it left.
    """

    call: str
    plugin: str
    run: str
    pid: int
    count: int | None
    begun: int
    ended: int | None = None
    how: str = ""
    made: int | None = None

    def before(self, other: LedgerRun) -> bool:
        """Whether it had ended when the other began."""
        return self.ended is not None and self.ended < other.begun


@frozen
class Anew:
    """A plugin began anew: it was loaded again, or with a new board.

    Attributes:
        plugin: which.
        line: the number of the line that says so.
        keeps: it goes on with its saved state; otherwise it begins with what ``init`` returns.
    """

    plugin: str
    line: int
    keeps: bool


@frozen
class Ledger:
    """See the module.

    Attributes:
        runs: in the order in which they began.
        anews: in their order.
    """

    runs: tuple[LedgerRun, ...] = ()
    anews: tuple[Anew, ...] = field(default=())

    def of_calls(self) -> dict[str, list[LedgerRun]]:
        """The runs of each call that has any, in their order."""
        found: dict[str, list[LedgerRun]] = {}
        for run in self.runs:
            found.setdefault(run.call, []).append(run)
        return found

    def of_plugins(self) -> dict[str, list[LedgerRun]]:
        """The runs of each plugin that has any, in their order."""
        found: dict[str, list[LedgerRun]] = {}
        for run in self.runs:
            found.setdefault(run.plugin, []).append(run)
        return found


def read_ledger(lines: Iterable[str]) -> Ledger:
    """Read the lines of a ledger.

    Raises:
        LedgerDamaged: one of them is no mark.
    """
    runs: dict[str, LedgerRun] = {}
    anews: list[Anew] = []
    for number, line in enumerate(lines, 1):
        try:
            mark = json.loads(line)
            match mark["mark"]:
                case "begin" if mark["run"] not in runs:
                    runs[mark["run"]] = _begun(mark, number)
                case "end" if not runs[mark["run"]].how:
                    runs[mark["run"]] = replace(
                        runs[mark["run"]], ended=number, how=str(mark["how"]), made=_count(mark)
                    )
                case "anew":
                    anews.append(Anew(str(mark["plugin"]), number, bool(mark["keeps"])))
                case _:
                    raise LedgerDamaged(number, line)
        except (KeyError, TypeError, ValueError) as error:
            raise LedgerDamaged(number, line) from error
    return Ledger(tuple(runs.values()), tuple(anews))


def _begun(mark: dict[str, Any], number: int) -> LedgerRun:
    return LedgerRun(
        str(mark["call"]), str(mark["plugin"]), str(mark["run"]), int(mark["pid"]), _count(mark), number
    )


def _count(mark: dict[str, Any]) -> int | None:
    return None if "count" not in mark else int(mark["count"])


def anew_mark(plugin: str, *, keeps: bool) -> str:
    """The line that says that a plugin begins anew; see `Anew`."""
    return json.dumps({"mark": "anew", "plugin": plugin, "keeps": keeps}) + "\n"
