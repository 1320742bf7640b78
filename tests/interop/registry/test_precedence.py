"""Who is asked, in which order, and what becomes of a contributor that fails."""

from __future__ import annotations

from dataclasses import FrozenInstanceError, dataclass
from typing import Any

import pytest
from callboard.interop.default_registry import (
    DEFAULT_TOOL_INTEROP_REGISTRY,
    HUB,
    Converted,
    Loss,
    Tier,
    TieredContribution,
    ToolInteropContribution,
    ToolInteropRegistry,
    ToolInteropTarget,
    compose_registry,
    get_registry_from_context,
)
from callboard.interop.errors import ContributionError, ConversionError, InteropError, UnknownFormatError
from callboard.interop.formats.openai_responses_custom import ResponsesCustomOutputs
from callboard.interop.hub import InspectedCall, InspectedResult, InspectedSchema
from hypothesis import given
from hypothesis import strategies as st

CHAT_CALL = {"id": "call_1", "type": "function", "function": {"name": "ls", "arguments": "{}"}}
CHAT_SCHEMA = {"type": "function", "function": {"name": "ls"}}


@dataclass
class Calls:
    """A call accessor that signs what it reads, or fails as it is told."""

    format: str
    mine: bool | Exception = True
    reads: Any = InspectedCall
    discriminators: frozenset[str | None] | None = None

    def matches(self, value):
        if isinstance(self.mine, Exception):
            raise self.mine
        return self.mine

    def inspect(self, value):
        if self.reads is InspectedCall:
            return InspectedCall(self.format, "call_1", "ls", None, {}, "object", None, {}, None)
        return self.reads

    def sanitize(self, value):
        raise LookupError("lost")


@dataclass
class Adapter:
    """An adapter that signs what it writes, or fails as it is told."""

    source: str
    target: str
    gives: Any

    def convert(self, value, context):
        if isinstance(self.gives, Exception):
            raise self.gives
        return self.gives


def calls(tier, *accessors, contributor="acme"):
    return TieredContribution(tier, contributor, ToolInteropContribution(call_accessors=accessors))


def adapters(tier, *adapters, contributor="acme"):
    return TieredContribution(tier, contributor, ToolInteropContribution(schema_adapters=adapters))


@given(st.lists(st.tuples(st.sampled_from(Tier), st.booleans()), max_size=8))
def test_the_first_of_the_highest_tier_that_claims_a_call_reads_it(entries):
    contributions = [
        calls(tier, Calls(f"acme.{number}", mine=mine)) for number, (tier, mine) in enumerate(entries)
    ]
    claimed = [(tier, number) for number, (tier, mine) in enumerate(entries) if mine]
    registry = ToolInteropRegistry(tuple(contributions))

    if not claimed:
        with pytest.raises(UnknownFormatError):
            registry.inspect_call(CHAT_CALL)
        return

    assert registry.inspect_call(CHAT_CALL).format == f"acme.{min(claimed)[1]}"


@pytest.mark.parametrize("tier", [tier for tier in Tier if tier < Tier.BUILT_IN])
def test_a_contribution_goes_before_the_built_in_formats(tier):
    registry = compose_registry([calls(tier, Calls("acme"))])

    assert registry.inspect_call(CHAT_CALL).format == "acme"


def test_what_a_contribution_does_not_claim_falls_through():
    registry = compose_registry([calls(Tier.TOOL, Calls("acme", mine=False), Calls("ajax", reads=None))])

    assert registry.inspect_call(CHAT_CALL) == DEFAULT_TOOL_INTEROP_REGISTRY.inspect_call(CHAT_CALL)


def test_an_accessor_is_asked_about_its_own_types_alone():
    registry = compose_registry([calls(Tier.TOOL, Calls("acme", discriminators=frozenset({"acme_call"})))])

    assert registry.inspect_call({"type": "acme_call"}).format == "acme"
    assert registry.inspect_call(CHAT_CALL).format == "openai.chat_completions.function"


def test_an_accessor_without_types_is_asked_about_anything():
    registry = compose_registry([calls(Tier.TOOL, Calls("acme"))])

    assert registry.inspect_call("<call>ls</call>").format == "acme"
    assert registry.inspect_call({"type": ["odd"]}).format == "acme"


