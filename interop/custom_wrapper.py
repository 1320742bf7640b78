"""Freeform tools where there are only function tools: one string property, there and back.

A freeform ("custom") tool takes raw text. Said as a function tool it takes an object with that text
as its one property, and the model's function call must be turned back into text before the tool sees
it. Turning back is never guessed from a schema's looks: only tools in the request's table of freeform
tools (see ``text_tools``) are unwrapped.

By default the wrapped schema is the specification's example to the letter: the tool's description
unchanged, no ``additionalProperties``. The grammar is then nowhere in the request; that loss is
declared, and ``grammar_in_description`` and ``closed`` are there for those who want it otherwise.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from ..base.frozen import frozen
from .exact_json import json_text

if TYPE_CHECKING:
    from .hub import InspectedSchema

_LAST_WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+")


@frozen
class CustomToolWrapper:
    """How a freeform tool is said as a function tool.

    Attributes:
        key: the one property, which holds the text.
        input_description: the property's description. ``None`` makes it from the last word of the
            tool's name: "Patch text." for ``apply_patch``.
        grammar_in_description: append the grammar to the tool's description, in a fenced block.
        closed: say ``additionalProperties: false``.
    """

    key: str = "input"
    input_description: str | None = None
    grammar_in_description: bool = False
    closed: bool = False

    def parameters(self, tool_name: str) -> dict[str, Any]:
        """Return the JSON Schema of the wrapped tool's arguments."""
        about = self.input_description if self.input_description is not None else _describe_input(tool_name)
        parameters: dict[str, Any] = {
            "type": "object",
            "properties": {self.key: {"type": "string", "description": about}},
            "required": [self.key],
        }
        if self.closed:
            parameters["additionalProperties"] = False
        return parameters

    def description(self, schema: InspectedSchema) -> str | None:
        """Return the wrapped tool's description."""
        grammar = schema.text_format
        if not self.grammar_in_description or grammar is None or grammar.definition is None:
            return schema.description
        block = f"The input must match this grammar:\n```{grammar.syntax}\n{grammar.definition}\n```"
        return f"{schema.description}\n\n{block}" if schema.description else block

    def wrapped(self, text: str) -> dict[str, Any]:
        """Return the arguments of a function call that carries ``text``."""
        return {self.key: text}

    def wrap(self, text: str) -> str:
        """Return those arguments as text."""
        return json_text(self.wrapped(text))

    def unwrap(self, payload: Any) -> str | None:
        """Return the text that arguments carry, or ``None`` if they are not what `wrap` makes.

        For every string, ``unwrap`` of the parsed ``wrap`` is that string; two halves of a character side
        by side are that character, for JSON knows no difference. A missing or further key, or a value that
        is no string, is ``None``: the model did not do as the schema asks.
        """
        if isinstance(payload, dict) and len(payload) == 1:
            text = payload.get(self.key)
            return text if isinstance(text, str) else None
        return None


def _describe_input(tool_name: str) -> str:
    words = _LAST_WORD.findall(tool_name)
    return f"{words[-1].capitalize() if words else 'Input'} text."
