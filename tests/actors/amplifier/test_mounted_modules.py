"""Modules that are written for Amplifier run on a board as they are."""

# ruff: noqa: A002 - the parameter's name is that contract's

from __future__ import annotations

import asyncio
import dataclasses
import signal
import threading
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from callboard import Callboard
from callboard.actors.board import Board
from callboard.actors.registration_errors import PluginNameTaken
from callboard.actors.routing.decision import NameTaken
from callboard.plugins.amplifier import module as mounting
from callboard.plugins.amplifier.coordinator import MountError
from tools import a_tool, tool_call

PATIENCE = 20.0

SEED = """
from pathlib import Path


class ReadFileTool:
    name = "read_file"
    description = "Read the contents of a file"
    input_schema = {
        "type": "object",
        "properties": {
            "path": {"type": "string", "description": "File path"}
        },
        "required": ["path"]
    }

    def __init__(self, config):
        self.allowed_paths = config.get("allowed_paths", [])

    async def execute(self, input):
        path = input.get("path")

        # Validate path
        if not self._is_allowed(path):
            return {"success": False, "error": "Path not allowed"}

        try:
            content = Path(path).read_text()
            return {"success": True, "output": content}
        except Exception as e:
            return {"success": False, "error": str(e)}

    def _is_allowed(self, path):
        # Check against allowed paths
        ...


MyTool = ReadFileTool


async def mount(coordinator, config=None):
    config = config or {}
    tool = MyTool(config)
    await coordinator.mount("tools", tool, name=tool.name)
    return cleanup_function  # or None


cleaned_up = []


def cleanup_function():
    cleaned_up.append(True)
"""
"""The tool and the mount function of the specification, to the letter, put together as one module."""


def module_of(text: str) -> ModuleType:
    module = ModuleType("read_file_module")
    exec(text, module.__dict__)
    return module


def test_the_specifications_module_runs_unmodified_and_is_cleaned_up(tmp_path):
    (tmp_path / "a.txt").write_text("hello")
    module = module_of(SEED)

    class Allowing(module.ReadFileTool):  # what the example leaves out, as its own text says it: "..."
        def _is_allowed(self, path):
            return any(Path(path).is_relative_to(each) for each in self.allowed_paths)

    with Callboard() as board:
        mounted = board.mount(module, {"allowed_paths": [str(tmp_path)]})
        as_written = board.execute(tool_call("read_file", path=str(tmp_path / "a.txt")))
        misfit = board.execute(tool_call("read_file", path=5))
        board.remove("read_file")
        cleaned = list(module.cleaned_up)
        module.MyTool = Allowing
        board.mount(module, {"allowed_paths": [str(tmp_path)]}, deadline=5)
        read = board.execute(tool_call("read_file", path=str(tmp_path / "a.txt")))
        missing = board.execute(tool_call("read_file", path=str(tmp_path / "b.txt")))
        schema = board.schemas(["anthropic.messages.tool"])[0]
        descriptors = [tool.tool_name for tool in board.tools()]

    assert as_written == {"success": False, "error": "Path not allowed"}
    assert misfit["code"] == "invalid_call"
    assert mounted.name == "read_file_module"
    assert cleaned == [True]
    assert module.cleaned_up == [True, True]
    assert read == {"success": True, "output": "hello", "result": "hello"}
    assert missing["success"] is False
    assert "No such file" in missing["error"]
    assert descriptors == ["read_file"]
    assert schema["description"] == "Read the contents of a file"
    assert schema["input_schema"] == module.ReadFileTool.input_schema


@dataclasses.dataclass
class ToolResult:
    success: bool
    output: Any = None
    error: Any = None


class Looped:
    """Uses what was made in the loop of its module."""

    name = "looped"
    description = "Says in which loop it runs."

    def __init__(self):
        self.loop = asyncio.get_running_loop()
        self.turns = asyncio.Lock()
        self.cancelled = threading.Event()
        self.running = threading.Event()

    async def execute(self, input):
        async with self.turns:
            if input.get("wait"):
                self.running.set()
                try:
                    await asyncio.sleep(PATIENCE)
                except asyncio.CancelledError:
                    self.cancelled.set()
                    raise
            if input.get("exit"):
                raise SystemExit(3)
            return ToolResult(True, asyncio.get_running_loop() is self.loop)


