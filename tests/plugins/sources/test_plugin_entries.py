"""A plugin entry is a source and options; a misspelt or mistaken option is never let pass."""

from __future__ import annotations

import math
from pathlib import Path

import pytest
from callboard.plugins import PluginLoadError
from callboard.plugins.sources.node_source import NodeFileSource
from callboard.plugins.sources.options import PluginOptions, parse_options
from callboard.plugins.sources.python_source import PythonObject
from callboard.sources.entry import PluginEntry, parse_entry
from hypothesis import given
from hypothesis import strategies as st
from interop_json import values

BASE = Path("/etc/agents")
FILE = {"node_tool": {"file": "upper.ts", "id": "upper"}}


def test_a_text_is_a_source_without_options():
    assert parse_entry("a.b.C", BASE) == PluginEntry(PythonObject("a.b.C"), PluginOptions())


def test_a_mapping_is_a_source_with_options():
    entry = parse_entry({**FILE, "config": {"x": 1}, "concurrency": 4}, BASE)

    assert entry == PluginEntry(
        NodeFileSource(BASE / "upper.ts", "upper"), PluginOptions(config={"x": 1}, concurrency=4)
    )


def test_every_option_can_be_given():
    given = {
        "config": {"x": 1},
        "name": "up",
        "concurrency": 4,
        "deadline": 10,
        "idempotent": ["read"],
        "required": True,
        "mailbox_size": 5,
        "restart": {"intensity": 3},
        "env": {"TOKEN": "t"},
        "inherit": ["SSH_AUTH_SOCK"],
        "limits": {"memory_mb": 256},
        "standby": 1,
        "share": "pool",
        "isolate": True,
        "sandbox": {"read": ["data"]},
        "secrets": {"TOKEN": {"env": "X"}},
        "group": "editor",
        "repeats": 2,
        "breaker": {"failures": 3},
        "quarantine": False,
        "while_down": "refuse",
        "hold": 7,
        "validate": {"read": False},
        "idle_deadline": 2.5,
        "start_deadline": 30,
        "reload": True,
        "claims": "own",
        "state_from": "node:./old",
    }

    options = parse_entry({"plugin": "a.B", **given}, BASE).options

    read = {"deadline": 10.0, "idempotent": frozenset({"read"}), "inherit": ("SSH_AUTH_SOCK",)}
    assert options == PluginOptions(**{**given, **read})
    assert given.keys() == set(PluginOptions.__dataclass_fields__)


@pytest.mark.parametrize("option", PluginOptions.__dataclass_fields__)
def test_nothing_stands_for_the_default(option):
    assert parse_options({option: None}, plugin="p") == PluginOptions()


@pytest.mark.parametrize(
    ("option", "value", "read"),
    [
        ("idempotent", True, True),
        ("idempotent", [], frozenset()),
        ("standby", True, 1),
        ("standby", False, 0),
        ("share", True, True),
        ("deadline", 0.5, 0.5),
    ],
)
def test_an_option_may_be_written_in_more_than_one_way(option, value, read):
    assert getattr(parse_options({option: value}, plugin="p"), option) == read


MISTAKEN = [
    ("breaker", 3, "true, false or a mapping"),
    ("sandbox", "yes", "true, false, 'bwrap' or a mapping"),
    ("while_down", "wait", "'hold', 'refuse' or a callable"),
    ("hold", -1, "a whole number of at least 0"),
    ("config", "x", "a mapping"),
    ("config", {1: 2}, "a mapping"),
    ("name", "", "a text that is not empty"),
    ("name", 7, "a text that is not empty"),
    ("concurrency", 0, "a whole number of at least 1"),
    ("concurrency", True, "a whole number of at least 1"),
    ("concurrency", 1.5, "a whole number of at least 1"),
    ("deadline", 0, "a number of seconds above 0"),
    ("deadline", "10", "a number of seconds above 0"),
    ("deadline", math.nan, "a number of seconds above 0"),
    ("deadline", math.inf, "a number of seconds above 0"),
    ("idempotent", "read", "true, false, 'by_key' or a list of tool names"),
    ("idempotent", [1], "true, false, 'by_key' or a list of tool names"),
    ("required", 1, "true or false"),
    ("mailbox_size", -1, "a whole number of at least 1"),
    ("restart", "never", "a mapping"),
    ("env", {"A": 1}, "a mapping of texts to texts"),
    ("env", ["A=1"], "a mapping of texts to texts"),
    ("env", {"A=B": "1"}, "names without '=' and texts without NUL, which 'A=B' is not"),
    ("env", {"A": "\0"}, "names without '=' and texts without NUL, which that of 'A' is not"),
    ("limits", 5, "a mapping"),
    ("standby", 2, "0 or 1"),
    ("share", "", "true, false or the name of a host"),
    ("share", 1, "true, false or the name of a host"),
    ("isolate", "yes", "true or false"),
    ("validate", ["read"], "true, false or a mapping of tool names to true or false"),
    ("validate", {"read": 1}, "true, false or a mapping of tool names to true or false"),
]


@pytest.mark.parametrize(("option", "value", "wanted"), MISTAKEN)
def test_a_mistaken_option_is_refused_with_what_it_has_to_be(option, value, wanted):
    with pytest.raises(PluginLoadError) as caught:
        parse_options({option: value}, plugin="upper")

    assert str(caught.value) == f"option {option!r} of plugin upper is {value!r}; it has to be {wanted}"
    assert caught.value.plugin == "upper"


@pytest.mark.parametrize(
    ("key", "hint"),
    [
        ("confg", "did you mean 'config'?"),
        ("concurency", "did you mean 'concurrency'?"),
        ("node_tol", "did you mean 'node_tool'?"),
        ("zzz", "known are bash_tool, breaker, claims, concurrency, config"),
        (7, "known are"),
    ],
)
def test_an_unknown_option_is_refused_by_name_with_the_nearest(key, hint):
    with pytest.raises(PluginLoadError) as caught:
        parse_entry({**FILE, key: {}}, BASE)

    assert f"unknown option {key!r}" in str(caught.value)
    assert hint in str(caught.value)


@pytest.mark.parametrize("entry", [None, 7, ["a.B"], True])
def test_an_entry_is_a_text_or_a_mapping(entry):
    with pytest.raises(PluginLoadError, match="is neither a text nor a mapping"):
        parse_entry(entry, BASE)


keys = st.sampled_from([*PluginOptions.__dataclass_fields__, "plugin", "node_tool"])


@given(st.one_of(values, st.dictionaries(keys, values)))
def test_an_entry_is_read_or_refused(entry):
    try:
        read = parse_entry(entry, BASE)
    except PluginLoadError:
        return
    assert isinstance(read, PluginEntry)


def test_options_share_no_mapping_with_the_configuration():
    entry = {**FILE, "config": {"x": 1}, "env": {"A": "1"}}

    options = parse_entry(entry, BASE).options
    entry["config"]["x"] = 2
    entry["env"].clear()

    assert (options.config, options.env) == ({"x": 1}, {"A": "1"})
