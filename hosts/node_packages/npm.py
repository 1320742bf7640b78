"""npm, run on a package in the cache: which program that is, its words, and what it may see.

Scripts of installed packages run only where the policy allows it. The package's own ``build`` script runs with whatever
stands before and after it: that is its author's, as the tool itself is. It does not see the registry's tokens, nor a
password in the address of a proxy or a registry. npm tells its scripts what its user's settings say, so it is started
with `npm_guard.cjs`, which takes logins out of what a script is given.

npm goes by the settings of its user and by none of the package's. A package's ``.npmrc`` would beat the user's, and could put
programs into his home, send his token to somebody else, or have any program run; and npm has no word that
switches it off. So what npm works on is a copy that has none (see `tree`). A dependency from a repository is unpacked by
npm itself, which then runs another npm in there: that one is started with `npm_guard.cjs` too.
"""

from __future__ import annotations

import json
import os
import re
import shutil
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, TypeVar

from ...plugins.sources.node_plan import Install
from ..environment import host_environment
from ..packages.command_runner import network_environment, without_logins
from ..packages.package_errors import PackageError
from ..process.process import Command
from ..process_tree.group import is_batch_file
from ..sandbox.bwrap import OUTSIDE, Network
from ..sandbox.steps import Access
from .npm_errors import build_remedy, install_remedy

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from ..packages.command_runner import CommandRunner, Ended

_QUIET = ("--no-audit", "--no-fund", "--no-progress", "--no-update-notifier", "--loglevel=error")
_HERE = ("--no-global", "--location=project")
"""The user may have set something else for what he does by hand."""

GUARD = Path(__file__).with_name("npm_guard.cjs")
PROGRAMS = Path(__file__).with_name("programs")
"""`npm` and `npx` as the scripts of packages find them: the npm that runs them, which `CALLBOARD_NPM` names."""
PurePathT = TypeVar("PurePathT", bound=PurePath)

_TOKENS = frozenset({"NPM_TOKEN", "NODE_AUTH_TOKEN"})
_SECRET = re.compile(r"auth|token|password|_key\Z", re.IGNORECASE)


def npm_program(node: str) -> tuple[str, ...] | None:
    """The command that starts npm on this Node: that which came with it, else the system's; ``None`` without any.

    Its JavaScript is given to Node where it is found: then npm runs on the Node that runs the tools, and needs no
    shell on Windows, where ``npm`` is a batch file.
    """
    on_path = shutil.which("npm")
    for place in npm_places(Path(node).resolve(), Path(on_path).resolve() if on_path else None):
        if place.is_file():
            return (node, str(place))
    return (on_path,) if on_path and not is_batch_file(on_path) else None


def npm_places(node: PurePathT, on_path: PurePathT | None) -> list[PurePathT]:
    """Where npm's JavaScript may lie.

    Args:
        node: the Node, links resolved: npm is beside it on Windows, and beside its folder elsewhere.
        on_path: the system's npm, links resolved: the JavaScript itself, or a batch file beside its folder.
    """
    within = ("node_modules", "npm", "bin", "npm-cli.js")
    places = [node.parent.parent.joinpath("lib", *within), node.parent.joinpath(*within)]
    if on_path is not None:
        places += [on_path] if on_path.suffix == ".js" else [on_path.parent.joinpath(*within)]
    return places


def install_words(install: Install, *, for_build: bool, scripts: bool) -> tuple[str, ...]:
    """The words after ``npm`` that install a package's dependencies."""
    return (
        install.value,
        *_QUIET,
        *_HERE,
        "--include=dev" if for_build else "--omit=dev",
        *(("--prefer-offline",) if install is Install.CI else ()),
        *(() if scripts else ("--ignore-scripts",)),
    )


def npm_environment(
    parent: Mapping[str, str],
    node: str,
    npm: Sequence[str] = (),
    *,
    secrets: bool,
    lent: Path | None = None,
) -> dict[str, str]:
    """All that npm sees of the environment.

    Args:
        parent: that of this process.
        node: the Node that scripts find as ``node``.
        npm: what starts npm, which they find as ``npm``.
        secrets: what one is to the registry, and to a proxy, is seen too.
        lent: a folder of programs that scripts find where there are no others of their names.
    """
    own = {
        name: value
        for name, value in parent.items()
        if (name in _TOKENS and secrets)
        or (name.lower().startswith("npm_config_") and (secrets or not _SECRET.search(name)))
    }
    reached = network_environment(parent) | own
    found = programs_of(node, npm, parent.get("PATH"), lent)
    return {
        **host_environment(parent, reached if secrets else without_logins(reached)),
        **found,
        "NODE_OPTIONS": f"--require={json.dumps(str(GUARD))}",
        "NO_COLOR": "1",
    }


def programs_of(node: str, npm: Sequence[str], path: str | None, lent: Path | None = None) -> dict[str, str]:
    """The variables by which scripts find this Node and this npm, before those of a ``PATH``."""
    own = {"CALLBOARD_NPM": npm[-1]} if len(npm) > 1 else {}
    folders = (
        str(PROGRAMS) if own else None,
        str(Path(node).parent),
        path,
        None if lent is None else str(lent),
    )
    return own | {"PATH": os.pathsep.join(folder for folder in folders if folder)}


