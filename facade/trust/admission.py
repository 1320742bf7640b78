"""Holding what is fetched and built to what the user has agreed to: the `Consent` of the command line."""

from __future__ import annotations

import shlex
from dataclasses import replace
from typing import TYPE_CHECKING

from ..base.errors import CallboardError
from ..base.foreign import Log
from ..hosts.packages.package_errors import PackageError
from .planner import Planner
from .trust_file import TrustNotKept

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from ..config.configuration import Configuration
    from ..hosts.packages.consent import Step
    from ..hosts.packages.git_refs import Resolved
    from ..plugins.npm.npm_source import NpmSource, Release
    from ..plugins.sources.source import NodeGitSource
    from .load_plan import Plan
    from .trust_file import TrustFile


logger: Log = Log("callboard")


class NotTrusted(CallboardError):
    """A plan brings or builds code that its user has not agreed to.

    Attributes:
        plan: the whole plan.
        steps: what of it is not trusted.
        command: what the user types to trust it.
    """

    def __init__(self, plan: Plan, steps: tuple[Step, ...], place: str) -> None:
        self.plan = plan
        self.steps = steps
        self.command: str = trusting(place)
        super().__init__(
            f"{place} would have code fetched or built that is not trusted yet ({len(steps)} of {len(plan.steps)} steps); nothing "
            f"was done. See it: {planning(place)}; trust it: {self.command}"
        )


def trusting(place: str) -> str:
    """The command that trusts what a place would have fetched and built."""
    return shlex.join(["callboard", "trust", *(["--"] if place.startswith("-") else []), place])


def planning(place: str) -> str:
    """The command that shows it."""
    return shlex.join(["callboard", "plan", *(["--"] if place.startswith("-") else []), place])


class Admission:
    """What a configuration would have fetched and built, and whether that is trusted.

    Args:
        configuration: whose plan is made, now.
        place: what the user calls it.
        file: what is trusted.

    Attributes:
        plan: the plan.
        untrusted: the steps that are not trusted yet.
    """

    def __init__(self, configuration: Configuration, place: str, file: TrustFile) -> None:
        planner = Planner(configuration)
        self._configuration = configuration
        self._place = place
        self._file = file
        self._resolutions = planner.resolutions
        self._releases = planner.releases
        self.plan: Plan = planner.plan
        self.trusted: frozenset[str] = file.trusted(self.plan.steps) if self.plan.steps else frozenset()
        self.untrusted: tuple[Step, ...] = tuple(
            each for each in self.plan.steps if each.digest not in self.trusted
        )

    def trust(self) -> None:
        """Trust all of it, from now on. Raises `TrustNotKept`."""
        if self.untrusted:
            # All steps: what was trusted of one before its conditions were kept would be lost to those of its twin.
            self._file.add(self.plan.steps)
            self.untrusted = ()

    def undo(self) -> None:
        """Trust nothing of it any more. Raises `TrustNotKept`."""
        self._file.remove(self.plan.steps)
        self.untrusted = self.plan.steps

    def admitted(self) -> Configuration:
        """The configuration, by which only what was planned is fetched and built. Raises `NotTrusted`."""
        if self.untrusted:
            raise NotTrusted(self.plan, self.untrusted, self._place)
        self._carry_over()
        return replace(
            self._configuration,
            consent=_Agreed(self._place, self.plan.steps, self._resolutions, self._releases),
        )

    def _carry_over(self) -> None:
        """Keep the conditions of what was trusted by a version that kept none. What runs does not depend on it."""
        if not self.plan.steps:
            return
        try:
            self._file.carry_over(self.plan.steps)
        except TrustNotKept as error:
            logger.warning("%s", error)


class _Agreed:
    """See `Consent`."""

    def __init__(
        self,
        place: str,
        steps: Iterable[Step],
        resolutions: Mapping[NodeGitSource, Resolved | PackageError],
        releases: Mapping[NpmSource, Release | PackageError],
    ) -> None:
        self._place = place
        self._digests = {step.digest for step in steps}
        self._resolutions = resolutions
        self._releases = releases

    def resolved(self, source: NodeGitSource) -> Resolved | None:
        found = self._resolutions.get(source)
        if isinstance(found, PackageError):
            raise found
        return found

    def release(self, source: NpmSource) -> Release | None:
        found = self._releases.get(source)
        if isinstance(found, PackageError):
            raise found
        return found

    def require(self, step: Step, plugin: str) -> None:
        if step.digest not in self._digests:
            raise PackageError(
                f"{plugin} would have code fetched or built otherwise than was agreed to; see it with {planning(self._place)}, "
                f"and begin anew",
                plugin=plugin,
            )
