"""The plan of a configuration: what would be fetched, built and run for each of its plugins. Pure.

Its digest is that of all steps which are asked about, with what their code is built and run in, and of nothing else.
"""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING, Any, Final

from ..base.frozen import frozen
from ..hosts.packages.consent import Step, digest_of
from ..hosts.sandbox.bwrap import OUTSIDE
from .inline_runs import KIND as RUN

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

Json = dict[str, Any]


@frozen
class PlannedRun:
    """How a plugin is run.

    Attributes:
        where: ``here``, in the process of Callboard, ``host``, or ``elsewhere``, at an address.
        argv: the program and its arguments, as far as they are known before it is made; of a Node package the runner and the modules
            that it loads. Empty of what runs here.
        folder: where it runs, or lies; ``None`` if that is not known yet.
        environment: the names of all variables that it sees; of what runs here ``None``: it sees all.
        sandbox: its sandbox, with all that it shows; ``False`` for none.
        claims: which calls it is asked about, if it claims calls: ``all``, or its ``own``; ``None`` of what claims none.
        address: of what runs elsewhere, without secrets.
    """

    where: str
    argv: tuple[str, ...]
    folder: str | None
    environment: tuple[str, ...] | None
    sandbox: Any = False
    claims: str | None = None
    address: str | None = None


@frozen
class PlannedPlugin:
    """One entry of a configuration.

    Attributes:
        source: the entry, as it is called.
        steps: what is fetched, installed and built for it, in this order, and last the step `run` of one that is asked about.
        runs: how it is run; ``None`` if that cannot be known.
        problem: why it cannot be loaded, if it cannot.
        notes: what cannot be known before it is fetched, and what comes without being asked about.
    """

    source: str
    steps: tuple[Step, ...] = ()
    runs: PlannedRun | None = None
    problem: str | None = None
    notes: tuple[str, ...] = ()


@frozen
class Plan:
    """See the module.

    Attributes:
        plugins: in the order of the configuration.
    """

    plugins: tuple[PlannedPlugin, ...] = ()

    @property
    def steps(self) -> tuple[Step, ...]:
        """All steps, each once."""
        return tuple({step.digest: step for each in self.plugins for step in each.steps}.values())

    @property
    def digest(self) -> str:
        """The sha256 of what the plan brings and builds, whatever the order; the plan of nothing has one too."""
        return digest_of(sorted(step.digest for step in self.steps))

    def as_json(self, trusted: frozenset[str]) -> Json:
        """The plan, and which of its steps are trusted."""
        return {
            "digest": self.digest,
            "trusted": all(step.digest in trusted for step in self.steps),
            "plugins": [_plugin_json(each, trusted) for each in self.plugins],
        }


def _plugin_json(plugin: PlannedPlugin, trusted: frozenset[str]) -> Json:
    runs = plugin.runs
    return {
        "source": plugin.source,
        "steps": [{**step.as_json(), "trusted": step.digest in trusted} for step in plugin.steps],
        "runs": None
        if runs is None
        else {
            "where": runs.where,
            "argv": list(runs.argv),
            "folder": runs.folder,
            "environment": None if runs.environment is None else list(runs.environment),
            "sandbox": runs.sandbox,
            "claims": runs.claims,
            "address": runs.address,
        },
        "problem": plugin.problem,
        "notes": list(plugin.notes),
    }


def lines_of(plan: Plan, trusted: frozenset[str]) -> Iterator[str]:
    """The plan for people: a line each, of a depth that the spaces before it tell. Nothing in it has been cleaned."""
    for plugin in plan.plugins:
        yield plugin.source
        agreed = next((step for step in plugin.steps if step.kind == RUN), None)
        for step in plugin.steps:
            if step is not agreed:
                yield from (f"  {line}" for line in step_lines(step, trusted=step.digest in trusted))
        if plugin.runs is not None:
            mark = "" if agreed is None else f" ({_mark(trusted=agreed.digest in trusted)})"
            given = {} if agreed is None else agreed.facts
            yield from (f"  {line}" for line in _run_lines(plugin.runs, mark, given))
        yield from (f"  note   {note}" for note in plugin.notes)
        if plugin.problem is not None:
            yield f"  cannot be loaded: {plugin.problem}"


def step_lines(step: Step, *, trusted: bool) -> Iterator[str]:
    """A step that fetches or builds, for people."""
    yield from _LINES[step.kind](step, _mark(trusted=trusted))
    conditions = step.conditions
    for folder, asked in conditions.get("manifests", {}).items():
        yield f"       in {folder}:"
        yield from (f"         {line}" for line in _manifest_lines(asked))
    if "node" in conditions:
        yield f"       by the Node {conditions['node']}"
    yield f"       sandbox: {_sandbox(conditions.get('build', False))}"


