"""The part of a board that takes hooks, and who asks people for them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..base.validation import require

if TYPE_CHECKING:
    from collections.abc import Callable

    from ..plugins.hooks.approval import Approver
    from .hooks.hooks import Hooks
    from .hooks.listeners import HookHandle


class TakesHooks:
    """See the module. Whoever is one sets ``_hooks``."""

    _hooks: Hooks

    def hook(
        self,
        event: str,
        hook: Callable[[str, dict[str, Any]], Any],
        *,
        priority: int = 0,
        deadline: float = 5.0,
        observes: bool = False,
        name: str | None = None,
    ) -> HookHandle:
        """Have a callable asked about each call from now on: ``hook(event, data)``, which may be asynchronous.

        Args:
            event: ``tool:pre``, ``tool:post`` or ``tool:error``.
            hook: answers nothing, a mapping with ``action``, or an object that has one.
            priority: lower goes first.
            deadline: seconds that it has for each answer. A gate that takes longer, raises, or answers with what
                is no answer, refuses the call.
            observes: it decides nothing, and what goes wrong in it harms nothing. Those of ``tool:error`` all do.
            name: for results and events; its own when ``None``.

        Raises:
            HookRegistrationError: there is no such event, or it cannot be called.
        """
        options: dict[str, Any] = {
            "priority": priority,
            "deadline": deadline,
            "observes": observes,
            "name": name,
        }
        return self._hooks.add(event, hook, **options)

    @property
    def approver(self) -> Approver | None:
        """Asks a person about the calls that hooks want approved. Without one a question's default holds."""
        return self._hooks.approver

    @approver.setter
    def approver(self, approver: Approver | None) -> None:
        if approver is not None:
            can_ask = callable(getattr(approver, "ask", None))
            require(can_ask, "the approver", approver, "something that has ask(question)")
        self._hooks.approver = approver
