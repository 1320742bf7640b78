"""Who takes a call: names and claims, without an actor in sight."""

from __future__ import annotations

import pytest
from callboard.actors.catalog.catalog import Catalog
from callboard.actors.routing.decision import (
    Ambiguous,
    NameTaken,
    NoTool,
    Routes,
    Taken,
    choose,
    only_for,
    target_of,
)
from callboard.actors.routing.table import CallParser
from hypothesis import given
from hypothesis import strategies as st
from manual_clock import ManualClock

TWO = Routes({"a": ("x", "shared"), "b": ("y", "shared")}, ("a", "b"))


@pytest.mark.parametrize(
    ("name", "claims", "choice"),
    [
        ("x", {}, Taken("a")),
        ("x", {"a": None}, Taken("a")),
        ("x", {"b": True}, Taken("b")),
        ("x", {"a": False}, NoTool(("a",))),
        ("shared", {"a": True}, Taken("a")),
        ("shared", {"a": False}, Taken("b")),
        ("shared", {}, Ambiguous(("a", "b"))),
        ("shared", {"a": True, "b": True}, Ambiguous(("a", "b"))),
        ("y", {"a": True, "b": True}, Taken("b")),
        ("nobody's", {}, NoTool()),
        ("nobody's", {"a": True}, Taken("a")),
        (None, {}, NoTool()),
        (None, {"b": True}, Taken("b")),
        (None, {"a": True, "b": True}, Ambiguous(("a", "b"))),
        ("x", {"removed": True}, Taken("a")),
    ],
)
def test_claims_come_first_and_the_name_decides_the_rest(name, claims, choice):
    assert choose(TWO, name, claims) == choice


@given(
    st.sampled_from([None, "x", "y", "shared", "?"]),
    st.dictionaries(st.sampled_from(["a", "b"]), st.sampled_from([True, False, None])),
)
def test_a_plugin_that_said_no_never_gets_the_call(name, claims):
    choice = choose(TWO, name, claims)

    taking = {choice.plugin} if isinstance(choice, Taken) else set()
    assert all(claims.get(plugin) is not False for plugin in taking)


FOUR = Routes({"files": ("write", "rm"), "shell": ("run",), "plain": ("note",)}, ("files", "shell"))
CLAIMS = st.dictionaries(st.sampled_from(["files", "shell"]), st.sampled_from([True, False, None]))


@pytest.mark.parametrize(
    ("name", "claims", "plugin", "names"),
    [
        ("note", {}, "plain", ("note",)),
        ("write", {"files": True}, "files", ("write",)),
        ("note", {"files": True}, "files", ("note", "files", "write", "rm")),
        ("run", {"files": True}, "files", ("run", "files", "write", "rm")),
        ("run", {"files": True, "shell": True}, "shell", ("run",)),
        ("note", {"files": True, "shell": True}, None, ("note", "files", "write", "rm", "shell", "run")),
        (None, {"shell": True}, "shell", ("shell", "run")),
        (None, {}, None, ()),
        ("?", {}, None, ("?",)),
    ],
)
def test_what_a_call_may_run_is_known_by_the_names_of_who_takes_it(name, claims, plugin, names):
    ahead = target_of(FOUR, name, claims)

    assert (ahead.plugin, ahead.names) == (plugin, names)


@pytest.mark.parametrize(
    ("name", "claims", "known_as"),
    [
        ("files__rm", {}, ("rm", "files:files__rm", "files:rm")),
        ("list", {}, ("files:list",)),
        ("rm", {}, ("other:rm",)),
        ("list", {"other": True}, ("other:rm",)),
        ("?", {}, ()),
    ],
)
def test_a_tool_is_known_by_its_servers_name_for_it_and_by_its_plugins(name, claims, known_as):
    routes = Routes().including(
        "files", ["files__rm", "list"], claims=False, known_as={"files__rm": ("rm", "files__rm")}
    )
    routes = routes.including("other", ["rm"], claims=True).including("gone", [], claims=False)

    assert target_of(routes.without("gone"), name, claims).known_as == known_as


def test_gates_are_asked_again_if_another_plugin_takes_the_call():
    routes = Routes({"a": ("x",), "b": ("x",)}, ("a", "b"))

    first, second = target_of(routes, "x", {"a": True}), target_of(routes, "x", {"b": True})

    assert first.names == second.names
    assert first.covers(first)
    assert not first.covers(second)


