"""The one file that knows which library holds values to schemas, and how that is asked.

It is ``jsonschema_rs``, and is imported when the first schema is made ready: whoever runs tools without
schemas, or imports a part of Callboard, does not wait for it.

The library is fast and correct, and is not let loose on anything: how deep a value is and how much work a
schema makes has to be settled by the caller, for a value that is nested deep enough ends the process, and
no call of the library can be interrupted. Nothing is ever fetched. ``format`` is no rule here but a note
to the reader, as the newer dialects have it: what is an address or a date is for the tool to say.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, Protocol

from ...base.foreign import is_interrupt
from ...base.threads import import_apart
from ..errors import UncheckableSchemaError

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

DIALECTS: Final = {
    "json-schema.org/draft-04/schema": "Draft4Validator",
    "json-schema.org/draft-06/schema": "Draft6Validator",
    "json-schema.org/draft-07/schema": "Draft7Validator",
    "json-schema.org/draft/2019-09/schema": "Draft201909Validator",
    "json-schema.org/draft/2020-12/schema": "Draft202012Validator",
    "json-schema.org/schema": "Draft202012Validator",
}
"""What ``$schema`` may say, without ``https://`` and an empty fragment."""

UNSAID: Final = ("Draft202012Validator", "Draft7Validator", "Draft4Validator")
"""The dialects that a schema may be meant in which names none, likeliest first."""

MOST_BACKTRACKS: Final = 1_000
"""Wrong turns that a pattern with a look-around may take in one text; others take none at all."""


class FaultKind(Protocol):
    """What a value breaks; it has further attributes, other ones for each ``name``."""

    @property
    def name(self) -> str:
        """The keyword."""


class Fault(Protocol):
    """One breach of a schema, as the library tells it. Its own words are not asked for."""

    @property
    def kind(self) -> FaultKind:
        """What is broken."""

    @property
    def instance_path(self) -> Sequence[str | int]:
        """Where in the value."""

    @property
    def schema_path(self) -> Sequence[str | int]:
        """Where in the schema, references followed: the last step is the keyword."""

    @property
    def instance(self) -> Any:
        """A copy of what stands there."""


class _Validator(Protocol):
    def is_valid(self, instance: Any) -> bool: ...
    def iter_errors(self, instance: Any) -> Iterable[Fault]: ...
    def validate(self, instance: Any) -> None: ...


class EngineError(ValueError):
    """The library cannot read the value, or has failed."""


class Engine:
    """A schema, made ready. Any number of threads may use it.

    Args:
        schema: a JSON Schema object; it is not kept.

    Attributes:
        backtracks: it has a pattern that may need time which grows with the text in a bad way.

    Raises:
        UncheckableSchemaError: it is no schema of any dialect that is known, or the library cannot be loaded.
    """

    def __init__(self, schema: dict[str, Any]) -> None:
        backtracks, self._validator = _made_ready(schema)
        self.backtracks: bool = backtracks
        self._is_valid = self._validator.is_valid

    def fits(self, value: Any) -> bool:
        """Whether the value keeps the schema. Raises `EngineError`."""
        try:
            return self._is_valid(value)
        except BaseException as error:  # a panic of the engine, which is Rust, is no `Exception`
            raise _ours(error) from error

    def faults(self, value: Any) -> list[Fault]:
        """Everything that is wrong. Each fault holds a copy of what it is about. Raises `EngineError`."""
        try:
            return list(self._validator.iter_errors(value))
        except BaseException as error:  # as above
            raise _ours(error) from error

    def first_fault(self, value: Any) -> list[Fault]:
        """One thing that is wrong; nothing for a value that keeps the schema. Raises `EngineError`."""
        try:
            self._validator.validate(value)
        except BaseException as error:  # as above
            if hasattr(error, "instance_path"):  # of the library's
                fault: Any = error
                return [fault]
            raise _ours(error) from error
        return []


def _made_ready(schema: dict[str, Any]) -> tuple[bool, _Validator]:
    try:
        import_apart("jsonschema_rs")
        import jsonschema_rs  # noqa: PLC0415 - 20 ms, which only those pay who have schemas
    except ImportError as error:
        raise UncheckableSchemaError(f"the library for that cannot be loaded: {error}") from error
    body = {key: item for key, item in schema.items() if key != "$schema"}
    patterns = (
        (False, jsonschema_rs.RegexOptions()),
        (True, jsonschema_rs.FancyRegexOptions(backtrack_limit=MOST_BACKTRACKS)),
    )
    refusal = ""
    for name in _dialects(schema):
        for backtracks, options in patterns:
            try:
                validator: _Validator = getattr(jsonschema_rs, name)(
                    body, validate_formats=False, offline=True, pattern_options=options
                )
            except BaseException as error:  # noqa: BLE001 - see `_ours`, which raises what is not the library's
                _ours(error)
                refusal = refusal or _said(error)
            else:
                return backtracks, validator
    raise UncheckableSchemaError(f"it is no JSON Schema: {refusal}")


def _dialects(schema: dict[str, Any]) -> Sequence[str]:
    if "$schema" not in schema:
        return UNSAID
    said = schema["$schema"]
    if not isinstance(said, str):
        raise UncheckableSchemaError("its $schema is no text")
    known = DIALECTS.get(said.partition("://")[2].rstrip("#").rstrip("/"))
    if known is None:
        raise UncheckableSchemaError(f"it is written in {said[:80]!a}, which is no known dialect")
    return (known,)


def _ours(error: BaseException) -> EngineError:
    """The error to raise instead of the library's. What does not come from there, such as a time limit, is raised as it is.

    A panic of the library's is no `Exception`, and would end whatever thread it comes to.
    """
    panic = type(error).__name__ == "PanicException"
    if is_interrupt(error) or not (panic or isinstance(error, Exception)):
        raise error
    return EngineError(_said(error))


_MOST_CHARS = 160


def _said(error: BaseException) -> str:
    message = str(getattr(error, "message", error)).splitlines()
    path = getattr(error, "instance_path", None) or ()
    where = f"at /{'/'.join(map(str, path))}: " if path else ""
    return f"{where}{message[0] if message else type(error).__name__}"[:_MOST_CHARS]