@pytest.mark.parametrize(
    ("accessor", "problem"),
    [
        (
            Calls("acme", mine=ZeroDivisionError("oops")),
            "raised ZeroDivisionError in matches or inspect: oops",
        ),
        (Calls("acme", reads={"call_id": "call_1"}), "inspected a call to dict"),
    ],
    ids=["raises", "answers with the wrong thing"],
)
def test_a_failing_accessor_is_an_error_that_names_it_and_nobody_else_is_asked(accessor, problem):
    registry = compose_registry([calls(Tier.EXTENSION, accessor, contributor="my_extension")])

    with pytest.raises(ContributionError, match=problem) as failure:
        registry.inspect_call(CHAT_CALL)

    assert failure.value.contributor == "extension 'my_extension'"
    assert failure.value.member == "Calls"


def test_a_failing_sanitizer_is_an_error_that_names_it():
    registry = compose_registry([calls(Tier.TOOL, Calls("acme"))])

    with pytest.raises(ContributionError, match="tool 'acme', raised LookupError in sanitize: lost"):
        registry.sanitize_tool_call(CHAT_CALL)


def test_an_interrupt_is_not_taken_for_a_failure():
    class Interrupted(Calls):
        def matches(self, value):
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        compose_registry([calls(Tier.TOOL, Interrupted("acme"))]).inspect_call(CHAT_CALL)


@pytest.mark.parametrize(
    ("shelf", "member", "lack"),
    [
        ("call_accessors", object(), "a string 'format'"),
        ("result_accessors", Adapter("a", "b", None), "a string 'format'"),
        ("schema_adapters", Calls("acme"), "a string 'source'"),
    ],
    ids=["nothing", "an adapter for an accessor", "an accessor for an adapter"],
)
def test_a_member_that_breaks_its_protocol_is_named_when_the_registry_is_composed(shelf, member, lack):
    contribution = TieredContribution(Tier.TOOL, "acme", ToolInteropContribution(**{shelf: (member,)}))

    with pytest.raises(
        ContributionError, match=f"contributed by tool 'acme', stands among the {shelf} without {lack}"
    ):
        compose_registry([contribution])


def test_a_call_accessor_has_to_be_able_to_sanitize():
    class Half:
        format = "acme"

        def matches(self, value):
            return True

        def inspect(self, value):
            return None

    with pytest.raises(ContributionError, match="without a method 'sanitize'"):
        compose_registry([calls(Tier.TOOL, Half())])


def test_an_adapter_for_the_very_pair_of_formats_goes_before_a_general_one():
    registry = compose_registry(
        [
            adapters(
                Tier.TOOL,
                Adapter(HUB, "acme.schema", Converted({"by": "hub"})),
                Adapter("openai.chat_completions.function", "acme.schema", Converted({"by": "pair"})),
            )
        ]
    )

    assert registry.convert_schemas([CHAT_SCHEMA], ToolInteropTarget("acme")) == [{"by": "pair"}]


def test_a_higher_tier_goes_before_a_better_fit():
    registry = compose_registry(
        [
            adapters(
                Tier.TOOL,
                Adapter("openai.chat_completions.function", "acme.schema", Converted({"by": "tool"})),
            ),
            adapters(Tier.EXPLICIT, Adapter(HUB, "acme.schema", Converted({"by": "configuration"}))),
        ]
    )

    assert registry.convert_schemas([CHAT_SCHEMA], ToolInteropTarget("acme")) == [{"by": "configuration"}]


def test_an_adapter_that_has_no_business_with_a_value_lets_it_through():
    registry = compose_registry(
        [
            adapters(
                Tier.TOOL,
                Adapter(HUB, "acme.schema", None),
                Adapter(HUB, "acme.schema", Converted({"by": "the next"})),
            )
        ]
    )

    assert registry.convert_schemas([CHAT_SCHEMA], ToolInteropTarget("acme")) == [{"by": "the next"}]


def test_an_accepted_format_without_loss_goes_before_an_earlier_one_with():
    lossy = Adapter(HUB, "acme.first", Converted({"by": "first"}, (Loss("colour", "red"),)))
    exact = Adapter(HUB, "acme.second", Converted({"by": "second"}))
    registry = compose_registry([adapters(Tier.TOOL, lossy, exact)])
    target = ToolInteropTarget("acme")

    assert registry.convert_schemas([CHAT_SCHEMA], target) == [{"by": "second"}]
    assert registry.convert_schemas([CHAT_SCHEMA], target, ["acme.first"]) == [{"by": "first"}]


