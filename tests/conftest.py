"""What holds in every test."""

from __future__ import annotations

import gc
import signal

import pytest
from callboard.base.json import dump_json
from callboard.supervision.runtime.event_kinds import faults_of
from callboard.supervision.runtime.events import EventStream
from hypothesis import HealthCheck, settings
from thorough import RUN, THOROUGH

pytest_plugins = ["aftermath"]

# How long an example takes, to draw or to run, says how slow the machine is; a law is not broken by that.
PATIENT = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("quick", PATIENT, max_examples=4)
settings.register_profile("usual", PATIENT, max_examples=12)
settings.register_profile("thorough", PATIENT, max_examples=200)
settings.load_profile(RUN)


def pytest_configure() -> None:
    """Let interrupts through: a shell has its background jobs ignore them, and tests send some to this process."""
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave to `make test-thorough` what holds a rule at more cost than another test does."""
    # Those that ask the SDKs stand together, so that one process imports them and not each: it takes five seconds.
    items.sort(key=lambda item: not hasattr(getattr(item, "module", None), "sdks"))
    if THOROUGH:
        return
    left_out = [item for item in items if item.get_closest_marker("thorough")]
    if left_out:
        config.hook.pytest_deselected(items=left_out)
        items[:] = [item for item in items if not item.get_closest_marker("thorough")]


def pytest_collection_finish() -> None:
    """Keep the million objects of the collected tests out of every later search for garbage: each took a second."""
    gc.collect()
    gc.freeze()


@pytest.fixture(autouse=True)
def every_event_keeps_its_contract(monkeypatch):
    """Whatever a test makes Callboard publish, heard by anybody or not, has the facts of its kind."""
    faults = []
    publish = EventStream.publish

    def judged(self, kind, subject, **facts):
        faults.extend(faults_of(kind, facts))
        dump_json(facts)
        publish(self, kind, subject, **facts)

    monkeypatch.setattr(EventStream, "publish", judged)
    yield
    assert faults == [], "supervision/runtime/event_kinds.py says what an event carries"
