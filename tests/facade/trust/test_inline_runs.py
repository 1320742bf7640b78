"""What is agreed to of a command or an address: its words, its folder and names, and no value."""

from __future__ import annotations

from pathlib import Path

import pytest
from callboard.hosts.sandbox.confinement import Secret
from callboard.plugins.placeholders import named_in
from callboard.sources.kinds import parse_source
from callboard.trust.inline_runs import run_step, shown_address
from callboard.trust.trust_file import what_is
from hypothesis import given
from hypothesis import strategies as st

BASE = Path("/folder")
SERVER = {"command": "npx", "args": ["-y", "server"], "env": {"TOKEN": "${env:GITHUB_TOKEN}", "MODE": "fast"}}
ADDRESS = {
    "url": "https://example.org/mcp?key=${env:KEY}",
    "headers": {"Authorization": "Bearer ${env:TOKEN}"},
}
PROGRAM = {"command": ["docker", "run", "x"], "protocol": "thp/1"}


def step(entry, base=BASE, *, variables=(), secrets=None, sandbox=None):
    return run_step(
        parse_source(entry, base).inline(), entry, variables=variables, secrets=secrets, sandbox=sandbox
    )


def digest(key="mcp", value=SERVER, base=BASE, entry=None, **more):
    return step({key: value, **(entry or {})}, base, **more).digest


OTHERS = {
    "a word": ("mcp", SERVER | {"args": ["-y", "other"]}),
    "a word more": ("mcp", SERVER | {"args": ["-y", "server", ""]}),
    "words that are one": ("mcp", SERVER | {"args": ["-y server"]}),
    "its program": ("mcp", SERVER | {"command": "./npx"}),
    "its folder": ("mcp", SERVER | {"cwd": "below"}),
    "another variable": ("mcp", SERVER | {"env": {**SERVER["env"], "MORE": "1"}}),
    "another name": ("mcp", SERVER | {"env": {"TOKEN2": "${env:GITHUB_TOKEN}", "MODE": "fast"}}),
    "what a variable is filled with": ("mcp", SERVER | {"env": {**SERVER["env"], "TOKEN": "${AWS_SECRET}"}}),
    "a secret of the keyring": ("mcp", SERVER | {"env": {**SERVER["env"], "TOKEN": "${keyring:s/n}"}}),
    "an address": ("mcp", {"url": "https://example.org/"}),
    "a program of the protocol": ("host", PROGRAM),
}


@pytest.mark.parametrize("other", OTHERS.values(), ids=OTHERS)
def test_another_command_or_other_names_have_another_digest(other):
    key, value = other

    assert digest(key, value) != digest()


@pytest.mark.parametrize(
    "same",
    [
        {"env": {**SERVER["env"], "MODE": "slow"}},
        {"env": dict(reversed(SERVER["env"].items()))},
        {"env": {**SERVER["env"], "TOKEN": "Bearer ${GITHUB_TOKEN:-none}"}},
        {"tools": {"deny": ["x"]}, "prefix": "p", "trust_annotations": True, "description": "better"},
        {"cwd": "./below/.."},
    ],
    ids=[
        "a value",
        "the order of names",
        "a spelling",
        "what is said of its tools",
        "a spelling of its folder",
    ],
)
def test_what_is_the_same_command_with_the_same_names_has_the_same_digest(same):
    assert digest(value=SERVER | same) == digest()


@pytest.mark.parametrize(
    "other",
    [
        {"url": "https://example.com/mcp?key=${env:KEY}"},
        {"url": "http://example.org/mcp?key=${env:KEY}"},
        {"url": "https://example.org/mcp?key=${env:OTHER}"},
        {"url": "https://example.org/mcp?key=0123"},
        {"headers": {"Authorization": "Bearer ${env:AWS_SECRET}"}},
        {"headers": {"Cookie": "${env:TOKEN}"}},
        {"oauth": {"client_id": "${env:ID}"}},
    ],
)
def test_another_address_or_other_headers_have_another_digest(other):
    assert digest(value=ADDRESS | other) != digest(value=ADDRESS)
    assert digest(value=ADDRESS, base=Path("/other")) == digest(value=ADDRESS)