def _mark(*, trusted: bool) -> str:
    return "trusted" if trusted else "not trusted"


def _git_lines(step: Step, mark: str) -> Iterator[str]:
    facts = step.facts
    yield f"fetch  {facts['url']} at commit {facts['commit']} ({mark})"
    if facts["submodules"]:
        yield "       with its submodules"
    done = [
        word
        for key, word in (("may_install", "npm install"), ("may_build", "its build script"))
        if facts[key]
    ]
    if done:
        yield f"build  {' and '.join(done)}, if it needs them, {_scripts(step)}"


def _release_lines(step: Step, mark: str) -> Iterator[str]:
    facts = step.facts
    yield f"fetch  {facts['package']} {facts['version']} from the registry ({mark})"
    yield f"       {facts['integrity']}"
    yield f"build  npm install, {_scripts(step)}"


def _npm_lines(step: Step, mark: str) -> Iterator[str]:
    facts = step.facts
    yield f"build  in a copy of {facts['folder']} ({mark})"
    if facts["install"]:
        yield f"       {facts['install']}, {_scripts(step)}"
        yield from (f"       {line}" for line in _manifest_lines({"packages": facts["packages"]}))
        pinned = len(step.also["locked"])
        yield (
            f"       {pinned} packages by the lock file" if pinned else "       no lock file pins what comes"
        )
    yield from (f"       {line}" for line in _manifest_lines({"scripts": facts["scripts"]}))
    if facts["esbuild"]:
        yield "       with esbuild, held to the hash that Callboard knows"


def _pip_lines(step: Step, mark: str) -> Iterator[str]:
    facts = step.facts
    yield f"build  an environment for {step.also['folder']} ({mark})"
    yield f"       pip install, {'packages may be built' if facts['builds'] else 'wheels only'}:"
    yield from (f"         {each}" for each in facts["requirements"])
    yield from (f"         bound by {each}" for each in facts["constraints"])


_LINES: Final = {"git": _git_lines, "release": _release_lines, "npm": _npm_lines, "pip": _pip_lines}


def _manifest_lines(asked: Mapping[str, Any]) -> Iterator[str]:
    """What a ``package.json`` has npm install and run; of one that cannot be read its digest."""
    yield from (f"{kind}: {_named(named)}" for kind, named in asked.get("packages", {}).items())
    yield from (f"{name}: {command}" for name, command in asked.get("scripts", {}).items())
    if "sha256" in asked:
        yield f"a package.json that cannot be read, with the sha256 {asked['sha256']}"


def _scripts(step: Step) -> str:
    with_them = "with" if step.facts["install_scripts"] else "without"
    return f"{with_them} the scripts of what is installed"


def _named(packages: Any) -> str:
    if isinstance(packages, dict):
        return ", ".join(f"{name} {version}" for name, version in packages.items())
    return str(packages)


def _run_lines(runs: PlannedRun, mark: str, given: Mapping[str, Any]) -> Iterator[str]:
    """How a plugin is run; ``given`` are the facts of its step `run`, or nothing."""
    match runs.where:
        case "here":
            yield "run    in the process of Callboard, which sees all of its environment"
            yield from _claim_lines(runs)
            return
        case "elsewhere":
            yield f"run    elsewhere, asked at {runs.address}{mark}"
        case _:
            yield f"run    {shlex.join(runs.argv)}{mark}"
            if runs.folder is not None:
                yield f"       in {runs.folder}"
            yield f"       sees the variables {', '.join(runs.environment or ()) or '(none)'}"
    for key, said in _GIVEN.items():
        if given.get(key):
            yield f"       {said} {', '.join(given[key])}"
    if runs.where != "elsewhere":
        yield f"       sandbox: {_sandbox(runs.sandbox)}"
    yield from _claim_lines(runs)


_GIVEN: Final = {
    "variables": "of them its entry gives",
    "secrets": "is given the secrets",
    "headers": "is sent the headers",
    "filled_from": "is given what stands in",
}


def _claim_lines(runs: PlannedRun) -> Iterator[str]:
    if runs.claims is not None:
        yield f"       claims: {_CLAIMS[runs.claims]}"


_CLAIMS: Final = {
    "all": "all (it may look at each call, and take it)",
    "own": "own (it is asked about no call of another plugin's tools)",
}


def _sandbox(sandbox: Any) -> str:
    if not sandbox:
        return "none"
    words = [_KINDS[sandbox["kind"]]]
    words += [f"{key} {path}" for key in ("read", "write") for path in sandbox.get(key, ())]
    words += [key.replace("_", " ") for key, value in sandbox.items() if value is True]
    words += [f"{key} {value}" for key, value in sandbox.items() if value == OUTSIDE]
    return ", ".join(words)


_KINDS: Final = {"bwrap": "bwrap", "node": "Node's permission model"}