@pytest.mark.parametrize(
    ("gives", "problem"),
    [(KeyError("x"), "raised KeyError in convert"), ({"a": 1}, "converted to a dict and not a Converted")],
    ids=["raises", "answers with the wrong thing"],
)
def test_a_failing_adapter_is_an_error_that_names_it(gives, problem):
    registry = compose_registry(
        [
            adapters(Tier.PROVIDER, Adapter(HUB, "acme.schema", gives)),
            adapters(Tier.TOOL, Adapter(HUB, "acme.schema", Converted({}))),
        ]
    )

    with pytest.raises(ContributionError, match=f"provider 'acme', {problem}"):
        registry.convert_schemas([CHAT_SCHEMA], ToolInteropTarget("acme"))


def test_an_adapter_that_changes_what_it_is_given_does_not_change_the_source():
    class Vandal(Adapter):
        def convert(self, value, context):
            value["function"].clear()
            return Converted(value)

    schema = {"type": "function", "function": {"name": "ls"}}
    registry = compose_registry(
        [adapters(Tier.TOOL, Vandal("openai.chat_completions.function", "acme.schema", None))]
    )

    registry.convert_schemas([schema], ToolInteropTarget("acme"))

    assert schema == CHAT_SCHEMA


def test_a_conversion_nobody_can_make_names_the_tool_and_every_way_that_was_tried():
    with pytest.raises(ConversionError, match="the schema of tool 'ls'") as failure:
        DEFAULT_TOOL_INTEROP_REGISTRY.convert_schemas(
            [CHAT_SCHEMA],
            ToolInteropTarget("openai.responses"),
            ["openai.responses.custom.tool_schema", "acme.schema"],
        )

    assert len(failure.value.reasons) == 2
    assert "acme.schema" in failure.value.reasons[1]


def test_a_new_source_format_needs_an_accessor_and_nothing_else():
    class AcmeSchemas:
        format = "acme.schema"

        def matches(self, value):
            return isinstance(value, dict) and "acme" in value

        def inspect(self, value):
            return InspectedSchema("acme.schema", value["acme"], strict_if_unset=False)

    class AcmeResults:
        format = "acme.result"

        def matches(self, value):
            return isinstance(value, dict) and value.get("type") == "acme_result"

        def inspect(self, value):
            return InspectedResult("acme.result")

    contribution = ToolInteropContribution(
        schema_accessors=(AcmeSchemas(),), result_accessors=(AcmeResults(),)
    )
    registry = compose_registry([TieredContribution(Tier.TOOL, "acme", contribution)])
    message = {"role": "tool", "toolResult": {"type": "acme_result"}, "metadata": {"tool_call_id": "call_1"}}

    assert registry.convert_schemas([{"acme": "ls"}], ToolInteropTarget("openai.chat_completions")) == [
        CHAT_SCHEMA
    ]
    assert registry.convert_results([message], ToolInteropTarget("openai.responses")) == [
        {"type": "function_call_output", "call_id": "call_1", "output": ""}
    ]


def test_what_a_family_means_by_default_does_not_change_with_what_is_contributed():
    early = ToolInteropContribution(
        result_accessors=(ResponsesCustomOutputs(),),
        result_adapters=(Adapter(HUB, "openai.responses.acme", Converted({})),),
    )
    registry = compose_registry([TieredContribution(Tier.EXPLICIT, "acme", early)])
    message = {"role": "tool", "content": "done", "metadata": {"tool_call_id": "call_1"}}

    (output,) = registry.convert_results([message], ToolInteropTarget("openai.responses"))

    assert output["type"] == "function_call_output"


def test_a_composed_registry_cannot_be_changed():
    with pytest.raises(FrozenInstanceError):
        DEFAULT_TOOL_INTEROP_REGISTRY.contributions = ()
    with pytest.raises(TypeError):
        DEFAULT_TOOL_INTEROP_REGISTRY.text_tools[None, "ls"] = "lark"


def test_the_registry_of_the_request_is_the_one_in_its_context():
    registry = compose_registry()

    assert get_registry_from_context({"tool_interop": {"registry": registry}}) is registry


def test_what_is_no_registry_in_the_context_is_an_error():
    with pytest.raises(InteropError, match="is a dict and not a ToolInteropRegistry"):
        get_registry_from_context({"tool_interop": {"registry": {}}})
