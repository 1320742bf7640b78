"""What a program gets wrong with the public names is refused where it is, with what was given and what is wanted.

What is wrong with a tool call is no misuse: it is the call's result.
"""

from __future__ import annotations

import math
import re

import callboard
import pytest
from callboard import (
    Agent,
    AgentCore,
    Backoff,
    Callboard,
    CallboardError,
    Cancellation,
    ConfigurationError,
    ContractError,
    Dispatch,
    NodeToolPlugin,
    NotStarted,
    PluginAdapter,
    PluginLoadError,
    RestartPolicy,
    Session,
    ToolRuntime,
    read_configuration,
)
from callboard.hooks import HookRegistrationError
from tools import Tool, tool_call

CALL = tool_call("tool")
NEITHER = object()


@pytest.fixture(scope="module")
def board():
    with Callboard() as board:
        board.register(Tool(lambda *_: {"success": True, "result": 1}))
        yield board


@pytest.fixture(scope="module")
def core(board):
    return AgentCore(board)


BOARDS = [
    (
        lambda: Callboard(3),
        ConfigurationError,
        "the configuration is 3; it has to be the path of a file, or a mapping",
    ),
    (lambda: Callboard(clock=3), TypeError, "clock is 3 of type int; it has to be a clock"),
    (lambda: Callboard(seed=[]), TypeError, "seed is [] of type list; it has to be a whole number"),
    (lambda: Callboard(contributions=3), TypeError, "contributions is 3 of type int; it has to be a list"),
    (
        lambda: Callboard(contributions=[3]),
        TypeError,
        "contributions[0] is 3 of type int; it has to be a ToolInterop",
    ),
    (lambda: Callboard(state=3), TypeError, "state is 3 of type int; it has to be a path"),
    (lambda: Callboard(state=[]), TypeError, "state is [] of type list; it has to be a path"),
    (lambda: Callboard(subscribers=print), TypeError, "of which each is a callable or an actor"),
    (lambda: Callboard(subscribers=[3]), TypeError, "subscribers[0] is 3 of type int"),
    (
        lambda: Callboard().stop("x"),
        TypeError,
        "timeout is 'x' of type str; it has to be a number of seconds",
    ),
    (lambda: Callboard().stop(-1), ValueError, "timeout is -1; it has to be 0 or more seconds"),
    (lambda: Callboard().submit(CALL), NotStarted, "the board does not run; use it as a context manager"),
    (lambda: read_configuration(3), ConfigurationError, "it has to be the path of a file, or a mapping"),
    (lambda: read_configuration({"load_deadline": "x"}), ConfigurationError, "$.load_deadline is 'x'"),
]

