"""Whether every public symbol of the installed package has a type that all type checkers read alike.

    python tests/support/public_types.py PYTHON

`PYTHON` is that of an environment that has the package as it is installed, all that it can be used with, and pyright, whose
``--verifytypes`` judges. It takes for public what no leading underscore hides.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any


def environment_of(python: str) -> dict[str, str]:
    """Variables with which pyright looks for packages where this Python does: it asks the first one on PATH."""
    return os.environ | {"PATH": f"{Path(python).parent}{os.pathsep}{os.environ['PATH']}"}


def report_of(python: str, package: str) -> dict[str, Any]:
    """What pyright says of the types of a package. Raises `SystemExit` if it does not say anything about it."""
    argv = [python, "-m", "pyright", "--verifytypes", package, "--ignoreexternal", "--outputjson"]
    with TemporaryDirectory() as elsewhere:  # in a checkout it would read that
        ended = subprocess.run(
            argv, cwd=elsewhere, env=environment_of(python), capture_output=True, text=True, check=False
        )
    try:
        report: dict[str, Any] = json.loads(ended.stdout)
    except ValueError:
        raise SystemExit(f"pyright did not run:\n{ended.stdout}{ended.stderr}") from None
    if errors := [each["message"] for each in report["generalDiagnostics"]]:
        raise SystemExit(f"pyright cannot judge {package}: {'; '.join(errors)}")
    return report


def incomplete(report: dict[str, Any]) -> list[str]:
    """The public symbols without a full type, each with its line and what is wrong with it.

    One of them spoils all that is made of it. Those are left out, unless there is nothing else.
    """
    causes, consequences = [], []
    for symbol in report["typeCompleteness"]["symbols"]:
        if symbol["isExported"] and (symbol["isTypeAmbiguous"] or not symbol["isTypeKnown"]):
            said = [_in_line(each) for each in symbol["diagnostics"]]
            wrong = [text for text in said if "docstring" not in text and "partially unknown" not in text]
            group = causes if wrong else consequences
            group.append(
                f"{symbol['category']} {symbol['name']}: {'; '.join(wrong or said) or 'a part has no type'}"
            )
    return causes or consequences


def _in_line(diagnostic: dict[str, Any]) -> str:
    said = " ".join(diagnostic["message"].split())
    line = diagnostic.get("range", {}).get("start", {}).get("line")
    return said if line is None else f"line {line + 1}: {said}"


def figures(report: dict[str, Any]) -> str:
    """How many of the public symbols have a full type."""
    counts = report["typeCompleteness"]["exportedSymbolCounts"]
    total = sum(counts.values())
    return f"{counts['withKnownType']:,} of {total:,} public symbols have a type"


def main(python: str, package: str = "callboard") -> int:
    """Print the symbols that have none; 1 if there are any, or if there is nothing to judge."""
    report = report_of(python, package)
    found = incomplete(report)
    print(*found, sep="\n", end="\n" if found else "")
    print(f"{package}: {figures(report)} (pyright {report['version']})")
    return 1 if found or not report["typeCompleteness"]["symbols"] else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
