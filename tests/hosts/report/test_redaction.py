"""No secret outlives redaction, whatever it stands in and wherever that is cut."""

from __future__ import annotations

import json
import string

import pytest
from callboard.hosts.environment import secrets_of
from callboard.hosts.report.redaction import HIDDEN, SHORTEST, Redactor, is_secret_name
from hypothesis import example, given
from hypothesis import strategies as st

SECRET = 's3cr3t-é"\\\n-value'
NAMES = [
    "api_key",
    "apiKey",
    "X-API-KEY",
    "token",
    "access_token",
    "Password",
    "clientSecret",
    "AUTHORIZATION",
]


@pytest.mark.parametrize(
    "name",
    [*NAMES, "private_key", "Set-Cookie", "credentials", "passphrase", "auth", "pwd", "OPENAI_API_KEY"],
)
def test_a_secret_is_known_by_its_name_in_any_spelling(name):
    assert is_secret_name(name)


@pytest.mark.parametrize("name", ["author", "key", "keyboard", "compass", "path", "tool_name", "v", ""])
def test_other_names_are_none(name):
    assert not is_secret_name(name)


@pytest.mark.parametrize(
    ("frame", "shown"),
    [
        ('{"api_key": "abc", "n": 1}', '{"api_key": "***", "n": 1}'),
        ('{"a":{"Token":["x",1,null,true]},"b":"x"}', '{"a":{"Token":["***","***",null,true]},"b":"x"}'),
        (
            '{"auth":{"user":"u","more":{"p":"q"}},"b":"c"}',
            '{"auth":{"user":"***","more":{"p":"***"}},"b":"c"}',
        ),
        ('{"password":12345,"n":-1.5e3}', '{"password":"***","n":-1.5e3}'),
        ('{"usage":{"max_tokens":100}}', '{"usage":{"max_tokens":100}}'),
        ('{"max_tokens":"abc"}', '{"max_tokens":"***"}'),
        ('{"arguments":"{\\"token\\": \\"abc\\"}"}', '{"arguments":"{\\"token\\": \\"***\\"}"}'),
        ('{"token":"abc', '{"token":"***'),
        ('{"token":"abc\\', '{"token":"***'),
        ('{"token":["abc","d', '{"token":["***","***'),
        ('{"a":"tok\\u00', '{"a":"tok\\u00'),
        ('{"secret":Infinity,"n":Infinity}', '{"secret":"***","n":Infinity}'),
        ("no JSON at all: {", "no JSON at all: {"),
        ("", ""),
    ],
)
def test_what_stands_under_a_secret_name_is_hidden(frame, shown):
    assert Redactor().frame(frame, cut=not frame.endswith("}")) == shown


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("it said hunter2hunter2!", "it said ***!"),
        ('{"a":"hunter2hunter2"}', '{"a":"***"}'),
        ('{"a":"\\u0068unter2hunter2"}', '{"a":"***"}'),
        ('{"hunter2hunter2":1}', '{"***":1}'),
        ('{"n":31415926}', '{"n":"***"}'),
    ],
)
def test_a_value_of_the_environment_is_hidden_wherever_it_stands(text, shown):
    assert Redactor(["hunter2hunter2", "31415926"]).frame(text) == shown


@pytest.mark.parametrize(
    ("text", "shown"),
    [("it said hunter", "it said ***"), ("it said hunt", "it said ***"), ("it said hun", "it said hun")],
)
def test_the_beginning_of_a_value_at_a_cut_is_hidden(text, shown):
    assert Redactor(["hunter2hunter2"]).text(text, cut=True) == shown


def test_each_line_of_a_long_secret_is_one():
    key = "-----BEGIN-----\nabcdefgh\nijklmnop\n-----END-----"

    assert Redactor([key]).text("…\nijklmnop\n-----END-----\nerror") == f"…\n{HIDDEN}\n{HIDDEN}\nerror"


def test_short_values_are_in_everything_and_stay():
    assert Redactor(["1", "on", "yes"]).text("1 on yes") == "1 on yes"


