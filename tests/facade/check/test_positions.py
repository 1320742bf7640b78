"""Where the parts of a configuration stand in its text."""

from __future__ import annotations

import json
import tomllib

import pytest
from callboard.check.positions import START, in_json, in_toml, nearest
from hypothesis import given
from hypothesis import strategies as st

JSON = """{ // what runs
  "plugins": [
    "path:./a", /* two
    lines */ {"plugin": "a.B",
      "env": {"A.B": "1", "é": ["x", {"y": 2}]}},
  ],
}
"""

TOML = """# what runs
start_deadline = 3
[supervision]
restart = "permanent"
  backoff.min = 1
[supervision.groups."a.b"]
note = \"\"\"
restart = 3
[calls]
\"\"\"
[[plugins]]
plugin = "a.B"
[[plugins]]
name = 'x'  # [not.a.table]
[plugins.restart]
intensity = 3
"""


@pytest.mark.parametrize(
    ("path", "position"),
    {
        "$": (1, 1),
        "$.plugins": (2, 3),
        "$.plugins[0]": (3, 5),
        "$.plugins[1]": (4, 14),
        "$.plugins[1].plugin": (4, 15),
        "$.plugins[1].env.A.B": (5, 15),
        "$.plugins[1].env.é[1].y": (5, 39),
        "$.plugins[1].env.é[1].z": (5, 38),
        "$.plugins[1].nothing.of[3].that": (4, 14),
        "$.plugins[7]": (2, 3),
        "elsewhere": START,
    }.items(),
)
def test_a_part_of_json_stands_where_it_begins(path, position):
    assert nearest(in_json(JSON), path) == position


@pytest.mark.parametrize(
    ("path", "position"),
    {
        "$.start_deadline": (2, 1),
        "$.supervision": (3, 1),
        "$.supervision.restart": (4, 1),
        "$.supervision.backoff.min": (5, 3),
        "$.supervision.groups.a.b.note": (7, 1),
        "$.supervision.groups.a.b.restart": (6, 1),
        "$.plugins[0].plugin": (12, 1),
        "$.plugins[1]": (13, 1),
        "$.plugins[1].name": (14, 1),
        "$.plugins[1].restart.intensity": (16, 1),
        "$.plugins[1].restart.period": (15, 1),
        "$.calls": START,
    }.items(),
)
def test_a_key_of_toml_stands_in_its_line(path, position):
    assert nearest(in_toml(TOML), path) == position


INLINE = """# what runs
plugins = [ {plugin = "a.B", dedline = 3}, # one, with ] and }
  { plugin = 'c.D', limits = {memory = "x", "a.\\u0062" = 1979-05-27 07:32:00}}, "e.F" ]
calls = {deadline = 0.5, text = \"\"\"
[no]
\"\"\", last = [[1, 2], [3]]}
"""


@pytest.mark.parametrize(
    ("path", "position"),
    {
        "$.plugins": (2, 1),
        "$.plugins[0]": (2, 13),
        "$.plugins[0].dedline": (2, 30),
        "$.plugins[1]": (3, 3),
        "$.plugins[1].limits": (3, 21),
        "$.plugins[1].limits.memory": (3, 31),
        "$.plugins[1].limits.a.b": (3, 45),
        "$.plugins[2]": (3, 81),
        "$.calls.deadline": (4, 10),
        "$.calls.last": (6, 6),
        "$.calls.last[1][0]": (6, 23),
        "$.no": START,
    }.items(),
)
def test_what_stands_on_one_line_of_toml_has_its_own_place(path, position):
    assert nearest(in_toml(INLINE), path) == position


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=12,
)


def parts(value, path="$"):
    yield path, value
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, each in items:
        yield from parts(each, f"{path}.{key}" if isinstance(value, dict) else f"{path}[{key}]")


@given(VALUES, st.sampled_from([None, 2]))
def test_every_part_of_any_json_has_its_place(value, indent):
    text = json.dumps(value, indent=indent, ensure_ascii=False)
    lines = text.split("\n")

    found = in_json(text)

    assert found.keys() == {path for path, _ in parts(value)}
    for path, (line, column) in found.items():
        rest = lines[line - 1][column - 1 :]
        assert rest, path
        if not path.endswith("]") and path != "$":
            key, _ = json.JSONDecoder().raw_decode(rest)
            assert path.endswith(f".{key}")


WORDS = st.text("ab.# ]}'=,\"\\", max_size=4)
OF_TOML = st.recursive(
    st.booleans() | st.integers(-9, 9) | WORDS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(WORDS, inner, max_size=3),
    max_leaves=12,
)


def as_toml(value):
    if isinstance(value, dict):
        return "{" + ", ".join(f"{json.dumps(key)} = {as_toml(each)}" for key, each in value.items()) + "}"
    if isinstance(value, list):
        return "[\n" + "".join(f"{as_toml(each)}, # ]\n" for each in value) + "]"
    return json.dumps(value)


@given(st.dictionaries(WORDS, OF_TOML, max_size=3))
def test_every_part_of_any_toml_has_its_place(value):
    text = "".join(f"{json.dumps(key)} = {as_toml(each)} # {{\n" for key, each in value.items())

    found = in_toml(text)

    assert tomllib.loads(text) == value
    assert found.keys() == {path for path, _ in parts(value)}
