"""What a schema, a call and a result mean, and how to say them in another format.

A registry is composed once, from contributions in their tiers, and never changes; threads share it
freely. What belongs to one request, the table of its freeform tools, is not put into a registry but
makes a new one (`ToolInteropRegistry.for_request`), which core hands on in the request's context.

Inspect a call before you sanitize it: sanitizing makes a broken call fit for replay, and a tool run on
the sanitized call would run without its arguments.
"""

from __future__ import annotations

from dataclasses import field, replace
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from ...base.errors import CallboardError
from ...base.frozen import frozen
from ..calls.freeform_tools import NO_TEXT_TOOLS, ToolKey, as_text_call, text_tools_of, tools_of
from ..calls.ids import answering, made_up_call_id
from ..calls.marks import METADATA, as_marked, mark_kept, unmarked, with_mark
from ..conversion import ConversionContext, Converted, Loss, LossCode, ToolInteropTarget
from ..custom_wrapper import CustomToolWrapper
from ..errors import ConversionError, InteropError, UnknownFormatError
from ..exact_json import exact_json
from ..format_ids import NATIVE, canonical_format
from ..hub import InspectedCall, InspectedResult, InspectedSchema
from ..names.namespaces import BareNames
from ..results.tool_message import open_tool_message
from .adapter_index import Accepted
from .batches import convert_batch
from .binding import bound_to
from .kind_formats import KindFormats

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from ..aliases import Aliases
    from .batches import Refused
    from .contribution import TieredContribution
    from .members import Member

Hub = TypeVar("Hub")

_FAILED_BESIDE = Loss(LossCode.ERROR_FLAG, "only the message around the result says that the call failed")


class _OpenedResult(NamedTuple):
    """A result out of its message, what it means, and what only the message says."""

    payload: Any
    inspected: InspectedResult
    beside: tuple[Loss, ...]


