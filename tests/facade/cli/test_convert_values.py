"""JSON values are found in whatever way they are put down, and a broken one costs nothing but itself."""

from __future__ import annotations

import json
from typing import Any

import pytest
from callboard.cli.commands.convert_values import UnknownWire, convert, require_wire
from callboard.cli.ui.json_values import Broken, Found, values_in
from callboard.interop.default_registry import DEFAULT_TOOL_INTEROP_REGISTRY as REGISTRY
from callboard.interop.errors import ConversionError
from hypothesis import given
from hypothesis import strategies as st

VALUES = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(allow_nan=False, allow_infinity=False), st.text()),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=8,
)  # fmt: skip
OBJECTS = st.dictionaries(st.text(), VALUES, max_size=3)


def found(text: str | bytes) -> list[Any]:
    return list(values_in(text.encode() if isinstance(text, str) else text))


def values(text: str) -> list[Any]:
    return [each.value for each in found(text) if isinstance(each, Found)]


@given(st.lists(OBJECTS, max_size=4), st.sampled_from(["\n", " ", "", "\r\n\n", "\t"]))
def test_values_follow_each_other_with_any_blanks_between(objects, between):
    assert values(between.join(map(json.dumps, objects))) == objects


@given(st.lists(OBJECTS, max_size=4), st.sampled_from([None, 2]))
def test_a_list_stands_for_its_items(objects, indent):
    assert values(json.dumps(objects, indent=indent)) == objects


@given(st.lists(OBJECTS, max_size=4))
def test_a_value_may_go_over_many_lines(objects):
    assert values("\n".join(json.dumps(each, indent=1) for each in objects)) == objects


@given(st.lists(OBJECTS, min_size=1, max_size=4), st.data())
def test_a_line_that_is_broken_costs_no_other(objects, data):
    lines = [json.dumps(each) for each in objects]
    broken = data.draw(st.integers(0, len(lines)))
    lines.insert(broken, '{"broken": ?}')

    came = found("\n".join(lines))

    assert [each.value for each in came if isinstance(each, Found)] == objects
    assert [each.line for each in came] == list(range(1, len(lines) + 1))
    assert isinstance(came[broken], Broken)


@given(st.lists(OBJECTS, min_size=1, max_size=4), st.data())
def test_an_item_that_is_broken_costs_no_other_where_each_has_lines_of_its_own(objects, data):
    items = [json.dumps(each, indent=4).replace("\n", "\n  ") for each in objects]
    items.insert(data.draw(st.integers(0, len(items))), '{\n    "a": {\n      "b": ?\n    }\n  }')

    came = found("[\n  " + ",\n  ".join(items) + "\n]\n")

    assert [each.value for each in came if isinstance(each, Found)] == objects
    assert sum(isinstance(each, Broken) for each in came) == 1


@given(st.binary(max_size=60))
def test_no_bytes_are_too_much_for_it(data):
    assert all(each.line >= 1 for each in values_in(data))


@pytest.mark.parametrize(
    ("text", "line", "why"),
    [
        ('{"a": 1,}', 1, "it is not JSON: Illegal trailing comma"),
        ('\n\n{"a" 1}', 3, "it is not JSON: Expecting ':' delimiter (line 3, column 6)"),
        ("nonsense", 1, "it is not JSON: Expecting value (line 1, column 1)"),
        ('{"a": NaN}', 1, "it is not JSON: NaN is not JSON"),
        ('{"a": ' + "1" * 5000 + "}", 1, "it is not JSON: Exceeds the limit"),
        ("[" * 100_001, 1, "it is nested too deep"),
        ('[{"a": 1}\n\n', 3, "the list has no end"),
        (b'{"a": "\xff"}', 1, "it is not UTF-8"),
    ],
)
def test_what_is_broken_is_told_with_its_line(text, line, why):
    broken = next(each for each in found(text) if isinstance(each, Broken))

    assert broken.line == line
    assert broken.why.startswith(why.split(" (")[0].removesuffix("Illegal trailing comma"))


def test_a_mark_at_the_beginning_of_a_file_is_no_value():
    assert values("\ufeff{}\n") == [{}]


@pytest.mark.parametrize("verb", ["read", "write"])
@pytest.mark.parametrize(
    ("name", "near"),
    [
        ("openai.chat", "openai.chat_completions"),
        ("openai.response", "openai.responses"),
        ("anthropic.mesages", "anthropic.messages"),
        ("amplifer", "amplifier"),
    ],
)
def test_a_name_that_is_none_is_told_the_family_that_is_near(name, near, verb):
    with pytest.raises(UnknownWire, match=rf"did you mean '{near}'\?"):
        require_wire(REGISTRY, name, verb, None)


@pytest.mark.parametrize(
    ("target", "helps"), [("openai.responses", True), ("gemini.generate_content", False)]
)
def test_a_result_without_an_id_is_told_the_option_if_that_is_all_it_lacks(target, helps):
    told = {"content": [{"type": "text", "text": "done"}]}

    with pytest.raises(ConversionError) as caught:
        convert(REGISTRY, "result", told, source=None, target=target, number=0)

    assert ("--call-id" in str(caught.value)) is helps
