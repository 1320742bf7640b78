"""TypeScript modules, made ready for the Node that is to run them.

By Node itself where it takes out types and that is enough; else by esbuild, which makes one JavaScript module of the
file and those that it imports. Which of the two, and the module that was made, are kept in the cache with the contents
of all files that they depend on: a file that was not changed is looked at by nobody but this.
"""

from __future__ import annotations

import hashlib
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ...base.errors import JsonValueError
from ...base.foreign import Log
from ...base.frozen import frozen
from ...base.json import load_json
from ..environment import host_environment
from ..packages.cache import key_of
from ..packages.package_errors import PackageError
from ..process.process import Command
from ..sandbox.steps import Access
from .esbuild import VERSION, get_esbuild

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ..node.find import NodeCandidate
    from ..packages.cache import Entry, PackageCache
    from ..packages.command_runner import CommandRunner, Ended
    from .esbuild import Esbuild

logger: Log = Log("callboard.packages")

SUFFIXES = frozenset({".ts", ".mts", ".cts"})

_CHECK = Path(__file__).with_name("typescript_check.mjs")
_BUNDLE = Path(__file__).with_name("typescript_bundle.mjs")


@frozen
class Module:
    """A module that Node can run.

    Attributes:
        path: of what is run.
        entry: the cache's, if it was made; it is to be kept as long as the module runs.
    """

    path: Path
    entry: Entry | None = None


def is_typescript(file: Path) -> bool:
    """Whether a module is written in TypeScript, by its name."""
    return file.suffix in SUFFIXES


class TypeScript:
    """Makes modules ready for one Node.

    Args:
        cache: where what is made is kept.
        command_runner: where programs are run for it.
        node: the Node that is to run the modules.
        may_fetch: esbuild may be fetched from the registry.
        root: what a module may be made of in a sandbox; its folder if ``None``.
    """

    def __init__(
        self,
        cache: PackageCache,
        command_runner: CommandRunner,
        node: NodeCandidate,
        *,
        may_fetch: bool,
        root: Path | None = None,
    ) -> None:
        assert node.path is not None
        self._cache = cache
        self._command_runner = command_runner
        self._node = node
        self._program: str = node.path
        self._may_fetch = may_fetch
        self._root = root

    def ready(self, file: Path) -> Module:
        """What is to be run for a module.

        Raises:
            PackageError: the file cannot be read or compiled, or esbuild is needed and cannot be had.
        """
        sandbox = self._command_runner.sandbox  # in one a module is made of its own files, and else of any
        apart = [] if sandbox is None else [repr(sandbox)]
        name = key_of("typescript", str(file), self._node.version_text, VERSION, *apart)
        known = self._known(name, file)
        if known is not None:
            return known
        if not self._cache.can_be_written and self._check(file)["why"] is None:
            return Module(file)  # Node runs it as it is, and that need not be kept
        with self._cache.scratch(name) as folder:
            return self._known(name, file) or self._make(name, file, folder)

    def _known(self, name: str, file: Path) -> Module | None:
        match self._cache.note(name):
            case {"inputs": dict(inputs), "outside": list(outside), "key": key}:
                if not (_unchanged(inputs) and all(Path(path).is_file() for path in outside)):
                    return None
                if key is None:
                    return Module(file)
                entry = self._cache.find("modules", str(key))
                return None if entry is None else _made(entry, file)
            case _:
                return None

    def _make(self, name: str, file: Path, folder: Path) -> Module:
        found = self._check(file)
        if found["why"] is None:
            self._keep(name, found["inputs"], key=None)
            return Module(file)
        logger.info("%s: made JavaScript by esbuild, for %s", file.name, found["why"])
        esbuild = self._esbuild(file)
        output = folder / _output(file)
        found = self._told(
            self._run(
                file,
                *(str(_BUNDLE), str(esbuild.package), str(file), str(output)),
                read=(esbuild.entry.tree,),
                write=(folder,),
            ),
            f"{file} cannot be made JavaScript",
        )
        contents = [word for pair in sorted(found["inputs"].items()) for word in pair]
        key = key_of(name, *contents, *sorted(found["outside"]))

        def work(tree: Path) -> dict[str, Any]:
            for made in (output, output.with_name(f"{output.name}.map")):
                made.rename(tree / made.name)
            return {"name": file.name, "source": str(file)}

        entry = self._cache.make("modules", key, work)
        self._keep(name, found["inputs"], key=key, outside=found["outside"])
        return _made(entry, file)

    def _keep(
        self, name: str, inputs: Mapping[str, str], *, key: str | None, outside: list[str] | None = None
    ) -> None:
        kept = {"inputs": dict(inputs), "outside": outside or [], "key": key}
        self._cache.keep_note(name, lambda _: kept)

    def _check(self, file: Path) -> dict[str, Any]:
        options = ("--no-warnings", "--experimental-vm-modules")
        return self._told(self._run(file, *options, str(_CHECK), str(file)), f"{file} cannot be looked at")

    def _esbuild(self, file: Path) -> Esbuild:
        refusal = (
            f"{file} needs esbuild, and 'node_install_deps' is off; turn it on, make the tool JavaScript "
            "yourself, or use no more of TypeScript than types"
        )
        return get_esbuild(
            self._cache,
            self._command_runner,
            self._program,
            user=str(file),
            refusal=None if self._may_fetch else refusal,
        )

    def _run(
        self, file: Path, *words: str, read: tuple[Path, ...] = (), write: tuple[Path, ...] = ()
    ) -> Ended:
        access = Access(write, (self._root or file.parent, _CHECK.parent, *read))
        command = Command((self._program, *words), host_environment(os.environ, {}), str(file.parent))
        try:
            return self._command_runner.run(command, access)
        except OSError as error:
            raise PackageError(f"{file} cannot be made ready: {error}", plugin=str(file)) from error

    def _told(self, ended: Ended, problem: str) -> dict[str, Any]:
        if ended.well:
            try:
                said = load_json(ended.stdout)
            except JsonValueError:
                said = None
            if isinstance(said, dict):
                return said
        raise PackageError(f"{problem}; correct it", plugin=problem.partition(" ")[0], output=ended.said)


def _output(file: Path) -> str:
    return f"{file.stem}.mjs"


def _made(entry: Entry, file: Path) -> Module:
    return Module(entry.tree / _output(file), entry)


def _unchanged(inputs: Mapping[Any, Any]) -> bool:
    return all(_digest(Path(str(path))) == digest for path, digest in inputs.items())


def _digest(file: Path) -> str | None:
    try:
        return hashlib.sha256(file.read_bytes()).hexdigest()
    except OSError:
        return None
