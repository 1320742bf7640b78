"""What holds in every test."""

from __future__ import annotations

import pytest
from callboard.plugins.json_values import dump_json
from callboard.supervision.event_kinds import faults_of
from callboard.supervision.events import EventStream
from hypothesis import settings

settings.register_profile("usual", max_examples=35)
settings.register_profile("thorough", max_examples=1000)  # make test ARGS="--hypothesis-profile thorough"
settings.load_profile("usual")


@pytest.fixture(autouse=True)
def every_event_keeps_its_contract(monkeypatch):
    """Whatever a test makes the house publish, heard by anybody or not, has the facts of its kind."""
    faults = []
    publish = EventStream.publish

    def judged(self, kind, subject, **facts):
        faults.extend(faults_of(kind, facts))
        dump_json(facts)
        publish(self, kind, subject, **facts)

    monkeypatch.setattr(EventStream, "publish", judged)
    yield
    assert faults == [], "supervision/event_kinds.py says what an event carries"
