"""Each border where a board calls code that is not its own, as a scene: that code raises there, and what has to hold is asserted.

A border is a function of what is to be raised. It fails if a caller is not told, if the next call does not work, or if a
board is slow to stop because one of its threads has died.
"""

from __future__ import annotations

import asyncio
import logging
import threading
import time
from contextlib import contextmanager

from boards import MOODY, QUICK, Recorder, add_node
from callboard.actors.board import Board
from callboard.actors.breaker import BreakerPolicy
from callboard.actors.desk import ToolSettings
from callboard.actors.down import WhileDown
from callboard.actors.messages import Dispatch
from callboard.actors.state_store import MemoryStore
from callboard.hosts.host import Host
from callboard.hosts.node_tool import NodeToolPlugin
from callboard.hosts.tap import tapping
from callboard.interop.contribution import ToolInteropContribution
from callboard.plugins.adapter import PluginAdapter
from callboard.plugins.errors import PluginError
from callboard.supervision.clock import SystemClock
from leaks import TEST_MARK
from tools import a_tool, count, schema, tool_call

PATIENCE = 20.0
STOPS_WITHIN = 5.0
"""Seconds; a board that waits for a dead thread takes ten."""


class Strange(BaseException):
    """What somebody has derived from `BaseException`."""


KINDS = {
    "SystemExit": SystemExit,
    "KeyboardInterrupt": KeyboardInterrupt,
    "CancelledError": asyncio.CancelledError,
    "GeneratorExit": GeneratorExit,
    "Strange": Strange,
}

BORDERS = {}
"""By the words of the page that lists them, ``docs/design/foreign-code.md``."""


def border(words):
    def noted(scene):
        assert words not in BORDERS, words
        BORDERS[words] = scene
        return scene

    return noted


class Raises:
    """A callable that raises, and counts that it did; ``times`` at most, and answers after that."""

    def __init__(self, kind, times=1_000_000, answer=None):
        self.kind = kind
        self.left = times
        self.answer = answer
        self.called = threading.Event()

    def __call__(self, *_args, **_kwargs):
        self.called.set()
        if self.left > 0:
            self.left -= 1
            raise self.kind("raised on purpose")
        return self.answer


@contextmanager
def a_board(**options):
    """A board that has to stop quickly, and to say of nobody that it is available who is not."""
    board = Board(**options)
    try:
        yield board
        for name, status in board.status()["plugins"].items():
            if status["available"]:
                assert answers(board, name), f"{name} is said to be available"
    finally:
        began = time.monotonic()
        board.stop()
        took = time.monotonic() - began
    assert took < STOPS_WITHIN


def answers(board, name="tool", **arguments):
    """Whether a call of this tool works; a caller that is not told fails the test by its patience."""
    return elsewhere(lambda: board.submit(tool_call(name, **arguments)).result(PATIENCE))["success"]


def elsewhere(function):
    """What a function returns in a thread that is not the main one, where an interrupt would be the program's."""
    returned = []
    thread = threading.Thread(target=lambda: returned.append(function()), daemon=True)
    thread.start()
    thread.join(PATIENCE * 2)
    assert returned, "it did not return"
    return returned[0]


def gated(board, name="tool", **settings):
    """A counting tool that waits for the returned event in each call."""
    go = threading.Event()

    def tool(arguments, state):
        go.wait(PATIENCE)
        return count(arguments, state)

    board.add(a_tool(tool, name), config={}, settings=ToolSettings(**settings))
    return go


class EveryPlugin:
    """Offers one tool and the given hooks."""

    name = "tool"

    def __init__(self, **hooks):
        vars(self).update(hooks)

    def init(self, config):
        return {"count": 0}

    def get_tool_schemas(self, state):
        return [schema("tool")]

    def execute_tool(self, tool_name, payload, state):
        return count(payload, state)


def _other_tool_works(board):
    board.add(a_tool(count, "other"), config={})
    assert answers(board, "other")


# Of a call


