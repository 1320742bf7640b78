"""Names and ids that a provider refuses: no two become one, legal ones stay, and names come back."""

from __future__ import annotations

import re
from contextlib import suppress

import pytest
from callboard.interop.aliases import Aliases
from callboard.interop.calls.ids import made_up_call_id
from callboard.interop.default_registry import DEFAULT_TOOL_INTEROP_REGISTRY as REGISTRY
from callboard.interop.errors import InteropError
from callboard.interop.names.provider_spellings import IDS, NAMES, ids_of, names_of
from hypothesis import example, given
from hypothesis import strategies as st
from interop_corpus import RECORDS
from interop_json import anything, canonical, objects

LEGAL_NAMES = {
    "openai.chat_completions": r"[a-zA-Z0-9_-]{1,64}",
    "openai.responses": r"[a-zA-Z0-9_-]{1,64}",
    "anthropic.messages": r"[a-zA-Z0-9_-]{1,64}",
    "gemini.generate_content": r"[a-zA-Z_][a-zA-Z0-9_.-]{0,63}",
    "bedrock.converse": r"[a-zA-Z0-9_-]{1,64}",
    "mistral": r"[a-zA-Z0-9_-]{1,64}",
    "mcp": r"[a-zA-Z0-9_.-]{1,128}",
    "acme.chat": r"[a-zA-Z_][a-zA-Z0-9_-]{0,63}",
}
LEGAL_IDS = {
    "openai.chat_completions": r"[!-~]{1,40}",
    "openai.responses": r"[!-~]{1,64}",
    "anthropic.messages": r"[a-zA-Z0-9_-]{1,64}",
    "gemini.generate_content": r"[!-~]{1,128}",
    "bedrock.converse": r"[a-zA-Z0-9_.:-]{1,64}",
    "mistral": r"[a-zA-Z0-9]{9}",
    "acme.chat": r"[a-zA-Z0-9_-]{1,40}",
}
SPELLINGS = [
    *((family, names_of(family), legal) for family, legal in LEGAL_NAMES.items()),
    *((family, ids_of(family), legal) for family, legal in LEGAL_IDS.items()),
]

twins = st.sampled_from(
    ["a.b", "a/b", "a_b", "a b", "a:b", "1a", "-a", "天気", "天", "é", "e\u0301", "ls\n", "ls"]
)
long_twins = st.builds(
    lambda length, last: "x" * length + last, st.integers(38, 130), st.sampled_from(["", "a", "b", "."])
)
pretenders = st.builds(
    lambda spelling, text, attempt: spelling.alias(text, attempt),
    st.sampled_from([spelling for _, spelling, _ in SPELLINGS]),
    twins,
    st.integers(0, 2),
)
"""Legal names that are what another name would become."""

names = twins | long_twins | pretenders | anything.filter(bool)
lists = st.lists(names, max_size=12)


@pytest.mark.parametrize(("family", "spelling", "legal"), SPELLINGS)
@given(originals=lists)
@example(originals=["a.b", "a/b", "a_b"])
def test_no_two_become_the_same_and_all_are_legal(family, spelling, legal, originals):
    aliases = Aliases(originals, spelling)

    said = {original: aliases.forward(original) for original in originals}

    assert len(set(said.values())) == len(said)
    assert all(re.fullmatch(legal, alias) for alias in said.values())


@pytest.mark.parametrize(("family", "spelling", "legal"), SPELLINGS)
@given(originals=lists, data=st.data())
def test_a_legal_one_is_unchanged_and_the_order_makes_no_difference(family, spelling, legal, originals, data):
    aliases = Aliases(originals, spelling)
    shuffled = Aliases(data.draw(st.permutations(originals)), spelling)

    assert dict(aliases.said) == dict(shuffled.said)
    for original in originals:
        if re.fullmatch(legal, original):
            assert aliases.forward(original) == original


@pytest.mark.parametrize(("family", "spelling", "legal"), SPELLINGS)
@given(originals=lists, stranger=names)
def test_what_was_said_comes_back_and_nothing_else_is_touched(family, spelling, legal, originals, stranger):
    aliases = Aliases(originals, spelling)

    assert [aliases.reverse(aliases.forward(original)) for original in originals] == originals
    if stranger not in aliases.said.values():
        assert aliases.reverse(stranger) == stranger