@frozen(eq=False)
class ToolInteropRegistry:
    """Reads and converts schemas, calls and results in every contributed format.

    A registry knows only what it is given; `registry.compose_registry` adds the built-in formats. All methods
    leave their arguments as they are and return values that share nothing mutable with them.

    Every ``format`` and ``source_format`` is optional and beats sniffing: a format id, an alias of one,
    or a family. Every ``target_formats`` lists the formats that are accepted, best first; without it,
    all formats of the target's family are. A value in an accepted format is copied as it is. Another
    goes to the first accepted format that loses nothing of it, else to the first that takes it.

    Attributes:
        contributions: in any order; they are asked by tier, and within a tier as they stand.
        wrapper: how freeform tools are said where there are only function tools.
        text_tools: the freeform tools of the request; see `for_request`.
        names: what a request says for the names of its tools; see `request_conversion`.
        ids: what it says for the ids of calls.

    Raises:
        ContributionError: an accessor or adapter lacks what its protocol asks for.
    """

    contributions: tuple[TieredContribution, ...] = ()
    wrapper: CustomToolWrapper = field(default_factory=CustomToolWrapper)
    text_tools: Mapping[ToolKey, str | None] = field(default_factory=lambda: NO_TEXT_TOOLS)
    names: Aliases | None = None
    ids: Aliases | None = None
    _schemas: KindFormats[InspectedSchema] = field(init=False, repr=False)
    _calls: KindFormats[InspectedCall] = field(init=False, repr=False)
    _results: KindFormats[InspectedResult] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        ranked = sorted(self.contributions, key=lambda entry: entry.tier)
        object.__setattr__(self, "_schemas", KindFormats("schema", InspectedSchema, ranked))
        object.__setattr__(self, "_calls", KindFormats("call", InspectedCall, ranked))
        object.__setattr__(self, "_results", KindFormats("result", InspectedResult, ranked))

    def for_request(self, schemas: Iterable[Any]) -> ToolInteropRegistry:
        """Return a registry that knows which tools of one request are freeform.

        A function call to one of them is inspected as the raw input that its wrapper carries. Only the
        list decides: pass all source schemas of the request, as the tools wrote them.
        """
        inspected = [self.inspect_schema(schema) for schema in schemas]
        return bound_to(self, text_tools=text_tools_of(inspected))

    # -- what it means

    def inspect_schema(self, value: Any, format: str | None = None) -> InspectedSchema:  # noqa: A002 - the specification's name
        """Return what a tool declaration declares.

        Raises:
            UnknownFormatError: it is no declaration in any known format.
            InvalidShapeError: it is one, and breaks its format.
            ContributionError: a contributed accessor failed.
        """
        return self._claim(self._schemas, value, format)[1]

    def inspect_call(self, value: Any, format: str | None = None) -> InspectedCall:  # noqa: A002 - the specification's name
        """Return what a tool call asks for; never ``None``, and no exception for broken arguments.

        A call that cannot be read has the payload kind ``malformed``; it must be answered with an
        error and never executed.

        Raises:
            UnknownFormatError: it is no call in any known format.
            ContributionError: a contributed accessor failed.
        """
        call = self._claim(self._calls, value, format)[1]
        if isinstance(value, dict) and METADATA in value:
            call = as_marked(call, value)
        return as_text_call(call, self.text_tools, self.wrapper) if self.text_tools else call

    def inspect_result(self, value: Any, format: str | None = None) -> InspectedResult:  # noqa: A002 - the specification's name
        """Return what a tool result tells the model.

        A core tool message is opened: its ``toolResult`` is read, its metadata say which call it answers, and that
        the call failed if it did.

        Raises:
            UnknownFormatError: it is no result in any known format.
            InvalidShapeError: it is one, and breaks its format.
            ContributionError: a contributed accessor failed.
        """
        return self._open_result(value, format).inspected

    def _claim(self, formats: KindFormats[Hub], value: Any, hint: str | None) -> tuple[Member[Any], Hub]:
        """Return the accessor that claims ``value``, the first in order of precedence, and what the value means."""
        members = formats.readers
        if isinstance(value, dict):
            stated = value.get("type")
            if stated is None or isinstance(stated, str):
                members = formats.readers_by_type.get(stated, members)
        if hint is not None:
            members = formats.hinted(members, hint)
        for member in members:
            try:
                if not member.it.matches(value):
                    continue
                inspected = member.it.inspect(value)
            except CallboardError:
                raise
            except BaseException as error:  # the contributor's code
                raise member.raised("matches or inspect", error) from error
            if inspected is None:
                continue
            if not isinstance(inspected, formats.hub):
                raise member.fault(f"inspected a {formats.kind} to {type(inspected).__name__}")
            return member, inspected
        raise UnknownFormatError(formats.kind, value, hint=hint)

    def sanitize_tool_call(self, call: Any, format: str | None = None) -> Any:  # noqa: A002 - the specification's name
        """Return a call that is safe to replay: itself, or a copy whose broken arguments are empty.

        For history only: what was broken is gone from the copy. Raises as `inspect_call` does.
        """
        call = unmarked(call)
        member, _ = self._claim(self._calls, call, format)
        try:
            return member.it.sanitize(call)
        except CallboardError:
            raise
        except BaseException as error:  # the contributor's code
            raise member.raised("sanitize", error) from error

    # -- in another format

    def convert_schema(
        self,
        schema: Any,
        target: ToolInteropTarget,
        target_formats: Sequence[str] | None = None,
        *,
        source_format: str | None = None,
    ) -> Converted:
        """Return one tool declaration in an accepted format, with what was lost.

        A namespace that has to be taken apart becomes several: that is for `convert_schemas`.

        Raises:
            ConversionError: no accepted format can say it; and as `inspect_schema`.
        """
        converted = self._convert_tools(schema, target, target_formats, source_format, BareNames())
        if len(converted) != 1:
            raise ConversionError(f"it declares {len(converted)} tools, which `convert_schemas` takes apart")
        return converted[0]

    def convert_schemas(
        self,
        schemas: Iterable[Any],
        target: ToolInteropTarget,
        target_formats: Sequence[str] | None = None,
        *,
        source_format: str | None = None,
        refuse_losses: bool = False,
        refused: Refused | None = None,
    ) -> list[Any]:
        """Return tool declarations in accepted formats, in order; namespaces are taken apart if they must.

        Args:
            schemas: in any known formats, mixed.
            target: the provider's wire.
            target_formats: what the provider stack accepts; empty is the same as ``None``.
            source_format: the format all of them have, if known.
            refuse_losses: treat any loss as an error.
            refused: told of each declaration that cannot be converted, by position and error; it is
                then left out. Without it the first such error is raised.

        Raises:
            LossRefusedError: something would be lost, and ``refuse_losses`` is set.
            ConversionError: no accepted format can say it; and as `inspect_schema`.
        """
        names = BareNames()
        return convert_batch(
            lambda _, schema: self._convert_tools(schema, target, target_formats, source_format, names),
            schemas,
            refuse_losses=refuse_losses,
            refused=refused,
        )

    def convert_tool_call(
        self,
        call: Any,
        target: ToolInteropTarget,
        target_formats: Sequence[str] | None = None,
        *,
        source_format: str | None = None,
        turn: int | None = None,
        index: int = 0,
        call_id: str | None = None,
    ) -> Converted:
        """Return one tool call in an accepted format, with what was lost.

        A call with raw input stays as it is where the target's family has no form for raw input, for
        core has to see it raw. To send it as a wrapped function call all the same, name that format in
        ``target_formats``.

        Args:
            call: in any known format; malformed ones keep their broken text.
            target: the provider's wire.
            target_formats: formats that are accepted; see above.
            source_format: the format it has, if known.
            turn: number of the message in the transcript; if given, a call without an id is given one.
            index: number of the call in its message, for that id.
            call_id: the id of a call that has none, where it is known.

        Raises:
            ConversionError: no accepted format can say it; and as `inspect_call`.
        """
        inspected = self.inspect_call(call, source_format)
        added: tuple[Loss, ...] = ()
        if inspected.call_id is None and call_id is not None:
            inspected = inspected._replace(call_id=call_id)
        elif inspected.call_id is None and turn is not None:
            inspected = inspected._replace(call_id=made_up_call_id(turn, index, inspected))
            added = (Loss(LossCode.CALL_ID, f"{inspected.call_id} was made up"),)
        context = self._context(target, may_wrap=bool(target_formats))
        accepted = self._calls.accepted(target, target_formats)
        label = f"the call {inspected.call_id!r} to tool {inspected.tool_name!r}"
        try:
            chosen, converted = self._calls.adapters.convert(call, inspected, accepted, context, label=label)
        except ConversionError:
            if (
                inspected.payload_kind == "text"
                and not context.may_wrap
                and self._calls.knows(accepted.written)
            ):
                return Converted(exact_json(call))
            raise
        if chosen == canonical_format("call", inspected.format):
            return converted
        mark = mark_kept(inspected)
        if mark is not None:
            converted = replace(converted, value=with_mark(converted.value, mark))
        return replace(converted, losses=added + converted.losses) if added else converted

    def convert_tool_calls(
        self,
        calls: Iterable[Any],
        target: ToolInteropTarget,
        target_formats: Sequence[str] | None = None,
        *,
        source_format: str | None = None,
        turn: int | None = None,
        refuse_losses: bool = False,
        refused: Refused | None = None,
    ) -> list[Any]:
        """Return the tool calls of one message in accepted formats, in order.

        Arguments and errors are those of `convert_tool_call` and `convert_schemas`.
        """
        return convert_batch(
            lambda index, call: (
                self.convert_tool_call(
                    call, target, target_formats, source_format=source_format, turn=turn, index=index
                ),
            ),
            calls,
            refuse_losses=refuse_losses,
            refused=refused,
        )

    def convert_result(
        self,
        result: Any,
        target: ToolInteropTarget,
        target_formats: Sequence[str] | None = None,
        *,
        call: Any = None,
        call_id: str | None = None,
        source_format: str | None = None,
    ) -> Converted:
        """Return one tool result in an accepted format, with what was lost.

        Args:
            result: in any known format, or in a core tool message.
            target: the provider's wire.
            target_formats: formats that are accepted; see above.
            call: the call it answers, in any known format. It supplies the id and the tool's name where
                the result has none, and the result takes the form that answers that call in the target:
                a ``custom_tool_call`` must not be answered with a ``function_call_output``.
            call_id: the id of that call, if neither says it.
            source_format: the format the result has, if known.

        Raises:
            ConversionError: no accepted format can say it, or it answers another call; and as
                `inspect_result`.
        """
        payload, inspected, beside = self._open_result(result, source_format)
        accepted = self._results.accepted(target, target_formats)
        if call is not None:
            inspected = answering(inspected, self.inspect_call(call))
            form = self._form_of(call, target, target_formats)
            if form is not None and (form in accepted.written or form in NATIVE):
                accepted = Accepted((form,), frozenset({form}))
        inspected = replace(inspected, call_id=inspected.call_id or call_id)
        label = f"the result of call {inspected.call_id!r}"
        return self._results.adapters.convert(
            payload, inspected, accepted, self._context(target), label=label, beside=beside
        )[1]

    def convert_results(
        self,
        results: Iterable[Any],
        target: ToolInteropTarget,
        target_formats: Sequence[str] | None = None,
        *,
        calls: Sequence[Any] | None = None,
        source_format: str | None = None,
        refuse_losses: bool = False,
        refused: Refused | None = None,
    ) -> list[Any]:
        """Return tool results in accepted formats, in order.

        ``calls`` are the calls they answer, one for each result and in the same order; ``None`` stands
        for one that is not at hand. All else is as in `convert_result` and `convert_schemas`.
        """
        batch = list(results)
        answered = [None] * len(batch) if calls is None else list(calls)
        if len(answered) != len(batch):
            raise InteropError(f"{len(batch)} results cannot answer {len(answered)} calls: give one for each")
        return convert_batch(
            lambda index, result: (
                self.convert_result(
                    result, target, target_formats, call=answered[index], source_format=source_format
                ),
            ),
            batch,
            refuse_losses=refuse_losses,
            refused=refused,
        )

    def _convert_tools(
        self,
        schema: Any,
        target: ToolInteropTarget,
        target_formats: Sequence[str] | None,
        source_format: str | None,
        names: BareNames,
    ) -> list[Converted]:
        """Return each tool that a declaration declares; all but namespaces declare one."""
        inspected = self.inspect_schema(schema, source_format)
        accepted = self._schemas.accepted(target, target_formats)
        whole = inspected.members is None or canonical_format("schema", inspected.format) in accepted.copied
        tools = [(schema, inspected)] if whole else [(tool, tool) for tool in tools_of(inspected)]
        done = []
        for value, tool in tools:
            names.take(tool)
            label = f"the schema of tool {tool.name!r}"
            done.append(
                self._schemas.adapters.convert(value, tool, accepted, self._context(target), label=label)[1]
            )
        return done

    def _context(self, target: ToolInteropTarget, *, may_wrap: bool = True) -> ConversionContext:
        return ConversionContext(target, self.wrapper, may_wrap, self.names, self.ids)

    def _open_result(self, value: Any, hint: str | None) -> _OpenedResult:
        opened = open_tool_message(value)
        if opened is None:
            return _OpenedResult(value, self._claim(self._results, value, hint)[1], ())
        _, inspected = self._claim(self._results, opened.result, hint)
        told_beside = opened.failed and not inspected.is_error
        known = replace(
            inspected,
            call_id=inspected.call_id or opened.call_id,
            tool_name=inspected.tool_name or opened.tool_name,
            is_error=True if opened.failed else inspected.is_error,
        )
        return _OpenedResult(opened.result, known, (_FAILED_BESIDE,) if told_beside else ())

    def _form_of(
        self, call: Any, target: ToolInteropTarget, target_formats: Sequence[str] | None
    ) -> str | None:
        """Return the format that the call has in the target, if it can be said there."""
        try:
            converted = self.convert_tool_call(call, target, target_formats)
        except ConversionError:
            return None
        return canonical_format("result", self.inspect_call(converted.value).format)
