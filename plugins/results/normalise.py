"""What a tool answered, made into a result: the one reader of answers of every style.

| answer | becomes |
|---|---|
| mapping with a boolean ``success`` | itself, copied; every key is kept |
| mapping without ``success`` | the same, a failure if it has an ``error`` that is not null, else a success |
| object with an attribute ``success`` | its ``success``, ``result``, ``output``, ``error``, ``metadata``; None is left out |
| success with ``output`` and no ``result`` | ``result`` is the ``output``, which is kept too |
| failure with ``error`` that is no text | ``error`` is its message, ``error_details`` the original |
| failure without ``error`` | ``error`` says that nothing was said |
| a value that is not JSON | what the plugin's ``format_tool_result`` makes of it, see `worded`; else as below |
| ``success`` that is no boolean, any other value | an ``invalid_result`` failure |

The last row is not the tool's failure but a broken contract: `NormalisedResult.valid` is false, and the
state that came with the answer must not be kept.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final, NamedTuple, cast

from ...base.errors import JsonValueError
from ...base.foreign import blames
from ...base.json import copy_json, dump_json
from ...base.validation import a_type
from .codes import Code, Outcome
from .failures import describe, failure

if TYPE_CHECKING:
    from .call_result import CallResult

_APART: Final = "said_by_tool"

FORMATTED: Final = "formatted_by_tool"
"""The key of a result whose words are those of its tool's formatter, since the tool's own answer is not JSON."""

_OURS: dict[str, frozenset[str] | None] = {
    "code": frozenset(Code),
    "outcome": frozenset(Outcome),
    "state_saved": None,
    "formatted_by_tool": None,
}
"""What only Callboard says in a result: these values under that name; ``None`` for any."""

_ATTRIBUTES = ("success", "result", "output", "error", "metadata")


class NormalisedResult(NamedTuple):
    """A result, and whether the tool gave it.

    Attributes:
        result: ``{"success": true, …}`` or ``{"success": false, "error": "…", …}``; JSON of its own.
        valid: the tool answered by the contract; false for the failures that Callboard reports.
    """

    result: CallResult
    valid: bool


class Unwritten(NormalisedResult):
    """The failure of an answer that would be a result, if it were JSON.

    Attributes:
        answer: the answer, with a ``success``.
    """

    answer: dict[Any, Any]


class Worded(NormalisedResult):
    """A result in the words of its tool's formatter; see `FORMATTED`."""


def normalise_result(answer: Any) -> NormalisedResult:
    """Read what an in-process tool answered; raises nothing. The result shares nothing with the answer."""
    if type(answer) is not dict:
        try:
            fields = _fields(answer)
        except BaseException as error:  # the answer is an object of the tool's, with methods of its own
            if not blames(error):
                raise
            return invalid_result(f"reading the tool's answer raised {describe(error)}")
        if fields is None:
            return invalid_result(
                f"the tool answered with {_kind(answer)}; a result is a mapping with 'success'"
            )
        answer = fields
    try:
        copy = copy_json(answer)
    except JsonValueError as error:
        refused = invalid_result(f"the tool's answer cannot be passed on: {error}", path=error.path)
        said = _with_success(answer)
        return refused if said is None else _unwritten(refused, said)
    except BaseException as error:  # an object in it has methods of its own
        if not blames(error):
            raise
        return invalid_result(f"reading the tool's answer raised {describe(error)}")
    return complete_result(copy)


def complete_result(answer: Any) -> NormalisedResult:
    """Read an answer that is JSON and not shared, such as a host's; it is completed in place. Raises nothing."""
    result = answer
    if type(answer) is not dict:
        return invalid_result(f"the tool answered with {_kind(answer)}; a result is a mapping with 'success'")
    success = answer.get("success")
    if success is None and "success" not in answer:
        success = answer.get("error") is None
        answer["success"] = success
    if success is True:
        if "result" not in answer and "output" in answer:
            answer["result"] = answer["output"]
    elif success is False:
        error = answer.get("error")
        if not isinstance(error, str):
            _say_error(answer, error)
    else:
        return invalid_result(f"the tool's answer has {success!r:.80} as 'success'; it is true or false")
    return NormalisedResult(result, True)  # by name it takes three times as long


