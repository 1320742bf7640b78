"""A Python package made ready to run: in this process when it can, else in an environment of its own, from the cache."""

from __future__ import annotations

import platform
import re
from importlib import metadata
from typing import TYPE_CHECKING

from ...base.errors import JsonValueError
from ...base.frozen import frozen
from ...base.json import load_json
from ...plugins.requirements.python_plan import NeedsFacts, Place, Refused, plan_python
from ...plugins.requirements.requirements import Installed, python_problem, read_requirements, unmet
from ..packages.cache import PackageCache
from ..packages.command_runner import CommandRunner
from ..packages.conditions import conditions_of
from ..packages.consent import Step, pip_step
from ..packages.package_errors import PackageError
from .venv import Environment, make_environment, named_files

if TYPE_CHECKING:
    from pathlib import Path

    from ...plugins.requirements.python_requirements import PythonNeeds
    from ...plugins.requirements.requirements import Needed
    from ...plugins.sources.python import PythonPackage
    from ..packages.consent import Consent
    from ..sandbox.bwrap import SystemSandbox


@frozen
class PythonPermissions:
    """What may be done for a package; the policy of the configuration.

    Attributes:
        install: install what it needs.
        build: build what of that is no wheel.
        seconds: how long each step of it may take.
    """

    install: bool = True
    build: bool = False
    seconds: float = 600.0


@frozen
class ReadyPackage:
    """Where a package runs.

    Attributes:
        place: this process, or a host.
        environment: what its host runs in; ``None`` for this Python.
    """

    place: Place
    environment: Environment | None = None


class PythonReadiness:
    """Finds out what one package needs, and sees to it.

    Args:
        package: as its manifest says.
        needs: what it says that it needs.
        isolate: what its entry says; ``None`` if it says nothing.
        permissions: what may be done.
        sandbox: what its plugins may use in a sandbox; all is installed and built in one then.

    Attributes:
        place: where it is to run.

    Raises:
        PluginLoadError: a requirement cannot be read.
        PackageError: it cannot run, or not under these permissions.
    """

    def __init__(
        self,
        package: PythonPackage,
        needs: PythonNeeds,
        isolate: bool | None,
        permissions: PythonPermissions,
        sandbox: SystemSandbox | None = None,
    ) -> None:
        self._permissions = permissions
        self._sandbox = sandbox
        self._needs = needs
        self._needed = read_requirements(needs.requirements, package.root)
        self._bounds = read_requirements(needs.constraints, package.root)
        facts = _facts(self._needs, self._needed, self._bounds)
        decided = plan_python(
            facts, isolate=isolate, may_install=permissions.install, may_build=permissions.build
        )
        if isinstance(decided, Refused):
            raise PackageError(
                f"the package {package.directory} {decided.problem}", plugin=str(package.directory)
            )
        self.place: Place = decided.place
        self._told = decided.told

    def step(self) -> Step | None:
        """What is made for it, for a `Consent`; ``None`` if nothing is. Raises `PackageError`: a file that it names cannot be read."""
        if self.place is not Place.ENVIRONMENT:
            return None
        return pip_step(
            [each.text for each in self._needed],
            [each.text for each in self._bounds],
            named_files(self._needs, (*self._needed, *self._bounds)),
            builds=self._permissions.build,
            folder=str(self._needs.directory),
            conditions=conditions_of(self._sandbox),
        )

    def ready(self, cache: Path, consent: Consent | None = None) -> ReadyPackage:
        """The package, ready to run; its environment is made if the cache does not have it.

        Args:
            cache: where it is made.
            consent: asked before; nobody is if ``None``.

        Raises:
            PackageError: it cannot be made, or nobody has agreed to it.
        """
        step = self.step()
        if step is None:
            return ReadyPackage(self.place)
        if consent is not None:
            consent.require(step, str(self._needs.directory))
        with CommandRunner(self._permissions.seconds, sandbox=self._sandbox) as command_runner:
            environment = make_environment(
                self._needs,
                self._needed,
                self._bounds,
                step.facts["files"],
                why=self._told,
                builds=self._permissions.build,
                cache=PackageCache(cache),
                command_runner=command_runner,
            )
        return ReadyPackage(self.place, environment)


def _facts(needs: PythonNeeds, needed: tuple[Needed, ...], bounds: tuple[Needed, ...]) -> NeedsFacts:
    built = [each for each in (*needed, *bounds) if each.has_to_be_built]
    folders = [each for each in built if (file := each.file) is not None and file.is_dir()]
    return NeedsFacts(
        needs=bool(needed),
        unmet=unmet(needed, _installed),
        built=tuple(map(str, built)),
        folders=tuple(map(str, folders)),
        problem=python_problem(needs.python, platform.python_version()),
    )


def _installed(name: str) -> Installed | None:
    try:
        found = metadata.distribution(re.sub(r"[-_.]+", "-", name))
    except metadata.PackageNotFoundError:
        return None
    return Installed(found.version, tuple(found.requires or ()), _address(found.read_text("direct_url.json")))


def _address(told: str | None) -> str | None:
    """Where a distribution was installed from, by what pip has noted: the address as it was named."""
    if told is None:
        return None
    try:
        match load_json(told.encode()):
            case {"url": str(url), "vcs_info": {"vcs": str(vcs), "requested_revision": str(revision)}}:
                return f"{vcs}+{url}@{revision}"
            case {"url": str(url), "vcs_info": {"vcs": str(vcs)}}:
                return f"{vcs}+{url}"
            case {"url": str(url)}:
                return url
    except JsonValueError:
        return None
    return None
