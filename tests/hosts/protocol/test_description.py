from __future__ import annotations

import pytest
from callboard.hosts.protocol.description import (
    FEATURES,
    PLAIN,
    Description,
    describe_params,
    read_description,
)

FULL = {
    "protocol": "thp/1",
    "host": {"name": "callboard-node", "version": "v20.1.0"},
    "features": ["plugins", "levitation"],
    "methods": ["init", "get_tags"],
}


def test_what_both_sides_know_is_in_force():
    assert read_description(FULL) == Description(
        "callboard-node v20.1.0", frozenset({"plugins"}), frozenset({"init", "get_tags"})
    )


@pytest.mark.parametrize("value", [None, [], "thp/1", 7])
def test_an_answer_that_is_no_description_means_version_1(value):
    assert read_description(value) == PLAIN


@pytest.mark.parametrize(
    "value", [{"features": "plugins"}, {"features": [1, None]}, {"host": "me", "methods": {"init": 1}}, {}]
)
def test_what_cannot_be_read_is_not_in_force(value):
    assert read_description(value) == PLAIN


def test_of_a_plugin_that_does_not_tell_its_methods_none_is_known():
    assert not read_description({"features": ["plugins"]}).offers("init")
    assert read_description(FULL).offers("get_tags")


def test_a_client_says_what_it_knows():
    assert describe_params()["features"] == sorted(FEATURES)
