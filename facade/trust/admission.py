"""Holding what is fetched, built and run to what the user has agreed to: the `Consent` of the command line.

What is fetched and built is agreed to as a whole, before anything begins. A command or an address that nobody has agreed to has its own
entry left out, and the others run.
"""

from __future__ import annotations

import shlex
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from ..base.errors import CallboardError, PluginLoadError
from ..base.foreign import Log
from ..hosts.packages.package_errors import PackageError
from ..loading.prefetch import spelled_out
from ..sources.kinds import spelled
from .inline_runs import KIND as RUN
from .planner import Planner
from .trust_file import TrustNotKept

if TYPE_CHECKING:
    from collections.abc import Collection

    from ..config.configuration import Configuration
    from ..config.plugin_options import Options
    from ..hosts.packages.consent import Step
    from ..hosts.packages.git_refs import Resolved
    from ..plugins.sources.node_source import NodeGitSource
    from ..plugins.sources.npm_source import NpmSource, Release
    from ..plugins.sources.source import Source
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
            f"was done. {remedy_of(place)}"
        )


class RunNotTrusted(PluginLoadError):
    """An entry has a command or an address that its user has not agreed to; nothing of it was run.

    Attributes:
        command: what the user types to trust it.
    """

    def __init__(self, plugin: str, place: str, *, address: bool) -> None:
        self.command: str = trusting(place)
        what = "nothing was sent to its address" if address else "its command was not run"
        super().__init__(f"{plugin} is not trusted yet, so {what}. {remedy_of(place)}", plugin=plugin)


def trusting(place: str) -> str:
    """The command that trusts what a place would have fetched, built and run."""
    return shlex.join(["callboard", "trust", *(["--"] if place.startswith("-") else []), place])


def planning(place: str) -> str:
    """The command that shows it."""
    return shlex.join(["callboard", "plan", *(["--"] if place.startswith("-") else []), place])


def remedy_of(place: str) -> str:
    """Return what a user types to see what is not trusted yet, and to trust it."""
    return f"See it: {planning(place)}; trust it: {trusting(place)}"


class Admission:
    """What a configuration would have fetched, built and run, and whether that is trusted.

    Args:
        configuration: whose plan is made, now.
        place: what the user calls it.
        file: what is trusted.

    Attributes:
        plan: the plan.
        untrusted: the steps that are not trusted yet.
        command: what the user types to trust it.
    """

    def __init__(self, configuration: Configuration, place: str, file: TrustFile) -> None:
        self._planner = Planner(configuration)
        self._configuration = configuration
        self._place = place
        self.command: str = trusting(place)
        self._file = file
        self.plan: Plan = self._planner.plan
        self.trusted: frozenset[str] = file.trusted(self.plan.steps) if self.plan.steps else frozenset()
        self.untrusted: tuple[Step, ...] = tuple(
            each for each in self.plan.steps if each.digest not in self.trusted
        )

    def trust(self, *, keep: bool = True) -> None:
        """Trust all of it, from now on. Raises `TrustNotKept`.

        Args:
            keep: else it is trusted by this object alone, and nothing is written down.
        """
        if self.untrusted and keep:
            # All steps: what was trusted of one before its conditions were kept would be lost to those of its twin.
            self._file.add(self.plan.steps)
        self.untrusted = ()

    def undo(self) -> int:
        """Trust nothing of it any more; return how many steps were trusted. Raises `TrustNotKept`."""
        self.untrusted = self.plan.steps
        return self._file.remove(self.plan.steps)

    def admitted(self) -> Configuration:
        """The configuration, by which only what was planned is fetched and built, and what is trusted is run.

        Raises:
            NotTrusted: something would be fetched or built that is not trusted.
        """
        if builds := tuple(step for step in self.untrusted if step.kind != RUN):
            raise NotTrusted(self.plan, builds, self._place)
        self._carry_over()
        required = {
            spelled(each)
            for entry in self._configuration.plugins
            if isinstance(entry, dict) and entry.get("required")
            for each in spelled_out(entry)
        }
        agreed = _Agreed(self._place, self.plan, self.untrusted, self._planner, required)
        return replace(self._configuration, consent=agreed)

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
        self, place: str, plan: Plan, untrusted: tuple[Step, ...], planner: Planner, required: Collection[str]
    ) -> None:
        self._place = place
        self._digests = {step.digest for step in plan.steps} - {step.digest for step in untrusted}
        self._resolutions = planner.resolutions
        self._releases = planner.releases
        self._runs = planner.runs
        self.remedy: str = remedy_of(place)
        refused = {
            each.source: str(self._refusal(each.source, step))
            for each in plan.plugins
            for step in each.steps
            if step in untrusted
        }
        self.left_out: tuple[str, ...] = tuple(refused)
        failing = ((each.source, each.problem or refused.get(each.source)) for each in plan.plugins)
        self.obstacle: tuple[str, str] | None = next(
            ((source, why) for source, why in failing if why is not None and source in required), None
        )

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

    def require_run(self, entry: Any, source: Source, options: Options) -> None:
        step = self._runs.step(entry, source, options)
        if step is not None and step.digest not in self._digests:
            raise self._refusal(spelled(entry), step)

    def _refusal(self, plugin: str, step: Step) -> RunNotTrusted:
        return RunNotTrusted(plugin, self._place, address="address" in step.facts)
