"""Take out each control of the table "Threats", one at a time, and see its named tests fail.

Without arguments: all mutants of ``mutants.toml``. With words: the mutants whose threat, control or file contains one of them.
The checkout is never changed: mutants are applied to a copy below ``build/mutants``, which has an environment of its own. First
the named tests have to pass there as they are. Exits with 1 if a mutant survives, or if its text is not found exactly once.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import time
import tomllib
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import psutil

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

ROOT = Path(__file__).parents[2]
TABLE = Path(__file__).with_name("mutants.toml")
"""By threat: the mutants of each of its controls, and the named tests that each of them must fail."""
PAGE = ROOT / "docs" / "security.md"
BUILD = ROOT / "build" / "mutants"
TREE = BUILD / "tree"
VENV = BUILD / "venv"
SECONDS = 900.0
"""After which a test is ended. A mutant is not killed by that: its test has to fail."""

FAILED = 1
"""The exit status of pytest if tests ran and some failed. Any other status but 0 means that they did not run."""


class Edit(NamedTuple):
    """A change of one file: the text, which stands there once, and its replacement."""

    file: str
    text: str
    becomes: str

    def applied(self, source: str) -> str:
        """The source with the change made.

        Raises:
            ValueError: The text does not stand there exactly once.
        """
        if (found := source.count(self.text)) != 1:
            msg = f"{self.file} has this text {found} times, not once; mend {TABLE.name}: {self.text!r}"
            raise ValueError(msg)
        return source.replace(self.text, self.becomes)


class Mutant(NamedTuple):
    """The library without one control.

    Attributes:
        threat: the row of the table that names the control, by its first cell.
        control: the words of the row's second cell for what is taken out.
        edits: what takes it out.
        tests: the functions, of the tests that the row names, each of which must fail.
        by_root: its tests can fail only where they are run by root.
    """

    threat: str
    control: str
    edits: tuple[Edit, ...]
    tests: tuple[str, ...]
    by_root: bool

    @property
    def about(self) -> str:
        """All words by which a mutant can be chosen."""
        return " ".join([self.threat, self.control, *(edit.file for edit in self.edits)])


class Threat(NamedTuple):
    """A row of the table: the threat, its controls, and its tests by the name of the function."""

    threat: str
    controls: str
    tests: dict[str, str]


def threats() -> list[Threat]:
    """The rows of the table on the page."""
    section = PAGE.read_text(encoding="utf-8").split("\n## Threats\n")[1].split("\n## ")[0]
    rows = [line.strip("|").split(" | ") for line in section.splitlines() if line.startswith("| ")][1:]
    return [
        Threat(
            threat.strip(),
            controls.strip(),
            {test.rpartition("::")[2]: test for test in re.findall(r"`(tests/[^`]+)`", tests)},
        )
        for threat, controls, tests, *_ in rows
    ]


def mutants() -> list[Mutant]:
    """The table of the mutants."""
    rows = tomllib.loads(TABLE.read_text(encoding="utf-8"))["threat"]
    return [
        Mutant(
            row["is"],
            each["control"],
            tuple(
                Edit(edit["file"], edit["text"], edit["becomes"]) for edit in [each, *each.get("also", ())]
            ),
            tuple(each["tests"]),
            each.get("by_root", False),
        )
        for row in rows
        for each in row["mutant"]
    ]


def copy_checkout() -> None:
    """Copy the files of the checkout, and its environment, in which `callboard` is then installed from the copy."""
    shutil.rmtree(BUILD, ignore_errors=True)
    listed = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    names = subprocess.run(listed, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    for name in filter(None, names.split("\0")):
        if (source := ROOT / name).is_symlink() or source.exists():
            (TREE / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(source, TREE / name, follow_symlinks=False)
    # Links to the same files: pip replaces files, and changes none.
    unneeded = shutil.ignore_patterns("pycache", "__pycache__", "*.stamp")
    shutil.copytree(sys.prefix, VENV, symlinks=True, ignore=unneeded, copy_function=_link)
    install = "-m pip --quiet --disable-pip-version-check --no-input install --no-deps --no-index"
    _python(*install.split(), "--no-build-isolation", "--use-pep517", "--editable", ".", check=True)
    found = _python("-c", "import callboard; print(callboard.__file__)", check=True).stdout.strip()
    if not Path(found).is_relative_to(TREE):
        msg = f"The copy in {TREE} has to import callboard from there, but imports {found}."
        raise RuntimeError(msg)


def _link(source: str, target: str) -> None:
    os.link(source, target, follow_symlinks=False)


def _python(*words: str, check: bool = False) -> subprocess.CompletedProcess[str]:
    """Run the Python of the copy, in the copy. Tests run as in any checkout: with no variable of pytest's or of this one."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("PYTEST", "PYTHON"))}
    environment = kept | {"PYTHONPYCACHEPREFIX": str(BUILD / "pycache"), "VIRTUAL_ENV": str(VENV)}
    launched = [str(VENV / "bin" / "python"), *words]
    return subprocess.run(
        launched, cwd=TREE, env=environment, capture_output=True, text=True, timeout=SECONDS, check=check
    )


