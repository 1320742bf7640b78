"""Plugins that come, go and are reloaded under the same names in many threads: each is on the board, or refused as such."""

from __future__ import annotations

import json
import random
import threading
import time

import pytest
from boards import MOODY
from callboard import Callboard, PluginError, PluginLoadError
from callboard.actors.board import Board
from callboard.actors.hosting.reload_progress import ReloadRefused
from callboard.actors.hosting.settings import HostSettings
from callboard.hosts.errors import HostGone
from callboard.hosts.sharing import Sharing
from callboard.plugins.adapter.adapter import PluginAdapter
from callboard.supervision.errors import ChildExists, UnknownChild
from leaks import TEST_MARK, no_leaks
from memory_hosts import PATIENCE, MemoryHost
from thorough import times
from tools import schema, tool_call

NAMES = ("one", "two")


class Ending(MemoryHost):
    """A host whose generations take a moment to end, in a thread of their own, and load whatever they are told to."""

    def _carry(self, *given):
        generation = super()._carry(*given)
        end = generation.stop

        def stop_soon(reason, ladder):
            threading.Timer(0.01, end, (reason, ladder)).start()

        def write(data):
            if generation.ended:
                raise HostGone("it has ended", host=self.name)
            for line in data.splitlines():
                request = json.loads(line)
                plugin = request["params"].get("plugin", self.name)
                said = [schema(f"tool_of_{plugin}")] if request["method"] == "get_tool_schemas" else {}
                generation.answer(request, said)

        generation.stop, generation.write = stop_soon, write
        return generation


def a_plugin(name):
    """A plugin that can live alone, and with others."""
    plugin = Ending(name, ()).plugin
    plugin.sharing = lambda: Sharing({}, {"memory": name}, lambda host: Ending(host, ()).plugin)
    return plugin


class Hammer:
    """Threads that do jobs in turn for a while; what they raise is kept."""

    def __init__(self, seconds: float) -> None:
        self._until = time.monotonic() + seconds
        self.raised: list[tuple[str, BaseException]] = []
        self.done: dict[str, int] = {}

    def run(self, jobs, threads: int) -> None:
        """Each of ``jobs`` has a name; each thread draws from them."""
        workers = [threading.Thread(target=self._work, args=(jobs, seed)) for seed in range(threads)]
        for worker in workers:
            worker.start()
        for worker in workers:
            worker.join(3 * PATIENCE)
            assert not worker.is_alive()

    def _work(self, jobs, seed) -> None:
        chance = random.Random(seed)
        while time.monotonic() < self._until:
            name = chance.choice(sorted(jobs))
            try:
                jobs[name](chance.choice(NAMES))
                self.done[name] = self.done.get(name, 0) + 1
            except Exception as error:
                self.raised.append((name, error))

    def of(self, *jobs: str, besides: type[BaseException]) -> list[BaseException]:
        """What came out of these jobs that is none of that."""
        return [error for job, error in self.raised if job in jobs and not isinstance(error, besides)]

    def odd(self, *expected: type[BaseException]) -> list[str]:
        """What came out that is none of these."""
        return [f"{job}: {error!r}" for job, error in self.raised if not isinstance(error, expected)]


@pytest.mark.parametrize("options", [{}, {"share": "both"}], ids=["alone", "shared"])
def test_plugins_that_are_registered_and_removed_by_many_threads_are_there_or_refused(options):
    hammer = Hammer(times(0.7, 2.0))
    with Callboard() as board:

        def register(name):
            assert [tool.tool_name for tool in board.register(a_plugin(name), **options)] in (
                [f"tool_of_{name}"],
                [],  # taken off in this very moment
            )

        hammer.run(
            {
                "register": register,
                "register again": register,
                "remove": board.remove,
                "restart": board.restart,
            },
            threads=6,
        )
        for name in board.status()["plugins"]:
            board.remove(name)
        for name in NAMES:
            register(name)
        there = sorted(board.status()["plugins"])

    assert [error for _, error in hammer.raised if isinstance(error, ChildExists)] == []
    assert hammer.odd(PluginError, KeyError, UnknownChild) == []
    assert hammer.of("register", "register again", besides=PluginError) == []
    assert hammer.done["register"] > 1
    assert there == sorted(NAMES)


def test_plugins_that_are_loaded_reloaded_and_removed_by_many_threads_are_there_or_refused():
    hammer = Hammer(times(1.0, 4.0))
    with no_leaks(), Callboard() as board:

        def load(name):
            board.load(
                {"node_tool": {"file": str(MOODY), "id": name}}, config={"names": [name]}, env=TEST_MARK
            )

        hammer.run({"load": load, "remove": board.remove, "reload": board.reload}, threads=4)
        for name in board.status()["plugins"]:
            board.remove(name)
        load("one")
        answer = board.execute(tool_call("one"))

    assert hammer.odd(PluginError, KeyError, ReloadRefused) == []
    assert hammer.of("load", besides=PluginError) == []
    assert [error for _, error in hammer.raised if isinstance(error, ChildExists)] == []
    assert hammer.done["load"] > 1
    assert answer["success"]


def test_a_plugin_that_is_taken_off_while_it_is_awaited_is_refused_and_a_new_one_of_its_name_stays():
    with Board() as board:
        first, second = (PluginAdapter(a_plugin("one")) for _ in range(2))
        board.begin_hosted(first, first.plugin, host=HostSettings({}))
        board.remove("one")
        with pytest.raises(PluginLoadError):
            board.settle_hosted("one", required=True, adapter=first)
        board.begin_hosted(second, second.plugin, host=HostSettings({}))

        with pytest.raises(PluginLoadError):
            board.settle_hosted("one", required=True, adapter=first)
        board.discard("one", first)

        assert [tool.tool_name for tool in board.settle_hosted("one", required=True)] == ["tool_of_one"]


def test_a_host_that_was_stopped_and_is_taken_off_gives_its_name_free():
    with Board() as board:
        for verb in ("park", "stop"):
            adapter = PluginAdapter(a_plugin("one"))
            board.begin_hosted(adapter, adapter.plugin, host=HostSettings({}))
            board.settle_hosted("one", required=True)
            board.order(verb, "one")
            board.remove("one")

        board.begin_hosted(adapter, adapter.plugin, host=HostSettings({}))

        assert board.settle_hosted("one", required=True)


def test_a_host_that_does_not_end_keeps_its_name_and_the_next_one_is_refused_as_a_plugin(monkeypatch):
    monkeypatch.setattr("callboard.actors.board._LEAVING", 0.1)
    host = MemoryHost("one", ("tool",))
    carry = host.plugin.carry

    def linger(*given):
        generation = carry(*given)
        end, generation.stop = generation.stop, lambda *_: None
        lingering.append(lambda: end("at last", None))
        return generation

    lingering = []
    host.plugin.carry = linger
    with Board() as board:
        board.begin_hosted(PluginAdapter(host.plugin), host.plugin, host=HostSettings({}))
        board.settle_hosted("one", required=True)
        board.remove("one")

        with pytest.raises(PluginLoadError) as caught:
            board.begin_hosted(PluginAdapter(host.plugin), host.plugin, host=HostSettings({}))
        lingering[0]()

    assert caught.value.plugin == "one"
    assert not isinstance(caught.value, ChildExists)
