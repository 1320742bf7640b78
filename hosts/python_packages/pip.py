"""venv and pip: an environment in an empty folder, with what a package needs in it, and what they may see meanwhile.

pip is that of this Python, run by the environment's; where this Python has none, it is put into the environment first,
which takes some seconds more.

Packages are installed as wheels unless the policy allows to build them: a build runs whatever its author has
written, before anybody has asked for the tool. `pip_guard` sees to that, whatever pip finds.
"""

from __future__ import annotations

import importlib.util
import json
import os
import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from ..environment import host_environment
from ..packages.command_runner import network_environment
from ..packages.package_errors import PackageError
from ..process.process import Command
from ..sandbox.steps import Access, nested_words

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ..packages.command_runner import CommandRunner, Ended

GUARD = Path(__file__).with_name("pip_guard.py")

_QUIET = ("--quiet", "--no-input", "--no-color", "--disable-pip-version-check", "--no-warn-script-location")

_SETTINGS = frozenset({
    "PIP_CACHE_DIR", "PIP_CERT", "PIP_CLIENT_CERT", "PIP_CONFIG_FILE", "PIP_CONSTRAINT", "PIP_DEFAULT_TIMEOUT",
    "PIP_EXTRA_INDEX_URL", "PIP_FIND_LINKS", "PIP_INDEX_URL", "PIP_KEYRING_PROVIDER", "PIP_NO_CACHE_DIR",
    "PIP_NO_INDEX", "PIP_PREFER_BINARY", "PIP_PROXY", "PIP_RETRIES", "PIP_TIMEOUT", "PIP_TRUSTED_HOST",
})  # fmt: skip
"""Variables that say where packages come from. Those that say where to are not pip's to know here."""


def pip_environment(parent: Mapping[str, str]) -> dict[str, str]:
    """All that venv and pip see of the environment."""
    own = {name: value for name, value in parent.items() if name in _SETTINGS}
    return {**host_environment(parent, network_environment(parent)), **own}


_PYTHONS = (sys.executable, str(Path(sys.base_prefix) / "bin" / "python"))


def pip_settings(environment: Mapping[str, str]) -> tuple[Path, ...]:
    """The files that pip's user keeps settings and logins in, those of the machine too."""
    named = environment.get("PIP_CONFIG_FILE")
    found = [Path("/etc/pip.conf"), *([Path(named)] if named else [])]
    home = environment.get("HOME")
    if home:
        configured = Path(environment.get("XDG_CONFIG_HOME") or Path(home) / ".config")
        found += [configured / "pip" / "pip.conf", Path(home) / ".pip" / "pip.conf", Path(home) / ".netrc"]
    return tuple(found)


def install_words(requirements: Path, constraints: Path | None, *, builds: bool) -> tuple[str, ...]:
    """The words after ``pip`` that install what a file requires."""
    return (
        "install",
        *_QUIET,
        "--no-user",
        *(() if builds else ("--only-binary=:all:",)),
        *(() if constraints is None else ("--constraint", str(constraints))),
        "--requirement",
        str(requirements),
    )


def pip_runner() -> Path | None:
    """Pip's file that runs it in any Python, of this Python's pip; ``None`` without any."""
    pip = importlib.util.find_spec("pip")
    file = None if pip is None or pip.origin is None else Path(pip.origin).with_name("__pip-runner__.py")
    return file if file is not None and file.is_file() else None


def programs(environment: Path) -> Path:
    """Where an environment has its programs."""
    return environment / ("Scripts" if os.name == "nt" else "bin")


def interpreter(environment: Path) -> Path:
    """The Python of an environment."""
    return programs(environment) / ("python.exe" if os.name == "nt" else "python")