def test_what_a_host_was_given_beyond_what_every_host_gets_is_secret():
    environment = {"PATH": "/usr/bin", "LC_ALL": "C", "API_KEY": "abcdef", "MODE": "production"}

    assert secrets_of(environment) == ("abcdef", "production")


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("OPENAI_API_KEY=abc123 npm start", "OPENAI_API_KEY=*** npm start"),
        ("run --api-key=abc123", "run --api-key=***"),
        ("token='a b',n=1", "token='***',n=1"),
        ('password="a b" n=1', 'password="***" n=1'),
        ("GET /x?page=2&access_token=abc&n=1", "GET /x?page=2&access_token=***&n=1"),
        ("DEBUG=1;TOKEN=abc", "DEBUG=1;TOKEN=***"),
        ("url=https://x/?token=abc", "url=https://x/?token=***"),
        ("TOKEN=", "TOKEN="),
        ("n=1 path=/tmp", "n=1 path=/tmp"),
        ("if token == other", "if token == other"),
        ("Authorization: Bearer abc.d-e_f=", "Authorization: Bearer ***"),
        ("authorization: basic bWU6c2Vj", "authorization: basic ***"),
        ("BEARER abcdef", "BEARER ***"),
        ("http://me:s3cr3t@host:80/p", "http://***@host:80/p"),
        ("postgres://me:s3c@r3t@host/db", "postgres://***@host/db"),
        ("https://ghp_token@github.com/a", "https://***@github.com/a"),
        ("ssh://git@github.com/a", "ssh://git@github.com/a"),
        ("//me:s3cr3t@host", "//***@host"),
        ("// me: see x@y", "// me: see x@y"),
        ("http://host:80/me:s3cr3t@x", "http://host:80/me:s3cr3t@x"),
    ],
)
def test_a_secret_is_known_by_what_stands_before_it_in_a_text(text, shown):
    in_json, shown_in_json = json.dumps({"a": [text]}), json.dumps({"a": [shown]})

    assert Redactor().text(text) == shown
    assert Redactor().frame(in_json) == shown_in_json
    assert Redactor().frame(json.dumps({"b": in_json})) == json.dumps({"b": shown_in_json})


@pytest.mark.parametrize(
    "text", ["at http://me:s3cr", "at http://me:", "Bearer s3cr", "TOKEN=s3cr", 'TOKEN="s3cr']
)
def test_the_beginning_of_such_a_secret_is_hidden_at_a_cut(text):
    assert "s3cr" not in Redactor().text(text, cut=True)
    assert "s3cr" not in Redactor().frame('{"a": ' + json.dumps(text)[:-1], cut=True)


