"""Calls streamed by Ollama's own API: one JSON object a line, and in it calls that are whole already.

The last object says ``done``, and why. A call whose arguments the server could not parse never comes.
"""

from __future__ import annotations

from typing import Any, ClassVar

from ..assembly.assembler import Assembler, Draft
from ..errors import describe
from ..format_ids import OLLAMA
from ..formats.openai_chat_function import is_ollama_call


class OllamaAssembler(Assembler):
    """Reads the objects of an answer."""

    format: ClassVar[str] = OLLAMA

    def _take(self, event: dict[str, Any]) -> None:
        message = event.get("message")
        calls = message.get("tool_calls") if isinstance(message, dict) else None
        for call in calls if isinstance(calls, list) else ():
            if isinstance(call, dict) and is_ollama_call(call):
                self._whole(call)
            else:
                self._contradiction(
                    f"a call is {describe(call)}, and none of a function with an object of arguments"
                )
        if event.get("done") is True:
            self._close()

    def _end(self) -> None:
        """Nothing is ever under way."""

    def _whole(self, call: dict[str, Any]) -> None:
        if not self._may_begin():
            return
        call_id = call.get("id")
        draft = Draft(call_id if isinstance(call_id, str) else None)
        around = {key: item for key, item in call.items() if key not in {"type", "function"}}
        function = self._copy_object(call["function"], "$.function", draft)
        # What could not be copied is missing, and the call says that it is broken.
        whole = {**self._copy_object(around, "$", draft), "function": {"arguments": {}, **function}}
        self._hand_over(draft, whole)
