"""Whose a resource or a prompt is, by what the servers list. Pure.

A template is what the server says it is, and a server may say that everything fits: so the address of a resource goes to nobody if templates of two
servers fit it, and a template without a scheme fits nothing.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

from ..hosts.mcp.selection import SEPARATOR, prefix_in, prefix_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

Json = dict[str, Any]

MOST_TEMPLATES: Final = 1_000
"""Of one server, of those that may fit; further ones are not looked at."""

LONGEST: Final = 4_000
"""Characters of a template and of an address; a longer template fits nothing, and no template a longer address."""

_SCHEME: Final = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:")
_EXPRESSION: Final = re.compile(r"\{([^{}]*)\}")
_PATHS: Final = {"": "[^/?#]*?", ".": r"(?:\.[^/?#]*?)?", ";": "(?:;[^/?#]*?)?", "/": "(?:/[^?#]*?)?"}
_ENDS: Final = {"?": r"(?:\?[^#]*?)?", "&": "(?:&[^#]*?)?", "#": "(?:#.*?)?"}
"""What the expressions of RFC 6570 stand for, by their operators."""


def owners_of(
    uri: str, resources: Mapping[str, Sequence[Json]], templates: Mapping[str, Sequence[Json]]
) -> list[str]:
    """The server that has listed an address, else all that have a template which fits it.

    Args:
        uri: the address.
        resources: what is listed, by server, in the order of the board.
        templates: in the same way.
    """
    for server, listed in resources.items():
        if any(each.get("uri") == uri for each in listed):
            return [server]
    return [server for server, listed in templates.items() if _fits_one(listed, uri)]


def _fits_one(templates: Iterable[Json], uri: str) -> bool:
    said = [each.get("uriTemplate") for each in templates]
    near = [each for each in said if isinstance(each, str) and uri.startswith(each.partition("{")[0])]
    return any(fits(each, uri) for each in near[:MOST_TEMPLATES])


def fits(template: str, uri: str) -> bool:
    """Whether an address may have been made of a template of RFC 6570; takes no longer for a hostile one."""
    if len(template) > LONGEST or len(uri) > LONGEST or not _SCHEME.match(template):
        return False
    words = _EXPRESSION.split(template)  # literals and expressions in turn
    found: list[str] = []
    operators: list[str] = []
    for expression, literal in zip(words[1::2], words[2::2], strict=True):
        operators.append(expression[:1] if expression[:1] in {*_PATHS, *_ENDS, "+"} else "")
        if literal:
            found.append(_any_of(operators) + re.escape(literal))
            operators = []
    end = _any_of(operators) if operators or not found else found.pop()
    # Each literal is looked for once, from where the one before it was found.
    pattern = "".join([re.escape(words[0]), *(f"(?>{each})" for each in found), end])
    return re.fullmatch(pattern, uri, re.DOTALL) is not None


def _any_of(operators: Sequence[str]) -> str:
    """Expressions that follow each other: never more than three parts, or there were too many ways to share a text among them."""
    if "+" in operators:
        return ".*?"
    paths = [each for each in _PATHS if each in operators]
    several = "[^?#]*?" if "/" in paths else "[^/?#]*?"
    path = several if len(paths) > 1 else "".join(_PATHS[each] for each in paths)
    return path + "".join(form for each, form in _ENDS.items() if each in operators)


def named_prompts(
    of_all: Mapping[str, Sequence[Json]],
) -> tuple[dict[str, tuple[str, Json]], list[tuple[str, str]]]:
    """The prompts of all servers by the names that they are offered under, each with its server; and those left out, by server and name.

    Args:
        of_all: what they list, by server.
    """
    prompts = [(server, each) for server, listed in of_all.items() for each in listed]
    prompts = [(server, each) for server, each in prompts if isinstance(each.get("name"), str)]
    prefixes = {prefix_of(server) for server in of_all}
    owners: dict[str, set[str]] = {}
    for server, prompt in prompts:
        owners.setdefault(prompt["name"], set()).add(server)
    found: dict[str, tuple[str, Json]] = {}
    left_out = []
    for server, prompt in prompts:
        name, own = prompt["name"], prefix_of(server)
        if len(owners[name]) > 1 or prefix_in(name, prefixes) not in {None, own}:
            name = f"{own}{SEPARATOR}{name}"
        if prefix_in(name, prefixes) not in {None, own} or found.get(name, (server,))[0] != server:
            left_out.append((server, prompt["name"]))
        else:
            found[name] = server, prompt
    return found, left_out
