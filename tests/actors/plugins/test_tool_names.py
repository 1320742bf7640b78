"""A name that was given out stays with its tool."""

from __future__ import annotations

from callboard.actors.plugins.tool_names import MOST_KEPT, ToolNames
from hypothesis import given
from hypothesis import strategies as st


def free(_name):
    return False


def with_prefix(plugin):
    return lambda name: f"{plugin}__{name}"


def without(_name):
    return None


def test_a_tool_keeps_its_own_name_while_no_other_has_it():
    assert ToolNames().assign("a", ["read"], with_prefix("a"), free) == {"read": "read"}


def test_a_tool_whose_name_was_given_to_another_plugin_is_offered_apart_also_when_that_is_gone():
    names = ToolNames()
    names.keep("a", {"read": "read"})

    assert names.assign("b", ["read", "write"], with_prefix("b"), free) == {
        "read": "b__read",
        "write": "write",
    }


def test_a_plugin_that_comes_back_has_its_names():
    names = ToolNames()
    names.keep("a", {"read": "read"})
    names.keep("b", {"read": "b__read"})

    assert names.assign("a", ["read"], with_prefix("a"), free) == {"read": "read"}
    assert names.assign("b", ["read"], with_prefix("b"), free) == {"read": "b__read"}


def test_a_name_that_another_plugin_offers_now_is_given_apart_though_nothing_is_kept():
    assert ToolNames().assign("b", ["read"], with_prefix("b"), lambda name: name == "read") == {
        "read": "b__read"
    }


def test_a_plugin_that_gives_way_to_none_wants_its_own_name():
    names = ToolNames()
    names.keep("a", {"read": "read"})

    assert names.assign("b", ["read"], without, free) == {"read": "read"}


def test_a_plugin_that_invents_names_without_end_keeps_its_first_ones():
    names = ToolNames()
    for number in range(MOST_KEPT + 2):
        names.keep("a", {f"t{number}": f"t{number}"})

    last = f"t{MOST_KEPT + 1}"
    assert (names.kept("a", "t0"), names.kept("a", last)) == ("t0", None)
    assert names.assign("b", ["t0", last], with_prefix("b"), free) == {"t0": "b__t0", last: last}


tools = st.lists(st.sampled_from("rst"), unique=True, max_size=3)
listings = st.lists(st.tuples(st.sampled_from("abc"), tools), max_size=12)


@given(listings)
def test_no_name_ever_stands_for_two_tools(history):
    names, stood_for = ToolNames(), {}
    for plugin, own in history:
        given_names = names.assign(plugin, own, with_prefix(plugin), free)
        names.keep(plugin, given_names)
        for tool, name in given_names.items():
            assert stood_for.setdefault(name, (plugin, tool)) == (plugin, tool)