@contextmanager
def applied(mutant: Mutant) -> Iterator[None]:
    """The copy with a mutant, as long as the block runs.

    Raises:
        ValueError: As `Edit.applied`.
    """
    files = {TREE / edit.file for edit in mutant.edits}
    before = {file: (file.read_bytes(), file.stat()) for file in files}
    try:
        for edit in mutant.edits:
            file = TREE / edit.file
            file.write_text(edit.applied(file.read_text(encoding="utf-8")), encoding="utf-8")
        yield
    finally:
        for file, (content, status) in before.items():
            file.write_bytes(content)
            os.utime(file, ns=(status.st_atime_ns, status.st_mtime_ns))  # Compiled code is known by it.
        # No mutant is killed by an example that was found for another.
        shutil.rmtree(TREE / ".hypothesis", ignore_errors=True)


def outcome(test: str) -> tuple[int, str]:
    """Run one test in the copy: the exit status of pytest, and what it said."""
    began = time.time()
    try:
        ended = _python("-m", "pytest", "-q", "-x", "-n", "0", "-p", "no:cacheprovider", test)
    finally:
        end_what_is_left(began)
    return ended.returncode, ended.stdout + ended.stderr


def end_what_is_left(began: float) -> None:
    """Kill what a test has left running: processes that began after it did and whose command names the copy."""
    for process in psutil.process_iter():
        with suppress(psutil.Error):
            ours = any(str(place) in word for place in (TREE, VENV) for word in process.cmdline())
            if ours and process.create_time() > began - 1:
                process.kill()


def trouble_of(number: int, mutant: Mutant, named: dict[str, str]) -> str:
    """What is wrong with a mutant; empty if each of its tests fails by it. The outputs are kept, by its number."""
    try:
        with applied(mutant):
            for test in mutant.tests:
                status, said = outcome(named[test])
                kept = BUILD / f"{number}-{test}.txt"
                kept.write_text(said, encoding="utf-8")
                if status != FAILED:
                    how = "passes" if status == 0 else f"ended with status {status}, without a verdict"
                    return f"SURVIVED: {test} {how}; its output is in {kept.relative_to(ROOT)}"
    except (ValueError, subprocess.TimeoutExpired) as error:
        return f"NOT TRIED: {error}"
    return ""


def main(words: Sequence[str]) -> int:
    """Try the chosen mutants, and print a line for each."""
    wanted = [mutant for mutant in mutants() if not words or any(word in mutant.about for word in words)]
    chosen = [mutant for mutant in wanted if os.geteuid() == 0 or not mutant.by_root]
    named = {threat.threat: threat.tests for threat in threats()}
    began = time.monotonic()
    copy_checkout()
    wrong = 0
    for test in dict.fromkeys(named[mutant.threat][test] for mutant in chosen for test in mutant.tests):
        status, said = outcome(test)
        if status:
            wrong += 1
            _say(f"FAILS WITHOUT A MUTANT: {test}\n{said}")
    for number, mutant in enumerate(chosen, 1):
        since = time.monotonic()
        trouble = trouble_of(number, mutant, named[mutant.threat])
        wrong += bool(trouble)
        took = time.monotonic() - since
        _say(f"{number:>3} {took:6.1f} s  {mutant.threat}: {mutant.control}\n{'':>13}{trouble or 'killed'}")
    result = f"{wrong} WRONG" if wrong else "all killed"
    left_out = f"; {left} more take root" if (left := len(wanted) - len(chosen)) else ""
    _say(f"\n{len(chosen)} mutants in {time.monotonic() - began:.0f} s: {result}{left_out}.")
    return 1 if wrong or not chosen else 0


def _say(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
