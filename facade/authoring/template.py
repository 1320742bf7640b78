"""Templates of plugins: which there are, and a plugin's files made of one.

A template is a folder of files that end in ``.tmpl``. ``{{name}}`` and ``{{module}}`` stand for what the plugin is called,
in the texts and in the paths; a name that begins with ``dot-`` gets its dot here, since packages leave out files that
have one. What else stands in a template is the plugin's own.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Final

from ..hosts.node_packages.npm_package import npm_package
from ..sources.kinds import SPELLINGS

if TYPE_CHECKING:
    from .names import Names

_TEMPLATES = Path(__file__).with_name("templates")
_SUFFIX = ".tmpl"

_VENDORED = "vendor/callboard-tool"
"""Where a plugin has its copy of the npm package."""

TEMPLATES: Final = {each.name: each for spelling in SPELLINGS for each in spelling.templates}
"""What a plugin can be made of, by name."""

OTHER_NAMES: Final = {other: each.name for each in TEMPLATES.values() for other in each.other_names}
"""Further words for them."""


def files_of(kind: str, names: Names) -> dict[str, str]:
    """The files of a new plugin, by their paths with slashes, in order."""
    root = _TEMPLATES / kind
    found = sorted(path for path in root.rglob(f"*{_SUFFIX}") if path.is_file())
    files = {
        _placed(path.relative_to(root), names): _filled(path.read_text("utf-8"), names) for path in found
    }
    if kind == "typescript":
        files |= {f"{_VENDORED}/{name}": text for name, text in npm_package().items()}
    return files


def _placed(path: Path, names: Names) -> str:
    parts = [f".{part[4:]}" if part.startswith("dot-") else part for part in path.parts]
    return _filled("/".join(parts).removesuffix(_SUFFIX), names)


def _filled(text: str, names: Names) -> str:
    return text.replace("{{name}}", names.name).replace("{{module}}", names.module)
