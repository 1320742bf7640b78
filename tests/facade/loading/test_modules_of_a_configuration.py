"""`{"plugin": "module.mount"}` is a module that is written for Amplifier: mounted, not offered, and cleaned up in the end."""

from __future__ import annotations

import os
import signal
import sys
import threading
from typing import TYPE_CHECKING

import pytest
from callboard import Callboard, PluginError
from callboard.plugins.amplifier import module as mounting
from leaks import TEST_MARK, no_leaks, wait_until
from tools import tool_call

if TYPE_CHECKING:
    from pathlib import Path

PATIENCE = 30.0

MODULE = """
import asyncio
import os
import time
from pathlib import Path


class Tool:
    description = "Says its process, and what it was given."
    input_schema = {"type": "object", "properties": {"wait": {"type": "boolean"}}}

    def __init__(self, name, notes):
        self.name, self.notes = name, notes
        self.loop = asyncio.get_running_loop()

    async def execute(self, input):
        if input.get("wait"):
            note(self.notes, "begun")
            try:
                await asyncio.Event().wait()
            finally:
                note(self.notes, "cancelled")
        return {"success": True, "output": [os.getpid(), asyncio.get_running_loop() is self.loop]}


def note(notes, text):
    with Path(notes).open("a") as file:
        file.write(f"{text}\\n")


async def mount(coordinator, config=None):
    config, name = config or {}, __name__
    notes = config["notes"]

    async def registered():
        note(notes, f"{name} let go")

    coordinator.register_cleanup(registered)
    for tool in config.get("tools", [f"{name}_tool"]):
        await coordinator.mount("tools", Tool(tool, notes), name=tool)
    note(notes, f"{name} mounted")
    match config.get("do"):
        case "raise":
            raise OSError("no disk")
        case "wait":
            await asyncio.Event().wait()
        case "hook":
            coordinator.hooks.register("tool:pre", lambda event, data: {"action": "deny", "reason": "closed"})

    async def cleanup():
        note(notes, f"{name} cleaned up")
        if config.get("cleanup") == "raise":
            raise OSError("no disk")
        if config.get("cleanup") == "hang":
            await asyncio.Event().wait()
        if config.get("cleanup") == "block":
            time.sleep(2)  # waits for nothing: it blocks the loop beyond the time for cleanups

    return cleanup
"""

EVERYWHERE = pytest.mark.parametrize("isolate", [False, True], ids=["here", "in a host"])


@pytest.fixture(autouse=True)
def modules(tmp_path, monkeypatch):
    for name in ("acme_one", "acme_two"):
        (tmp_path / f"{name}.py").write_text(MODULE)
    monkeypatch.syspath_prepend(tmp_path)
    with no_leaks():
        yield
    for name in ("acme_one", "acme_two"):
        sys.modules.pop(name, None)


@pytest.fixture
def notes(tmp_path):
    path = tmp_path / "notes"
    path.touch()
    return path


def entry(notes, name="acme_one", *, isolate=False, required=False, **config):
    options = {"isolate": True, "env": TEST_MARK} if isolate else {}
    given = {"notes": str(notes), **config}
    return {"plugin": f"{name}.mount", "config": given, "required": required, **options}


def lines(notes: Path):
    return notes.read_text().splitlines()


@EVERYWHERE
def test_a_module_is_mounted_and_cleaned_up_in_its_loop_at_the_stop(notes, isolate):
    with Callboard({"plugins": [entry(notes, isolate=isolate)]}) as board:
        offered = [tool.tool_name for tool in board.tools()]
        answer = board.execute(tool_call("acme_one_tool"))
        before = lines(notes)

    assert offered == ["acme_one_tool"]
    assert answer["output"][1], "it runs in the loop that it was made in"
    assert (answer["output"][0] != os.getpid()) == isolate
    assert before == ["acme_one mounted"]
    assert lines(notes)[1:] == ["acme_one cleaned up", "acme_one let go"]


@EVERYWHERE
def test_several_modules_stand_beside_each_other_and_each_is_cleaned_up(notes, isolate):
    plugins = [
        entry(notes, name, isolate=isolate, tools=[f"{name}_{n}" for n in "ab"])
        for name in ("acme_one", "acme_two")
    ]

    with Callboard({"plugins": plugins}) as board:
        offered = sorted(tool.tool_name for tool in board.tools())
        answers = [board.execute(tool_call(name))["success"] for name in offered]

    assert offered == ["acme_one_a", "acme_one_b", "acme_two_a", "acme_two_b"]
    assert answers == [True] * 4
    assert {"acme_one cleaned up", "acme_two cleaned up"} <= set(lines(notes))


@EVERYWHERE
@pytest.mark.parametrize("cleanup", ["raise", "hang", "block"])
def test_a_cleanup_that_raises_or_hangs_keeps_no_other_from_its_own(notes, isolate, cleanup, monkeypatch):
    monkeypatch.setattr(mounting, "CLEANUP_TIMEOUT", 0.3)
    plugins = [
        entry(notes, "acme_one", isolate=isolate),
        entry(notes, "acme_two", isolate=isolate, cleanup=cleanup),
    ]

    with Callboard({"plugins": plugins}):
        pass

    assert {"acme_one cleaned up", "acme_one let go", "acme_two cleaned up"} <= set(lines(notes))
    if not isolate:  # a host has too little time for a test to count on all of it
        ran = "acme_two let go" in lines(notes)
        assert ran == (cleanup != "block"), "a loop that is blocked runs nothing more"


