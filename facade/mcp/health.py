"""The health of a board by its status, and the text by which clients learn which entries it leaves out."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

from ..base.errors import CallboardError
from ..base.foreign import Log, contain

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

logger: Log = Log("callboard.mcp")


def health_of(status: Mapping[str, Any], *, starting: bool) -> dict[str, Any]:
    """``{"ok", "starting", "plugins": {name: {"available", "state", "why", "left_out", "differing"}}, "failed": [{"plugin", "why"}]}``.

    ``ok`` while the board runs, all its plugins take calls, and none is missing.

    Args:
        status: of a `Callboard`.
        starting: not all of its plugins have been begun yet.
    """
    plugins = {}
    for name, plugin in status["plugins"].items():
        host = plugin.get("host") or {}
        plugins[name] = {
            "available": plugin["available"],
            "state": host.get("state"),
            "why": plugin.get("problem") or host.get("why") or None,
            "left_out": plugin.get("left_out", {}),
            "differing": plugin.get("differing", {}),
        }
    failed = [{"plugin": each["plugin"] or each["source"], "why": each["error"]} for each in status["failed"]]
    all_take_calls = all(plugin["available"] for plugin in plugins.values())
    well = status["running"] and not starting and not failed and all_take_calls
    return {"ok": well, "starting": starting, "plugins": plugins, "failed": failed}


_PLAIN: Final = re.compile(r"[A-Za-z0-9@:._/-]{1,60}")
_MOST: Final = 20
"""The most entries that the instructions name."""


_MOST_SAID: Final = 32_768
"""The most characters of one server's instructions."""

_LONGEST: Final = 1_000
"""The most characters of the reason of a failure."""


def as_one_line(text: str) -> str:
    """Return a text for a model: one line of bounded length, without characters that cannot be seen."""
    line = " ".join("".join(each if each.isprintable() else " " for each in text).split())
    return line if len(line) <= _LONGEST else f"{line[:_LONGEST]}…"


def why_not_running(source: str, why: str) -> str:
    """Return for a model why a board does not run.

    Args:
        source: the required entry that keeps it from starting, as it is called; it is named only in plain words.
        why: what happened, and what to do.
    """
    if _PLAIN.fullmatch(source) is None:
        return as_one_line(f"an entry is 'required': {why.replace(source, 'it')}")
    return as_one_line(f"{source} is 'required': {why}")


def instructions_without_board(why: str) -> str:
    """Return the instructions of a board that does not run; ``why`` is one line."""
    return f"There are no tools, since the board does not run. Tell the user: {why}"


def with_those_of_servers(own: str | None, servers: Mapping[str, str]) -> str | None:
    """Return the board's own instructions and those of its servers, each below a heading; ``None`` if there are none.

    Args:
        own: what there is to say of the board.
        servers: what each says, by name; what is too long is cut.
    """
    said = [] if own is None else [own]
    for name, text in servers.items():
        if text.strip():
            rest = "" if len(text) <= _MOST_SAID else "\n[cut]"
            said.append(f"## {as_one_line(name)}\n\n{text[:_MOST_SAID]}{rest}")
    return "\n\n".join(said) or None


def instructions_of(left_out: Sequence[str], remedy: str, *, entries: int) -> str | None:
    """Return the instructions about entries that do not run; ``None`` if all run.

    A model may read them. So an entry whose name is not made of plain words is counted, and not named.

    Args:
        left_out: the entries that are not trusted, as they are called.
        remedy: what the user types.
        entries: how many there are in all.
    """
    if not left_out:
        return None
    what = "All tools are" if len(left_out) == entries else "Some tools are"
    named = [source for source in left_out if _PLAIN.fullmatch(source)][:_MOST]
    others = len(left_out) - len(named)
    names = [*named, *([f"{others} more" if named else f"{others} in all"] if others else [])]
    return (
        f"{what} missing, since these entries of the configuration are left out: {', '.join(names)}. "
        f"Tell the user: they are not trusted yet. {remedy}"
    )


def log_failure(error: Exception) -> None:
    """Log why a board cannot be started. The traceback of an error of the user's is shown at the end, with ``--debug``."""
    if isinstance(error, CallboardError):
        said = ". ".join((str(error), *getattr(error, "__notes__", ())))
        logger.error("the board cannot be started, and serves no tools: %s", said)
    else:
        contain(error, logger, "the board cannot be started, and serves no tools")
