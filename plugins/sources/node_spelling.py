"""How sources of Node plugins are written.

"node:./my-tools"   "node+git:https://example.org/tools.git#v1"   "npm:@scope/tools@1.2.3"
{"node_tool": {"file": "./echo.mjs", "id": "echo"}}   {"node_tool": {"git": "https://…", "ref": "v1", "submodules": true}}
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from ...base.paths import at_home
from ...base.suggestions import meant
from .git_url import address_problem, is_local, ref_problem, without_secrets
from .node_source import NodeFileSource, NodeGitSource, NodePackageSource
from .npm_source import NpmSource, read_npm_source
from .source import SourceProblem, Spelling, Template, UnderKey, located

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

AnyNodeSource = NodeFileSource | NodePackageSource | NodeGitSource | NpmSource

_KEY: Final = "node_tool"

_KEYS: Final = {
    "path": {"path"},
    "git": {"git", "ref", "submodules"},
    "npm": {"npm", "integrity"},
    "file": {"file", "id", "export"},
}
"""The keys that each kind may have, by the key that makes it that kind."""

_SCRIPTS: Final = frozenset({".js", ".mjs", ".cjs", ".ts", ".mts", ".cts"})


def _parse(value: Any, base: Path) -> AnyNodeSource:
    if not isinstance(value, dict):
        raise SourceProblem(f"has a {_KEY!r} that is no mapping")
    kinds = _KEYS.keys() & value.keys()
    if len(kinds) != 1:
        known = {key for keys in _KEYS.values() for key in keys}
        hints = [f"{key!r}: {meant(key, known)}" for key in value if key not in known]
        hint = f" ({'; '.join(hints)})" if hints else ""
        raise SourceProblem(f"has a {_KEY!r} without exactly one of 'path', 'git', 'npm' and 'file'{hint}")
    kind = kinds.pop()
    _require_keys(value, kind)
    if kind == "path":
        return _package(value["path"], base)
    if kind == "git":
        return _git(value["git"], value.get("ref"), base, submodules=value.get("submodules", False))
    if kind == "npm":
        return _npm(value["npm"], value.get("integrity"))
    file = located(value["file"], base)
    return NodeFileSource(file, value.get("id") or file.stem, value.get("export"))


def _require_keys(value: Mapping[str, Any], kind: str) -> None:
    for key, item in value.items():
        if key not in _KEYS[kind]:
            raise SourceProblem(f"has the unknown key {key!r} in {_KEY!r}; {meant(key, _KEYS[kind])}")
        if key == "submodules":
            if not isinstance(item, bool):
                raise SourceProblem(f"has {item!r} as {key!r} of {_KEY!r}; it has to be true or false")
        elif not isinstance(item, str) or not item:
            raise SourceProblem(f"has {item!r} as {key!r} of {_KEY!r}; it has to be a text")


def _package(text: str, base: Path) -> NodePackageSource:
    return NodePackageSource(located(text, base))


def _repository(text: str, base: Path) -> NodeGitSource:
    url, _, ref = text.partition("#")
    return _git(url, ref or None, base)


def _git(url: str, ref: str | None, base: Path, *, submodules: bool = False) -> NodeGitSource:
    if not url:
        raise SourceProblem("has no repository address before '#'")
    for word, problem in ((url, address_problem(url)), (ref, ref_problem(ref) if ref else None)):
        if problem is not None:
            raise SourceProblem(f"has {word!r}, which {problem}")
    return NodeGitSource(str(base.absolute() / at_home(url)) if is_local(url) else url, ref, submodules)


def _release(text: str, _: Path) -> NpmSource:
    return _npm(text)


def _npm(text: str, integrity: str | None = None) -> NpmSource:
    try:
        return read_npm_source(text, integrity)
    except ValueError as problem:
        raise SourceProblem(str(problem)) from None


def _name(entry: Mapping[str, Any]) -> str | None:
    match entry[_KEY]:
        case {"file": str(file)}:
            return file
        case {"path": str(path)}:
            return f"node:{path}"
        case {"git": str(url)}:
            return f"node+git:{without_secrets(url)}"
        case {"npm": str(name)}:
            return f"npm:{name}"
    return None


def _proposed(text: str, place: Path) -> str | None:
    if (place / "package.json").is_file():
        return f"'node:{text}'"
    is_script = place.suffix in _SCRIPTS and place.is_file()
    return f"{{'node_tool': {{'file': {text!r}}}}}" if is_script else None


def _shape(kind: str) -> dict[str, Any]:
    texts = {key: {"type": "string", "minLength": 1} for key in sorted(_KEYS[kind])}
    flags = {"submodules": {"type": "boolean"}} if kind == "git" else {}
    return {
        "type": "object",
        "properties": texts | flags,
        "additionalProperties": False,
        "required": [kind],
    }


SPELLING: Final[Spelling[AnyNodeSource]] = Spelling(
    under_key=UnderKey(_KEY, {"anyOf": [_shape(kind) for kind in _KEYS]}, _parse, _name),
    prefixes={"node": _package, "node+git": _repository, "npm": _release},
    proposed=_proposed,
    templates=(
        Template("node", ("npm test",), ("javascript", "template-js-multi-tools")),
        Template("typescript", ("npm install", "npm test")),
    ),
)
