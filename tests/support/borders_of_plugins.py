"""The borders of formats, logs and plugins; see `foreign_borders`."""

from __future__ import annotations

import asyncio
import logging
import threading
from contextlib import contextmanager

from boards import add_node
from callboard.actors.messages import Dispatch
from callboard.base.errors import PluginError
from callboard.interop.registry.contribution import ToolInteropContribution
from callboard.plugins.adapter.adapter import PluginAdapter
from foreign_scene import (
    PATIENCE,
    EveryPlugin,
    Raises,
    a_board,
    answers,
    border,
    elsewhere,
    other_tool_works,
    refusal_of,
)
from tools import a_tool, count, tool_call

# What reads and writes wire formats


class _Accessor:
    format = "odd"
    stands_for = "odd"

    def __init__(self, raising):
        self.matches = self.inspect = self.sanitize = raising


@border("an interop contribution")
def contribution(kind):
    raising = Raises(kind, 0, False)
    accessor = _Accessor(raising)
    brought = ToolInteropContribution(schema_accessors=(accessor,), call_accessors=(accessor,))
    with a_board(contributions=[brought]) as board:
        board.add(a_tool(count), config={})
        raising.left = 1
        assert elsewhere(lambda: board.submit(tool_call("tool")).result(PATIENCE))["code"] == "invalid_call"
        assert answers(board)
        raising.left = 1_000_000
        assert isinstance(elsewhere(lambda: refusal_of(lambda: add_node(board))), PluginError)
        raising.left = 0
        assert answers(board)


@border("an interop contribution, asked by the router actor")
def contribution_in_the_router(kind):

    raising = Raises(kind, 0, False)
    brought = ToolInteropContribution(call_accessors=(_Accessor(raising),))
    with a_board(contributions=[brought]) as board:
        board.add(a_tool(count), config={})
        raising.left = 1
        call = board.router.ask(Dispatch(tool_call("tool")), timeout=PATIENCE)
        assert call.result(PATIENCE)["code"] == "invalid_call"
        call = board.router.ask(Dispatch(tool_call("tool")), timeout=PATIENCE)
        assert call.result(PATIENCE)["success"]


# What handles the log


class _Handler(logging.Handler):
    def __init__(self, raising):
        super().__init__(logging.DEBUG)
        self.emit = raising


@contextmanager
def _logging(handler=None, log_filter=None):
    loggers = [logging.getLogger(name) for name in ("callboard", "callboard.actors", "pykka")]
    before = loggers[0].level, loggers[2].level
    for logger in loggers:
        if handler is not None:
            logger.addHandler(handler)
        if log_filter is not None:
            logger.addFilter(log_filter)
    loggers[0].setLevel(logging.DEBUG)
    loggers[2].setLevel(logging.DEBUG)
    try:
        yield
    finally:
        loggers[0].setLevel(before[0])
        loggers[2].setLevel(before[1])
        for logger in loggers:
            logger.removeHandler(handler)
            logger.removeFilter(log_filter)


def _all_that_logs():
    """A plugin in a thread and one in a host, with all that has something logged: a callback, a subscriber, a crash."""
    with a_board() as board:
        board.subscribe(Raises(ValueError))
        board.add(a_tool(count), config={})
        add_node(board)
        for name in ("tool", "moody"):
            call = board.submit(tool_call(name))
            told = threading.Event()
            call.add_done_callback(Raises(ValueError))
            call.add_done_callback(told.set)
            assert told.wait(PATIENCE)
            assert call.result(PATIENCE)["success"]
        assert board.submit(tool_call("moody", do="crash")).result(PATIENCE)["code"] == "host_crashed"
        assert answers(board, "moody")
    return True


@border("a handler of the log")
def log_handler(kind):
    with _logging(handler=_Handler(Raises(kind))):
        assert elsewhere(_all_that_logs)


@border("a filter of the log")
def log_filter(kind):
    with _logging(log_filter=Raises(kind)):
        assert elsewhere(_all_that_logs)


