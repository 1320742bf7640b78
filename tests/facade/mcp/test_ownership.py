"""Which addresses may be made of a template, and under which names prompts are offered."""

from __future__ import annotations

import time

import pytest
from callboard.mcp.ownership import LONGEST, fits, named_prompts, owners_of


@pytest.mark.parametrize(
    ("template", "fitting", "other"),
    [
        ("note://{name}", ["note://a", "note://"], ["note://a/b", "note://a?b", "notes://a"]),
        ("file:///{+path}", ["file:///a/b?c#d"], ["file://a"]),
        ("file:///{+path}.txt", ["file:///a.txt/b.txt"], ["file:///a.txt/b"]),
        ("db://{table}/rows/{id}", ["db://t/rows/5"], ["db://t/5", "db://t/rows/5/6"]),
        ("db://{table}/schema", ["db://t/schema"], ["db://t/rows/schema", "db://t/schema/x"]),
        (
            "http://a{/path*}{?q,r}{#part}",
            ["http://a", "http://a/b/c?q=1&r=2#d", "http://a#d"],
            ["http://b", "http://ab"],
        ),
        ("http://a{;x}{.suffix}", ["http://a;x=1.b", "http://a"], ["http://a?x"]),
        ("http://a?b=c{&d}", ["http://a?b=c&d=1", "http://a?b=c"], ["http://a?b=cd"]),
        ("note://one", ["note://one"], ["note://one?x", "note://on"]),
        ("{+any}", [], ["note://a", ""]),
        ("{scheme}:{rest}", [], ["note:a"]),
        ("note://" + "a" * LONGEST, [], ["note://" + "a" * LONGEST, "note://a"]),
    ],
)
def test_an_address_fits_a_template_that_it_may_be_made_of(template, fitting, other):
    assert [uri for uri in (*fitting, *other) if fits(template, uri)] == fitting


@pytest.mark.parametrize(
    "expression",
    ["{a}", "{+a}", "{a}a", "{+a}a", "{a}{b}a", "{/a}a", "{+a}aa{b}a", "{a}{&b}", "{.a}{&b}{#c}a"],
)
def test_a_template_made_to_tire_us_is_looked_at_no_longer_than_any_other(expression):
    template = "x:" + expression * ((LONGEST - 20) // len(expression)) + "{z}b"
    began = time.process_time()

    assert not fits(template, "x:" + "a" * (LONGEST - 2))
    assert time.process_time() - began < 5


def test_whoever_lists_an_address_comes_before_all_templates_and_the_first_of_them_before_the_others():
    note, template = {"uri": "note://a"}, {"uriTemplate": "note://{name}"}

    assert owners_of("note://a", {"x": [], "y": [note], "z": [note]}, {"x": [template]}) == ["y"]
    assert owners_of(
        "note://b", {"x": [note]}, {"x": [template], "y": [{"uriTemplate": 3}], "z": [template]}
    ) == ["x", "z"]
    assert owners_of("notes://b", {"x": [note]}, {"x": [template]}) == []


@pytest.mark.parametrize(
    ("of_all", "names", "left_out"),
    [
        ({"a": ["x"], "b": ["y"]}, {"x": "a", "y": "b"}, []),
        ({"a": ["x"], "b": ["x"]}, {"a__x": "a", "b__x": "b"}, []),
        ({"a": ["x"], "b": ["a__x"]}, {"x": "a", "b__a__x": "b"}, []),
        ({"a": ["a__x"], "b": ["y"]}, {"a__x": "a", "y": "b"}, []),
        ({"a": ["b__x"], "a__b": ["x"], "c": ["x"]}, {"b__x": "a", "a__b__x": "a__b", "c__x": "c"}, []),
        (
            {"a": ["b__x"], "a__b": ["x"], "c": ["x", "b__x"]},
            {"a__b__x": "a__b", "c__x": "c", "c__b__x": "c"},
            [("a", "b__x")],
        ),
        ({"a!": ["x"], "a?": ["x"]}, {"a__x": "a!"}, [("a?", "x")]),
    ],
)
def test_prompts_have_names_that_say_whose_they_are(of_all, names, left_out):
    found, out = named_prompts({server: [{"name": name} for name in of] for server, of in of_all.items()})

    assert {name: server for name, (server, _) in found.items()} == names
    assert out == left_out
