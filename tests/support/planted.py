"""Run the commands of the kit against each planted bug, and compare who convicts it with the table.

With ``--bug NAME`` (or ``none``) and a command it is the launcher: it plants the bug into its own process, and runs the
command there. Without, it runs all pairs, two at a time.
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from callboard.__main__ import main as command_line
from callboard.chaos.__main__ import main as kit
from callboard.chaos.checker.exits import NOT_TESTED
from planted_bugs import BUGS
from programs import PROGRAMS

TOOLS = PROGRAMS / "planted"
CHAOS = (
    f"chaos {TOOLS}/agent.json --calls 300 --kills 7 --deadline 2 --faults kill,partial,garbage --relentless"
)
CAMPAIGN = "campaign --calls 60 --happenings 6 --seconds 0.8"
SOAK = "soak --calls 800 --hosts 5 --faults 25"
COMMANDS = {
    "chaos": f"{CHAOS} --seed 1",
    "simulate": "simulate --seeds 40",
    "campaign": f"{CAMPAIGN} --rounds 6 --seed 7",
    "soak": f"{SOAK} --seed 2",
}
SEEDS = range(1, 21)
SOUND = {
    "chaos": [f"{CHAOS} --seed {seed}" for seed in SEEDS],
    "simulate": [f"simulate --from {SEEDS[0]} --seeds {len(SEEDS)}"],
    "campaign": [f"{CAMPAIGN} --rounds 1 --seed {seed}" for seed in SEEDS],
    "soak": [f"{SOAK} --seed {seed}" for seed in SEEDS],
}
"""What the sound library has to pass."""
SECONDS = 60.0
"""After which a command is ended; a command that does not end convicts, too."""
TABLE = Path(__file__).with_name("planted.json")


def verdict(bug: str, words: str) -> str:
    """What a command says with a bug planted: the first rule that it finds broken; empty if all hold.

    A command that comes to no end has found something, too. Raises `RuntimeError` if it fails otherwise.
    """
    launched = [sys.executable, __file__, "--bug", bug, *words.split()]
    patience = SECONDS if bug != "none" else 5 * SECONDS
    try:
        ended = subprocess.run(launched, capture_output=True, text=True, timeout=patience, check=False)
    except subprocess.TimeoutExpired as late:
        return _broken((late.stdout or b"").decode()) or "it comes to no end"
    if ended.returncode == NOT_TESTED and bug == "none":
        return "not everything was tested"
    if ended.returncode in {0, NOT_TESTED}:
        return ""
    if rule := _broken(ended.stdout):
        return rule
    if "LoadTestStuck" in ended.stderr or "nothing has happened" in ended.stderr:
        return "it is stuck"
    raise RuntimeError(f"{words} with {bug} failed:\n{ended.stdout[-2000:]}\n{ended.stderr[-2000:]}")


def _broken(said: str) -> str:
    """The first rule that is said to be broken; empty if there is none."""
    found = re.search(r"^ ✗ (?!seed \d+ {2})(?:seed \d+: )?([a-z' ]+?)(?: {2}|:)", said, re.MULTILINE)
    return found[1] if found else ""


def compare(bugs: list[str], commands: list[str]) -> int:
    """Print which commands convict which bug, and by which rule; returns 1 if one does not that is in the table.

    By chance more may; but the sound library has to be convicted by none.
    """
    table = json.loads(TABLE.read_text(encoding="utf-8"))
    differs = False
    with ThreadPoolExecutor(2) as pool:
        verdicts = {
            (bug, command): [
                pool.submit(verdict, bug, words)
                for words in (SOUND[command] if bug == "none" else [COMMANDS[command]])
            ]
            for bug in bugs
            for command in commands
        }
        for bug in bugs:
            said = {command: [one.result() for one in verdicts[bug, command]] for command in commands}
            due = [command for command in table.get(bug, ()) if command in commands]
            wrong = [c for c in commands if bool(any(said[c])) != (c in due) and (c in due or bug == "none")]
            differs |= bool(wrong)
            sys.stdout.write(f" {'✗' if wrong else '✓'} {bug}\n")
            for command in commands:
                rules = ", ".join(dict.fromkeys(filter(None, said[command]))) or "-"
                more = "   <- the table says otherwise" if command in wrong else ""
                sys.stdout.write(f"     {command:<9} {rules}{more}\n")
            sys.stdout.flush()
    return int(differs)


def main(given: list[str]) -> int:
    """Launch one command with a bug, or compare those that are named, or all and the sound library."""
    if given[:1] != ["--bug"]:
        parser = argparse.ArgumentParser(description=__doc__)
        parser.add_argument("bugs", nargs="*", default=["none", *BUGS], help="the names of bugs; all")
        parser.add_argument("--command", action="append", choices=COMMANDS, help="with this command alone")
        chosen = parser.parse_args(given)
        return compare(chosen.bugs, chosen.command or list(COMMANDS))
    _, bug, *command = given
    if bug != "none":
        BUGS[bug].plant()
    if command[0] != "chaos":
        return kit(command)
    sys.path.insert(0, str(TOOLS))  # of the tool in a thread
    sys.argv = ["callboard", *command]
    return command_line()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