def test_a_module_has_one_loop_for_mounting_running_and_cleaning_up():
    made, seen = [], []

    async def mount(coordinator, config):
        made.append(Looped())
        await coordinator.mount("tools", made[0])
        coordinator.register_cleanup(lambda: seen.append("registered"))

        async def cleanup():
            seen.append(asyncio.get_running_loop() is made[0].loop)

        return cleanup

    with Board() as board:
        mounted = board.mount(mount)
        waiting = board.submit(tool_call("looped", wait=True))
        assert made[0].running.wait(PATIENCE)
        waiting.cancel()
        assert made[0].cancelled.wait(PATIENCE), "a cancel reaches the tool in its loop"
        left = board.submit(tool_call("looped", exit=True)).result(PATIENCE)
        same = board.submit(tool_call("looped")).result(PATIENCE)
        tools = [tool.tool_name for tool in mounted.tools]
        mounted.close()
        mounted.close()
        gone = board.submit(tool_call("looped")).result(PATIENCE)

    assert left["code"] == "tool_raised"
    assert same == {"success": True, "output": True, "result": True}
    assert tools == ["looped"]
    assert seen == [True, "registered"]
    assert gone["code"] == "unknown_tool"


def test_handlers_of_a_module_are_hooks_until_it_goes(caplog):
    class HookResult:
        action = "deny"
        reason = "no"

    async def admission(event, data):
        return HookResult()

    async def mount(coordinator, config):
        coordinator.hooks.register("tool:pre", admission, priority=5, name=config["name"])
        coordinator.hooks.on("session:start", admission)
        off = coordinator.hooks.register("tool:post", admission)
        off()
        coordinator.register_capability("x", 1)
        coordinator.register_contributor("c", "m", lambda: [coordinator.get_capability("x")])
        assert coordinator.hooks.list_handlers() == {"tool:pre": ["admission-of-tests"]}
        assert await coordinator.collect_contributions("c") == [[1]]

    with Board() as board:
        board.add(a_tool(lambda a, _: {"success": True, "result": a}, "t"), config={})
        mounted = board.mount(mount, {"name": "admission-of-tests"})
        denied = board.submit(tool_call("t")).result(PATIENCE)
        mounted.close()
        let = board.submit(tool_call("t")).result(PATIENCE)

    assert (denied["code"], denied["hook"], denied["reason"]) == ("denied", "admission-of-tests", "no")
    assert let["success"]
    assert "no event 'session:start'" in caplog.text


class Plain:
    name = "plain"
    description = "Says yes."

    async def execute(self, input):
        return ToolResult(True, "yes")


def test_a_tool_that_is_returned_is_mounted_and_one_may_be_unmounted_under_its_own_name():
    async def mount(coordinator, config):
        await coordinator.mount("tools", Plain(), name="other")
        await coordinator.unmount("tools", "other")
        assert coordinator.get("tools") == {}
        return Plain()

    with Board() as board:
        mounted = board.mount(mount)
        answer = board.submit(tool_call("plain")).result(PATIENCE)

    assert mounted.plugins == ["plain"]
    assert answer["result"] == "yes"


async def mounts_then_raises(coordinator, config):
    await coordinator.mount("tools", Plain())
    coordinator.register_cleanup(lambda: config["cleaned"].append(True))
    raise OSError("no disk")


async def mounts_a_provider(coordinator, config):
    await coordinator.mount("providers", Plain())


async def mounts_nothing(coordinator, config):
    return None


async def hangs(coordinator, config):
    await asyncio.sleep(PATIENCE)


@pytest.mark.parametrize(
    ("module", "complaint"),
    [
        (mounts_then_raises, "mount raised OSError: no disk"),
        (mounts_a_provider, "mounts 'providers'; a board takes 'tools' and hooks"),
        (mounts_nothing, "has mounted neither a tool nor a hook"),
        (hangs, "did not return within 0.05 s"),
        (5, "has no mount"),
    ],
)
def test_what_cannot_be_mounted_leaves_nothing(module, complaint):
    cleaned = []
    with Board() as board:
        with pytest.raises(MountError, match=complaint):
            board.mount(module, {"cleaned": cleaned}, timeout=0.05 if module is hangs else PATIENCE)
        tools = board.tools()

    assert tools == []
    assert cleaned == [True] * (module is mounts_then_raises)


