"""The npm package ``callboard-tool``, which is this folder: its ``package.json`` says what of it belongs to the package.

It is in no registry; whoever wants it in a project is given a copy.
"""

from __future__ import annotations

from pathlib import Path

from ...base.json import load_json

ROOT = Path(__file__).parents[1] / "node" / "runner"

_ALWAYS = ("package.json", "README.md")
"""What npm takes into every package, whatever its ``files`` say."""


def npm_package() -> dict[str, str]:
    """The package's files, as npm would pack them: their texts by their paths with slashes, in order."""
    patterns = load_json((ROOT / "package.json").read_bytes())["files"]
    found = {path for pattern in (*_ALWAYS, *patterns) for path in ROOT.glob(pattern)}
    return {path.relative_to(ROOT).as_posix(): path.read_text("utf-8") for path in sorted(found)}