METHODS = [
    (lambda b: b.register(3), ContractError, "int is no tool plugin"),
    (lambda b: b.register(Tool, config=3), PluginLoadError, "option 'config' of plugin"),
    (lambda b: b.register(Tool, nme="x"), PluginLoadError, "unknown option 'nme'"),
    (lambda b: b.load(3), PluginLoadError, "the plugin source 3 is neither a text nor a mapping"),
    (lambda b: b.mount(3), ContractError.__base__, "int has no mount(coordinator, config)"),
    (lambda b: b.remove("x"), KeyError, "there is no plugin 'x'; there are: 'tool'"),
    (lambda b: b.remove([]), KeyError, "there is no plugin []; there are: 'tool'"),
    (lambda b: b.describe([]), KeyError, "there is no plugin []"),
    (lambda b: b.describe("tool", config=3), TypeError, "config is 3 of type int; it has to be a mapping"),
    (lambda b: b.describe("tool", models=3), TypeError, "models is 3 of type int; it has to be a list"),
    (lambda b: b.describe("tool", timeout="x"), TypeError, "timeout is 'x' of type str"),
    (lambda b: b.call("tool", [1]), TypeError, "arguments is [1] of type list; it has to be a mapping"),
    (lambda b: b.submit(CALL, deadline="x"), TypeError, "deadline is 'x' of type str"),
    (lambda b: b.submit(CALL, deadline=math.nan), ValueError, "deadline is nan"),
    (lambda b: b.submit(CALL, deadline=10**400), ValueError, "deadline is a number of 401 digits"),
    (lambda b: b.execute(CALL, context=[]), TypeError, "context is [] of type list; it has to be a mapping"),
    (
        lambda b: b.submit(CALL).result("x"),
        TypeError,
        "timeout is 'x' of type str; it has to be a number of seconds",
    ),
    (lambda b: b.submit(CALL).add_done_callback(3), TypeError, "a callback is 3 of type int"),
    (lambda b: b.schemas(3), TypeError, "target_formats is 3 of type int; it has to be a list"),
    (lambda b: b.schemas([3]), TypeError, "target_formats[0] is 3 of type int; it has to be a text"),
    (lambda b: b.subscribe(3), TypeError, "a subscriber is called with each event, and 3 cannot be called"),
    (lambda b: b.subscribe(print, 3), TypeError, "kinds is 3 of type int; it has to be a list"),
    (lambda b: b.subscribe(print, [3]), TypeError, "kinds[0] is 3 of type int; it has to be a text"),
    (lambda b: b.hook(3, print), HookRegistrationError, "there is no event 3 for hooks"),
    (lambda b: b.hook("tool:pre", 3), HookRegistrationError, "3 cannot be called"),
    (
        lambda b: b.hook("tool:pre", print, priority="x"),
        HookRegistrationError,
        "priority is a whole number; it is 'x'",
    ),
    (
        lambda b: b.hook("tool:pre", print, observes=3),
        HookRegistrationError,
        "observes is true or false; it is 3",
    ),
    (lambda b: b.hook("tool:pre", print, prio=1), HookRegistrationError, "a hook has no option 'prio'; its"),
    (lambda b: b.hook("tool:pre", print, name=3), HookRegistrationError, "name is a text; it is 3"),
    (
        lambda b: setattr(b, "approver", 3),
        TypeError,
        "the approver is 3 of type int; it has to be something that has ask",
    ),
    (lambda b: b.restart([]), TypeError, "the name of a host or a plugin is [] of type list"),
    (lambda b: b.park(3), TypeError, "the name of a host or a plugin is 3 of type int"),
    (lambda b: b.revive("x"), CallboardError, "there is no host 'x'"),
    (
        lambda b: b.park("tool"),
        CallboardError,
        "cannot park 'tool': the plugin runs in this process and has no host",
    ),
    (lambda b: b.reload(None), TypeError, "the name of a host or a plugin is None"),
    (lambda b: b.reload("tool", timeout="x"), TypeError, "timeout is 'x' of type str"),
    (lambda b: b.reload("tool", refuse=3), TypeError, "refuse is 3 of type int; it has to be a list"),
    (lambda b: b.router.ask(Dispatch(CALL, deadline="x")), TypeError, "deadline is 'x' of type str"),
    (lambda b: Dispatch(CALL, context=3), TypeError, "context is 3 of type int; it has to be a mapping"),
    (lambda b: Agent(b, 3), TypeError, "the configuration of an agent is 3 of type int"),
]

