"""JavaScript tools: the command line that runs one of them in `host.mjs`."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from ...base.validation import require, require_mapping, require_text
from ..environment import host_environment
from ..errors import HostStartError
from ..hosted_tool import HostedToolPlugin
from ..process.process import Command
from ..sandbox.confinement import FREE, Confinement
from ..sandbox.containment import Belongings, confine, hand_out
from ..sharing import Sharing
from .find import find_node
from .sandbox import permission_options
from .shared import SharedNode, with_heap

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from .find import NodeCandidate
    from .sandbox import Sandbox


HOST_SCRIPT = Path(__file__).with_name("runner") / "host.mjs"
"""The program that runs JavaScript tools; it needs nothing but Node."""


class NodeToolPlugin(HostedToolPlugin):
    """One exported JavaScript tool in a Node host of its own.

    Args:
        name: the plugin's name, unique on its board.
        entry: the module, as its author knows it.
        export: the export to use; the default export when ``None``.
        env: variables that the host gets beside the allowed ones.
        node: the Node program; looked up when ``None`` (see `find_node`).
        node_options: options for Node itself, such as ``--max-old-space-size=256``.
        version: for people.
        module: what is loaded for it, if that is another file: what was made of TypeScript.
        compiled: a folder where Node may keep what it has compiled.
        sandbox: what Node lets it do, if not everything.
        confinement: its sandbox of the system's, and its secrets.
        root: the folder that it may read in a sandbox; that of its entry when ``None``.
        holds: what is to live as long as this does, such as a claim on the cache that the module lies in.
    """

    kind = "node"

    def __init__(
        self,
        name: str,
        entry: str | os.PathLike[str],
        *,
        export: str | None = None,
        env: Mapping[str, str] | None = None,
        node: str | None = None,
        node_options: tuple[str, ...] = (),
        version: str = "0",
        module: Path | None = None,
        compiled: Path | None = None,
        sandbox: Sandbox | None = None,
        confinement: Confinement = FREE,
        root: Path | None = None,
        holds: object = None,
    ) -> None:
        require_text("the name of a plugin", name)
        require(
            isinstance(entry, str | os.PathLike), "the entry of a Node tool", entry, "the path of a module"
        )
        for option, value in (("export", export), ("node", node), ("version", version)):
            require(value is None or isinstance(value, str), option, value, "a text")
        require_mapping("env", env)
        super().__init__(name, self._command, version=version)
        self.entry: Path = Path(entry).absolute()
        self.export = export
        self._env = dict(env or {})
        self._node = node
        self._node_options = node_options
        self._module = module or self.entry
        # In a sandbox Node neither reads nor writes there.
        self._compiled = None if sandbox or confinement.sandbox else compiled
        self._sandbox = sandbox
        self._confinement = confinement
        self.sandboxed: bool = sandbox is not None or confinement.sandbox is not None
        self._root = root or self.entry.parent
        self._holds = holds

    def limit_memory(self, resident: int) -> None:
        """Let the heap be no larger: Node collects garbage with more zeal as it comes near to that.

        A size that the ``node_options`` say already stands.
        """
        self._node_options = with_heap(self._node_options, resident)

    def _command(self) -> Command:
        for file in (self.entry, self._module):
            if not file.is_file():
                raise HostStartError(
                    f"cannot start host {self.name!r}: no such file: {file}", host=self.name, permanent=True
                )
        options = ["--enable-source-maps"] if _has_source_map(self._module) else []
        arguments = ["--entry", str(self.entry)]
        if self._module != self.entry:
            arguments += ["--module", str(self._module)]
        if self._compiled is not None:
            arguments += ["--compiled", str(self._compiled)]
        if self.export is not None:
            arguments += ["--export", self.export]
        return self._start((*self._node_options, *options), arguments)

    def _start(self, options: Sequence[str], arguments: Sequence[str]) -> Command:
        """The command line of the runner with these arguments, in a Node with these options."""
        node = find_node(self._node)
        assert node.path is not None
        secrets = hand_out(self._confinement, self.name)
        given = () if secrets is None else (secrets.folder,)
        argv = (node.path, *options, *self._permissions(node, given), str(HOST_SCRIPT), *arguments)
        cwd = str(self.entry.parent)
        command = Command(argv, host_environment(os.environ, self._env), cwd, extended=True)
        files = (self._root, self._module, HOST_SCRIPT.parent)
        return confine(self._confinement, command, Belongings(files), self.name, secrets)

    def sharing(self) -> Sharing | None:
        """What a host needs to take it in beside others.

        ``None`` in a sandbox if its module, having been made of another file, lies where that sandbox does not reach.
        """
        if self.sandboxed and not self._module.is_relative_to(self._root):
            return None
        terms = {
            "env": self._env,
            "node": self._node,
            "node_options": self._node_options,
            "sandbox": (self._sandbox, self._confinement.sandbox, self._root) if self.sandboxed else None,
            "secrets": dict(self._confinement.secrets or {}),
        }
        load = {"entry": str(self.entry), "module": str(self._module)}
        if self._compiled is not None:
            load["compiled"] = str(self._compiled)
        if self.export is not None:
            load["export"] = self.export
        return Sharing(
            terms, load, lambda name: SharedNode(name, self._start, self._node_options, self.carry)
        )

    def _permissions(self, node: NodeCandidate, given: tuple[Path, ...]) -> tuple[str, ...]:
        sandbox = self._sandbox
        if sandbox is None:
            return ()
        own = [HOST_SCRIPT.parent, self._root, self._module, *given]
        problem = None
        # Of a folder that is not there Node would take the name alone, and allow nothing in it ever.
        for path in (*sandbox.read, *sandbox.write):
            if not path.exists():
                problem = f"there is no {path}; make it first"
        try:
            options = permission_options(sandbox, node.version, own)
        except ValueError as error:
            problem = str(error)
        if problem is None:
            return options
        raise HostStartError(
            f"cannot start host {self.name!r}: its sandbox: {problem}", host=self.name, permanent=True
        )


def _has_source_map(module: Path) -> bool:
    """Whether the module says where what it was made of is told; a place that Node reads is its last line."""
    with module.open("rb") as file:
        file.seek(max(0, file.seek(0, os.SEEK_END) - _TAIL))
        return b"sourceMappingURL=" in file.read()


_TAIL = 4096
"""Bytes at the end of a module that are looked at. A whole map that stands in that line begins before them."""
