"""`assert_recovers`: kill every host of a board, and have its tools answer again in time."""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING, Any, Protocol

from ..actors.board import Board
from ..actors.hosted.hosted_plugin import HostedPlugin
from ..hosts.process_tree.tree_kill import kill
from ..plugins.results.failures import reported
from .expecting import ExpectedEvents
from .load.argument_generator import draw_arguments

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from ..actors.calls.stage import Result

Json = dict[str, Any]

_DOWN = frozenset({"host_crashed", "host_unavailable", "deadline_exceeded"})


class HasBoard(Protocol):
    """A `Callboard`, or whatever has a board behind its face."""

    @property
    def board(self) -> Board:
        """The board."""


def assert_recovers(
    board: Board | HasBoard,
    *,
    within: float = 10.0,
    calls: int | Iterable[Mapping[str, Any]] = 1,
    hosts: Iterable[str] | None = None,
    seed: int = 0,
) -> dict[str, float]:
    """Kill each host with SIGKILL; its tools have to answer again within so many seconds.

    For each host in turn: its calls are made, and have to succeed; its process is killed; the same
    calls are made again until they succeed. A call that the crash took along may say so. Nobody else
    may feel it: the hosts that were not killed keep their generation.

    Args:
        board: a running board with at least one host.
        within: seconds from the kill to the last of the answers, on the board's clock.
        calls: tool calls in any wire format; or how many are drawn from the schemas for each host.
        hosts: which of them; all when ``None``.
        seed: of what is drawn.

    Returns:
        How many seconds each host took.

    Raises:
        AssertionError: a tool did not answer before, or not again in time; tells what happened.
        ValueError: there is no host, or no call to one of them.
        CannotDraw: the schema of a tool is not simple enough to draw calls from it.
    """
    one = board if isinstance(board, Board) else board.board
    handles = {
        name: handle
        for name, handle in one.plugin_manager.handles().items()
        if isinstance(handle, HostedPlugin)
    }
    wanted = list(handles) if hosts is None else list(hosts)
    if not wanted:
        raise ValueError("the board has no host that could be killed")
    given = _by_host(one, calls, seed)
    events = ExpectedEvents(one)
    trial = _Trial(one, within, events)
    took = {}
    for name in wanted:
        if name not in handles:
            raise ValueError(f"there is no host {name!r}; there are: {', '.join(handles)}")
        if not given.get(name):
            raise ValueError(f"none of the calls is for {name!r}: give one with calls=, or name the hosts=")
        took[name] = trial.kill_and_see(name, handles[name], given[name])
    return took


def _by_host(board: Board, calls: int | Iterable[Mapping[str, Any]], seed: int) -> dict[str, list[Json]]:
    found: dict[str, list[Json]] = {}
    tools = board.tools()
    if isinstance(calls, int):
        chance = Random(seed)  # noqa: S311 - a game, no secret
        for tool in tools:
            mine = found.setdefault(tool.plugin_name, [])
            if len(mine) < calls:
                parameters = board.catalog.registry.inspect_schema(tool.schema).parameters
                for _ in range(calls - len(mine)):
                    arguments = draw_arguments(parameters, chance)
                    mine.append({"type": "function_call", "name": tool.tool_name, "arguments": arguments})
        return found
    places = {tool.tool_name: tool.plugin_name for tool in tools}
    for call in calls:
        name = board.catalog.registry.inspect_call(dict(call)).tool_name
        if name not in places:
            raise ValueError(f"a call is for {name!r}; the tools are: {', '.join(places)}")
        found.setdefault(places[name], []).append(dict(call))
    return found


class _Trial:
    """One board whose hosts are killed one after the other."""

    def __init__(self, board: Board, within: float, events: ExpectedEvents) -> None:
        self._board = board
        self._within = within
        self._events = events

    def kill_and_see(self, name: str, handle: HostedPlugin, calls: list[Json]) -> float:
        for call in calls:
            result = self._result(call, self._within)
            if not result.get("success"):
                raise self._failed(
                    f"{name!r} is to be killed, but does not answer while it lives: {_said(result)}"
                )
        before, began = _generations(self._board), self._board.clock.now()
        _kill(handle)
        for call in calls:
            self._until_answered(name, call, began)
        after = _generations(self._board)
        if after[name] == before[name]:
            raise self._failed(f"{name!r} was killed and is still generation {before[name]}")
        with_it = {
            other
            for other, one in self._board.plugin_manager.handles().items()
            if one.host_name == handle.host_name
        }
        if others := sorted({other for other in before if after.get(other) != before[other]} - with_it):
            raise self._failed(f"{name!r} was killed, and {', '.join(others)} started anew too")
        return self._board.clock.now() - began

    def _until_answered(self, name: str, call: Json, began: float) -> None:
        result: Result = {"success": False}
        while (left := began + self._within - self._board.clock.now()) > 0:
            result = self._result(call, left)
            if result.get("success"):
                return
            if result.get("code") not in _DOWN:
                break
            self._events.wait(lambda: _state(self._board, name) == "ready", left)
        took = self._board.clock.now() - began
        raise self._failed(
            f"{name!r} was killed and did not answer again: {_said(result)} "
            f"({took:.2f} s after the kill; {self._within:g} s were allowed)"
        )

    def _result(self, call: Json, within: float) -> Result:
        handle = self._board.submit(call, deadline=within)
        # Its deadline ends it; what is above that is for a machine that is slow.
        return handle.result(timeout=within + 5.0)

    def _failed(self, why: str) -> AssertionError:
        self._events.settle()
        return AssertionError(f"{why}\n{self._events.text()}")


def _kill(handle: HostedPlugin) -> None:
    plugin = handle.plugin
    if plugin.host is not None:
        kill(plugin.host.pid)


def _generations(board: Board) -> dict[str, int]:
    plugins = board.status()["plugins"]
    return {name: plugin["host"]["generation"] for name, plugin in plugins.items() if "host" in plugin}


def _state(board: Board, name: str) -> str:
    return str(board.status()["plugins"][name]["host"]["state"])


def _said(result: Result) -> str:
    code = "" if reported(result) is None else f" ({result['code']})"
    return f"{result.get('error', 'it was never called')}{code}"
