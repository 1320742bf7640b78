"""What holds in every test."""

from __future__ import annotations

import gc

import pytest
from callboard.base.json import dump_json
from callboard.supervision.runtime.event_kinds import faults_of
from callboard.supervision.runtime.events import EventStream
from hypothesis import HealthCheck, settings

pytest_plugins = ["aftermath"]

# How long an example takes, to draw or to run, says how slow the machine is; a law is not broken by that.
PATIENT = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("usual", PATIENT, max_examples=35)
# make test ARGS="--hypothesis-profile thorough"
settings.register_profile("thorough", PATIENT, max_examples=1000)
settings.load_profile("usual")


def pytest_collection_finish() -> None:
    """Keep the million objects of the collected tests out of every later search for garbage: each took a second."""
    gc.collect()
    gc.freeze()


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
    assert faults == [], "supervision/runtime/event_kinds.py says what an event carries"
