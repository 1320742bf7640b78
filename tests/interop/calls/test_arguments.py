from __future__ import annotations

import json

import pytest
from callboard.interop.calls.arguments import parse_arguments
from callboard.interop.exact_json import json_text
from callboard.interop.limits import MAX_ARGUMENT_CHARS, MAX_DEPTH
from hypothesis import given
from hypothesis import strategies as st
from interop_json import anything, canonical, objects, values


@given(objects, st.booleans(), st.sampled_from([None, 1]))
def test_the_text_of_an_object_is_that_object(value, escaped, indent):
    text = json.dumps(value, ensure_ascii=escaped, indent=indent)

    read = parse_arguments(text)

    assert (read.kind, read.raw, read.fault) == ("object", text, None)
    assert canonical(read.payload) == canonical(value)


LONG = "x" * 5_000

NOT_WHAT_IT_SAYS = {
    "a key twice": ('{"a":1,"a":2}', "duplicate_key"),
    "a key twice, and a float that grows as it is written": ('{"a":1e9,"b":1,"b":1}', "duplicate_key"),
    "a key twice in an object within": ('{"a":[{"b":1e21,"c":0,"c":0}]}', "duplicate_key"),
}


@pytest.mark.parametrize("long", [False, True], ids=["short", "long"])
@pytest.mark.parametrize(("text", "code"), NOT_WHAT_IT_SAYS.values(), ids=NOT_WHAT_IT_SAYS)
def test_what_is_lost_in_reading_is_told_however_long_the_text_is(text, code, long):
    read = parse_arguments(text[:-1] + f',"z":"{LONG}"}}' if long else text)

    assert (read.kind, read.fault and read.fault["code"]) == ("malformed", code)


@pytest.mark.parametrize("number", [2**64, -(2**63) - 1, 12345678901234567890123, 0.1, 1e22, -0.0], ids=repr)
def test_no_digit_is_lost_in_a_long_text(number):
    read = parse_arguments(json.dumps({"n": number, "z": LONG}, separators=(",", ":")))

    assert repr(read.payload["n"]) == repr(number)


@given(objects, st.booleans(), st.sampled_from([None, 1]))
def test_a_long_text_is_read_as_a_short_one(value, escaped, indent):
    whole = {**value, "\u00e9": LONG}

    read = parse_arguments(json.dumps(whole, ensure_ascii=escaped, indent=indent))

    assert (read.kind, canonical(read.payload)) == ("object", canonical(whole))


@given(values.filter(lambda value: not isinstance(value, dict)))
def test_the_text_of_another_json_value_is_json(value):
    read = parse_arguments(json.dumps(value))

    assert read.kind == "json"
    assert canonical(read.payload) == canonical(value)


@given(objects)
def test_an_object_that_is_no_text_is_taken_as_a_copy(value):
    read = parse_arguments(value)

    assert (read.kind, read.raw) == ("object", None)
    assert read.payload is not value
    assert canonical(read.payload) == canonical(value)


@pytest.mark.parametrize("nothing", [None, "", " ", "\n\t \r"])
def test_no_arguments_are_the_empty_object(nothing):
    read = parse_arguments(nothing)

    assert (read.kind, read.payload) == ("object", {})


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ('{"path":', "not_json"),
        ("file_path=foo", "not_json"),
        ("{'a': 1}", "not_json"),
        ('{"a": 1,}', "not_json"),
        ('\ufeff{"a": 1}', "not_json"),
        ("\u00a0", "not_json"),
        ('{"a": "\n"}', "not_json"),
        ('{"a": 1} and so on', "not_json"),
        ('{"a": 1}[2]', "not_json"),
        ('{"a": 1}{"a": 2}', "concatenated"),
        (' {"a": 1}\n{"b": 2} ', "concatenated"),
        ('{"a": 1, "a": 1}', "duplicate_key"),
        ('{"deep": [{"a": 1, "b": 2, "\\u0061": 3}]}', "duplicate_key"),
        ('{"a": NaN}', "not_finite"),
        ('{"a": -Infinity}', "not_finite"),
        ('{"a": 1e400}', "not_finite"),
        ('{"a": ' + "1" * 5000 + "}", "not_finite"),
        ('{"a": ' + "[" * 200 + "]" * 200 + "}", "too_deep"),
        ("[" * 200_000, "too_deep"),
        ('{"a":' * 5000 + "1" + "}" * 5000, "too_deep"),
    ],
    ids=lambda value: str(value)[:24],
)
def test_text_that_is_not_strictly_json_is_malformed(text, code):
    read = parse_arguments(text)

    assert (read.kind, read.payload, read.raw) == ("malformed", None, text)
    assert read.fault is not None
    assert read.fault["code"] == code
    assert read.fault["message"]


