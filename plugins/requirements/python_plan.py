"""Where a Python package runs, by what it needs and what is wanted of it: decided from facts, done elsewhere.

| it needs | `isolate` | met in this Python | `python_install_deps` | then |
|---|---|---|---|---|
| nothing | no, or not said | | any | in this process |
| nothing | yes | | any | in a host on this Python |
| something | no, or not said | yes | any | in this process |
| something | not said | no | on | in a host with an environment of its own, and that is told |
| something | no | no | any | refused |
| something | yes | any | on | in a host with an environment of its own |
| something | yes | yes | off | in a host on this Python |
| something | yes, or not said | no | off | refused |
"""

from __future__ import annotations

from enum import Enum

from ...base.frozen import frozen


@frozen
class NeedsFacts:
    """What is known of a package's needs.

    Attributes:
        needs: it needs anything.
        unmet: what this Python does not have.
        built: what has to be built to be installed, and what asks pip to build.
        folders: what would be built in a folder of its own.
        problem: why it runs on no environment of this Python; ``None`` if it does.
    """

    needs: bool = False
    unmet: tuple[str, ...] = ()
    built: tuple[str, ...] = ()
    folders: tuple[str, ...] = ()
    problem: str | None = None


class Place(Enum):
    """Where a package runs."""

    HERE = "in this process"
    HOST = "in a host on this Python"
    ENVIRONMENT = "in a host with an environment of its own"


@frozen
class Run:
    """It can run.

    Attributes:
        place: where.
        told: what its user should know of that, or ``None``.
    """

    place: Place
    told: str | None = None


@frozen
class Refused:
    """It cannot be made ready.

    Attributes:
        problem: why, and what to do.
    """

    problem: str


def plan_python(
    facts: NeedsFacts, *, isolate: bool | None, may_install: bool, may_build: bool
) -> Run | Refused:
    """Decide where a package runs.

    Args:
        facts: of the package.
        isolate: what its entry says; ``None`` if it says nothing.
        may_install: the policy's ``python_install_deps``.
        may_build: the policy's ``python_allow_builds``.
    """
    if facts.problem is not None:
        return Refused(facts.problem)
    if not facts.needs:
        return Run(Place.HOST if isolate else Place.HERE)
    if not facts.unmet and not isolate:
        return Run(Place.HERE)
    lacking = _listed(facts.unmet)
    if facts.unmet and isolate is False:
        return Refused(
            f"needs {lacking}, which this Python does not have; install it here, or leave out 'isolate', and it runs "
            "in an environment of its own"
        )
    if not may_install:
        if facts.unmet:
            return Refused(
                f"needs {lacking}, and 'python_install_deps' is off; install it here, or turn that on"
            )
        return Run(Place.HOST)
    if facts.folders:
        return Refused(
            f"needs {_listed(facts.folders)}, a folder, in which pip would build it; name a wheel of it (pip wheel makes "
            "one), or have the code in the package"
        )
    if facts.built and not may_build:
        return Refused(
            f"asks for what has to be built ({_listed(facts.built)}), and 'python_allow_builds' is off; name wheels, or "
            "turn that on"
        )
    told = (
        None if isolate else f"needs {lacking}, which this Python does not have: it runs in a host of its own"
    )
    return Run(Place.ENVIRONMENT, told)


def _listed(names: tuple[str, ...]) -> str:
    most = 5
    rest = f" and {len(names) - most} more" if len(names) > most else ""
    return ", ".join(names[:most]) + rest
