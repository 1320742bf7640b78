"""The lines of a ``requirements.txt``: joined as pip joins them, without comments, sorted by what they are. Pure.

An option to pip is a refusal here. A file that a package brings could name its own index, have the user's login sent there
(pip expands ``${NAME}`` in such files), or have packages built that must not be: all that is for the user's own
configuration of pip to say. Files of the package, and the hashes of a requirement, are what is left.

What a requirement means is not looked at here, nor is the file that a line names.
"""

from __future__ import annotations

import re
import shlex

from ...base.frozen import frozen

_COMMENT = re.compile(r"(^|\s+)#.*$")
_VARIABLE = re.compile(r"\$\{[^}\s]*\}?")
_OPTION = re.compile(r"(?P<name>--[^\s=]+|-[^\s-]|-+)=?(?P<value>.*)", re.DOTALL)
_HASH = re.compile(r"--hash(?:=|\s+)(?:sha256|sha384|sha512):[0-9a-fA-F]+(?=\s|$)")
_BEHIND = re.compile(r"\s(-\S*)")
_LONG = {
    "-r": "--requirement",
    "-c": "--constraint",
    "-e": "--editable",
    "-f": "--find-links",
    "-i": "--index-url",
}
_FILES = frozenset({"--requirement", "--constraint"})
_KNOWN = _FILES | {"--editable"}

REMEDY = (
    "take it out; what pip may do is for its user to say, in pip.conf or in variables such as PIP_INDEX_URL"
)


@frozen
class Option:
    """A line that names a file, or an editable requirement.

    Attributes:
        name: in its long form.
        value: what stands after it.
    """

    name: str
    value: str


@frozen
class Refusal:
    """A line that is not given to pip.

    Attributes:
        problem: what is wrong with it and what to do, to stand behind the name of its file.
    """

    problem: str


def requirement_lines(text: str) -> list[str | Option | Refusal]:
    """The requirements, as texts, and what else stands in a file, in its order."""
    joined = re.sub(r"\\\r?\n", "", text)
    lines = (_COMMENT.sub("", line).strip() for line in joined.splitlines())
    return [_read(line) for line in lines if line]


def hashes(requirement: str) -> tuple[str, tuple[str, ...]]:
    """A requirement without the hashes behind it, and these, each as ``--hash=sha256:…``."""
    found = tuple(re.sub(r"^--hash\s+", "--hash=", each) for each in _HASH.findall(requirement))
    return _HASH.sub("", requirement).strip(), found


def line_problem(requirement: str) -> str | None:
    """Why a requirement is not given to pip as it stands; ``None`` if nothing is wrong with it so far."""
    if problem := _unfit(requirement):
        return problem
    if option := _BEHIND.search(hashes(requirement)[0]):
        return f"has the option {option[1].partition('=')[0]!r:.100} behind a requirement; {REMEDY}"
    return None


def _unfit(text: str) -> str | None:
    if variable := _VARIABLE.search(text):
        return f"has {variable[0][:100]!r}, which pip would replace by a secret of its user's environment; write out what is meant"
    if not text.isprintable():
        return f"has the line {text!r:.200}, with characters that a line cannot have; take them out"
    return None


def _read(line: str) -> str | Option | Refusal:
    line = line.replace("\t", " ")
    if not line.startswith("-"):
        problem = line_problem(line)
        return line if problem is None else Refusal(problem)
    option = _OPTION.fullmatch(line)
    assert option is not None, "whatever begins with a hyphen is one"
    name = _LONG.get(option["name"], option["name"])
    if name not in _KNOWN:
        return Refusal(f"has the option {name!r:.100}; {REMEDY}")
    if problem := _unfit(line):
        return Refusal(problem)
    try:
        value, *more = shlex.split(option["value"])
    except ValueError:  # nothing, or a quote that is not closed
        return Refusal(f"has {line!r:.200}, which names no file; correct it")
    if more:
        return Refusal(f"has {more[0]!r:.100} behind {name!r}; {REMEDY}")
    return Option(name, value)
