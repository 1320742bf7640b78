"""What is behind ``npm:`` comes from a registry alone, in a version that has one meaning."""

from __future__ import annotations

from pathlib import Path

import pytest
from callboard.base.errors import PluginLoadError
from callboard.plugins.sources.npm_source import NpmSource, read_npm_source
from callboard.sources.kinds import parse_source, spelled
from hypothesis import given
from hypothesis import strategies as st

HASH = "sha512-" + "A" * 86 + "=="
BASE = Path("/etc/agents")


@pytest.mark.parametrize(
    ("spelling", "source"),
    [
        ("npm:words@1.2.3", NpmSource("words", "1.2.3")),
        ("npm:@acme/words@1.2.3-rc.1", NpmSource("@acme/words", "1.2.3-rc.1")),
        ("npm:@acme/words", NpmSource("@acme/words", "latest")),
        ("npm:words@next", NpmSource("words", "next")),
        ({"node_tool": {"npm": "words@1.2.3"}}, NpmSource("words", "1.2.3")),
        ({"node_tool": {"npm": "words@1.2.3", "integrity": HASH}}, NpmSource("words", "1.2.3", HASH)),
    ],
)
def test_a_package_of_a_registry_is_named_with_its_version(spelling, source):
    assert parse_source(spelling, BASE) == source


@pytest.mark.parametrize(
    "text",
    [
        "",
        "--registry=http://127.0.0.1",
        "words@--global",
        "-words",
        ".words",
        "_words",
        "../words",
        "/srv/words",
        "./words.tgz",
        "https://example.com/words.tgz",
        "git+https://example.com/words.git",
        "github:acme/words",
        "acme/words",
        "file:../words",
        "@acme",
        "@acme/",
        "@../words",
        "@acme/../../words",
        "node_modules",
        "words@",
        "words@^1.0.0",
        "words@1",
        "words@1.2",
        "words@v1.2.3",
        "words@x",
        "words@*",
        "words@1.2.3 || 2.0.0",
        "words@>=1.0.0",
        "words@npm:other@1.0.0",
        "words@file:/etc",
        "words@https://example.com/words.tgz",
        "words@git+ssh://example.com/a.git",
        "words@1.2.3\n",
        "words@\u0661.2.3",
        "wörds@1.2.3",
        "words\0@1.2.3",
        "w" * 215,
    ],
)
def test_what_npm_would_read_as_anything_else_is_refused(text):
    with pytest.raises(ValueError, match="has "):
        read_npm_source(text)


@pytest.mark.parametrize(
    ("text", "integrity"),
    [
        ("words@1.2.3", ""),
        ("words@1.2.3", "sha1-AAAA"),
        ("words@1.2.3", "sha512-AAAA"),
        ("words@1.2.3", f"{HASH} {HASH}"),
        ("words@1.2.3", f"{HASH}\n"),
        ("words@next", HASH),
        ("words", HASH),
    ],
)
def test_a_hash_is_a_sha512_of_one_version(text, integrity):
    with pytest.raises(ValueError, match="integrity"):
        read_npm_source(text, integrity)


@pytest.mark.parametrize(
    "entry",
    [
        "npm:",
        "npm:words@^1.0.0",
        {"node_tool": {"npm": 1}},
        {"node_tool": {"npm": "words", "ref": "main"}},
        {"node_tool": {"npm": "words@1.0.0", "path": "."}},
        {"node_tool": {"path": ".", "integrity": HASH}},
    ],
)
def test_an_entry_that_names_none_is_refused_when_it_is_read(entry):
    with pytest.raises(PluginLoadError):
        parse_source(entry, BASE)


@given(st.text(max_size=30), st.none() | st.text(max_size=100))
def test_what_is_read_begins_with_no_dash_and_has_no_path(text, integrity):
    try:
        source = read_npm_source(text, integrity)
    except ValueError:
        return

    assert source.name[0] not in "-./"
    assert ".." not in source.name.split("/")
    assert source.name.count("/") == source.name.startswith("@")
    assert not set(source.spec) & set(" :\\\0\n")


def test_a_source_is_called_as_it_was_written():
    assert spelled({"node_tool": {"npm": "words@1.0.0", "integrity": HASH}}) == "npm:words@1.0.0"
    assert spelled("npm:words@1.0.0") == "npm:words@1.0.0"