def worded(unwritten: Unwritten, said: str | dict[str, Any]) -> Worded:
    """Return the result of an answer that is not JSON, in its formatter's words. Raises nothing.

    They are its ``result``, or its ``error`` if it is a failure. What beside them is JSON stays, and the rest is left out.

    Args:
        unwritten: the answer as it was read.
        said: a text, or a provider-native envelope.
    """
    result: dict[str, Any] = {}
    for name, value in unwritten.answer.items():
        try:
            result |= copy_json({name: value})
        except BaseException as error:  # an object in it has methods of its own
            if not isinstance(error, JsonValueError) and not blames(error):
                raise
    if unwritten.answer["success"]:
        result["result"] = said
    else:
        result["error"] = said if isinstance(said, str) else dump_json(said).decode()
    return Worded(cast("CallResult", result), valid=True)


def claims_of(result: Mapping[str, Any]) -> list[str]:
    """Return the keys of a result by which it says what only Callboard says."""
    return [
        name
        for name, ours in _OURS.items()
        if name in result and (ours is None or (isinstance(result[name], str) and result[name] in ours))
    ]


def set_apart(result: CallResult) -> CallResult:
    """Take out of a tool's result what only Callboard says, in place; it stands under ``said_by_tool`` then.

    To be done where the answer of a tool becomes the result of a call. So what Callboard reports can be believed wherever
    the result goes, as a mapping, a copy or a line of JSON: no tool, and no host, can say that a call was not sent, or was
    lost. A ``code`` that is none of ours is the tool's own, and stays.
    """
    if "code" in result or "outcome" in result or "state_saved" in result or FORMATTED in result:
        keys = cast("dict[str, Any]", result)
        said = {name: keys.pop(name) for name in claims_of(result)}
        if said:
            result[_APART] = said
    return result


def as_answered(result: Mapping[str, Any]) -> dict[str, Any]:
    """Return a tool's result as the tool gave it, with its own words in their place: for its own formatter."""
    said = result.get(_APART)
    if not isinstance(said, dict):
        return cast("dict[str, Any]", result)
    own = {name: value for name, value in said.items() if name in _OURS}
    return {name: value for name, value in result.items() if name != _APART} | own


def invalid_result(error: str, **facts: Any) -> NormalisedResult:
    """Return the failure of a call whose tool broke the contract by its answer."""
    return NormalisedResult(failure(Code.INVALID_RESULT, error, **facts), valid=False)


def _unwritten(refused: NormalisedResult, answer: dict[Any, Any]) -> Unwritten:
    unwritten = Unwritten(*refused)
    unwritten.answer = answer
    return unwritten


def _with_success(answer: dict[Any, Any]) -> dict[Any, Any] | None:
    """The answer with its ``success``; ``None`` if that is neither true nor false."""
    if "success" not in answer:
        return {**answer, "success": answer.get("error") is None}
    return answer if isinstance(answer["success"], bool) else None


def _fields(answer: Any) -> dict[Any, Any] | None:
    if isinstance(answer, Mapping):
        return dict(answer)
    if isinstance(answer, type) or not hasattr(answer, "success"):
        return None
    fields = {name: getattr(answer, name, None) for name in _ATTRIBUTES}
    return {name: value for name, value in fields.items() if value is not None or name == "success"}


def _say_error(answer: dict[str, Any], error: Any) -> None:
    if error is None:
        answer["error"] = "the tool reported a failure and did not say why"
        return
    message = error.get("message") if isinstance(error, dict) else None
    answer["error"] = message if isinstance(message, str) and message else dump_json(error).decode()
    answer["error_details"] = error


def _kind(answer: Any) -> str:
    return "nothing" if answer is None else f"{a_type(answer)}"
