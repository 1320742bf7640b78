"""The lines of a ``requirements.txt``, as pip reads them: joined, without comments, sorted by what they are. Pure.

What a requirement means is not looked at here, nor is the file that a line names.
"""

from __future__ import annotations

import re

from ...base.frozen import frozen

_COMMENT = re.compile(r"(^|\s+)#.*$")
_OPTION = re.compile(r"(?P<name>--[\w-]+|-\w)(?:\s*=\s*|\s*)(?P<value>.*)", re.DOTALL)
_LONG = {
    "-r": "--requirement",
    "-c": "--constraint",
    "-e": "--editable",
    "-f": "--find-links",
    "-i": "--index-url",
}


@frozen
class Option:
    """A line that is an option to pip.

    Attributes:
        name: in its long form.
        value: what stands after it; empty if nothing does.
    """

    name: str
    value: str

    def __str__(self) -> str:
        return f"{self.name} {self.value}".rstrip()


def requirement_lines(text: str) -> list[str | Option]:
    """The requirements, as texts, and options of a file, in its order."""
    joined = re.sub(r"\\\r?\n", "", text)
    lines = (_COMMENT.sub("", line).strip() for line in joined.splitlines())
    return [_read(line) for line in lines if line]


def without_options(requirement: str) -> str:
    """A requirement without the options that may stand behind it, such as ``--hash=sha256:…``."""
    return re.split(r"\s+--\w", requirement, maxsplit=1)[0].strip()


def asks_for_builds(option: str) -> bool:
    """Whether an option of a file has pip build packages, also against what it was told on its command line."""
    return option.startswith("--no-binary") or (option.startswith("--only-binary") and ":none:" in option)


def _read(line: str) -> str | Option:
    option = _OPTION.fullmatch(line)
    if option is None:
        return line
    return Option(_LONG.get(option["name"], option["name"]), option["value"].strip().strip("'\""))
