"""Run the commands of the kit against each planted bug, and hold the verdicts against the table.

Without arguments: all bugs and the sound library (``none``, over twenty seeds), with all commands. That takes a quarter of an
hour on two free cores, and up to three times as long beside other work; a single command is ended after five minutes. Verdicts
do not depend on the load. Exits with 1 if a verdict differs from the table, or a command failed.
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from callboard.__main__ import main as command_line
from callboard.chaos.__main__ import main as kit
from callboard.chaos.checker.exits import NOT_TESTED
from planted_bugs import BUGS
from programs import PROGRAMS

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

TOOLS = PROGRAMS / "planted"
TABLE = Path(__file__).with_name("planted.json")
"""By bug: the commands that convict it; of the others why they cannot, or why they do so by chance alone."""

CHAOS = f"chaos {TOOLS}/agent.json --calls 300 --kills 7 --deadline 2 --faults kill,partial,garbage,garbage,garbage,garbage --relentless"
COMMANDS = {
    "chaos": f"{CHAOS} --seed {{seed}}",
    "simulate": "simulate --seeds 40 --from {forties}",
    "campaign": "campaign --fail-fast --calls 60 --happenings 6 --seconds 0.8 --rounds 6 --seed {sixes}",
    "soak": "soak --calls 800 --hosts 5 --faults 25 --seed {seed}",
}
"""The sizes are those of the sound library, too: a rule that convicts at another size may convict the innocent."""
SEED = 1
"""That a bug is looked for with."""
SEEDS = range(1, 21)
"""That the sound library has to pass."""
SECONDS = 300.0
"""After which a command is ended, which convicts too. A load test that is stuck says so itself, after two minutes."""
NONE = "none"
ENDS = "comes to an end"
KEPT = Path("build/planted")
"""Where what a command says is kept, unless all rules hold."""


class Verdict(NamedTuple):
    """What a command says.

    Attributes:
        rule: the first rule that it finds broken; empty if all hold.
        said: the line that says so.
        seconds: how long it took.
        output: all that it has said, where that is more than that all rules hold.
        failed: it has ended otherwise, and says nothing of rules.
    """

    rule: str
    said: str = ""
    seconds: float = 0.0
    output: str = ""
    failed: bool = False


def words(command: str, seed: int) -> str:
    """A command with a seed. Of the commands that try several seeds in a row no two try the same."""
    return COMMANDS[command].format(seed=seed, sixes=6 * seed, forties=40 * seed)


def verdict(bug: str, command: str) -> Verdict:
    """What a command says with a bug planted."""
    launched = [sys.executable, __file__, "--plant", bug, *command.split()]
    began = time.monotonic()
    try:
        ended = subprocess.run(launched, capture_output=True, text=True, timeout=SECONDS, check=False)
    except subprocess.TimeoutExpired as late:
        output = (late.stdout or b"").decode()
        return Verdict(_broken(output)[0] or ENDS, f"it was ended after {SECONDS:g} s", SECONDS, output)
    took, output = time.monotonic() - began, f"{ended.stdout}\n{ended.stderr}"
    rule, said = _broken(ended.stdout)
    if rule:
        return Verdict(rule, said, took, output)
    if "LoadTestStuck" in ended.stderr or "nothing has happened" in ended.stderr:
        return Verdict(ENDS, ended.stderr.strip().rpartition("\n")[2], took, output)
    if ended.returncode == NOT_TESTED:
        return Verdict("all is tested" if bug == NONE else "", "not all is tested", took, output)
    if ended.returncode:
        return Verdict(
            "", f"failed: {ended.stderr.strip().rpartition(chr(10))[2]}", took, output, failed=True
        )
    return Verdict("", "", took)


_RULE = re.compile(r"^ ✗ (?!seed \d+ {2})(?:seed \d+: )?([a-z' ]+?)(?: {2}|:).*$", re.MULTILINE)


def _broken(said: str) -> tuple[str, str]:
    """The first rule that is said to be broken, and the line; empty if there is none."""
    found = _RULE.search(said)
    return (found[1], found[0].strip()) if found else ("", "")


class Row(NamedTuple):
    """What a command says of one bug with one seed."""

    bug: str
    command: str
    seed: int
    verdict: Verdict


def run(bugs: Sequence[str], commands: Sequence[str], seeds: Iterable[int] | None, jobs: int) -> list[Row]:
    """Run each command with each bug, and print what each says when it ends; with these seeds, or the usual ones."""
    wanted = [
        (bug, command, seed)
        for bug in bugs
        for command in commands
        for seed in seeds or (SEEDS if bug == NONE else [SEED])
    ]
    with ThreadPoolExecutor(jobs) as pool:
        return list(pool.map(_run_one, wanted))


def _run_one(wanted: tuple[str, str, int]) -> Row:
    bug, command, seed = wanted
    row = Row(bug, command, seed, verdict(bug, words(command, seed)))
    if row.verdict.output:
        KEPT.mkdir(parents=True, exist_ok=True)
        (KEPT / f"{bug}-{command}-{seed}.txt").write_text(row.verdict.output, encoding="utf-8")
    said = row.verdict.said or row.verdict.rule or "every rule holds"
    sys.stdout.write(f"{bug:<22} {command:<9} seed {seed:<4} {row.verdict.seconds:5.1f} s  {said}\n")
    sys.stdout.flush()
    return row


def table(rows: Sequence[Row], due: Mapping[str, Mapping[str, Mapping[str, str]]]) -> tuple[list[str], bool]:
    """The lines of the table, bugs by commands, and whether it is as it has to be.

    ``✓`` is a bug that is convicted, as is due, and ``·`` one that is not, as is due; ``✗`` is the opposite. ``~`` may be
    either. With several seeds each has to say the same.
    """
    commands = list(dict.fromkeys(row.command for row in rows))
    lines = [" ".join([f"{'':<22}", *(f"{command:<9}" for command in commands)])]
    all_as_due = True
    for bug in dict.fromkeys(row.bug for row in rows):
        cells = []
        for command in commands:
            said = [row.verdict for row in rows if (row.bug, row.command) == (bug, command)]
            is_due, by_chance = command in due[bug]["convicted_by"], command in due[bug].get("by_chance", ())
            right = sum(not one.failed and (by_chance or bool(one.rule) == is_due) for one in said)
            all_as_due &= right == len(said)
            mark = "✗" if right < len(said) else "~" if by_chance else "✓" if is_due else "·"
            cells.append(f"{mark} {f'{right}/{len(said)}' if len(said) > 1 else '':<7}")
        lines.append(" ".join([f"{bug:<22}", *cells]).rstrip())
    return lines, all_as_due


def main(given: list[str]) -> int:
    """Plant a bug into this process and run a command; or compare."""
    if given[:1] == ["--plant"]:
        return _launch(given[1], given[2:])
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("bugs", nargs="*", metavar="BUG", help=f"of {NONE}, {', '.join(BUGS)}; all")
    parser.add_argument(
        "--command", action="append", choices=COMMANDS, help="with this command; may be given again; all"
    )
    parser.add_argument(
        "--seed", action="append", type=int, help="with this seed; may be given again; the usual one"
    )
    parser.add_argument("--seeds", type=int, help="with so many seeds, from 1")
    parser.add_argument("--jobs", type=int, default=2, help="how many commands run at a time (2)")
    chosen = parser.parse_args(given)
    if unknown := set(chosen.bugs) - {NONE, *BUGS}:
        parser.error(f"no such bug: {', '.join(sorted(unknown))}")
    seeds = chosen.seed or (range(1, chosen.seeds + 1) if chosen.seeds else None)
    began = time.monotonic()
    rows = run(chosen.bugs or [NONE, *BUGS], chosen.command or list(COMMANDS), seeds, chosen.jobs)
    lines, as_due = table(rows, json.loads(TABLE.read_text(encoding="utf-8")))
    verdict = "as the table says" if as_due else f"NOT AS {TABLE.name} SAYS"
    sys.stdout.write("\n" + "\n".join(lines) + f"\n\n{time.monotonic() - began:.0f} s: {verdict}.\n")
    return 0 if as_due else 1


def _launch(bug: str, command: list[str]) -> int:
    if bug != NONE:
        BUGS[bug].plant()
    if command[0] != "chaos":
        return kit(command)
    sys.path.insert(0, str(TOOLS))  # of the tool in a thread
    sys.argv = ["callboard", *command]
    return command_line()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