def test_such_secrets_are_looked_for_in_time_that_grows_with_the_text():
    for unit in ("token='", "//", "//a:", "a", "bearer ", "a=", "authorization", 'token="'):
        Redactor().text(unit * (200_000 // len(unit)), cut=True)


texts = st.text(alphabet=string.ascii_letters + string.digits + ' "\\\n{}[]:,é€😀', max_size=12)
secrets = st.text(
    alphabet=string.ascii_letters + string.digits + '"\\\n{:é€😀', min_size=SHORTEST, max_size=20
)


def json_of(texts, names):
    """JSON values with these texts in them, and these names."""
    return st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | texts,
        lambda inner: st.lists(inner, max_size=4) | st.dictionaries(names, inner, max_size=4),
        max_leaves=12,
    )


values = json_of(texts, texts)
# Hypothesis likes to try the very words that stand in the code.
harmless = json_of(
    texts.filter(lambda text: '"' not in text), texts.filter(lambda name: not is_secret_name(name))
)


PLACES = {
    "a value": lambda secret: secret,
    "a part of a value": lambda secret: f"before {secret} after",
    "an item": lambda secret: [secret],
    "a key": lambda secret: {secret: 1},
    "deep": lambda secret: {"x": {"y": [secret]}},
    "JSON in a string": lambda secret: json.dumps({"deep": secret}),
    "JSON in JSON in a string": lambda secret: json.dumps({"deep": json.dumps({"deeper": secret})}),
}


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("ascii_only", [True, False])
@given(values, values, secrets, st.booleans(), st.none() | st.floats(0, 1))
@example(1, 1, 'a"b\\c\nd', False, None)
@example(1, 1, "aé😀b", True, None)
@example(1, 1, "plain", True, None)
def test_no_secret_value_survives_however_it_is_written_and_cut(  # noqa: PLR0917 - what is drawn
    place, ascii_only, before, after, secret, compact, cut_at
):
    message = {"v": 1, "id": "1-1", "params": [before, PLACES[place](secret), after]}
    frame = json.dumps(message, ensure_ascii=ascii_only, separators=(",", ":") if compact else None)
    end = len(frame) if cut_at is None else int(cut_at * len(frame))

    shown = Redactor([secret]).frame(frame[:end], cut=end < len(frame))

    assert secret not in shown
    for string_ in strings(shown):
        assert secret not in string_


@given(st.data(), st.sampled_from(NAMES))
def test_no_value_under_a_secret_name_survives_a_cut(data, name):
    secret = "~!" * 8  # of signs that no other value has: Hypothesis tries the very words that stand here
    hidden = data.draw(st.sampled_from([secret, [secret], {"a": {"b": secret}}]))
    frame = json.dumps({"before": data.draw(values), name: hidden, "after": data.draw(values)})
    end = data.draw(st.integers(0, len(frame)))

    shown = Redactor().frame(frame[:end], cut=end < len(frame))

    assert "~" not in shown


@given(values, st.text(alphabet=string.ascii_letters, min_size=6, max_size=8))
def test_the_structure_of_a_message_is_kept(value, secret):
    message = {"password": value, "said": f"is {secret} it", "more": value}

    shown = json.loads(Redactor([secret]).frame(json.dumps(message)))

    assert shape(shown) == shape(message)
    assert shown["said"] == f"is {HIDDEN} it"


@given(harmless)
def test_a_message_without_secrets_is_left_as_it_is(value):
    frame = json.dumps({"more": value})

    assert Redactor(["not in there, surely"]).frame(frame) == frame


@given(st.text(max_size=60), st.booleans())
def test_any_text_can_be_read(text, cut):
    Redactor(["secret"]).frame(text, cut=cut)


def shape(value):
    if isinstance(value, dict):
        return {name: shape(inner) for name, inner in value.items()}
    return [shape(inner) for inner in value] if isinstance(value, list) else None


def strings(text):
    """The strings of a message, if it can be read."""
    try:
        value = json.loads(text)
    except ValueError:
        return
    waiting = [value]
    while waiting:
        match waiting.pop():
            case dict() as inner:
                waiting += [*inner, *inner.values()]
            case list() as inner:
                waiting += inner
            case str() as inner:
                yield inner


@given(
    st.lists(
        st.one_of(
            st.sampled_from(['"', ":", ",", "{", "}", "[", "]", " ", "\\", "-", "_", "1", "null", "s3cr3t"]),
            st.sampled_from(
                ["token", "To-ken", "pass", "compass", "auth", "api", "key", "max_tokens", "jwt"]
            ),
            st.sampled_from(["=", "//", "@", "://", "Bearer ", "basic ", "authorization: ", "'"]),
            st.text(max_size=4),
        ),
        max_size=24,
    ).map("".join)
)
def test_the_short_way_for_frames_with_nothing_to_hide_shows_what_the_long_way_shows(text):
    redactor = Redactor(["s3cr3t"])

    shown = redactor.frame(text)

    read = text if text.lstrip().startswith(("{", "[")) else redactor.text(text)
    assert shown == redactor._frame(read, cut=False, nested=0)


def test_the_short_way_is_not_taken_by_what_an_escape_spells():
    assert Redactor().frame('{"\\u0074oken":"abc"}') == '{"\\u0074oken":"***"}'