def test_concatenated_objects_are_told_apart_and_not_executed():
    text = '{"city":"北京"} {"city":"上海"}\n{"city":"广州"}'

    read = parse_arguments(text)

    assert read.kind == "malformed"
    assert read.fault is not None
    assert read.fault["parts"] == ['{"city":"北京"}', '{"city":"上海"}', '{"city":"广州"}']


def test_very_many_concatenated_objects_are_read_in_time_and_not_listed():
    read = parse_arguments("{}" * 200_000)

    assert read.fault is not None
    assert read.fault["code"] == "not_json"


@pytest.mark.parametrize("digits", ["18446744073709551616", "-9223372036854775809", "1" * 400])
def test_a_long_integer_keeps_its_digits(digits):
    read = parse_arguments('{"n": ' + digits + "}")

    assert read.payload == {"n": int(digits)}


def test_a_colon_in_a_value_hides_no_duplicate():
    assert parse_arguments('{"url": "https://a:1", "b": ":"}').kind == "object"
    assert parse_arguments('{"url": "https://a:1", "url": ":"}').kind == "malformed"


@given(
    st.lists(
        st.tuples(st.sampled_from("abc:"), st.sampled_from(['"x"', '"a\\":"', '{"a":1}', "[]"])), max_size=5
    )
)
def test_an_object_is_malformed_exactly_if_a_key_stands_twice(pairs):
    text = "{" + ",".join(f'"{key}" : {value}' for key, value in pairs) + "}"

    read = parse_arguments(text)

    twice = len({key for key, _ in pairs}) < len(pairs)
    assert read.kind == ("malformed" if twice else "object")


def test_nesting_is_read_to_the_limit_and_no_deeper():
    just = '{"a":' + "[" * MAX_DEPTH + "]" * MAX_DEPTH + "}"
    beyond = '{"a":' + "[" * (MAX_DEPTH + 1) + "]" * (MAX_DEPTH + 1) + "}"

    assert parse_arguments(just).kind == "object"
    assert parse_arguments(beyond).kind == "malformed"


def test_endless_arguments_are_not_read():
    read = parse_arguments('"' + "x" * MAX_ARGUMENT_CHARS + '"')

    assert read.fault is not None
    assert read.fault["code"] == "too_large"


@pytest.mark.parametrize(
    "value",
    [{"a": {1}}, {"a": object}, {1: 2}, {"a": float("nan")}, b"{}", {"a": [float("inf")]}],
    ids=repr,
)
def test_python_values_that_are_no_json_are_malformed(value):
    read = parse_arguments(value)

    assert (read.kind, read.payload) == ("malformed", None)
    assert read.fault is not None
    assert read.fault["code"] == "not_json_value"


def test_arguments_that_contain_themselves_are_malformed():
    value: dict[str, object] = {}
    value["self"] = value

    assert parse_arguments(value).kind == "malformed"


@given(objects)
def test_arguments_encoded_twice_are_a_string_unless_asked_otherwise(value):
    text = json_text(json_text(value))

    assert parse_arguments(text).kind == "json"
    assert canonical(parse_arguments(text, decode_twice=True).payload) == canonical(value)


@given(anything)
def test_any_text_at_all_is_read_without_an_exception(text):
    read = parse_arguments(text, decode_twice=True)

    assert read.raw == text
    assert (read.fault is None) == (read.kind != "malformed")