@border("`Call.add_done_callback`, of a tool in a thread")
def done_callback(kind):
    with a_board() as board:
        go, told = gated(board), threading.Event()
        call = board.submit(tool_call("tool"))
        call.add_done_callback(Raises(kind))
        call.add_done_callback(told.set)
        go.set()
        assert told.wait(PATIENCE)
        assert call.result(PATIENCE)["success"]


@border("`Call.add_done_callback`, of a tool in a host")
def done_callback_of_a_host(kind):
    with a_board() as board:
        add_node(board)
        pid = board.submit(tool_call("moody")).result(PATIENCE)["result"]["pid"]
        told = threading.Event()
        call = board.submit(tool_call("moody", do="wait", ms=50))
        call.add_done_callback(Raises(kind))
        call.add_done_callback(told.set)
        assert told.wait(PATIENCE)
        assert board.submit(tool_call("moody")).result(PATIENCE)["result"]["pid"] == pid


@border("a callback of `Call.future`")
def future_callback(kind):
    with a_board() as board:
        go, told = gated(board), threading.Event()
        call = board.submit(tool_call("tool"))
        call.future.add_done_callback(Raises(kind))
        call.future.add_done_callback(lambda _: told.set())
        go.set()
        assert told.wait(PATIENCE)
        assert call.future.result(PATIENCE)["success"]


@border("the event loop of a caller that awaits")
def loop_of_the_caller(kind):
    class Broken(asyncio.SelectorEventLoop):
        broken = False

        def call_soon_threadsafe(self, *args, **kwargs):
            if self.broken:
                self.broken = False
                raise kind("raised on purpose")
            return super().call_soon_threadsafe(*args, **kwargs)

    with a_board() as board:
        go, told = gated(board), threading.Event()
        call = board.submit(tool_call("tool"))
        loop = Broken()

        async def wait():
            loop.broken = True
            waiting = asyncio.ensure_future(_awaited(call))
            await asyncio.sleep(0)
            call.add_done_callback(told.set)
            go.set()
            await asyncio.get_running_loop().run_in_executor(None, told.wait, PATIENCE)
            waiting.cancel()

        loop.run_until_complete(wait())
        loop.close()
        assert call.result(PATIENCE)["success"]


async def _awaited(call):
    return await call


# Of a board


@border("a subscriber")
def subscriber(kind):
    with a_board() as board:
        raising = Raises(kind)
        board.subscribe(raising)
        recorder = Recorder(board)
        board.add(a_tool(count), config={})
        assert raising.called.wait(PATIENCE)
        assert answers(board)
        recorder.wait("call_ended")
        assert board.events.settle(PATIENCE)


@border("`StateStore.save`, of a tool in a thread")
def store_save(kind):
    store = MemoryStore()
    save, store.save = store.save, Raises(kind, 1)
    with a_board(state_store=store) as board:
        board.add(a_tool(count), config={})
        first = board.submit(tool_call("tool")).result(PATIENCE)
        store.save = save
        second = board.submit(tool_call("tool")).result(PATIENCE)
    assert (first["result"], first["state_saved"], second) == (1, False, {"success": True, "result": 2})


@border("`StateStore.save`, of a tool in a host")
def store_save_of_a_host(kind):
    store = MemoryStore()
    store.save = Raises(kind)
    with a_board(state_store=store) as board:
        add_node(board)
        for number in (1, 2):
            result = board.submit(tool_call("moody")).result(PATIENCE)
            assert (result["result"]["count"], result["state_saved"]) == (number, False)


@border("`StateStore.load`")
def store_load(kind):
    store = MemoryStore()
    load, store.load = store.load, Raises(kind)
    with a_board(state_store=store) as board:
        refusals = elsewhere(lambda: [_refusal(lambda: add_node(board)), _refusal(lambda: _add(board))])
        store.load = load
        elsewhere(lambda: add_node(board))
        assert answers(board, "moody")
        elsewhere(lambda: _add(board))
        assert answers(board)
    assert [isinstance(refusal, BaseException) for refusal in refusals] == [True, True]


