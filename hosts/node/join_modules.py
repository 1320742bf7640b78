"""JavaScript modules that import one another, as one module. Pure.

It is no bundler: it knows the few forms in which the Node host's own files are written, and refuses the rest. What is
joined shares one scope, so no two of the modules may have a name in common, not even a private one.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

_IMPORT = re.compile(
    r"^import \{ (?P<names>\w+(?:, \w+)*) \} from '(?P<place>node:\w+|\./\w+\.mjs)';\n", re.MULTILINE
)
_EXPORT = re.compile(r"^export (?=(?:async )?(?:function|class|const)\b)", re.MULTILINE)
_NAMED = re.compile(
    r"^(?:async )?(?:function|class|const|let|var) (?:(?P<name>\w+)|\{(?P<names>[^}]+)\})", re.MULTILINE
)
_UNKNOWN = re.compile(r"^(?:import\b|export\b).*", re.MULTILINE)


def joined(sources: Mapping[str, str], entry: str) -> str:
    """The module ``entry`` with all that it imports of ``sources``, in the order in which Node would run them.

    Args:
        sources: texts by the names of their files.
        entry: the one that is run.

    Raises:
        ValueError: what is imported is not there or imports its importer, a line is of a form that is not known, or
            two modules have the same name for something.
    """
    order = list(_in_order(sources, entry, ()))
    owners: dict[str, str] = {}
    of_node: dict[str, list[str]] = {}
    bodies = []
    for file in order:
        for found in _IMPORT.finditer(sources[file]):
            if not found["place"].startswith("."):
                of_node.setdefault(found["place"], []).extend(_names(found["names"]))
    for place, names in of_node.items():
        _own(owners, place, names)
    for file in order:
        body = _EXPORT.sub("", _IMPORT.sub("", sources[file]))
        if (unknown := _UNKNOWN.search(body)) is not None:
            raise ValueError(f"{file} cannot be joined with others: {unknown[0]}")
        for found in _NAMED.finditer(body):
            _own(owners, file, _names(found["name"] or found["names"]))
        bodies.append(body)
    imports = [
        f"import {{ {', '.join(sorted(set(names)))} }} from '{place}';"
        for place, names in sorted(of_node.items())
    ]
    return "\n".join([*imports, "", *bodies])


def _own(owners: dict[str, str], owner: str, names: list[str]) -> None:
    for name in names:
        if owners.setdefault(name, owner) != owner:
            raise ValueError(f"{owners[name]} and {owner} both have a {name}")


def _in_order(sources: Mapping[str, str], file: str, above: tuple[str, ...]) -> Iterator[str]:
    """What a file imports, each after what it imports itself, and then the file; nothing twice."""
    if file in above:
        raise ValueError(f"{above[-1]} imports {file}, which imports it")
    if file not in sources:
        raise ValueError(f"{' imports '.join((*above, file))}, which is not there")
    done: dict[str, None] = {}
    for found in _IMPORT.finditer(sources[file]):
        if found["place"].startswith("."):
            done |= dict.fromkeys(_in_order(sources, found["place"].removeprefix("./"), (*above, file)))
    yield from done
    yield file


def _names(listed: str) -> list[str]:
    return [name.strip() for name in listed.split(",")]
