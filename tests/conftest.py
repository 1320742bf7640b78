"""What holds in every test."""

from __future__ import annotations

import gc
import os
import signal
import sys
from typing import TYPE_CHECKING

import pytest
from callboard.base.json import dump_json
from callboard.supervision.runtime.event_kinds import faults_of
from callboard.supervision.runtime.events import EventStream
from hypothesis import HealthCheck, settings
from outside_network import untried
from sdks import WHOLE_MODULE, missing_sdks
from thorough import RUN, THOROUGH

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

pytest_plugins = ["aftermath"]

# Containers and CI set it, users do not: it hides what Python's buffers hold back.
os.environ.pop("PYTHONUNBUFFERED", None)

MISSING_SDKS = missing_sdks()
UNTRIED = untried()

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
    """Leave out what holds a rule at more cost than another test does, and what needs an SDK that is not installed."""
    # Those that ask the SDKs stand together, so that one process imports them and not each: it takes five seconds.
    items.sort(key=lambda item: not hasattr(getattr(item, "module", None), "sdks"))
    marks = ([] if THOROUGH else ["thorough"]) + (["needs_sdk"] if MISSING_SDKS else []) + list(UNTRIED)
    kept = [item for item in items if not any(item.get_closest_marker(mark) for mark in marks)]
    if len(kept) < len(items):
        config.hook.pytest_deselected(items=[*set(items) - set(kept)])
        items[:] = kept


def pytest_ignore_collect(collection_path: Path) -> bool | None:
    """Leave out a module that imports SDKs, if one is not installed."""
    if MISSING_SDKS and collection_path.suffix == ".py" and WHOLE_MODULE in collection_path.read_text():
        return True
    return None


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Say what was not tried for want of an SDK or a program."""
    if MISSING_SDKS:
        terminalreporter.write_line(
            f"Not tried: the tests that are marked needs_sdk, because {', '.join(MISSING_SDKS)} of the extra sdk "
            f"{'is' if len(MISSING_SDKS) == 1 else 'are'} not installed."
        )
    for mark, why in UNTRIED.items():
        terminalreporter.write_line(f"Not tried: the tests that are marked {mark}, because {why}.")


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Iterator[None]:
    """Search for no garbage meanwhile: what is collected stays, and each search takes longer than the one before."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.enable()


def pytest_collection_finish() -> None:
    """Keep the million objects of the collected tests out of every later search for garbage: each took a second."""
    keep_out_of_searches()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item, nextitem: pytest.Item | None) -> Iterator[None]:
    """Do the same with what a file of tests has left for good: the trees of all sources are a million objects too."""
    handled = yield
    if (nextitem is None or nextitem.path != item.path) and sys.getallocatedblocks() > _kept + _MUCH:
        keep_out_of_searches()
    return handled


_MUCH = 100_000
"""Blocks of memory. It takes a search to keep them out of later ones."""

_kept = 0


def keep_out_of_searches() -> None:
    """Search once more, for garbage among all that is there, and never again among what is left."""
    global _kept  # noqa: PLW0603 - how much there is belongs to the process
    gc.collect()
    gc.freeze()
    _kept = sys.getallocatedblocks()


@pytest.fixture(autouse=True, scope="session")
def what_is_kept_of_users_is_left_alone(tmp_path_factory):
    """Boards keep what servers declare in the user's state folder."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_STATE_HOME", str(tmp_path_factory.mktemp("states")))
        yield


@pytest.fixture(autouse=True)
def every_event_keeps_its_contract(monkeypatch):
    """Whatever a test makes Callboard publish, heard by anybody or not, has the facts of its kind."""
    faults = []
    publish = EventStream.publish

    def judged(self, kind, subject, told=None, /, **facts):
        faults.extend(faults_of(kind, facts))
        dump_json(facts)
        publish(self, kind, subject, told, **facts)

    monkeypatch.setattr(EventStream, "publish", judged)
    yield
    assert faults == [], "supervision/runtime/event_kinds.py says what an event carries"