def _add(board):
    board.add(a_tool(count), config={})
    return True


def _refusal(function):
    try:
        return function()
    except BaseException as error:
        return error


@border("`StateStore.attach`, `status` and `forget`")
def store_others(kind):
    store = MemoryStore()
    store.attach = store.status = store.forget = Raises(kind)

    def scene():
        with a_board(state_store=store) as board:
            board.add(a_tool(count), config={})
            status = board.status()["state_store"]
            _refusal(lambda: board.remove("tool", forget_state=True))
            _other_tool_works(board)
            return status

    assert "failing" in elsewhere(scene)


@border("a hook of calls")
def call_hook(kind):
    with a_board() as board:
        board.add(a_tool(count), config={})
        raising = Raises(kind, 1)
        board.hook("tool:pre", raising)
        board.hook("tool:post", Raises(kind), observes=True)
        board.hook("tool:error", Raises(kind))
        assert board.submit(tool_call("tool")).result(PATIENCE)["code"] == "denied"
        assert answers(board)


@border("an answer of a hook, as it is read")
def hook_answer(kind):
    class Answer:
        @property
        def action(self):
            raise kind("raised on purpose")

    with a_board() as board:
        board.add(a_tool(count), config={})
        with board.hook("tool:pre", lambda *_: Answer()):
            assert board.submit(tool_call("tool")).result(PATIENCE)["code"] == "denied"


@border("an approver")
def approver(kind):
    class Person:
        ask = withdraw = Raises(kind, 1, True)

    with a_board() as board:
        board.add(a_tool(count), config={})
        board.approver = Person()
        board.hook("tool:pre", lambda *_: {"action": "ask_user"})
        assert board.submit(tool_call("tool")).result(PATIENCE)["code"] == "denied"
        assert answers(board)


@border("`is_failure` of a breaker")
def is_failure(kind):
    with a_board() as board:
        breaker = BreakerPolicy(is_failure=Raises(kind))
        board.add(a_tool(count), config={}, settings=ToolSettings(breaker=breaker))
        assert answers(board)
        assert answers(board)


@border("`answer` of what stands in while a host is down")
def while_down(kind):
    with a_board() as board:
        stand_in = Raises(kind, 1, {"success": True, "result": "instead"})
        recorder = Recorder(board)
        add_node(board, policy=QUICK, while_down=WhileDown(answer=stand_in))
        board.order("park", "moody")
        recorder.wait("host_parked")
        results = [board.submit(tool_call("moody")).result(PATIENCE) for _ in range(2)]
        assert results[0]["code"] == "host_unavailable"
        board.order("revive", "moody")
        recorder.wait("host_ready", 2)


@border("a resource of the tool runtime, as it is closed")
def closing_a_resource(kind):
    class Resource:
        close = Raises(kind)

    closed = threading.Event()
    with a_board() as board:
        board.tool_runtime.get("first", object, close=lambda _: closed.set())
        board.tool_runtime.get("second", Resource)
    assert closed.is_set()


@border("a module that was mounted, in its loop")
def mounted_module(kind):
    class Shout:
        name = "shout"
        description = ""
        input_schema = {"type": "object"}  # noqa: RUF012

        async def execute(self, input):  # noqa: A002
            if input.get("rogue"):
                asyncio.get_running_loop().call_soon(Raises(kind))
                await asyncio.sleep(0)
            return {"success": True, "result": "!"}

    async def mount(coordinator, _config):
        await coordinator.mount("tools", Shout(), name="shout")
        return Raises(kind)

    with a_board() as board:
        board.mount(mount)
        board.submit(tool_call("shout", rogue=True)).result(PATIENCE)
        assert answers(board, "shout")


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
        assert isinstance(elsewhere(lambda: _refusal(lambda: add_node(board))), PluginError)
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
            _other_tool_works(board)
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
            refusal = _refusal(lambda: board.add(PluginAdapter(EveryPlugin(**hooks)), config={}))  # noqa: B023
            assert isinstance(refusal, PluginError), (hooks, refusal)
            _other_tool_works(board)


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
        assert board.ui_elements() == {}
        done = {"success": True, "result": 1}
        shown = [
            elsewhere(lambda: adapter.format_result(done, {})),
            elsewhere(lambda: adapter.display("1", done, {})),
        ]
        assert shown == ["1", {"type": "text", "content": "1"}]
        assert isinstance(elsewhere(lambda: _refusal(lambda: adapter.get_tags({}, []))), PluginError)


