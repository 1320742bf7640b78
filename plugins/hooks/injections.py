"""What a hook wants said to the model, read out of its answer: Amplifier's ``inject_context``. Pure.

One answer may want one thing said (``context_injection``) or several (``context_injections``); where it has both, the
first is a summary of the others. Where it is put into a conversation is `agent/requests/injections.py`'s.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping

LONGEST: Final = 10 * 1024
"""Characters of one injection that are put into a conversation; a longer one is left out whole."""

ROLES: Final = ("system", "user", "assistant")


class Injection(NamedTuple):
    """One thing to be said.

    Attributes:
        content: the words.
        role: of the message that says them.
        ephemeral: only the next request has it.
        appended: it is put behind the words of the last result, of one that is ephemeral.
    """

    content: str
    role: str = "system"
    ephemeral: bool = False
    appended: bool = False

    @property
    def fits(self) -> bool:
        """Whether it is put into a conversation at all."""
        return len(self.content) <= LONGEST


def read_injections(said: Mapping[str, Any]) -> tuple[Injection, ...]:
    """Read them out of the fields of an answer, in order.

    Raises:
        ValueError: one has no text, or a role that there is not; says so, beginning with a field's name.
    """
    several = said.get("context_injections")
    if several:
        if not isinstance(several, list) or not all(isinstance(each, dict) for each in several):
            raise ValueError(f"context_injections is {several!r:.60}; it has to be a list of objects")
        return tuple(_read(each, "content", "role") for each in several)
    if said.get("context_injection") is None:
        return ()
    return (_read(said, "context_injection", "context_injection_role"),)


def _read(fields: Mapping[str, Any], content: str, role: str) -> Injection:
    words, speaker = fields.get(content), fields.get(role) or "system"
    if not isinstance(words, str):
        raise ValueError(f"{content} is {words!r:.60}; it has to be a text")  # noqa: TRY004 - of data, not of a caller
    if speaker not in ROLES:
        raise ValueError(f"{role} is {speaker!r:.60}; it has to be one of {', '.join(ROLES)}")
    ephemeral = fields.get("ephemeral") is True
    return Injection(
        words, speaker, ephemeral, ephemeral and fields.get("append_to_last_tool_result") is True
    )
