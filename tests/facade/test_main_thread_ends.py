"""A program whose main thread was ended is not held by a thread that waits for a call; one that just ends is another matter."""

from __future__ import annotations

import signal
import subprocess
import sys

import pytest
from programs import ROOT
from thorough import each_once, every

SUPPORT = ROOT / "tests" / "support"

BEGIN = f"""
import signal, sys, threading, time
signal.signal(signal.SIGINT, signal.default_int_handler)
sys.path.insert(0, {str(SUPPORT)!r})
from callboard import Callboard
from callboard.actors.board import Board
from callboard.plugins.adapter.adapter import PluginAdapter
from tools import Tool, tool_call

begun, go = threading.Event(), threading.Event()

def slow(arguments, state):
    begun.set()
    go.wait(120)
    return {{"success": True, "result": "done"}}

def wait(board):
    result = board.submit(tool_call("tool"), deadline=110).result()
    print(result.get("code", "success"), flush=True)

def a_board():
    board = Callboard().start()
    board.register(Tool(slow))
    return board

def waiting(board, target=wait):
    thread = threading.Thread(target=target, args=(board,))
    thread.start()
    assert begun.wait(20)
    return thread

def end():
    {{end}}
"""


def program(text, end):
    return subprocess.Popen(
        [sys.executable, "-c", BEGIN.replace("{end}", end) + text],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def output(ran):
    """What it says; it has to end long before the deadline of its call."""
    try:
        said, complaints = ran.communicate(timeout=40)
    except subprocess.TimeoutExpired:
        ran.kill()
        pytest.fail(f"it is held: {ran.communicate()}")
    return said.split(), complaints


BOARDS = {
    "a Callboard": "board = a_board(); waiting(board); end()",
    "a Board": """
board = Board()
board.add(PluginAdapter(Tool(slow)), config={})
waiting(board)
end()
""",
    "within with": """
with a_board() as board:
    waiting(board)
    end()
""",
    "in functions": """
def main():
    def inner():
        board = a_board()
        waiting(board)
    inner()
    try:
        end()
    finally:
        print("tidied")
main()
""",
    "begun in another thread": """
def begin():
    waiting(a_board())
other = threading.Thread(target=begin)
other.start()
other.join()
end()
""",
    "of a pool": """
board = a_board()
from concurrent.futures import ThreadPoolExecutor
ThreadPoolExecutor().submit(wait, board)
assert begun.wait(20)
end()
""",
    "one of several calls": """
board = a_board()
waiting(board, lambda board: (wait(board), wait(board)))
end()
""",
}


@pytest.mark.parametrize("board", every(3, BOARDS.values()), ids=every(3, BOARDS))
def test_a_call_that_a_thread_waits_for_ends_with_a_main_thread_that_exits(board):
    ran = program(board, "sys.exit(3)")
    said, _ = output(ran)

    assert "cancelled" in said
    assert ran.returncode == 3


@pytest.mark.parametrize("end", ["raise SystemExit", 'raise ValueError("on purpose")'])
def test_a_call_that_a_thread_waits_for_ends_with_a_main_thread_that_was_ended_by_any_exception(end):
    said, _ = output(program(BOARDS["a Callboard"], end))

    assert said == ["cancelled"]


@pytest.mark.parametrize("board", ["a Callboard", "a Board", "of a pool"])
def test_a_call_that_a_thread_waits_for_ends_with_ctrl_c(board):
    ran = program(BOARDS[board], 'print("ready", flush=True); threading.Event().wait(120)')
    assert ran.stdout.readline() == "ready\n"
    ran.send_signal(signal.SIGINT)

    said, complaints = output(ran)

    assert said == ["cancelled"]
    assert "KeyboardInterrupt" in complaints
    assert ran.returncode == -signal.SIGINT, "a shell takes it for a program that was not interrupted"


@pytest.mark.parametrize(
    ("method", "ends"),
    each_once(["fork", "spawn", "forkserver"], [("sys.exit(3)", "cancelled"), ("pass", "success")]),
)
def test_the_main_thread_of_a_child_of_multiprocessing_is_one_too(method, ends, tmp_path):
    end, code = ends
    file = tmp_path / "program.py"
    file.write_text(
        BEGIN.replace("{end}", end)
        + f"""
def work():
    waiting(a_board())
    if {code == "success"}:
        timer = threading.Timer(0.5, go.set)
        timer.daemon = True
        timer.start()
    end()

if __name__ == "__main__":
    import multiprocessing
    child = multiprocessing.get_context({method!r}).Process(target=work)
    child.start()
    child.join()
"""
    )
    ran = subprocess.Popen([sys.executable, file], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    assert output(ran)[0] == [code]


TRACED = """
threading.settrace(lambda *_: None)
sys.settrace(lambda *_: None)
"""
MONITORED = """
seen = sys.monitoring
seen.use_tool_id(seen.COVERAGE_ID, "test")
events = seen.events.LINE | seen.events.INSTRUCTION | seen.events.PY_RETURN | seen.events.BRANCH
seen.register_callback(seen.COVERAGE_ID, seen.events.LINE, lambda *_: None)
seen.set_events(seen.COVERAGE_ID, events)
"""
WATCHED = {"traced": TRACED} | ({"monitored": MONITORED} if sys.version_info >= (3, 12) else {})


@pytest.mark.parametrize("watch", WATCHED.values(), ids=WATCHED)
@pytest.mark.parametrize(("end", "code"), [("sys.exit(3)", "cancelled"), ("go.set()", "success")])
def test_how_the_main_thread_ended_is_seen_while_a_debugger_or_coverage_watches_it(watch, end, code):
    ran = program(watch + BOARDS["a Callboard"], end)

    assert output(ran)[0] == [code]


JUST_ENDS = {
    "a module": "board = a_board(); waiting(board)",
    "a function": """
def main():
    board = a_board()
    waiting(board)
    try:
        raise KeyError
    except KeyError:
        pass
    return board
main()
""",
    "with one board stopped": """
with a_board() as first:
    pass
board = a_board()
waiting(board)
""",
}


@pytest.mark.parametrize("text", JUST_ENDS.values(), ids=JUST_ENDS)
def test_a_main_thread_that_just_ends_cancels_nothing(text):
    later = "timer = threading.Timer(1, go.set); timer.daemon = True; timer.start()\n"
    said, complaints = output(program(later + text, "pass"))

    assert (said, complaints) == (["success"], "")
