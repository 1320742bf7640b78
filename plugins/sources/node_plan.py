"""What has to be done to a Node package before it can run: decided from facts, done elsewhere.

| what entries name | build script | `node_build` | then |
|---|---|---|---|
| is there | any | any | no build |
| is older than its sources | yes | yes | build |
| is older than its sources | yes | no | as it is, with a warning |
| is missing | yes | yes | build |
| is missing | yes | no | refused |
| is missing | no | any | as it is: the manifest's reader says which entry is missing |

Packages are installed for a build, which happens in a copy without any, and where one that the tool needs to run
cannot be found. A package that needs neither runs where it is.
"""

from __future__ import annotations

from enum import Enum

from ...base.frozen import frozen


class Output(Enum):
    """The modules that the entries name, against what they are made of."""

    READY = "ready"
    OLDER = "older than its sources"
    MISSING = "missing"


class Install(Enum):
    """The command of npm that installs."""

    CI = "ci"
    INSTALL = "install"


@frozen
class PackageFacts:
    """What is known of a package on disk.

    Attributes:
        output: how the modules of its entries are.
        builds: it has a ``build`` script.
        locked: it has a lock file that ``npm ci`` reads.
        has_dependencies: its manifest names packages, for whatever use.
        unmet: packages it needs to run which are not to be found from where it is.
        outside: packages that its manifest names by a path which leads out of it.
    """

    output: Output = Output.READY
    builds: bool = False
    locked: bool = False
    has_dependencies: bool = False
    unmet: tuple[str, ...] = ()
    outside: tuple[str, ...] = ()


@frozen
class AsItIs:
    """Run it where it is.

    Attributes:
        warning: what its user should know, or ``None``.
    """

    warning: str | None = None


@frozen
class Make:
    """Copy it into the cache, and make it ready there.

    Attributes:
        install: how its packages are installed; ``None`` when it has none.
        for_build: what is only needed to build it is installed too.
        build: run its ``build`` script.
    """

    install: Install | None
    for_build: bool
    build: bool


@frozen
class Refused:
    """It cannot be made ready.

    Attributes:
        problem: why, and what to do.
    """

    problem: str


Plan = AsItIs | Make | Refused


def plan(facts: PackageFacts, *, may_install: bool, may_build: bool) -> Plan:
    """Decide what is to be done, under the policy's ``node_install_deps`` and ``node_build``."""
    wants_build = facts.builds and facts.output is not Output.READY
    if wants_build and facts.output is Output.MISSING and not may_build:
        return Refused("is not built, and 'node_build' is off; run npm run build there, or turn it on")
    build = wants_build and may_build
    install = bool(facts.unmet) or (build and facts.has_dependencies)
    if install and not may_install:
        return Refused(_not_to_be_installed(facts))
    if (install or build) and facts.outside:
        return Refused(
            f"depends on {_listed(facts.outside)} by a path that leads out of it, which a copy in the cache could "
            "not follow; run npm install and npm run build there yourself, and it runs where it is"
        )
    if not install and not build:
        return AsItIs(
            "what its entries name is older than its sources, and 'node_build' is off"
            if wants_build
            else None
        )
    how = Install.CI if facts.locked else Install.INSTALL
    return Make(how if install else None, for_build=build, build=build)


def _not_to_be_installed(facts: PackageFacts) -> str:
    what = f"needs {_listed(facts.unmet)}" if facts.unmet else "needs packages to be built"
    return f"{what}, and 'node_install_deps' is off; run npm install there, or turn it on"


def _listed(names: tuple[str, ...]) -> str:
    most = 5
    rest = f" and {len(names) - most} more" if len(names) > most else ""
    return ", ".join(names[:most]) + rest
