"""The rules of a configuration's ``approval``: which tools a person is asked about, and which never run.

A hook like any other, on ``tool:pre``. Patterns are those of file names (``*``, ``?``, ``[abc]``), over each name that the
tool has: the one it is offered under, a server's own, that with the prefix of its server, and each behind its plugin's, as
``plugin:tool``. So a rule holds whatever else is on the board, and which names that has. Where a plugin claims calls of other
names than its tools', they are those of all that the call may run. Case counts. What is denied is denied though it is to be
asked about too.
"""

from __future__ import annotations

from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Any

from ...base.frozen import frozen
from .terms import Action

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    from .approval import Word

NAME = "approval"
"""What the hook is called."""


@frozen
class ApprovalRules:
    """See the module.

    Attributes:
        ask: patterns of tools that a person is asked about.
        deny: patterns of tools that are not run.
        timeout: seconds that the person has.
        default: what holds without an answer.
    """

    ask: tuple[str, ...] = ()
    deny: tuple[str, ...] = ()
    timeout: float = 60.0
    default: Word = "deny"

    def __call__(self, _event: str, data: dict[str, Any]) -> dict[str, Any] | None:
        """Answer as a hook does."""
        own = data.get("tool_name") or ""
        names = [*(data.get("tool_names") or [own]), *data.get("tool_known_as", ())]
        if found := _matching(self.deny, names):
            name, pattern = found
            reason = f"the configuration forbids {name!r} (by {pattern!r}){_how(own, name, data)}"
            return {"action": Action.DENY, "reason": reason}
        if found := _matching(self.ask, names):
            name, pattern = found
            return {
                "action": Action.ASK,
                "reason": f"the configuration asks about {pattern!r}{_how(own, name, data)}",
                "approval_timeout": self.timeout,
                "approval_default": self.default,
            }
        return None

    def forbids(self, names: Iterable[str]) -> bool:
        """Whether a call is denied for one of these names alone, whatever else may run for it."""
        return _matching(self.deny, [*names] or [""]) is not None

    def idle(self, names: Collection[str]) -> list[str]:
        """The rules that fit none of these names, such as ``deny 'write_fil'``: misspelt, most likely."""
        rules = [("deny", each) for each in self.deny] + [("ask", each) for each in self.ask]
        return [f"{rule} {each!r}" for rule, each in rules if _matching((each,), names) is None]


def _matching(patterns: tuple[str, ...], names: Iterable[str]) -> tuple[str, str] | None:
    """The first name that one of the patterns fits, and that pattern."""
    fitting = ((name, pattern) for name in names for pattern in patterns if fits(name, pattern))
    return next(fitting, None)


def fits(name: str, pattern: str) -> bool:
    """Whether a pattern, as of `fnmatch`, fits a name; a name fits itself, though it may have brackets."""
    return name == pattern or fnmatchcase(name, pattern)


def _how(own: str, name: str, data: dict[str, Any]) -> str:
    """How a call comes to a name that is not its own."""
    if name == own:
        return ""
    if name in data.get("tool_known_as", ()):
        claimed = data["tool_names"] != [own]
        return "" if claimed else f", which is another name of {own!r}"
    taker = data.get("plugin")
    taken = "more than one plugin claims" if taker is None else f"the plugin {taker!r} claims"
    return f": {taken} this call" if name == taker else f": {taken} this call, and may run {name!r} for it"
