"""What of a request's context a host is told, and how a proxy asks whether its plugin takes part."""

from __future__ import annotations

from types import SimpleNamespace

import pytest
from callboard.hosts.errors import HostGone
from callboard.hosts.hosted_tool import HostedToolPlugin
from callboard.hosts.protocol.context_filter import what_crosses
from callboard.hosts.protocol.description import PLAIN, read_description
from callboard.plugins.contract.context import application_context, core_context

KNOWS = {"features": ["is_enabled"], "methods": ["is_enabled"]}


class Answers:
    """As much of a host as is asked."""

    name = "t"

    def __init__(self):
        self.asked = []

    def send(self, method, params, owner):
        self.asked.append((method, params))
        owner.on_answer(False, None)
        return "request"


def test_of_a_context_crosses_what_is_json_key_by_key():
    config = {"model": "m", "models": ({"id": "m"},)}
    app = object()
    layer = core_context(app, config, extra={"flags": {"beta": True}, "half": {"a": 1, "b": app}, 3: "three"})
    context = application_context(layer, app=app, base_config={"secret": "s"}, session_asset_store=None)

    crossing = what_crosses(context)

    assert crossing == {
        "config": {"model": "m", "models": [{"id": "m"}]},
        "flags": {"beta": True},
        "session_asset_store": None,
        "trigger_source": "application",
    }
    assert crossing["flags"] is not layer["flags"]


@pytest.mark.parametrize(
    ("said", "asked"),
    [
        (KNOWS, True),
        (KNOWS | {"features": ["can_handle"]}, False),
        (KNOWS | {"methods": ["get_tags"]}, False),
        ({"features": ["is_enabled"]}, False),
        (None, False),
    ],
    ids=["says so", "another feature", "the plugin lacks it", "says nothing of the plugin", "version 1"],
)
def test_a_host_is_asked_only_for_what_it_has_said_that_it_knows(said, asked):
    description = PLAIN if said is None else read_description(said)
    plugin, host = HostedToolPlugin("t", SimpleNamespace), Answers()
    plugin.attach(host, description)
    plugin.shared_as = "loaded_plugin"

    word = plugin.is_enabled({"c": 1}, ["tag"], [{"id": "m"}], {"core": host, "own": 1})

    params = {"config": {"c": 1}, "tags": ["tag"], "models": [{"id": "m"}], "context": {"own": 1}}
    assert word is (False if asked else None)
    assert host.asked == ([("is_enabled", params | {"plugin": "loaded_plugin"})] if asked else [])


def test_a_host_that_is_down_is_not_waited_for():
    plugin = HostedToolPlugin("t", SimpleNamespace)
    plugin.attach(None)

    with pytest.raises(HostGone, match="the host of 't' is not running"):
        plugin.is_enabled({}, [], [], {})
