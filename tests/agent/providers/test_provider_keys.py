"""Keys: where they come from, and where they never go."""

from __future__ import annotations

import importlib.util
import logging
import sys
import traceback

import pytest
from callboard.agent.errors import ProviderError
from callboard.agent.providers import http
from callboard.agent.replay.faults import Fault
from callboard.agent.replay.server import ReplayServer
from providers import SCRIPT, STACKS, Asked, kinds, user

WEATHER = user("How is the weather?")
KEY = "sk-a-very-secret-key"


@pytest.fixture
def server():
    with ReplayServer(SCRIPT) as server:
        yield server


def test_a_key_comes_from_the_environment_and_is_told_to_nobody_but_the_provider(monkeypatch, caplog):
    caplog.set_level(logging.DEBUG)
    monkeypatch.setenv("THE_KEY", KEY)
    seen = []
    with ReplayServer(SCRIPT, key=KEY) as server:
        for name in STACKS:
            asked = Asked(name, server.url, api_key_env="THE_KEY")
            seen += [asked.events(WEATHER), repr(asked.provider), asked.state_and_context()[0]]
            server.next(Fault(status=400, error=f"what is {KEY}?"), Fault(status=500, error=KEY))
            seen += [asked.events(WEATHER), asked.events(WEATHER)]
            asked.provider.close()
        assert len(seen) == 20
        assert all("text" in kinds(events) for events in seen[::5])
        seen.append(server.requests)
        monkeypatch.setenv("THE_KEY", "sk-another-secret-key")
        refused = Asked("chat", server.url, api_key_env="THE_KEY")
        seen.append(refused.events(WEATHER))
        state, context = refused.state_and_context()
        native, state = refused.stack.initialize_request([], state, context)
        with pytest.raises(ProviderError) as caught:
            list(refused.provider.send_request_stream(native, state))
        seen.append(
            "".join(traceback.TracebackException.from_exception(caught.value, capture_locals=True).format())
        )
        refused.provider.close()

    told = repr(seen) + caplog.text
    assert seen[-2][0]["code"] == "unauthorized"
    assert "secret-key" not in told
    assert caught.value.__cause__ is caught.value.__context__ is None


def test_without_a_key_or_the_package_nothing_is_sent_and_the_remedy_is_told(server, monkeypatch):
    monkeypatch.delenv("THE_KEY", raising=False)
    asked = Asked("anthropic", server.url, api_key_env="THE_KEY")
    (missing,) = asked.events(WEATHER)
    monkeypatch.setenv("THE_KEY", "sk-1\nx")
    (broken,) = asked.events(WEATHER)
    monkeypatch.setattr(http, "httpx", None)
    (package,) = asked.events(WEATHER)

    assert (missing["code"], broken["code"], package["code"]) == (
        "missing_key",
        "missing_key",
        "missing_package",
    )
    assert "THE_KEY" in missing["error"]
    assert "run: pip install httpx" in package["error"]
    assert server.requests == []


def test_providers_are_imported_and_registered_without_the_package(monkeypatch):
    found = importlib.util.find_spec("callboard.agent.providers.http")
    fresh = importlib.util.module_from_spec(found)
    monkeypatch.setitem(sys.modules, "httpx", None)

    found.loader.exec_module(fresh)

    assert fresh.httpx is None
    assert fresh.HttpShell(fresh.KeyHeader("authorization"))
