"""All plugins are asked at the same time; what one does not answer costs the others nothing."""

from __future__ import annotations

import threading
from types import SimpleNamespace

import pytest
from callboard.actors.plugins.scatter_gather import ScatterGather
from callboard.actors.threads.hook_pool import HookPool
from callboard.base.errors import HookError, PluginError
from callboard.hosts.errors import HostGone, HostTimeout, RemoteError
from plugin_tools import adapted

PATIENCE = 20.0


class PluginHandle:
    """As much of one as is asked."""

    def __init__(self, name, **hooks):
        self.name = name
        self.endpoint = SimpleNamespace(adapter=adapted(**hooks))


@pytest.fixture
def scatter_gather():
    threads = HookPool()
    yield ScatterGather(threads)
    threads.close()


def required(scatter_gather, *handles, about=None, timeout=PATIENCE):
    return scatter_gather.ask(
        handles,
        "tags",
        lambda _, adapter: adapter.required_tags(),
        about=about,
        needs=("required_tags",),
        timeout=timeout,
    )


def test_plugins_are_asked_at_the_same_time_and_answer_in_their_own_order(scatter_gather):
    together = threading.Barrier(2)
    a = PluginHandle("a", required_tags=lambda: ["a"] if together.wait(PATIENCE) >= 0 else [])
    b = PluginHandle("b", required_tags=lambda: ["b"] if together.wait(PATIENCE) >= 0 else [])

    answers = required(scatter_gather, a, b)

    assert list(answers.items()) == [("a", ["a"]), ("b", ["b"])]


def test_one_that_offers_none_of_the_hooks_costs_no_thread(scatter_gather):
    threads = []

    scatter_gather.ask(
        [PluginHandle("silent")],
        "tags",
        lambda *_: threads.append(threading.current_thread()),
        needs=("get_tags",),
    )

    assert threads == [threading.current_thread()]


def test_one_that_raises_or_hangs_is_an_answer_that_says_so(scatter_gather):
    go = threading.Event()
    hangs = PluginHandle("hangs", required_tags=lambda: go.wait(PATIENCE) and [])
    raises = PluginHandle("raises", required_tags=lambda: 1 / 0)

    answers = required(
        scatter_gather, hangs, raises, PluginHandle("works", required_tags=lambda: ["t"]), timeout=0.1
    )

    assert "did not return within 0.1 s" in str(answers["hangs"])
    assert isinstance(answers["raises"], HookError)
    assert answers["works"] == ["t"]
    go.set()


@pytest.mark.parametrize(
    ("error", "about", "holds"),
    [
        (HostGone("gone", host="h"), "this", True),
        (HostGone("gone", host="h"), "that", False),
        (RemoteError({"type": "Error"}, host="h"), "this", False),
        (HostTimeout(host="h", method="m", seconds=1), "this", False),
    ],
    ids=["host down", "host down, another question", "the plugin raised", "the plugin hangs"],
)
def test_the_last_answer_of_a_host_holds_while_it_is_being_started_again(scatter_gather, error, about, holds):
    answers = [["first"], error]

    def required_tags():
        answer = answers.pop(0)
        if isinstance(answer, Exception):
            raise answer
        return answer

    handle = PluginHandle("hosted", required_tags=required_tags)
    required(scatter_gather, handle, about="this")

    (again,) = required(scatter_gather, handle, about=about).values()

    assert (again == ["first"]) is holds
    assert holds or isinstance(again, PluginError)
