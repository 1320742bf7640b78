"""The tests on other Pythons: each version that Callboard promises and that is found, in an environment of its own.

    python3 tests/support/pythons.py all       # every version
    python3 tests/support/pythons.py newest    # the newest that is not the one that runs this
    python3 tests/support/pythons.py oldest    # runs nothing: prints the path of the oldest

A version that is not found is reported as not tried, and fails nothing; with `newest` on stderr, so that stdout ends as
the tests end. Words after the first go to `make test` as `ARGS`. It needs only the standard library, because it runs before any environment exists.
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]


def promised_versions(setup_cfg: str) -> list[str]:
    """The versions that the classifiers name, the oldest first."""
    return re.findall(r"^ *Programming Language :: Python :: (3\.\d+)$", setup_cfg, re.MULTILINE)


def find_python(version: str) -> str | None:
    """The path of a Python of this version (``3.12``) that can make environments, on PATH, of pyenv or of uv."""
    for program in _candidates(version):
        if _version_of(program) == version:
            return program
    return None


def _candidates(version: str) -> list[str]:
    found = [shutil.which(f"python{version}")]
    pyenv = Path(os.environ.get("PYENV_ROOT") or Path.home() / ".pyenv")
    patches = sorted(
        (pyenv / "versions").glob(f"{version}.*/bin/python"),
        key=lambda path: [int(number) for number in re.findall(r"\d+", path.parts[-3])],
    )
    found += [str(path) for path in reversed(patches)]
    if uv := shutil.which("uv"):
        asked = [uv, "python", "find", "--no-project", "--no-python-downloads", version]
        found.append(subprocess.run(asked, capture_output=True, text=True, check=False).stdout.strip())
    return [program for program in found if program]


def _version_of(program: str) -> str | None:
    """What it says its version is, unless it lacks what makes environments, as that of Debian alone does.

    A shim of pyenv may exist without a Python behind it.
    """
    code = "import ensurepip, sys, venv; print('%d.%d' % sys.version_info[:2])"
    command = [program, "-I", "-c", code]
    try:
        said = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
    except OSError:
        return None
    return said.stdout.strip() if said.returncode == 0 else None


def _not_tried(version: str) -> str:
    return f"Python {version}: not tried: none that has venv on PATH, by pyenv or by uv"


def run_tests(version: str, python: str, args: str) -> int:
    """Run the whole suite in a fresh environment; return the exit status of make."""
    print(f"Python {version}: {python}", flush=True)
    shutil.rmtree(ROOT / f".venv-{version}", ignore_errors=True)
    command = ["make", "--no-print-directory", "test", f"PYTHON={python}", f"ARGS={args}"]
    return subprocess.run(command, cwd=ROOT, check=False).returncode


def try_all(versions: list[str], args: str) -> int:
    """Run the tests on each version, and report each at the end. Return the exit status."""
    ends: list[tuple[int, str]] = []
    for version in versions:
        if python := find_python(version):
            status = run_tests(version, python, args)
            ends.append((status, f"Python {version}: {f'failed (make: {status})' if status else 'passed'}"))
        else:
            ends.append((0, _not_tried(version)))
    print(*(said for _, said in ends), sep="\n", flush=True)
    return any(status for status, _ in ends)


def try_newest_other(versions: list[str], args: str) -> int:
    """Run the tests on the newest version that is found and is not this one. Return the exit status."""
    own = "{}.{}".format(*sys.version_info[:2])
    for version in reversed(versions):
        if version == own:
            continue
        if python := find_python(version):
            return run_tests(version, python, args)
        print(_not_tried(version), file=sys.stderr, flush=True)
    return 0


def print_oldest(version: str) -> int:
    """Print the path of a Python of this version. Return the exit status."""
    python = find_python(version)
    if python is None:
        print(f"make: no Python {version} that has venv on PATH, by pyenv or by uv", file=sys.stderr)
        return 1
    print(python)
    return 0


def main(which: str, *words: str) -> int:
    """Do what is asked for. Return the exit status."""
    versions = promised_versions((ROOT / "setup.cfg").read_text())
    if which == "oldest":
        return print_oldest(versions[0])
    return (try_all if which == "all" else try_newest_other)(versions, shlex.join(words))


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
