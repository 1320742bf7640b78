"""What a hook or an approver of one's own is made of. This module only hands names on."""

from .actors.hooks.listeners import HookHandle, HookRegistrationError
from .plugins.contract.option_types import HookEvent
from .plugins.hooks.approval import Answer, Approver, Question
from .plugins.hooks.forms import Field, Form, FormAnswer, FormApprover

__all__ = [
    "Answer",
    "Approver",
    "Field",
    "Form",
    "FormAnswer",
    "FormApprover",
    "HookEvent",
    "HookHandle",
    "HookRegistrationError",
    "Question",
]