CORES = [
    (
        lambda _: AgentCore(3),
        TypeError,
        "the board of a core is 3 of type int; it has to be a Board, or a Callboard",
    ),
    (lambda _: AgentCore(Callboard), TypeError, "the board of a core is <class"),
    (lambda _: AgentCore(Callboard()), NotStarted, "the board does not run"),
    (lambda _: AgentCore(format_timeout="x"), TypeError, "format_timeout is 'x' of type str"),
    (lambda _: AgentCore(preview_timeout=-1), ValueError, "preview_timeout is -1"),
    (
        lambda _: AgentCore(session_dir=3),
        TypeError,
        "session_dir is 3 of type int; it has to be the path of a folder",
    ),
    (
        lambda c: c.create_session(5),
        TypeError,
        "metadata of a session has names, such as title='…'; 5 of type int",
    ),
    (
        lambda c: c.create_session(a=NEITHER),
        CallboardError,
        "metadata.a is of type object, which is not JSON",
    ),
    (lambda c: c.fork(3), TypeError, "a session is wanted, and 3 of type int was given"),
    (lambda c: c.add_message(3, "user", "x"), TypeError, "a session is wanted, and 3 of type int was given"),
    (lambda c: c.add_message(c.create_session(), 3, "x"), ValueError, "the role of a message is 3"),
    (
        lambda c: c.add_message(c.create_session(), "user", NEITHER),
        CallboardError,
        "message.content is of type object",
    ),
    (
        lambda c: c.add_message(c.create_session(), "user", "x", 3),
        TypeError,
        "the attachments of a message are 3",
    ),
    (
        lambda c: c.add_message(c.create_session(), "user", "x", None, 3),
        TypeError,
        "the metadata of a message is 3",
    ),
    (lambda c: c.register_tool(3), ContractError, "int is no tool plugin"),
    (lambda c: c.register_tool(Tool, config=3), TypeError, "config is 3 of type int; it has to be a mapping"),
    (lambda c: c.register_tool(Tool(print), name=3), TypeError, "the name of a plugin is 3 of type int"),
    (
        lambda c: c.register_tool(Tool(print), settings=3),
        TypeError,
        "settings is 3 of type int; it has to be ToolSett",
    ),
    (lambda c: c.register_provider(3), ContractError, "a provider has to offer one of send_request_stream"),
    (lambda c: c.register_provider(object, 3), TypeError, "the configuration of a provider is 3 of type int"),
    (
        lambda c: c.register_provider_extension(NEITHER, name=3),
        TypeError,
        "the name of a provider is 3 of type int",
    ),
    (
        lambda c: c.execute_tool_calls(3, {}),
        TypeError,
        "a list of tool calls is wanted, and 3 of type int was given",
    ),
    (lambda c: c.execute_tool_calls([CALL], 3), TypeError, "a configuration is wanted"),
    (lambda c: c.execute_tool_calls([CALL], {}, context=3), TypeError, "context is 3 of type int"),
    (lambda c: c.submit(CALL, None), TypeError, "a configuration is wanted"),
    (lambda c: c.answers(3), TypeError, "a call is 3 of type int; it has to be what submit returned"),
    (lambda c: list(c.run(3, {})), TypeError, "a session is wanted"),
    (lambda c: list(c.run(c.create_session(), {}, context=3)), TypeError, "context is 3 of type int"),
    (lambda c: list(c.run(c.create_session(), {}, cancel=3)), TypeError, "cancel is 3 of type int"),
]