def test_a_name_that_is_taken_is_the_boards_own_error(monkeypatch, caplog):
    monkeypatch.setattr(mounting, "CLEANUP_TIMEOUT", 0.05)

    async def mount(coordinator, config):
        coordinator.register_cleanup(lambda: asyncio.sleep(PATIENCE))
        coordinator.register_cleanup(lambda: 1 / 0)
        await coordinator.mount("tools", Plain())

    with Board() as board:
        board.add(a_tool(lambda _a, _s: {"success": True}, "plain", "mine"), config={})
        with pytest.raises(NameTaken):
            board.mount(mount)

    assert "raised ZeroDivisionError" in caplog.text
    assert "took more than 0.05 s" in caplog.text


@contextmanager
def interrupted_once(when):
    """A Ctrl-C in this thread, which is the main one, as soon as something has happened."""
    here = threading.get_ident()

    def strike():
        if when.wait(PATIENCE):
            signal.pthread_kill(here, signal.SIGINT)

    striking = threading.Thread(target=strike)
    striking.start()
    try:
        with pytest.raises(KeyboardInterrupt):
            yield
    finally:
        striking.join(PATIENCE)


def test_an_interrupt_of_mounting_is_raised_and_leaves_nothing():
    begun, cleaned = threading.Event(), []

    async def mount(coordinator, config):
        await coordinator.mount("tools", Plain())
        coordinator.register_cleanup(lambda: cleaned.append("registered"))
        begun.set()
        try:
            await asyncio.sleep(PATIENCE)
        finally:
            cleaned.append("cancelled")

    with Board() as board:
        with interrupted_once(begun):
            board.mount(mount)
        tools = board.tools()

    assert tools == []
    assert cleaned == ["cancelled", "registered"]


def test_an_interrupted_cleaning_up_is_continued_by_the_next_stop():
    hanging, cleaned = threading.Event(), []

    async def slow():
        hanging.set()
        await asyncio.sleep(PATIENCE)

    async def mount(coordinator, config):
        await coordinator.mount("tools", Plain())
        coordinator.register_cleanup(lambda: cleaned.append("first"))
        return slow

    board = Board()
    board.mount(mount)
    with interrupted_once(hanging):
        board.stop()
    before = list(cleaned)
    board.stop()

    assert before == []
    assert cleaned == ["first"]


def test_two_modules_that_mount_the_same_name_are_told_apart():
    cleaned = []

    def module(name):
        async def mount(coordinator, config):
            coordinator.register_cleanup(lambda: cleaned.append(name))
            await coordinator.mount("tools", Plain())

        return mount

    with Board() as board:
        board.mount(module("one"))
        with pytest.raises(PluginNameTaken):
            board.mount(module("two"))
        answer = board.submit(tool_call("plain")).result(PATIENCE)
        early = list(cleaned)

    assert answer["success"]
    assert (early, cleaned) == (["two"], ["two", "one"])


def test_a_timeout_of_the_modules_own_is_what_it_raised(caplog):
    async def times_out(*_):
        raise TimeoutError("the server is away")

    async def mount(coordinator, config):
        await coordinator.mount("tools", Plain())
        return times_out

    with Board() as board:
        with pytest.raises(MountError, match="mount raised TimeoutError: the server is away"):
            board.mount(times_out)
        board.mount(mount)

    assert "raised TimeoutError: the server is away" in caplog.text


def test_a_module_that_takes_itself_off_in_its_own_loop_is_cleaned_up():
    cleaned = threading.Event()

    with Board() as board:

        class Leaves(Plain):
            async def execute(self, input):
                mounted.close()
                return ToolResult(True, "gone")

        async def mount(coordinator, config):
            await coordinator.mount("tools", Leaves())
            return cleaned.set

        mounted = board.mount(mount)
        left = board.submit(tool_call("plain")).result(PATIENCE)

        assert cleaned.wait(PATIENCE)
        assert left["code"] == "cancelled"
        assert board.tools() == []
