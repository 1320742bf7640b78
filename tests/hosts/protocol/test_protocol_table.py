from __future__ import annotations

import pytest
from callboard.hosts.hosted_tool import HostedToolPlugin
from callboard.hosts.process.stop_ladder import KILL_NOW, Rung, StopLadder
from callboard.hosts.protocol.description import FEATURES
from callboard.hosts.protocol.methods import METHODS


def test_the_required_methods_are_those_of_the_protocol():
    assert [name for name, method in METHODS.items() if method.required] == [
        "init",
        "get_tool_schemas",
        "execute_tool",
    ]


def test_only_a_call_and_a_preparation_have_no_time_of_their_own():
    assert [name for name, method in METHODS.items() if method.timeout is None] == ["execute_tool", "prepare"]


def test_beyond_version_1_a_method_goes_by_a_feature_that_this_client_knows():
    beyond = {name: method.feature for name, method in METHODS.items() if method.feature is not None}

    assert beyond == {
        "prepare": "prepare",
        "can_handle_tool_call": "can_handle",
        "is_enabled": "is_enabled",
        "shutdown": "shutdown",
    }
    assert set(beyond.values()) <= FEATURES


@pytest.mark.parametrize("name", METHODS)
def test_a_hosted_tool_offers_every_method_of_the_protocol(name):
    assert METHODS[name].name == name
    assert callable(getattr(HostedToolPlugin, name))


def test_the_ladder_asks_first_then_insists_then_makes_it_so():
    assert StopLadder(polite=2.0, firm=3.0).rungs() == (
        (0.0, Rung.CLOSE_STDIN),
        (2.0, Rung.TERMINATE),
        (5.0, Rung.KILL),
    )


def test_who_is_not_believed_any_more_is_not_waited_for():
    assert {when for when, _ in KILL_NOW.rungs()} == {0.0}
