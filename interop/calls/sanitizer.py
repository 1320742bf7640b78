"""Arguments that are safe to send back to a provider.

A provider refuses a history in which a call's arguments are no JSON object, so a call that was cut
off in the stream would make every later request fail. Sanitizing is for the history alone: the
arguments that were meant are gone from what it returns. Whoever runs tools inspects the call as it
came, finds it malformed, and answers it with an error, so that the call is not left unanswered.
"""

from __future__ import annotations

from typing import Any, Final

from ..exact_json import json_text
from .arguments import parse_arguments

NO_ARGUMENTS: Final = "{}"


def replayable_arguments(arguments: Any) -> str:
    """Return argument text that is a JSON object.

    The very text that came in if it is one; the text of an object that was not text; else ``"{}"``.
    """
    read = parse_arguments(arguments)
    if read.kind != "object":
        return NO_ARGUMENTS
    if isinstance(arguments, str):
        return arguments if arguments.strip() else NO_ARGUMENTS
    return json_text(read.payload)
