"""One request to one provider: what goes out, with names and ids that it takes, and what comes back.

A `RequestConversion` is made for one request, from its tools and its history, and then forgotten. Made
again from the same, in another process or after a restart, it says the same.

Going out, names that the provider refuses are replaced in declarations, calls and results alike, and so are
ids in calls and results; a call without an id gets one, made from where it stands and what it asks for.
What goes out has nothing in it that is ours, such as the mark of a call that broke off. A call of the history whose
arguments are broken goes out without them, since providers refuse such a history whole: answer it with an error.

Coming back, only the name of a call is turned back, and only if it was sent: the id is the provider's
own, and its result will bear it.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from ..aliases import Aliases
from ..calls.freeform_tools import text_tools_of, tools_of
from ..calls.ids import made_up_call_id
from ..calls.marks import METADATA
from ..conversion import Loss
from ..errors import InteropError
from ..exact_json import exact_json
from ..format_ids import HOSTED, canonical_format
from ..names.provider_spellings import ids_of, names_of
from ..names.wire_places import put
from .batches import convert_batch
from .binding import bound_to

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from ..conversion import Converted, ToolInteropTarget
    from ..errors import Kind
    from ..hub import InspectedCall
    from ..spelling import Spelling
    from .batches import Refused
    from .tool_registry import ToolInteropRegistry


class RequestConversion:
    """Converts all tools, calls and results of one request.

    Args:
        registry: the registry with the contributions of the request.
        target: the provider's wire.
        schemas: the source schemas of all tools, as the tools wrote them.
        turns: the calls of the history, as they came: for each message in turn those of that message.
        schema_formats: formats of declarations that the provider accepts, best first.
        call_formats: the same for calls and results.
        names: which names the provider takes, or a family that takes the same; the target's, if not given.
        ids: which ids it takes; likewise. Mistral's servers speak Chat Completions, but want ids of their
            own: ``"mistral"``.

    Attributes:
        registry: the registry of the request, which knows its freeform tools.
        target: the provider's wire.
        names: own name of a tool -> name that is sent.
        ids: own id of a call -> id that is sent.

    Raises:
        InteropError: as `ToolInteropRegistry.inspect_schema` and `inspect_call`.
    """

    __slots__ = (
        "_call_formats",
        "_schema_formats",
        "_schemas",
        "_turns",
        "ids",
        "names",
        "registry",
        "target",
    )

    def __init__(
        self,
        registry: ToolInteropRegistry,
        target: ToolInteropTarget,
        schemas: Iterable[Any],
        *,
        turns: Iterable[Iterable[Any]] = (),
        schema_formats: Sequence[str] | None = None,
        call_formats: Sequence[str] | None = None,
        names: Spelling | str | None = None,
        ids: Spelling | str | None = None,
    ) -> None:
        self._schemas = tuple(schemas)
        self._turns = tuple(tuple(calls) for calls in turns)
        self._schema_formats = schema_formats
        # Named, the family's formats take raw input too, wrapped where it has none: nothing else could be sent.
        self._call_formats = call_formats or (target.family,)
        inspected = [registry.inspect_schema(schema) for schema in self._schemas]
        # What names and ids are read with, until they are bound too.
        self.registry: ToolInteropRegistry = bound_to(registry, text_tools=text_tools_of(inspected))
        self.target: ToolInteropTarget = target
        declared = (tool.name for schema in inspected for tool in tools_of(schema))
        called = (
            self._id_of(turn, index, call)
            for turn, calls in enumerate(self._turns)
            for index, call in enumerate(calls)
        )
        # Names of the history are not among the originals: native history has aliases in it.
        self.names: Aliases = Aliases(declared, _spelling(names, names_of, target))
        self.ids: Aliases = Aliases(called, _spelling(ids, ids_of, target))
        self.registry = bound_to(self.registry, names=self.names, ids=self.ids)

    def schemas(self, *, refuse_losses: bool = False, refused: Refused | None = None) -> list[Any]:
        """Return the declarations of all tools.

        Args:
            refuse_losses: treat any loss as an error. That a name is replaced is none.
            refused: told of each that cannot be converted; see `ToolInteropRegistry.convert_schemas`.

        Raises:
            ConversionError: no accepted format can say it, or two tools out of namespaces would be one.
        """
        converted = self.registry.convert_schemas(
            self._schemas, self.target, self._schema_formats, refuse_losses=refuse_losses, refused=refused
        )
        if self.names.changes:
            for value in converted:
                self._rename(value)
        return converted

    def calls(self, turn: int, *, refuse_losses: bool = False, refused: Refused | None = None) -> list[Any]:
        """Return the calls of one message of the history; all else is as in `schemas`.

        Arguments that are no object of JSON become none, a loss with the code ``arguments``.
        """
        return convert_batch(
            lambda index, _: (self._said(self._converted(turn, index)),),
            self._turns[turn],
            refuse_losses=refuse_losses,
            refused=refused,
        )

    def results(
        self,
        turn: int,
        results: Iterable[Any],
        *,
        refuse_losses: bool = False,
        refused: Refused | None = None,
    ) -> list[Any]:
        """Return the results of the calls of one message, one for each and in the same order.

        ``None`` stands for a result that there is not; all else is as in `schemas`.

        Raises:
            InteropError: there are more or fewer results than calls.
        """
        given = list(results)
        if len(given) != len(self._turns[turn]):
            raise InteropError(
                f"{len(given)} results cannot answer the {len(self._turns[turn])} calls of turn {turn}: "
                "give one for each, or None"
            )
        return convert_batch(
            lambda index, result: () if result is None else (self._answer(turn, index, result),),
            given,
            refuse_losses=refuse_losses,
            refused=refused,
        )

    def received(self, call: Any) -> Any:
        """Return a call that the provider made, with the tool's own name: itself, or a copy.

        A name that was never sent stays as it is: which tool is meant by it is not guessed.
        """
        inspected = self.registry.inspect_call(call)
        own = self.names.reverse(inspected.tool_name or "")
        if not own or own == inspected.tool_name:
            return call
        copy = exact_json(call)
        put("call", canonical_format("call", inspected.format), copy, name=own)
        return copy

    def inspect_received(self, call: Any) -> InspectedCall:
        """Return what a call that the provider made asks for, with the tool's own name."""
        return self.registry.inspect_call(self.received(call))

    def _id_of(self, turn: int, index: int, call: Any) -> str:
        inspected = self.registry.inspect_call(call)
        return inspected.call_id or made_up_call_id(turn, index, inspected)

    def _converted(self, turn: int, index: int) -> Converted:
        call = self._turns[turn][index]
        inspected = self.registry.inspect_call(call)
        lost: tuple[Loss, ...] = ()
        if inspected.payload_kind == "malformed" and inspected.format not in HOSTED:
            call = self.registry.sanitize_tool_call(call)
            lost = (Loss("arguments", "they are no object of JSON, and the history goes on without them"),)
        converted = self.registry.convert_tool_call(
            call, self.target, self._call_formats, turn=turn, index=index
        )
        return replace(converted, value=_sent(converted.value), losses=lost + converted.losses)

    def _answer(self, turn: int, index: int, result: Any) -> Converted:
        # The call as it goes out says what it is answered with: the form, the id, and whether it has one.
        call = self._converted(turn, index).value
        converted = self.registry.convert_result(result, self.target, self._call_formats, call=call)
        converted = replace(converted, value=_sent(converted.value))
        answer = self.registry.inspect_result(converted.value)
        self._replace("result", answer.format, converted.value, answer.tool_name, answer.call_id)
        return converted

    def _said(self, converted: Converted) -> Converted:
        call = self.registry.inspect_call(converted.value)
        self._replace("call", call.format, converted.value, call.tool_name, call.call_id)
        return converted

    def _rename(self, value: Any) -> None:
        schema = self.registry.inspect_schema(value)
        if schema.members is None:
            self._replace("schema", schema.format, value, schema.name, None)
            return
        for tool in value["tools"]:  # a namespace that is said as such
            self._rename(tool)

    def _replace(self, kind: Kind, format_id: str, value: Any, name: str | None, call_id: str | None) -> None:
        """Write the name and the id that are sent into a converted value."""
        new_name = self.names.forward(name) if name else name
        new_id = self.ids.forward(call_id) if call_id else call_id
        if new_name != name or new_id != call_id:
            put(kind, canonical_format(kind, format_id), value, name=new_name, call_id=new_id)


def _sent(value: Any) -> Any:
    """Return a value without the note that native history has beside it."""
    return {key: item for key, item in value.items() if key != METADATA} if isinstance(value, dict) else value


def _spelling(
    given: Spelling | str | None, of: Callable[[str], Spelling], target: ToolInteropTarget
) -> Spelling:
    if given is None:
        return of(target.family)
    return of(given) if isinstance(given, str) else given
