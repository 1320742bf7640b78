"""The tests on other Pythons: each version that Callboard promises and that is found, in an environment of its own.

    python3 tests/support/pythons.py all       # every version
    python3 tests/support/pythons.py newest    # the newest that is not the one that runs this
    python3 tests/support/pythons.py oldest    # runs nothing: prints the path of the oldest

A version that is not found is reported as not tried, and fails nothing. Words after the first go to `make test` as `ARGS`.
It needs only the standard library, because it runs before any environment exists.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]


def promised_versions(setup_cfg: str) -> list[str]:
    """The versions that the classifiers name, the oldest first."""
    return re.findall(r"^ *Programming Language :: Python :: (3\.\d+)$", setup_cfg, re.MULTILINE)


def find_python(version: str) -> str | None:
    """The path of a Python of this version (``3.12``) on PATH, of pyenv or of uv."""
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
    """What it says its version is; a shim of pyenv may exist without a Python behind it."""
    code = "import sys; print('%d.%d' % sys.version_info[:2])"
    try:
        said = subprocess.run([program, "-I", "-c", code], capture_output=True, text=True, check=False)
    except OSError:
        return None
    return said.stdout.strip() if said.returncode == 0 else None


def run_tests(version: str, args: str) -> str:
    """Run the whole suite in a fresh environment; return how it ended."""
    python = find_python(version)
    if python is None:
        return "not tried: not found on PATH, by pyenv or by uv"
    print(f"Python {version}: {python}", flush=True)
    shutil.rmtree(ROOT / f".venv-{version}", ignore_errors=True)
    command = ["make", "--no-print-directory", "test", f"PYTHON={python}", f"ARGS={args}"]
    status = subprocess.run(command, cwd=ROOT, check=False).returncode
    return "passed" if status == 0 else f"failed (make: {status})"


def main(which: str, *words: str) -> int:
    """Try all versions, or the newest other, and report each; or print the oldest. Return the exit status."""
    versions = promised_versions((ROOT / "setup.cfg").read_text())
    if which == "oldest":
        python = find_python(versions[0])
        print(
            python or f"make: no Python {versions[0]} on PATH, by pyenv or by uv",
            file=sys.stdout if python else sys.stderr,
        )
        return python is None
    own = "{}.{}".format(*sys.version_info[:2])
    ends: dict[str, str] = {}
    for version in versions if which == "all" else [each for each in reversed(versions) if each != own]:
        ends[version] = run_tests(version, " ".join(words))
        if which == "newest" and not ends[version].startswith("not tried"):
            break
    for version, end in ends.items():
        print(f"Python {version}: {end}", flush=True)
    return any(end.startswith("failed") for end in ends.values())


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
