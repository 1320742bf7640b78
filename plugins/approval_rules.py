"""The rules of a configuration's ``approval``: which tools a person is asked about, and which never run.

A hook like any other, on ``tool:pre``. Patterns are those of file names (``*``, ``?``, ``[abc]``), over the name
that the call gives its tool; case counts. What is denied is denied though it is to be asked about too.
"""

from __future__ import annotations

from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Any

from .frozen import frozen
from .hook_answers import Action

if TYPE_CHECKING:
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
        name = data.get("tool_name") or ""
        if pattern := _matching(self.deny, name):
            reason = f"the configuration forbids {name!r} (by {pattern!r})"
            return {"action": Action.DENY, "reason": reason}
        if pattern := _matching(self.ask, name):
            return {
                "action": Action.ASK,
                "reason": f"the configuration asks about {pattern!r}",
                "approval_timeout": self.timeout,
                "approval_default": self.default,
            }
        return None


def _matching(patterns: tuple[str, ...], name: str) -> str | None:
    return next((pattern for pattern in patterns if fnmatchcase(name, pattern)), None)