@given(
    st.sampled_from([None, "note", "write", "run", "?"]), CLAIMS, st.sampled_from(["files", "shell", "plain"])
)
def test_who_was_not_foreseen_takes_a_call_by_its_name_alone(name, claims, gone):
    ahead = target_of(FOUR, name, claims)
    kept, later = only_for(claims, ahead.takers), FOUR.without(gone)

    assert choose(FOUR, name, kept) == choose(FOUR, name, claims)
    assert set(target_of(later, name, kept).takers) <= {*ahead.takers, *later.by_name.get(name, ())}


def test_two_plugins_without_claims_cannot_offer_one_name():
    routes = Routes({"a": ("x",)})

    with pytest.raises(NameTaken, match=r"'b' offers the tool 'x', which 'a' offers already") as refusal:
        routes.check("b", ["x"], claims=False)

    assert refusal.value.tool == "x"


def test_a_claim_lets_plugins_share_a_name():
    Routes({"a": ("x",)}, ("a",)).check("b", ["x"], claims=False)
    Routes({"a": ("x",)}).check("b", ["x"], claims=True)


SCOPED = (
    Routes()
    .including("curious", ["mine", "both"], claims=True, scope="own")
    .including("nosy", ["both", "sniff"], claims=True)
    .including("plain", ["note"], claims=False, scope="own")
)


@pytest.mark.parametrize(
    ("name", "asked"),
    [
        ("mine", ("curious", "nosy")),
        ("nobody", ("curious", "nosy")),
        (None, ("curious", "nosy")),
        ("both", ("nosy",)),
        ("sniff", ("nosy",)),
        ("note", ("nosy",)),
    ],
)
def test_a_plugin_is_asked_about_its_own_calls_alone_or_about_all(name, asked):
    assert SCOPED.asked(name) == asked


@pytest.mark.parametrize(("name", "choice"), [("note", Taken("plain")), ("new", Taken("curious"))])
def test_a_claim_counts_for_nothing_once_another_plugin_offers_the_name(name, choice):
    assert choose(SCOPED, name, {"curious": True}) == choice


@pytest.mark.parametrize(
    ("claims", "scope", "name", "meant"),
    [(True, "own", "note", "b"), (False, "all", "mine", "curious"), (True, "own", "mine", "b")],
)
def test_no_claim_tells_calls_apart_of_a_plugin_that_is_not_asked_about_them(claims, scope, name, meant):
    with pytest.raises(NameTaken, match=f'"claims": "all" in the entry of {meant!r}'):
        SCOPED.check("b", [name], claims=claims, scope=scope)


def test_it_may_have_what_another_plugin_leaves_of_a_name_that_both_offer():
    SCOPED.without("curious").check("curious", ["both"], claims=True, scope="own")
    SCOPED.without("nosy").check("nosy", ["both"], claims=True)


def test_a_plugin_cannot_offer_one_name_twice():
    with pytest.raises(NameTaken, match="twice"):
        Routes().check("a", ["x", "x"], claims=True)


def test_a_plugin_may_replace_its_own_names():
    routes = Routes({"a": ("x",)})
    routes.check("a", ["x", "y"], claims=False)

    assert routes.including("a", ["x", "y"], claims=False).by_name == {"x": ("a",), "y": ("a",)}


def test_a_plugin_that_was_taken_off_is_not_routed_to():
    assert choose(TWO.without("a"), "shared", {}) == Taken("b")
    assert choose(TWO.without("a"), "x", {"a": True}) == NoTool()


CHANGES = st.lists(
    st.tuples(
        st.sampled_from("abcd"),
        st.none() | st.lists(st.sampled_from("xyz"), unique=True),
        st.booleans(),
        st.sampled_from(["all", "own"]),
    )
)


@given(CHANGES)
def test_routes_that_have_changed_are_those_that_would_be_made_anew(changes):
    routes = Routes()
    for plugin, names, claims, scope in changes:
        before = (dict(routes.tools), dict(routes.by_name))
        later = (
            routes.without(plugin)
            if names is None
            else routes.including(plugin, names, claims=claims, scope=scope)
        )
        assert (routes.tools, routes.by_name) == before
        routes = later

        assert routes == Routes(routes.tools, routes.claimers, own=routes.own)
        assert (plugin in routes.own) == (names is not None and claims and scope == "own")
        assert list(routes.claimers).count(plugin) == (names is not None and claims)


def test_an_id_that_is_made_up_for_a_call_is_no_id_of_a_callers_nor_of_another_boards():
    parsers = [CallParser(Catalog(()), ManualClock()) for _ in range(2)]
    calls = [
        parser.read({"name": "f", "arguments": {}}, context=None, streaming=False)
        for parser in parsers
        for _ in range(2)
    ]
    ids = {call.id for call in calls}

    assert len(ids) == 4
    assert ids.isdisjoint({"call_0", "call_1", "call_2"})