# Of plugins in this process


@border("a plugin's tool, plain, streaming and asynchronous")
def plugin_tools(kind):
    async def asynchronous(tool_name, payload, state):
        await asyncio.sleep(0)
        raise kind("raised on purpose")

    def stream(tool_name, payload, state):
        yield {"part": 1}
        raise kind("raised on purpose")

    async def stream_async(tool_name, payload, state):
        yield {"part": 1}
        raise kind("raised on purpose")

    for hook, method in {
        "execute_tool": Raises(kind),
        "execute_tool_async": asynchronous,
        "stream_tool": stream,
        "stream_tool_async": stream_async,
    }.items():
        with a_board() as board:
            plugin = EveryPlugin(**{"execute_tool": None, hook: method})
            board.add(PluginAdapter(plugin), config={})
            for _ in range(2):
                result = board.submit(tool_call("tool"), deadline=PATIENCE).result(PATIENCE)
                assert result["code"] == "tool_raised"
            other_tool_works(board)
            board.remove("tool")


@border("a plugin's state and its answer, as they are read")
def hostile_values(kind):
    class Hostile(dict):
        def items(self):
            raise kind("raised on purpose")

        __iter__ = keys = items

        def __eq__(self, other):
            raise kind("raised on purpose")

        __hash__ = None

    class Error(Exception):
        def __str__(self):
            raise kind("raised on purpose")

        __repr__ = __str__

    def tool(arguments, state):
        match arguments.get("do"):
            case "state":
                state["x"] = Hostile({1: None})
            case "answer":
                return Hostile(success=True, x=Hostile({1: None}))
            case "error":
                raise Error
        return count(arguments, state)

    with a_board() as board:
        board.add(a_tool(tool), config={})
        codes = [
            board.submit(tool_call("tool", do=do), deadline=PATIENCE).result(PATIENCE).get("code")
            for do in ("state", "answer", "error")
        ]
        assert codes[2] == "tool_raised"
        assert set(codes[:2]) <= {"invalid_result", "tool_raised"}
        assert answers(board)


@border("a plugin's constructor, `init`, `get_tool_schemas` and `prepare`")
def plugin_beginnings(kind):
    async def asynchronous(config, state):
        raise kind("raised on purpose")

    for hooks in (
        {"init": Raises(kind)},
        {"get_tool_schemas": Raises(kind)},
        {"get_tool_interop_contribution": Raises(kind)},
        {"get_config_schema": Raises(kind)},
        {"prepare": Raises(kind)},
        {"prepare_async": asynchronous},
    ):
        with a_board() as board:
            refusal = refusal_of(lambda: board.add(PluginAdapter(EveryPlugin(**hooks)), config={}))  # noqa: B023 - called in this turn of the loop
            assert isinstance(refusal, PluginError), (hooks, refusal)
            other_tool_works(board)


@border("a plugin's claim, previews, formatting, tags and user interface")
def plugin_hooks(kind):
    def claim(tool_name, payload, state):
        raise kind("raised on purpose")

    def result(result, state):
        raise kind("raised on purpose")

    raising = Raises(kind)
    plugin = EveryPlugin(
        can_handle_tool_call=claim,
        format_tool_result=result,
        format_tool_call_preview=claim,
        to_display_format=lambda text, result, state: raising(),
        get_ui_elements=raising,
        get_tags=lambda config, models: raising(),
        required_tags=raising,
        is_enabled=lambda config, tags, models, context: raising(),
    )
    with a_board() as board:
        adapter = PluginAdapter(plugin)
        board.add(adapter, config={})
        assert answers(board)
        assert board.queries.ui_elements() == {}
        done = {"success": True, "result": 1}
        shown = [
            elsewhere(lambda: adapter.format_result(done, {})),
            elsewhere(lambda: adapter.display("1", done, {})),
        ]
        assert shown == ["1", {"type": "text", "content": "1"}]
        assert isinstance(elsewhere(lambda: refusal_of(lambda: adapter.get_tags({}, []))), PluginError)