class Pip:
    """venv and pip for one package.

    Args:
        command_runner: where they are run.
        plugin: what the package is called in errors.
        builds: packages may be built.
    """

    def __init__(self, command_runner: CommandRunner, plugin: str, *, builds: bool) -> None:
        self._command_runner = command_runner
        self._plugin = plugin
        self._builds = builds
        self._runner = pip_runner()

    def make(self, environment: Path) -> None:
        """Make an environment of this Python, which sees nothing of what is installed here. Raises `PackageError`."""
        without = () if self._runner is None else ("--without-pip",)
        argv = (sys.executable, "-I", "-m", "venv", *without, str(environment))
        self._run("python -m venv", environment, argv, Access((environment,), programs=_PYTHONS))

    def install(
        self, environment: Path, requirements: Path, constraints: Path | None, files: tuple[Path, ...] = ()
    ) -> None:
        """Install what a file requires into an environment.

        Args:
            environment: the environment.
            requirements: the file.
            constraints: what bounds the versions.
            files: what it requires of this machine.

        Raises:
            PackageError: pip failed.
        """
        words = install_words(requirements, constraints, builds=self._builds)
        builds = "builds" if self._builds else "no builds"
        seen = pip_environment(os.environ)
        settings = pip_settings(seen)
        sandbox = self._command_runner.sandbox
        if sandbox is not None and self._builds:
            builds = json.dumps(nested_words(settings, network=sandbox.network is True))
        access = Access(
            (environment,),
            (GUARD, *files, *(() if self._runner is None else (self._runner.parent,))),
            _PYTHONS,
            network=True,
            settings=settings,
            nests=self._builds,
        )
        guarded = (str(interpreter(environment)), "-P", str(GUARD), builds, str(self._runner or ""))
        self._run("pip install", environment, (*guarded, *words), access)

    def _run(self, step: str, folder: Path, argv: tuple[str, ...], access: Access) -> None:
        environment = pip_environment(os.environ)
        if self._command_runner.sandbox is not None:
            environment["PIP_CACHE_DIR"] = "/tmp/pip"  # noqa: S108 - the sandbox's
        try:
            ended = self._command_runner.run(Command(argv, environment, str(folder)), access)
        except OSError as error:
            raise PackageError(
                f"plugin {self._plugin}: {argv[0]} cannot be started ({error.strerror}); install it anew",
                plugin=self._plugin,
            ) from error
        if not ended.well:
            raise PackageError(
                f"plugin {self._plugin}: {step} {ended.text}; {self._remedy(ended)}",
                plugin=self._plugin,
                step=step,
                output=ended.said,
            )

    def _remedy(self, ended: Ended) -> str:
        if ended.code is None:
            return f"raise 'python_step_timeout', now {self._command_runner.seconds:g} s"
        return pip_remedy(ended.said, builds=self._builds)


_UNREACHED = (
    r"NewConnectionError|Failed to establish a new connection|Name or service not known|Temporary failure in name"
    r"|ReadTimeoutError|ConnectTimeoutError|Max retries exceeded|Connection (?:refused|reset|aborted)|ProxyError"
)

_REMEDIES = (
    (r"'python_allow_builds' is off", "name what has a wheel for this Python, or turn 'python_allow_builds' on"),
    (_UNREACHED, "try again when the index can be reached; what is in the cache then needs no network"),
    (r"ResolutionImpossible|conflicting dependencies", "make the versions of its dependencies agree"),
    (r"requires a different Python|Requires-Python", "name a version of it for this Python, or use another Python"),
    (r"THESE PACKAGES DO NOT MATCH THE HASHES", "the hashes and the index disagree on what a package is; write them anew"),
    (r"is not a supported wheel on this platform", "name a wheel for this system and this Python"),
    (r"401 Error|403 Error|Credentials not correct", "log in to the index, or correct what pip's configuration says of it"),
    (r"No space left on device", "make room on the disk"),
    (
        r"No module named (?:pip|venv|ensurepip)|ensurepip is not available|ensurepip.*returned non-zero",
        "install venv and pip for this Python; a system may have them as packages of their own, such as python3-venv",
    ),
    (r"(?:No such file or directory|does not exist)", "correct the path of what it does not find"),
)  # fmt: skip

_ABSENT = r"No matching distribution found|Could not find a version that satisfies"


def pip_remedy(said: str, *, builds: bool) -> str:
    """What to do when an environment cannot be made.

    Args:
        said: the last words of venv or pip.
        builds: whether packages without a wheel may be built.
    """
    for pattern, remedy in _REMEDIES:
        if re.search(pattern, said):
            return remedy
    if re.search(_ABSENT, said):
        correct = "correct the name or the version of what the index does not have"
        return correct if builds else f"{correct}; what has no wheel is only built with 'python_allow_builds'"
    return "run the same in a virtual environment, and correct what it complains of"