# What starts hosts, and listens to them


@border("what makes the command line of a host")
def host_command(kind):
    with a_board() as board:
        plugin = add_node(board)
        command, plugin.command = plugin.command, Raises(kind)
        board.order("restart", "moody")
        assert _until(lambda: board.status()["plugins"]["moody"]["host"]["state"] in {"backoff", "parked"})
        plugin.command = command
        board.order("revive", "moody")
        assert answers(board, "moody")


@border("a tap on a host")
def tap(kind):
    class Tap:
        sent = received = said = ended = Raises(kind)

    with a_board() as board:
        plugin = add_node(board)
        plugin.carry = tapping(lambda *_: Tap())
        board.order("restart", "moody")
        assert answers(board, "moody")
        assert (
            board.submit(tool_call("moody", do="stderr", text="x")).result(PATIENCE)["code"] == "host_crashed"
        )
        assert answers(board, "moody")


@border("an owner of a request, of a host without a board")
def request_owner(kind):

    class Listener:
        gone = threading.Event()
        on_stray = on_dropped = on_ended = Raises(kind)

        def on_gone(self, _leftovers):
            self.gone.set()
            raise kind("raised on purpose")

    class Owner:
        call_id = "1"
        on_part = on_begun = on_answer = on_refused = on_breach = on_lost = on_released = Raises(kind)

    listener = Listener()
    listener.gone.clear()
    host = Host("h", NodeToolPlugin("h", MOODY, env=TEST_MARK).command(), listener)
    host.start()
    host.ask("init", {"config": {}}, PATIENCE)
    host.send("execute_tool", {"tool_name": "moody", "arguments": {}, "state": {}}, Owner())
    assert host.ask("get_tool_schemas", {"state": {"config": {}}}, PATIENCE)[0]
    host.send("execute_tool", {"tool_name": "moody", "arguments": {"do": "wait"}, "state": {}}, Owner())
    host.stop("the end")
    assert listener.gone.wait(PATIENCE)
    assert host.join(PATIENCE)


def _until(condition):
    until = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < until
        time.sleep(0.01)
    return True


# Time


class Unsteady(SystemClock):
    """A clock of the embedder's whose methods raise when they are told to."""

    def __init__(self):
        super().__init__()
        self.raising = Raises(ValueError, 0)

    def now(self):
        self.raising()
        return time.monotonic()

    def call_at(self, when, function):
        self.raising()
        return _UnsteadyTimer(self, super().call_at(when, function))


class _UnsteadyTimer:
    def __init__(self, clock, timer):
        self.clock = clock
        self.timer = timer

    def cancel(self):
        self.timer.cancel()
        self.clock.raising()


@border("a clock")
def clock(kind):
    unsteady = Unsteady()
    try:
        with a_board(clock=unsteady) as board:
            go = gated(board)
            add_node(board)
            unsteady.raising = Raises(kind)
            calls = elsewhere(
                lambda: [board.submit(tool_call(n), deadline=PATIENCE) for n in ("tool", "moody")]
            )
            go.set()
            assert [call.result(PATIENCE)["success"] for call in calls] == [True, True]
            late = elsewhere(lambda: board.submit(tool_call("moody", do="wait"), deadline=0.05))
            assert late.result(PATIENCE)["code"] == "deadline_exceeded"
            unsteady.raising.left = 0
            assert answers(board, "moody")
            assert answers(board)
    finally:
        unsteady.close()