@EVERYWHERE
def test_a_mount_that_fails_leaves_nothing_and_is_told_and_the_others_are_there(notes, isolate):
    config = {"plugins": [entry(notes, do="raise", isolate=isolate), entry(notes, "acme_two")]}

    with Callboard(config) as board:
        (failed,) = board.failed
        offered = [tool.tool_name for tool in board.tools()]
        noted = lines(notes)

    assert offered == ["acme_two_tool"]
    assert failed.source == "acme_one.mount"
    assert "cannot mount acme_one: mount raised OSError: no disk" in failed.error
    assert {"acme_one let go", "acme_two mounted"} <= set(noted)


def test_a_required_module_that_cannot_be_mounted_keeps_the_board_from_starting(notes):
    board = Callboard({"plugins": [entry(notes, "acme_two"), entry(notes, do="raise", required=True)]})

    with pytest.raises(PluginError, match="no disk"):
        board.start()

    assert {"acme_one let go", "acme_two cleaned up"} <= set(lines(notes))


@EVERYWHERE
def test_a_stop_while_a_module_is_mounted_ends_the_mounting_and_cleans_up(notes, isolate):
    board = Callboard({"plugins": [entry(notes, do="wait", isolate=isolate)]})
    raised: list[BaseException] = []

    def start():
        try:
            board.start()
        except BaseException as error:
            raised.append(error)

    starting = threading.Thread(target=start)
    starting.start()
    wait_until(lambda: "acme_one mounted" in lines(notes), PATIENCE)
    board.stop()
    starting.join(PATIENCE)

    assert not starting.is_alive()
    assert lines(notes)[1:] == ["acme_one let go"]


@EVERYWHERE
def test_a_stop_with_a_call_under_way_ends_the_call_before_the_module_is_cleaned_up(notes, isolate):
    with Callboard({"plugins": [entry(notes, isolate=isolate)]}) as board:
        call = board.submit(tool_call("acme_one_tool", wait=True))
        wait_until(lambda: "begun" in lines(notes), PATIENCE)

    assert call.result(PATIENCE)["code"] == "cancelled"
    assert lines(notes)[2:] == ["cancelled", "acme_one cleaned up", "acme_one let go"]


def test_a_module_in_a_host_is_mounted_anew_with_each_generation(notes):
    with Callboard({"plugins": [entry(notes, isolate=True)]}) as board:
        pid = board.execute(tool_call("acme_one_tool"))["output"][0]
        os.kill(pid, signal.SIGKILL)
        wait_until(lambda: lines(notes).count("acme_one mounted") == 2, PATIENCE)
        again = board.execute(tool_call("acme_one_tool"))["output"][0]
        reloaded = board.reload("acme_one")
        last = board.execute(tool_call("acme_one_tool"))["output"][0]

    assert len({pid, again, last}) == 3
    assert reloaded.done
    assert lines(notes).count("acme_one cleaned up") == 2, "of the generations that were not killed"


def test_hooks_of_a_module_are_the_boards_and_a_host_has_none(notes):
    here, there = entry(notes, do="hook"), entry(notes, "acme_two", do="hook", isolate=True)

    with Callboard({"plugins": [here, there]}) as board:
        denied = board.execute(tool_call("acme_one_tool"))
        (failed,) = board.failed

    assert (denied["code"], denied["reason"]) == ("denied", "closed")
    assert "registers a hook for 'tool:pre'" in failed.error
    assert "'isolate'" in failed.error


@EVERYWHERE
def test_a_program_loads_and_registers_a_module_the_same_way(notes, isolate):
    import acme_two  # noqa: PLC0415 - it is written by the fixture

    options = {"isolate": True, "env": TEST_MARK} if isolate else {}
    with Callboard() as board:
        loaded = board.load("acme_one.mount", config={"notes": str(notes)}, **options)
        registered = board.register(acme_two.mount, config={"notes": str(notes)}, **options)
        answers = [board.execute(tool_call(f"{name}_tool"))["success"] for name in ("acme_one", "acme_two")]

    assert [tool.tool_name for tool in (*loaded, *registered)] == ["acme_one_tool", "acme_two_tool"]
    assert answers == [True, True]
    assert {"acme_one cleaned up", "acme_two cleaned up"} <= set(lines(notes))


def test_a_module_here_has_no_name_of_its_own_to_be_changed(notes):
    with Callboard({"plugins": [{**entry(notes), "name": "other"}]}) as board:
        (failed,) = board.failed

    assert "leave out 'name'" in failed.error


def test_the_first_parameter_of_a_module_may_have_any_name(tmp_path, monkeypatch):
    (tmp_path / "cb_coord.py").write_text(
        "async def mount(coord, config=None):\n"
        "    coord.hooks.register('tool:pre', lambda event, data: {'action': 'continue'})\n"
    )
    monkeypatch.syspath_prepend(tmp_path)

    with Callboard({"plugins": ["cb_coord.mount"]}) as board:
        assert (board.tools(), board.failed) == ([], [])


def test_a_function_called_mount_that_takes_no_coordinator_is_a_tool():
    def mount(device: str) -> str:
        return f"mounted {device}"

    with Callboard() as board:
        board.register(mount)

        assert board.call("mount", device="/dev/sda") == "mounted /dev/sda"
