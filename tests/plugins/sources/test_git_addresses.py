"""What is handed to git as an address or a ref is neither an option nor a program to run."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from callboard.plugins import PluginLoadError
from callboard.plugins.sources.git_url import (
    SCHEMES,
    address_problem,
    is_commit,
    is_local,
    may_be_short,
    ref_problem,
    repository_name,
    without_secrets,
)
from callboard.plugins.sources.node_source import NodeGitSource
from callboard.sources.kinds import parse_source
from hypothesis import example, given
from hypothesis import strategies as st

FIT = [
    "https://github.com/acme/my-js-tools.git",
    "https://token@example.com/a.git",
    "ssh://git@example.com:2222/a.git",
    "git@github.com:acme/my-js-tools.git",
    "git@[::1]:acme/tools.git",
    "file:///srv/a.git",
    "/srv/a.git",
    "../a.git",
    "~/a.git",
]


@pytest.mark.parametrize("url", FIT)
def test_an_address_is_taken(url):
    assert address_problem(url) is None


UNFIT = {
    "--upload-pack=touch /tmp/x": "neither an address",
    "-u": "neither an address",
    "ext::sh -c touch% /tmp/x": "a transport of its own",
    "fd::7": "a transport of its own",
    "ext::sh://x": "a transport of its own",
    "javascript://x": "has the scheme 'javascript'",
    "ssh://-oProxyCommand=touch/x": "a host that begins with '-'",
    "ssh://git@-oProxyCommand=touch/x": "a host that begins with '-'",
    "git@-oProxyCommand=touch:x": "a host that begins with '-'",
    "-oProxyCommand=touch:x": "neither an address",
    "https://example.com/a\nb": "control characters",
    "https://example.com/\x00": "control characters",
}


@pytest.mark.parametrize(("url", "problem"), UNFIT.items())
def test_what_git_would_take_for_an_order_is_refused(url, problem):
    assert problem in (address_problem(url) or "")


@given(
    st.text(),
    st.sampled_from(["", "ext", "fd", "file", "git@x", "https"]),
    st.sampled_from([":", "::", "://", "-"]),
)
@example("upload-pack=x", "", "-")
@example("sh -c id", "ext", "::")
@example("x", "ext", "://")
@example("-oProxyCommand=id/x", "ssh", "://")
@example("@-oProxyCommand=id/x", "ssh", "://")
@example("id", "-oProxyCommand=x", ":")
@example("id", "git@-oProxyCommand=x", ":")
def test_no_address_that_is_taken_is_an_option_or_a_program(text, before, between):
    url = before + between + text

    if address_problem(url) is None:
        assert not url.startswith("-")
        assert re.match(r"\w*::", url) is None
        assert re.match(r"\w+://", url) is None or url.startswith(SCHEMES)
        assert re.match(r"\w+://([^/]*@)?-", url) is None
        assert re.match(r"([^/:\[\]]*@)?-[^/:\[\]]*:(?!:).", url, re.DOTALL) is None


@pytest.mark.parametrize("ref", ["main", "v0.1.0", "feature/x", "a" * 40, "refs/heads/main", "ä", "1.x"])
def test_a_ref_is_taken(ref):
    assert ref_problem(ref) is None


@pytest.mark.parametrize(
    "ref",
    [
        "--force",
        "-",
        "a b",
        "a..b",
        "a^{}",
        "a~1",
        "a:b",
        "*",
        "a?",
        "[a]",
        "a\\b",
        "@{1}",
        "@",
        "a.lock",
        "/a",
        "a/",
        "a//b",
        ".a",
        "a.",
        "a\n",
        "\x7f",
    ],
)
def test_what_can_name_nothing_is_refused(ref):
    assert ref_problem(ref) is not None


@given(st.text(min_size=1))
@example("--upload-pack=x")
@example("a..b")
@example("a*")
@example("a?")
@example("[a]")
@example("a:b")
@example("a^b")
@example("a~1")
@example("a b")
@example("a\n")
@example("a\\b")
def test_no_ref_that_is_taken_is_an_option_a_pattern_or_a_range(ref):
    if ref_problem(ref) is None:
        assert not ref.startswith("-")
        assert not set("*?[:^~ \n\\") & set(ref)
        assert ".." not in ref


COMMITS = [("a" * 40, True, False), ("A1" * 20, True, False), ("abc1234", False, True), ("abc", False, False)]


@pytest.mark.parametrize(
    ("ref", "whole", "short"), [*COMMITS, ("g" * 40, False, False), ("b" * 64, True, False)]
)
def test_a_commit_is_known_by_its_letters(ref, whole, short):
    assert (is_commit(ref), may_be_short(ref)) == (whole, short)


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        ("https://secret@example.com/a.git", "https://***@example.com/a.git"),
        ("https://me:secret@example.com/a.git", "https://***@example.com/a.git"),
        ("https://example.com/a@b.git", "https://example.com/a@b.git"),
        ("ssh://git@example.com/a.git", "ssh://git@example.com/a.git"),
        ("git@github.com:acme/a.git", "git@github.com:acme/a.git"),
        ("/srv/a.git", "/srv/a.git"),
    ],
)
def test_an_address_is_shown_without_its_secrets(url, shown):
    assert without_secrets(url) == shown


@pytest.mark.parametrize(
    ("url", "name"),
    [
        ("https://x/acme/tools.git", "tools"),
        ("git@x:tools", "tools"),
        ("/srv/a/", "a"),
        (".git", "repository"),
    ],
)
def test_a_repository_has_a_name_for_people(url, name):
    assert repository_name(url) == name


def test_a_path_is_one_of_this_machine_and_an_address_is_not():
    assert [is_local(url) for url in FIT] == [False] * 6 + [True] * 3


BASE = Path("/etc/agents")


def test_a_path_to_a_repository_is_relative_to_the_configuration():
    assert parse_source("node+git:../a.git#v1", BASE) == NodeGitSource("/etc/agents/../a.git", "v1")
    assert parse_source({"node_tool": {"git": "/srv/a.git"}}, BASE) == NodeGitSource("/srv/a.git")


def test_submodules_are_fetched_for_who_asks_for_them():
    entry = {"node_tool": {"git": "https://example.com/a.git", "submodules": True}}

    assert parse_source(entry, BASE) == NodeGitSource("https://example.com/a.git", None, submodules=True)
    with pytest.raises(PluginLoadError, match="'submodules' of 'node_tool'; it has to be true or false"):
        parse_source({"node_tool": {"git": "https://example.com/a.git", "submodules": "yes"}}, BASE)


@pytest.mark.parametrize(
    "spelling", ["node+git:ext::sh -c id", "node+git:https://x/a.git#a..b", "node+git:-x"]
)
def test_a_source_that_git_would_misread_is_refused(spelling):
    with pytest.raises(PluginLoadError, match=r"^the plugin source "):
        parse_source(spelling, BASE)