VALUES = [
    (
        lambda: Backoff(first="x"),
        TypeError,
        "backoff 'first' is 'x' of type str; it has to be a number of seconds",
    ),
    (lambda: Backoff(jitter=[]), TypeError, "backoff 'jitter' is [] of type list; it has to be a number"),
    (lambda: Backoff(max=math.nan), ValueError, "backoff 'max' is nan"),
    (lambda: RestartPolicy(restart=3), ValueError, "'restart' is 3; it has to be one of: permanent"),
    (lambda: RestartPolicy(backoff=3), TypeError, "'backoff' is 3 of type int; it has to be a Backoff"),
    (
        lambda: RestartPolicy(intensity=1.5),
        TypeError,
        "'intensity' is 1.5 of type float; it has to be a whole number",
    ),
    (
        lambda: RestartPolicy(period="x"),
        TypeError,
        "'period' is 'x' of type str; it has to be a number of seconds",
    ),
    (
        lambda: RestartPolicy(never_restart_on=3),
        TypeError,
        "'never_restart_on' is 3 of type int; it has to be a list",
    ),
    (lambda: RestartPolicy(always_restart_on="oom"), TypeError, "'always_restart_on' is 'oom' of type str"),
    (lambda: Session(3), TypeError, "the id of a session is 3 of type int; it has to be a text"),
    (lambda: Session("x", 3), TypeError, "the messages of a session is 3 of type int"),
    (lambda: Session("x").with_message(3), TypeError, "a message is 3 of type int; it has to be a mapping"),
    (lambda: Cancellation().subscribe(3), TypeError, "a listener is 3 of type int"),
    (lambda: PluginAdapter(3), ContractError, "int is no tool plugin"),
    (
        lambda: PluginAdapter(Tool(print), name=3),
        TypeError,
        "the name of a plugin is 3 of type int; it has to be a text",
    ),
    (lambda: PluginAdapter(Tool(print)).init(3), TypeError, "the configuration of a plugin is 3 of type int"),
    (lambda: ToolRuntime().get([], dict), TypeError, "the name of a resource is [] of type list"),
    (lambda: ToolRuntime().get("x", 3), TypeError, "what makes a resource is 3 of type int"),
    (lambda: ToolRuntime().get("x", dict, close=3), TypeError, "what closes a resource is 3 of type int"),
    (lambda: ToolRuntime().close("x"), TypeError, "timeout is 'x' of type str"),
    (lambda: NodeToolPlugin(3, "x.mjs"), TypeError, "the name of a plugin is 3 of type int"),
    (lambda: NodeToolPlugin("x", None), TypeError, "the entry of a Node tool is None of type NoneType"),
    (lambda: NodeToolPlugin("x", "x.mjs", env=3), TypeError, "env is 3 of type int; it has to be a mapping"),
    (
        lambda: NodeToolPlugin("x", "x.mjs", export=3),
        TypeError,
        "export is 3 of type int; it has to be a text",
    ),
]


MADE_BY_THE_HOUSE = {
    "Call", "CallResult", "Code", "CodeLiteral", "Configuration", "Event", "FailedPlugin", "HostedToolPlugin", "Outcome",
    "OutcomeLiteral", "Reloaded", "RestartType",
    "ToolContext", "ToolDescriptor", "ToolPlugin", "__version__",
}  # fmt: skip
"""Public names that a program is given, compares with or derives from, and makes nothing of."""


def said(rows):
    return [pytest.param(*row, id=row[2]) for row in rows]


@pytest.mark.parametrize(("wrong", "kind", "told"), said([*BOARDS, *VALUES]))
def test_what_cannot_be_made_says_what_was_given_and_what_is_wanted(wrong, kind, told):
    with pytest.raises(kind, match=re.escape(told)):
        wrong()


@pytest.mark.parametrize(("wrong", "kind", "told"), said(METHODS))
def test_a_method_of_a_board_says_what_was_given_and_what_is_wanted(board, wrong, kind, told):
    with pytest.raises(kind, match=re.escape(told)):
        wrong(board)


@pytest.mark.parametrize(("wrong", "kind", "told"), said(CORES))
def test_a_core_says_what_was_given_and_what_is_wanted(core, wrong, kind, told):
    with pytest.raises(kind, match=re.escape(told)):
        wrong(core)


@pytest.mark.parametrize("tool_call", [3, None, "x", b"x", [], {}, NEITHER], ids=lambda it: type(it).__name__)
def test_what_is_no_tool_call_has_a_result(board, core, tool_call):
    result = board.submit(tool_call).result(10)
    (message,) = core.execute_tool_calls([tool_call], {})

    assert (result["success"], result["code"]) == (False, "invalid_call")
    assert "no known tool call: found" in result["error"]
    assert message["role"] == "tool"


def test_no_public_name_is_left_out():
    names = {name for name in callboard.__all__ if not _is_error(getattr(callboard, name))}

    assert names - MADE_BY_THE_HOUSE - globals().keys() == set()


def _is_error(value):
    return isinstance(value, type) and issubclass(value, Exception)


@pytest.mark.parametrize("deadline", [0, -1])
def test_a_deadline_that_is_over_is_a_result_too(board, deadline):
    assert board.submit(CALL, deadline=deadline).result(10)["code"] == "deadline_exceeded"
