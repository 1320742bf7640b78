"""One member of a JSON text changes, and not one byte of the rest."""

from __future__ import annotations

import json

import pytest
from callboard.config.json_text import JsonTextError, raw, read, with_member, with_raw, without_member
from hypothesis import given
from hypothesis import strategies as st

PATH = ("mcpServers", "callboard")
VALUE = json.dumps({"command": "callboard", "args": ["mcp"]}, indent=2)


@pytest.mark.parametrize(
    ("text", "changed"),
    [
        (
            '{\n  "mcpServers": {\n    "a": {"command": "x"}\n  }\n}\n',
            '{\n  "mcpServers": {\n    "a": {"command": "x"},\n    "callboard": 1\n  }\n}\n',
        ),
        (
            '{\n\t"mcpServers": {\n\t\t"a": 1, // the first\n\t},\n}',
            '{\n\t"mcpServers": {\n\t\t"a": 1, // the first\n\t\t"callboard": 1,\n\t},\n}',
        ),
        (
            '{\n  "mcpServers": {\n    "a": 1 // the first\n  }\n}',
            '{\n  "mcpServers": {\n    "a": 1, // the first\n    "callboard": 1\n  }\n}',
        ),
        (
            '{\r\n  "mcpServers": {\r\n    "a": 1\r\n  }\r\n}',
            '{\r\n  "mcpServers": {\r\n    "a": 1,\r\n    "callboard": 1\r\n  }\r\n}',
        ),
        ('{"mcpServers": {"a": 1}, "b": 2}', '{"mcpServers": {"a": 1, "callboard": 1}, "b": 2}'),
        ('{"mcpServers": {"a": 1,}}', '{"mcpServers": {"a": 1, "callboard": 1,}}'),
        ('{"mcpServers": {"callboard": {"x": [1]}}}', '{"mcpServers": {"callboard": 1}}'),
        ('\ufeff{"mcpServers": {"a": "}\\""}}', '\ufeff{"mcpServers": {"a": "}\\"", "callboard": 1}}'),
    ],
)  # fmt: skip
def test_a_member_is_put_in_as_its_neighbours_stand(text: str, changed: str) -> None:
    assert with_member(text, PATH, "1") == changed
    assert read(changed)["mcpServers"]["callboard"] == 1


@pytest.mark.parametrize(
    "text", ["", "\n", "{}", "{ }\n", '{"other": 1}', '{"mcpServers": {}}', "// mine\n{\n}\n"]
)
def test_objects_on_the_way_are_made(text: str) -> None:
    changed = with_member(text, PATH, VALUE)

    assert read(changed)["mcpServers"] == {"callboard": json.loads(VALUE)}
    assert read(changed).get("other") == (1 if "other" in text else None)


def test_a_value_takes_on_the_indent_of_the_file() -> None:
    text = '{\n    "mcpServers": {\n        "a": 1\n    }\n}'

    assert with_member(text, PATH, VALUE) == (
        '{\n    "mcpServers": {\n        "a": 1,\n        "callboard": {\n            "command": "callboard",\n'
        '            "args": [\n                "mcp"\n            ]\n        }\n    }\n}'
    )


@pytest.mark.parametrize(
    ("text", "changed"),
    [
        ('{"mcpServers": {"callboard": 1, "b": 2}}', '{"mcpServers": {"b": 2}}'),
        ('{"mcpServers": {"a": 1, "callboard": 2}}', '{"mcpServers": {"a": 1}}'),
        ('{"mcpServers": {\n  "callboard": {}\n}}', '{"mcpServers": {}}'),
        ('{"mcpServers": {"a": 1}}', '{"mcpServers": {"a": 1}}'),
        ('{"other": {"callboard": 1}}', '{"other": {"callboard": 1}}'),
    ],
)
def test_a_member_is_taken_out(text: str, changed: str) -> None:
    assert without_member(text, PATH) == changed


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("{", "line 1"),
        ('{\n  "a": nope\n}', "line 2"),
        ("[]", "no object"),
        ('{"mcpServers": 3}', "'mcpServers'"),
        ('{"mcpServers": {}, "mcpServers": {}}', "twice"),
        ('{"mcpServers": {"callboard": 1, "callboard": 2}}', "twice"),
        ("[" * 100_000, "deep"),
        ('{"a": 1 /* }', "line 1"),
    ],
)
def test_what_cannot_be_changed_is_refused_with_the_reason(text: str, said: str) -> None:
    with pytest.raises(JsonTextError, match=said):
        with_member(text, PATH, "1")


KEYS = st.text('ab"\\é{}[],:/* \n', min_size=1, max_size=4)
VALUES = st.recursive(
    st.none() | st.integers() | KEYS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=3),
    max_leaves=8,
)
BLANKS = st.sampled_from(["", " ", "\n  ", "\r\n\t", " // a {comment\n", "/* b, */"])


@st.composite
def texts(draw: st.DrawFn) -> tuple[str, dict[str, object]]:
    """A text in any style with servers in it, and what it means."""
    servers = draw(st.dictionaries(KEYS, VALUES, min_size=1, max_size=3))

    def written(value: object) -> str:
        if not isinstance(value, dict | list) or not value:
            return json.dumps(value, ensure_ascii=draw(st.booleans()))
        members = []
        for each in value:
            blank, after = draw(BLANKS), draw(BLANKS)
            key = f"{json.dumps(each)}{draw(BLANKS)}:" if isinstance(value, dict) else ""
            members.append(f"{blank}{key}{written(value[each] if isinstance(value, dict) else each)}{after}")
        inner = ",".join(members) + draw(st.sampled_from(["", ","])) + draw(BLANKS)
        return f"{{{inner}}}" if isinstance(value, dict) else f"[{inner}]"

    meant: dict[str, object] = {"before": draw(VALUES), "mcpServers": servers, "after": draw(VALUES)}
    return draw(BLANKS) + written(meant) + draw(BLANKS), meant


@given(texts(), KEYS)
def test_what_was_put_in_can_be_taken_out_and_the_rest_stays(
    given: tuple[str, dict[str, object]], key: str
) -> None:
    text, meant = given
    servers = meant["mcpServers"]
    assert isinstance(servers, dict)
    path = ("mcpServers", "new " + key)

    changed = with_member(text, path, VALUE)

    assert read(changed) == {**meant, "mcpServers": servers | {path[1]: json.loads(VALUE)}}
    assert raw(changed, path) is not None
    assert read(without_member(changed, path)) == meant
    assert without_member(changed, path).split() == text.split()


@given(texts(), VALUES)
def test_a_value_that_is_exchanged_stands_as_it_was_written(
    given: tuple[str, dict[str, object]], value: object
) -> None:
    text, meant = given
    before = raw(text, ("mcpServers",))
    assert before is not None

    changed = with_raw(text, ("mcpServers",), json.dumps(value, indent=7))

    assert read(changed) == {**meant, "mcpServers": value}
    assert with_raw(changed, ("mcpServers",), before) == text


@pytest.mark.parametrize("text", ["[1,]", '{"a": [1, 2,], }', "[1, // one\n]"])
def test_a_comma_may_stand_after_the_last_item(text: str) -> None:
    assert read(text) in ([1], {"a": [1, 2]})


@pytest.mark.parametrize("text", ["[,]", "{,}", "[1,,]", '{"plugins": [,]}', "[/* none */,]"])
def test_a_comma_without_an_item_before_it_is_refused(text: str) -> None:
    with pytest.raises(JsonTextError):
        read(text)