_CACHE = "npm_config_cache"


def npm_settings(environment: Mapping[str, str]) -> tuple[Path, ...]:
    """The files that npm's user keeps settings in."""
    named = (value for name, value in environment.items() if name.lower() in _CONFIGS and value)
    home = environment.get("HOME")
    return (*map(Path, named), *((Path(home) / ".npmrc",) if home else ()))


_CONFIGS = frozenset({"npm_config_userconfig", "npm_config_globalconfig"})


class Npm:
    """npm for one package.

    Args:
        node: the Node to run it on.
        command_runner: where it is run.
        plugin: what the package is called in errors.

    Raises:
        PackageError: there is no npm.
    """

    def __init__(self, node: str, command_runner: CommandRunner, plugin: str) -> None:
        program = npm_program(node)
        if program is None:
            raise PackageError(
                f"plugin {plugin} has to be made ready by npm, which is not installed; install it, or run npm install "
                "and npm run build in the package elsewhere",
                plugin=plugin,
            )
        self._program = program
        self._node = node
        self._command_runner = command_runner
        self._plugin = plugin

    def install(self, folder: Path, install: Install, *, for_build: bool, scripts: bool) -> None:
        """Install what the package in ``folder`` names. Raises `PackageError`: npm failed."""
        contained = self._command_runner.sandbox is not None
        words = install_words(install, for_build=for_build, scripts=scripts and not contained)
        ended = self._run(folder, words, secrets=True)
        self._require(ended, f"npm {install.value}", install_remedy)
        if scripts and contained:  # apart, since a process beside npm reads what npm may read
            self.rebuild(folder)

    def rebuild(self, folder: Path) -> None:
        """Run the scripts of what is installed in ``folder``; they see no token. Raises `PackageError`: one failed."""
        sandbox = self._command_runner.sandbox
        network: Network = OUTSIDE if sandbox is not None and sandbox.network == OUTSIDE else True
        ended = self._run(folder, ("rebuild", *_QUIET, *_HERE), secrets=False, network=network)
        self._require(ended, "npm rebuild", install_remedy)

    def view(self, package: str, *fields: str) -> str:
        """What the registry says of a package, as JSON; nothing of a version that it does not have. Raises `PackageError`: npm failed."""
        # In no folder of anybody's: npm would go by the settings that it finds there.
        ended = self._run(None, ("view", *_QUIET, *_HERE, "--json", "--", package, *fields), secrets=True)
        self._require(ended, f"npm view {package}", install_remedy)
        return ended.stdout

    def add(self, folder: Path, package: str) -> None:
        """Install one package into an empty folder, without its scripts. Raises `PackageError`: npm failed."""
        where = ("--no-save", "--no-dry-run", "--install-strategy=hoisted", "--prefix", str(folder))
        words = ("install", *_QUIET, *_HERE, "--ignore-scripts", *where, "--", package)
        self._require(self._run(folder, words, secrets=True), f"npm install {package}", install_remedy)

    def build(self, folder: Path, *, lent: Path | None = None) -> None:
        """Run the ``build`` script of the package in ``folder``.

        Args:
            folder: the package.
            lent: a folder of programs that it finds where there are no others of their names.

        Raises:
            PackageError: it failed.
        """
        words = ("run", "build", *_HERE, "--loglevel=error", "--no-update-notifier")
        self._require(self._run(folder, words, secrets=False, lent=lent), "npm run build", build_remedy)

    def _run(
        self,
        folder: Path | None,
        words: tuple[str, ...],
        *,
        secrets: bool,
        network: Network = False,
        lent: Path | None = None,
    ) -> Ended:
        environment = npm_environment(os.environ, self._node, self._program, secrets=secrets, lent=lent)
        if self._command_runner.sandbox is not None:
            others = {name: value for name, value in environment.items() if name.lower() != _CACHE}
            environment = {**others, _CACHE: "/tmp/npm"}  # noqa: S108 - the sandbox's
        npm = Path(self._program[-1])
        place = os.path.abspath(os.sep) if folder is None else str(folder)  # noqa: PTH100 - no path of ours
        access = Access(
            write=() if folder is None else (folder,),
            read=(GUARD, PROGRAMS, npm.parent.parent, *(() if lent is None else (lent.parent.parent,))),
            programs=(self._node,),
            network=secrets or network,
            settings=npm_settings(environment) if secrets else (),
        )
        try:
            return self._command_runner.run(Command((*self._program, *words), environment, place), access)
        except OSError as error:
            raise PackageError(
                f"plugin {self._plugin}: npm cannot be started ({error.strerror}); install it anew",
                plugin=self._plugin,
            ) from error

    def _require(self, ended: Ended, step: str, remedy_of: Callable[[str], str]) -> None:
        if ended.well:
            return
        remedy = (
            f"raise 'node_step_timeout', now {self._command_runner.seconds:g} s"
            if ended.code is None
            else remedy_of(ended.said)
        )
        raise PackageError(
            f"plugin {self._plugin}: {step} {ended.text}; {remedy}",
            plugin=self._plugin,
            step=step,
            output=ended.said,
        )
