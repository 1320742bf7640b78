"""A server that is started by ``docker run``, whose process is not the server's: what is added, so that it ends with its host. Pure."""

from __future__ import annotations

from pathlib import PurePath
from typing import TYPE_CHECKING, Final, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Sequence

ENGINES: Final = ("docker", "podman", "nerdctl")

_FLAGS: Final = "dithPq"
"""Options of a letter that take no value."""

_LONG_FLAGS: Final = frozenset(
    {
        "--detach", "--disable-content-trust", "--help", "--init", "--interactive", "--no-healthcheck",
        "--oom-kill-disable", "--privileged", "--publish-all", "--quiet", "--read-only", "--rm", "--sig-proxy", "--tty",
        "--use-api-socket",
    }
)  # fmt: skip
"""Options that take no value but behind ``=``."""


class Container(NamedTuple):
    """A container that is started, as the words that start it say.

    Attributes:
        argv: those words, with ``--rm``, ``--init`` and a name where they had none.
        name: by which it can be stopped.
    """

    argv: tuple[str, ...]
    name: str


def container_of(argv: Sequence[str], name: str) -> Container | None:
    """The container that a command starts; ``None`` of a command that starts none.

    Args:
        argv: the program and its arguments.
        name: is given to a container without one. No other may have it.
    """
    if not argv or PurePath(argv[0].replace("\\", "/")).name.removesuffix(".exe") not in ENGINES:
        return None
    verb = 2 if list(argv[1:2]) == ["container"] else 1
    if list(argv[verb : verb + 1]) != ["run"]:
        return None
    said = _options(argv[verb + 1 :])
    added: list[str] = []
    if "--rm" not in said and "--restart" not in said:  # the engine refuses both
        added.append("--rm")
    if "--init" not in said:
        added.append("--init")
    own = said.get("--name")
    if not own:
        added += ["--name", name]
    return Container((*argv[: verb + 1], *added, *argv[verb + 1 :]), own or name)


def _options(words: Sequence[str]) -> dict[str, str]:
    """The options before the image, with their values."""
    found: dict[str, str] = {}
    rest = iter(words)
    for word in rest:
        if not word.startswith("-") or word in {"-", "--"}:
            break
        if word.startswith("--"):
            option, equals, value = word.partition("=")
            found[option] = value if equals or option in _LONG_FLAGS else next(rest, "")
            continue
        letters = word[1:].lstrip(_FLAGS)  # the first that takes a value takes what is behind it
        if len(letters) == 1:
            next(rest, "")
    return found
