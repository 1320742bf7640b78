"""What a hook or an approver of one's own is made of. This module only hands names on."""

from .actors.hooks.listeners import HookHandle, HookRegistrationError
from .plugins.hooks.approval import Answer, Approver, Question

__all__ = ["Answer", "Approver", "HookHandle", "HookRegistrationError", "Question"]
