"""Sources of Bash plugins: a script, or a folder of scripts.

"bash:./my-tools"   {"bash_tool": {"path": "./my-tools"}}   {"bash_tool": {"file": "./count.sh", "id": "count"}}
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, Final

from ...base.errors import PluginLoadError
from ...base.frozen import frozen
from ...base.paths import resolved
from ...base.suggestions import meant
from ...base.threads import import_apart
from ...plugins.sources.source import SourceProblem, Spelling, Template, UnderKey, is_word, located
from ..hosted_source import HostedSource

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping
    from pathlib import Path

    from ..sandbox.confinement import Confinement
    from .tool import BashToolPlugin

_KEY: Final = "bash_tool"
_KEYS: Final = frozenset({"path", "file", "id"})
_EXAMPLE: Final = "a comment '# @tool What it does.' at the top of NAME.sh makes it one"
_SILENT: Final = (
    "nothing says when a Bash script begins or goes on, so that no silence can be measured; 'deadline' holds"
)


@frozen
class BashSource(HostedSource):
    """A script, or a folder of them.

    Attributes:
        path: where it is.
        id: the plugin's name; that of the file, without its suffix, or of the folder, unless it is given.
    """

    path: Path
    id: str

    def name(self) -> str:
        return self.id

    def host(self) -> str:
        return "bash"

    def argv(self) -> tuple[str, ...]:
        return ("bash", str(self.path))

    def identity(self) -> str:
        return f"bash:{os.path.normpath(self.path)}"

    def folder(self) -> Path:
        return self.path if self.path.is_dir() else self.path.parent

    def missing(self, _: Collection[str]) -> Iterator[str]:
        if not self.path.exists():
            yield f"there is no file or folder {self.path}"

    def strict(self) -> Mapping[str, Any]:
        return {"claims": "own"}

    def refused(self) -> Mapping[str, str]:
        return {"idle_deadline": _SILENT}

    def inline(self) -> None:
        return None

    def tool(self, name: str, env: Mapping[str, str], confinement: Confinement) -> BashToolPlugin:
        import_apart(".tool", __package__)
        import_apart("..packages.file_tree", __package__)
        from ..packages.file_tree import refuse_links_out  # noqa: PLC0415 - a source is read by who starts no host
        from .tool import BashToolPlugin  # noqa: PLC0415 - as above

        self._require_scripts()
        if confinement.sandbox is not None:
            refuse_links_out(self.folder(), str(self.path))
        return BashToolPlugin(name, self.path, env=env, confinement=confinement)

    def _require_scripts(self) -> None:
        """Make sure that there is something to run: a script, or a folder of them that are in it.

        Raises:
            PluginLoadError: there is none, or a script of the folder is a link that leads out of it.
        """
        plugin = str(self.path)
        if not self.path.exists():
            raise PluginLoadError(
                f"the Bash plugin {self.path} does not exist; correct the path", plugin=plugin
            )
        if self.path.is_file():
            return
        root = self.path.resolve()
        scripts = [script for script in sorted(self.path.glob("*.sh")) if not script.name.startswith("_")]
        if not scripts:
            raise PluginLoadError(
                f"{self.path} has no script that could be a tool; {_EXAMPLE}", plugin=plugin
            )
        for script in scripts:
            found = resolved(script)
            if not found.is_relative_to(root):
                raise PluginLoadError(
                    f"{script} is a link that leads out of the plugin, to {found}; put the script into its folder",
                    plugin=plugin,
                )


def _parse(value: Any, base: Path) -> BashSource:
    if not isinstance(value, dict):
        raise SourceProblem(f"has a {_KEY!r} that is no mapping")
    for key, item in value.items():
        if key not in _KEYS:
            raise SourceProblem(f"has the unknown key {key!r} in {_KEY!r}; {meant(str(key), _KEYS)}")
        if not is_word(item) or not item:
            raise SourceProblem(f"has {item!r:.100} as {key!r} of {_KEY!r}; it has to be a text")
    if ("path" in value) == ("file" in value):
        raise SourceProblem(f"has a {_KEY!r} without exactly one of 'path' and 'file'")
    return _scripts(value.get("path") or value["file"], base, value.get("id"))


def _scripts(text: str, base: Path, name: str | None = None) -> BashSource:
    found = located(text, base)
    return BashSource(found, name or found.stem or "bash")


def _name(entry: Mapping[str, Any]) -> str | None:
    match entry[_KEY]:
        case {"path": str(path)} | {"file": str(path)}:
            return f"bash:{path}"
    return None


def _proposed(text: str, place: Path) -> str | None:
    is_script = place.suffix == ".sh" and place.is_file()
    return f"'bash:{text}'" if is_script or any(place.glob("*.sh")) else None


SPELLING: Final[Spelling[BashSource]] = Spelling(
    under_key=UnderKey(
        _KEY,
        {
            "type": "object",
            "properties": {key: {"type": "string", "minLength": 1} for key in sorted(_KEYS)},
            "additionalProperties": False,
            "oneOf": [{"required": ["path"]}, {"required": ["file"]}],
        },
        _parse,
        _name,
    ),
    prefixes={"bash": _scripts},
    proposed=_proposed,
    templates=(Template("bash", ("bash test.sh",)),),
)
