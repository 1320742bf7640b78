"""Tags and a plugin's own word decide whether it is enabled, and say why not."""

from __future__ import annotations

import pytest
from callboard.plugins.adapter.enablement import tags_in_force, tags_refuse
from hypothesis import given
from hypothesis import strategies as st
from plugin_tools import adapted

TAGS = st.lists(st.sampled_from("abcd"), max_size=4)

REFUSED = {
    "nothing asked": ((), (), (), None),
    "there": (("a",), ("a",), (), None),
    "lacking": (("a",), ("a", "b"), (), "it requires the tag 'b', which is not in force"),
    "several lacking": ((), ("a", "b"), (), "it requires the tags 'a', 'b', which are not in force"),
    "forbidden": (("a",), (), ("a",), "it forbids the tag 'a', which is in force"),
    "forbidden, not there": ((), (), ("a",), None),
    "both": (("a",), ("b",), ("a",), "it requires the tag 'b', which is not in force"),
}


@pytest.mark.parametrize(("tags", "required", "forbidden", "why"), REFUSED.values(), ids=REFUSED)
def test_tags_rule_a_plugin_out_with_a_reason(tags, required, forbidden, why):
    assert tags_refuse(tags, required=required, forbidden=forbidden) == why


@given(TAGS, TAGS, TAGS)
def test_a_plugin_is_allowed_where_all_it_requires_and_nothing_it_forbids_is_in_force(
    tags, required, forbidden
):
    why = tags_refuse(tags, required=required, forbidden=forbidden)

    assert (why is None) == (set(required) <= set(tags) and not set(forbidden) & set(tags))


@given(TAGS, st.lists(TAGS, max_size=3))
def test_tags_in_force_are_each_there_once_and_in_order_of_their_first_mention(tags, added):
    mentioned = [*tags, *(tag for more in added for tag in more)]

    in_force = tags_in_force(tags, *added)

    assert sorted(in_force) == sorted(set(mentioned))
    assert [mentioned.index(tag) for tag in in_force] == sorted(mentioned.index(tag) for tag in in_force)


@pytest.mark.parametrize(
    ("word", "tags", "why"),
    [
        (True, [], None),
        (False, ["needed"], "its is_enabled said no"),
        (None, ["needed"], None),
        (None, [], "it requires the tag 'needed', which is not in force"),
    ],
)
def test_a_plugins_own_word_beats_the_tags_and_without_one_they_decide(word, tags, why):
    adapter = adapted(is_enabled=lambda config, tags, models, context: word, required_tags=lambda: ["needed"])

    assert adapter.refusal({}, tags, [], {}) == why
    assert adapter.is_enabled({}, tags, [], {}) is (why is None)
