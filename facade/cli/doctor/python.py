"""Whether this Python and its packages will do."""

from __future__ import annotations

import sys
from importlib import metadata
from typing import TYPE_CHECKING

from packaging.requirements import Requirement

from .finding import Finding

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

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
    for needed in needed_here(lines):
        finding = judge_package(needed, _version_of(needed.name))
        if finding.status == "ok":
            well.append(finding.detail)
        else:
            yield finding
    if well:
        yield Finding("ok", "packages", ", ".join(well))


def needed_here(lines: Iterable[str]) -> list[Requirement]:
    """What these lines of a distribution's metadata ask for on this system, without any extra."""
    all_of_them = map(Requirement, lines)
    return [each for each in all_of_them if each.marker is None or each.marker.evaluate({"extra": ""})]


def judge_package(needed: Requirement, found: str | None) -> Finding:
    """Whether this version, or none, is what is needed."""
    remedy = f"run: pip install '{needed.name}{needed.specifier}'"
    if found is None:
        return Finding("FAIL", "packages", f"{needed.name} is not installed", remedy)
    if not needed.specifier.contains(found, prereleases=True):
        return Finding("FAIL", "packages", f"{needed.name} is {found}; {needed.specifier} is needed", remedy)
    return Finding("ok", "packages", f"{needed.name} {found}")


def _version_of(package: str) -> str | None:
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return None