@pytest.mark.parametrize(
    "more",
    [
        {"base": Path("/other")},
        {"variables": ("LD_PRELOAD",)},
        {"secrets": {"token": Secret(env="TOKEN")}},
        {"entry": {"config": {"key": ["${env:KEY}"]}}},
        {"entry": {"env": {"KEY": "${env:KEY}"}}, "variables": ("KEY",)},
    ],
    ids=["folder", "variable", "secret", "configuration", "variable of the entry"],
)
def test_a_program_is_agreed_to_with_its_folder_and_all_that_it_is_given(more):
    assert digest("host", PROGRAM, **more) != digest("host", PROGRAM)


def test_secrets_differ_by_where_they_come_from():
    ways = [Secret(env="A"), Secret(env="B"), Secret(file=Path("/a")), Secret(file=Path("/b"))]

    assert len({digest("host", PROGRAM, secrets={"token": way}) for way in ways}) == len(ways)


WORDS = st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=6)


@given(st.lists(WORDS, max_size=4), st.lists(WORDS, max_size=4))
def test_only_the_same_words_have_the_same_digest(some, others):
    ours, theirs = (digest("host", PROGRAM | {"command": ["x", *words]}) for words in (some, others))

    assert (ours == theirs) is (some == others)


@given(st.dictionaries(WORDS, WORDS, max_size=4), st.data())
def test_no_value_of_a_variable_is_part_of_the_digest_unless_it_names_another(variables, data):
    plain = {name: value.replace("$", "") for name, value in variables.items()}
    others = {name: data.draw(WORDS).replace("$", "") for name in plain}

    assert digest(value=SERVER | {"env": plain}) == digest(value=SERVER | {"env": others})


@given(WORDS)
def test_no_query_of_an_address_is_shown_or_kept(secret):
    shown = step({"mcp": {"url": f"https://example.org/mcp?{secret.replace('@', '')}"}})

    assert shown.facts["address"] == "https://example.org/mcp?…"
    assert what_is(shown) == "https://example.org/mcp?…"


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        ("https://example.org/mcp", "https://example.org/mcp"),
        ("https://example.org/mcp#x", "https://example.org/mcp?…"),
        ("${env:URL}", "${env:URL}"),
        ("https://g\u0456thub.com/mcp", "https://g\u0456thub.com/mcp (the host xn--gthub-n2e.com)"),
        ("https://g\u0456thub.com\\@x/", "https://g\u0456thub.com\\@x/ (its host is no name)"),
    ],
)
def test_an_address_is_shown_with_the_host_that_is_looked_up(url, shown):
    assert shown_address(url) == shown


def test_what_is_kept_of_a_command_has_no_secret():
    kept = what_is(step({"host": PROGRAM | {"command": ["x", "--token=s3cret", "a b"]}}))

    assert kept == "runs x --token=*** 'a b'"


@pytest.mark.parametrize(
    ("text", "own", "of_clients"),
    [
        ("${env:A}${keyring:s/n}", {"env:A", "keyring:s/n"}, {"env:A", "keyring:s/n"}),
        ("${A:-x}", set(), {"env:A"}),
        ("${workspaceFolder}${/}${userHome}", set(), set()),
        ("${env:workspaceFolder}", {"env:workspaceFolder"}, {"env:workspaceFolder"}),
        ("${input:A}", set(), {"input:A"}),
        ("$A ${} ${", set(), set()),
    ],
)
def test_placeholders_are_named_as_they_are_filled(text, own, of_clients):
    assert named_in({"a": [text, 1, None]}) == own
    assert named_in([text], of_clients=True) == of_clients
