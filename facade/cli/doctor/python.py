"""Whether this Python and its packages will do."""

from __future__ import annotations

import re
import sys
from importlib import metadata
from typing import TYPE_CHECKING

from ...base.frozen import frozen
from .finding import Finding

if TYPE_CHECKING:
    from collections.abc import Iterator

OLDEST_PYTHON = (3, 11)


def check_python() -> Iterator[Finding]:
    """The interpreter."""
    version = ".".join(map(str, sys.version_info[:3]))
    detail = f"{version}, {sys.executable or 'embedded in another program'}"
    if sys.version_info < OLDEST_PYTHON:
        oldest = ".".join(map(str, OLDEST_PYTHON))
        yield Finding("FAIL", "Python", detail, f"use Python {oldest} or newer")
    elif not sys.executable:
        yield Finding(
            "warn",
            "Python",
            detail,
            "no watchdog can be started: should this process be killed, hosts may live on",
        )
    else:
        yield Finding("ok", "Python", detail)


def check_packages() -> Iterator[Finding]:
    """The packages that Callboard says it needs."""
    try:
        lines = metadata.requires("callboard") or []
    except metadata.PackageNotFoundError:
        yield Finding(
            "warn",
            "packages",
            "callboard is not installed, only found",
            "run: pip install . (in its checkout)",
        )
        return
    well = []
    for line in lines:
        needed = Requirement.read(line)
        if needed.extra not in {"", "cli"}:
            continue
        found = _version_of(needed.package)
        remedy = f"run: pip install '{needed.package}{needed.versions}'"
        if found is None:
            yield Finding("FAIL", "packages", f"{needed.package} is not installed", remedy)
        elif not needed.is_met_by(found):
            yield Finding(
                "FAIL", "packages", f"{needed.package} is {found}; {needed.versions} is needed", remedy
            )
        else:
            well.append(f"{needed.package} {found}")
    if well:
        yield Finding("ok", "packages", ", ".join(well))


@frozen
class Requirement:
    """A line of a distribution's metadata, as far as it is looked at: bounds from below and above."""

    package: str
    versions: str
    extra: str

    @classmethod
    def read(cls, line: str) -> Requirement:
        """Read ``pykka<5,>=4.4; extra == "cli"``."""
        requirement, _, marker = line.partition(";")
        match = re.match(r"\s*([\w.-]+)\s*(?:\[[^]]*\])?\s*\(?([^)]*)\)?", requirement)
        assert match is not None, line
        extra = re.search(r"extra\s*==\s*['\"](\w+)['\"]", marker)
        return cls(match[1], match[2].replace(" ", ""), extra[1] if extra else "")

    def is_met_by(self, version: str) -> bool:
        """Whether a version is within the bounds; other kinds of conditions are not looked at."""
        has = _numbers(version)
        for bound in self.versions.split(","):
            if bound.startswith(">=") and has < _numbers(bound[2:]):
                return False
            if bound.startswith("<") and not bound.startswith("<=") and has >= _numbers(bound[1:]):
                return False
        return True


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(int(number) for number in re.findall(r"\d+", version)[:3])


def _version_of(package: str) -> str | None:
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return None