@pytest.mark.parametrize(("family", "spelling", "legal"), SPELLINGS)
@given(originals=lists, stranger=names)
def test_one_that_was_not_listed_is_legal_and_takes_nobodys_place(
    family, spelling, legal, originals, stranger
):
    aliases = Aliases(originals, spelling)

    said = aliases.forward(stranger)

    assert re.fullmatch(legal, said)
    assert aliases.forward(said) == said
    if stranger not in aliases.said and stranger not in aliases.said.values():
        assert said not in aliases.said.values()


@given(lists, lists)
def test_more_of_them_change_none_unless_one_is_what_another_became(some, more):
    spelling = names_of("openai.chat_completions")
    before, after = Aliases(some, spelling), Aliases([*some, *more], spelling)

    if not set(before.said.values()) & set(more):
        assert {original: after.said[original] for original in some} == dict(before.said)


def test_a_legal_name_that_is_what_another_would_become_stays_and_the_other_gives_way():
    spelling = names_of("openai.responses")
    taken = spelling.alias("a.b")

    aliases = Aliases(["a.b", taken], spelling)

    assert aliases.forward(taken) == taken
    assert aliases.forward("a.b") == spelling.alias("a.b", 1)
    assert aliases.reverse(taken) == taken


def test_the_rule_is_the_same_in_every_process_and_every_version():
    said = Aliases(["a.b", "a/b", "x" * 65], names_of("openai.responses")).said

    assert said == {
        "a.b": "a_b_2e7336dc",
        "a/b": "a_b_c14cddc0",
        "x" * 65: "x" * 55 + "_9537c5fd",
    }
    assert Aliases(["call_1"], ids_of("mistral")).said == {"call_1": "rKSxKBV4V"}


def test_what_can_be_kept_of_a_name_is_kept():
    said = Aliases(["get.weather", "1st"], names_of("gemini.generate_content")).said

    assert said["get.weather"] == "get.weather"
    assert re.fullmatch("_1st_[0-9a-f]{8}", said["1st"])


@pytest.mark.parametrize(("table", "of"), [(NAMES, names_of), (IDS, ids_of)])
def test_a_format_has_the_spelling_of_its_family(table, of):
    for family, spelling in table.items():
        assert of(f"{family}.function") is spelling


# --- Ids that are made up


calls = st.builds(lambda name, arguments: {"functionCall": {"name": name, "args": arguments}}, names, objects)


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3), calls), max_size=6))
def test_calls_without_an_id_get_one_from_where_they_stand_and_what_they_ask(asked):
    places = {
        (turn, index, canonical(call)): made_up_call_id(turn, index, REGISTRY.inspect_call(call))
        for turn, index, call in asked
    }
    again = {
        (turn, index, canonical(call)): made_up_call_id(turn, index, REGISTRY.inspect_call(call))
        for turn, index, call in reversed(asked)
    }

    assert len(set(places.values())) == len(places)
    assert again == places
    assert all(
        re.fullmatch(legal, made)
        for legal in LEGAL_IDS.values()
        if "{9}" not in legal
        for made in places.values()
    )


# --- What has been seen in the wild


def seen(kind, key):
    """All that recorded values of a kind say for a name or an id."""
    found = set()
    for record in RECORDS:
        if record.kind == kind:
            with suppress(InteropError):
                found.add(getattr(getattr(REGISTRY, f"inspect_{kind}")(record.value), key))
    return sorted(found - {None, ""})


@pytest.mark.parametrize(("family", "spelling", "legal"), SPELLINGS)
@pytest.mark.parametrize(("kind", "key"), [("schema", "name"), ("call", "tool_name"), ("call", "call_id")])
def test_all_recorded_names_and_ids_together_stay_apart_and_come_back(family, spelling, legal, kind, key):
    recorded = seen(kind, key)
    aliases = Aliases(recorded, spelling)

    said = [aliases.forward(text) for text in recorded]

    assert len(set(said)) == len(recorded) > 0
    assert [text for text in said if not re.fullmatch(legal, text)] == []
    assert [aliases.reverse(text) for text in said] == recorded
