"""What the model and people see of a call: the plugin's own words, or the default ones.

The three hooks of this file cannot cost a call its answer. One that raises, or answers with the wrong
thing, is reported, and the default stands in; without a report where the plugin is merely away:

* for the model: text as it is, any other value as JSON text, and ``Error: …`` for a failure. A success
  without ``result`` shows what else it says;
* before a call: nothing, which leaves it to the application;
* for people: ``{"type": "text", "content": …}`` with the text that the model sees.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ...base.errors import CallboardError, JsonValueError, PluginAway
from ...base.json import copy_json, dump_json
from ...base.validation import a_type
from ..results.failures import titled
from ..results.hook_faults import HookFault
from ..results.provider_native import is_provider_native_tool_result

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ..contract.invocation import Invocation
    from ..results.hook_faults import Report
    from .hook_set import HookSet

Json = dict[str, Any]


def default_text(result: Mapping[str, Any]) -> str:
    """Return what the model sees of a result whose tool does not format it."""
    if result.get("success"):
        if "result" in result:
            return as_text(result["result"])
        rest = {key: value for key, value in result.items() if key != "success"}
        return as_text(rest) if rest else ""
    text = titled("Error", as_text(result.get("error")))
    output = as_text(result.get("output"))
    return f"{text}\n{output}" if output else text


def formatted_words(result: Mapping[str, Any]) -> str | Json:
    """Return what the model sees of a result that is in its formatter's words already (`FORMATTED`)."""
    said = result.get("result") if result.get("success") else result.get("error")
    return said if isinstance(said, dict) and is_provider_native_tool_result(said) else as_text(said)


def as_text(value: Any) -> str:
    """Return text as it is, ``None`` as no text, JSON as its text, and anything else as `str` writes it. Raises nothing."""
    if value is None:
        return ""
    if isinstance(value, str):
        return str(value)
    try:
        return dump_json(value).decode()
    except JsonValueError:
        return _written(value)


def _written(value: Any) -> str:
    try:
        return str(value)
    except BaseException:  # noqa: BLE001 - the value is a plugin's, and its text is only for show
        return f"({a_type(value)} that cannot be shown)"


class Formatter:
    """Asks one plugin's formatting hooks."""

    def __init__(self, hooks: HookSet, *, name: str, report: Report) -> None:
        self._hooks = hooks
        self._name = name
        self._report = report

    def result(self, result: Json, state: Json) -> str | Json:
        """Return what the model sees: text, or a copy of an explicit provider-native envelope."""
        hook = "format_tool_result"
        if not self._hooks.offers(hook):
            return default_text(result)
        try:
            answer = self._hooks.ask(hook, copy_json(result), state)
            if is_provider_native_tool_result(answer):
                envelope: Json = copy_json(answer)
                return envelope
        except CallboardError as error:
            self._tell(hook, error)
            return default_text(result)
        return default_text(result) if answer is None else as_text(answer)

    def words(self, answer: Json, state: Json) -> str | Json | None:
        """Return what the plugin says of an answer that is not JSON: text or an envelope; ``None`` if nothing.

        It is given the answer as the tool made it, and a copy of the state.
        """
        hook = "format_tool_result"
        if not self._hooks.offers(hook):
            return None
        try:
            state = copy_json(state)
        except JsonValueError:  # the call is refused for that
            return None
        try:
            said = self._hooks.ask(hook, dict(answer), state)
            if is_provider_native_tool_result(said):
                envelope: Json = copy_json(said)
                return envelope
        except CallboardError as error:
            self._report(HookFault(self._name, hook, f"{error}; the result, which is not JSON, is refused"))
            return None
        return None if said is None else as_text(said)

    def preview(self, invocation: Invocation, state: Json) -> str:
        """Return one line about a call that is yet to run; empty if the plugin has nothing to say."""
        hook = "format_tool_call_preview"
        try:
            return as_text(self._hooks.ask_call(hook, invocation, state))
        except CallboardError as error:
            self._tell(hook, error)
            return ""

    def display(self, text: str | Json, result: Json, state: Json) -> Json:
        """Return what people see, given what the model sees. Of an envelope the hook is told as empty text."""
        hook = "to_display_format"
        seen = text if isinstance(text, str) else ""
        default = {"type": "text", "content": seen}
        if not self._hooks.offers(hook):
            return default
        try:
            display = self._hooks.ask_object(hook, seen, copy_json(result), state)
        except CallboardError as error:
            self._tell(hook, error)
            return default
        return default if display is None else display

    def _tell(self, hook: str, error: CallboardError) -> None:
        # This is no fault of the tool: its host is down, which is an event of its own.
        if isinstance(error.__cause__, PluginAway):
            return
        self._report(HookFault(self._name, hook, f"{error}; the default stands in"))
