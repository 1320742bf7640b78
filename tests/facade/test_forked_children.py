"""A forked child that uses its parent's board is told so at once, harms nothing of it, and can make its own."""

from __future__ import annotations

import os
import signal
import subprocess
import sys

import pytest
from leaks import alive, wait_gone, wait_until
from programs import ROOT
from thorough import every

SUPPORT = ROOT / "tests" / "support"

BEGIN = f"""
import json, multiprocessing, os, sys, threading, time
sys.path.insert(0, {str(SUPPORT)!r})
from boards import MOODY
from callboard import Callboard, NotStarted
from callboard.actors.board import Board
from tools import Tool, count, tool_call

PATIENCE = 20.0

def refusal(use):
    try:
        use()
    except NotStarted as error:
        return str(os.getppid()) in str(error)
    except BaseException as error:
        return repr(error)
    return "not refused"

def in_child(work):
    # What a child writes, as JSON; it has to come, and the child to end.
    reader, writer = os.pipe()
    pid = os.fork()
    if pid == 0:
        try:
            said = work()
        except BaseException as error:
            said = repr(error)
        os.write(writer, json.dumps(said).encode())
        os._exit(0)
    os.close(writer)
    with open(reader, "rb") as pipe:
        said = pipe.read()
    os.waitpid(pid, 0)
    return json.loads(said or "null")

def moody(board):
    return board.load({{"node_tool": {{"file": str(MOODY), "id": "moody"}}}}, concurrency=4)

def run(board, name, **arguments):
    return board.execute(tool_call(name, **arguments), deadline=PATIENCE)

def quickly(use):
    began = time.monotonic()
    use()
    return time.monotonic() - began < 5.0
"""


def program(text, *arguments, **options):
    return subprocess.Popen(
        [sys.executable, "-c", BEGIN + text, *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        **options,
    )


def output(text, *arguments):
    ran = program(text, *arguments)
    try:
        said, complaints = ran.communicate(timeout=60)
    except subprocess.TimeoutExpired:
        ran.kill()
        pytest.fail(f"it hangs: {ran.communicate()}")
    assert ran.returncode == 0, complaints
    return said.split(), complaints


USES = {
    "submit": 'board.submit(tool_call("tool"))',
    "execute": 'board.execute(tool_call("tool"))',
    "stream": 'list(board.stream(tool_call("tool")))',
    "status": "board.status()",
    "tools": "board.tools()",
    "register": 'board.register(Tool(count, "other"))',
    "restart": 'board.restart("moody")',
    "reload": 'board.reload("moody")',
    "remove": 'board.remove("tool")',
    "hook": 'board.hook("tool:pre", print)',
    "subscribe": "board.subscribe(print)",
    "with": "board.__enter__()",
    "start": "board.start()",
    "board": "board.board",
    "a Board's submit": 'inner.submit(tool_call("tool"))',
    "a Board's status": "inner.status()",
    "a Board's events": "inner.events",
    "a Board's order": 'inner.order("restart", "moody")',
}


def test_a_forked_child_that_uses_its_parents_board_is_told_so_at_once():
    said, _ = output(
        f"""
board = Callboard().start()
inner = board.board
board.register(Tool(count))
moody(board)
uses = {USES!r}
def child():
    return [name for name, use in uses.items() if refusal(lambda: eval(use, globals())) is not True]
wrong = in_child(child)
print(wrong == [], run(board, "moody")["success"], *map(repr, wrong))
board.stop()
"""
    )

    assert said == ["True", "True"]


def test_a_forked_child_leaves_its_parents_board_by_stop_and_with_at_once_and_it_works_on():
    said, _ = output(
        """
with Callboard() as board:
    board.register(Tool(count))
    moody(board)
    inner = board.board
    pid = run(board, "moody")["result"]["pid"]
    def child():
        return quickly(lambda: (board.stop(), board.__exit__(), inner.stop(), inner.__exit__()))
    stopped = in_child(child)
    print(stopped, run(board, "moody")["result"]["pid"] == pid, run(board, "tool")["success"])
"""
    )

    assert said == ["True", "True", "True"]


@pytest.mark.parametrize("how", every(2, ["os._exit", "sys.exit", "multiprocessing"]))
def test_a_child_that_ends_harms_nothing_of_its_parents(how):
    said, complaints = output(
        """
board = Callboard().start()
board.register(Tool(count))
moody(board)
call = board.submit(tool_call("moody", do="wait", ms=1500), deadline=PATIENCE)
pid = run(board, "moody")["result"]["pid"]
if sys.argv[1] == "multiprocessing":
    child = multiprocessing.get_context("fork").Process(target=board.stop)
    child.start()
    child.join()
    code = child.exitcode
else:
    child = os.fork()
    if child == 0:
        del board
        import gc
        gc.collect()
        os._exit(0) if sys.argv[1] == "os._exit" else sys.exit(0)
    code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
print(code, call.result(PATIENCE)["success"], run(board, "moody")["result"]["pid"] == pid)
board.stop()
""",
        how,
    )

    assert said == ["0", "True", "True"]
    assert "ResourceWarning" not in complaints


def test_a_child_makes_a_board_of_its_own():
    said, _ = output(
        """
with Callboard() as board:
    board.register(Tool(count))
    moody(board)
    pid = run(board, "moody")["result"]["pid"]
    def child():
        with Callboard() as own:
            own.register(Tool(count))
            moody(own)
            return [run(own, "tool")["success"], run(own, "moody")["result"]["pid"], quickly(own.stop)]
    success, other, stopped = in_child(child)
    print(success, stopped, other != pid, run(board, "moody")["result"]["pid"] == pid)
"""
    )

    assert said == ["True"] * 4


def test_a_board_that_was_not_started_before_the_fork_can_be_started_in_the_child():
    said, _ = output(
        """
board = Callboard()
def child():
    with board:
        board.register(Tool(count))
        return run(board, "tool")["success"]
print(in_child(child), in_child(child))
"""
    )

    assert said == ["True", "True"]


def test_a_child_takes_no_lock_of_its_parents():
    said, _ = output(
        """
import pykka
class Store:
    # Holds the locks of a commit while the fork happens.
    def __init__(self):
        self.saving, self.go = threading.Event(), threading.Event()
    def load(self, plugin): return None
    def save(self, plugin, saved):
        self.saving.set()
        self.go.wait(PATIENCE)
    def forget(self, plugin): pass
    def attach(self, news): pass
    def status(self): return {"store": "own"}
    def close(self): pass
store = Store()
board = Callboard(state=store).start()
board.register(Tool(count))
inner, call = board.board, None
call = board.submit(tool_call("tool"), deadline=PATIENCE)
assert store.saving.wait(PATIENCE)
held = [threading.Event(), threading.Event()]
def hold():
    with pykka.ActorRegistry._actor_refs_lock, inner.events._lock, call._lock, inner.clock._lock, inner.plugin_manager.lock:
        held[0].set()
        held[1].wait(PATIENCE)
holder = threading.Thread(target=hold)
holder.start()
held[0].wait()
subscription = []
def child():
    refused = [refusal(lambda: board.submit(tool_call("tool"))), refusal(board.status), refusal(inner.status)]
    result = call.result(PATIENCE)
    with Callboard() as own:
        own.register(Tool(count))
        return [*refused, quickly(board.stop), result["code"], call.cancel(), run(own, "tool")["success"]]
print(*in_child(child))
held[1].set()
store.go.set()
holder.join()
print(call.result(PATIENCE)["success"])
board.stop()
"""
    )

    assert said == ["True", "True", "True", "True", "cancelled", "False", "True", "True"]


def test_an_actor_of_the_parents_board_is_dead_in_the_child():
    said, _ = output(
        """
import pykka
from callboard import Dispatch
with Callboard() as board:
    board.register(Tool(count))
    router = board.router
    def child():
        try:
            router.ask(Dispatch(tool_call("tool")), timeout=PATIENCE)
        except pykka.ActorDeadError:
            pykka.ActorRegistry.stop_all()
            return "dead"
    print(in_child(child), router.ask(Dispatch(tool_call("tool"))).result(PATIENCE)["success"])
"""
    )

    assert said == ["dead", "True"]


def test_a_call_of_the_parents_has_ended_in_the_child_and_its_callbacks_are_not_called_there():
    said, _ = output(
        """
go = threading.Event()
called = []
with Callboard() as board:
    board.register(Tool(lambda arguments, state: (go.wait(PATIENCE), {"success": True})[1]))
    call = board.submit(tool_call("tool"), deadline=PATIENCE)
    future = call.future
    call.add_done_callback(lambda: called.append(os.getpid()))
    def child():
        parts = list(call.parts())
        return [call.result()["code"], call.result()["outcome"], parts, call.cancel(), called, call.done()]
    print(*in_child(child))
    go.set()
    print(future.result(PATIENCE)["success"], called == [os.getpid()])
"""
    )

    assert said == ["cancelled", "outcome_unknown", "[]", "False", "[]", "True", "True", "True"]


SURVIVED = """
board = Callboard().start()
moody(board)
pid = run(board, "moody")["result"]["pid"]
child = os.fork()
if child == 0:
    time.sleep(60)
    os._exit(0)
print(pid, child, flush=True)
sys.stdin.readline()
began = time.monotonic()
board.stop()
print(quickly(board.stop), time.monotonic() - began < 5.0, flush=True)
sys.stdin.readline()
"""


def test_hosts_end_with_a_killed_program_though_a_child_that_it_forked_lives_on():
    ran = program(SURVIVED, stdin=subprocess.PIPE)
    pid, child = map(int, ran.stdout.readline().split())
    try:
        ran.send_signal(signal.SIGKILL)
        ran.wait(20)
        wait_gone([pid], 20)

        assert alive(child)
    finally:
        os.kill(child, signal.SIGKILL)
        ran.communicate(timeout=20)


def test_a_host_is_stopped_in_good_order_though_a_child_lives_on():
    ran = program(SURVIVED, stdin=subprocess.PIPE)
    pid, child = map(int, ran.stdout.readline().split())
    try:
        ran.stdin.write("\n")
        ran.stdin.flush()
        said = ran.stdout.readline().split()

        assert said == ["True", "True"]
        assert (alive(pid), alive(child)) == (False, True)
    finally:
        os.kill(child, signal.SIGKILL)
        ran.communicate("\n", timeout=20)
    wait_until(lambda: not alive(child))


def test_a_store_that_a_child_knows_is_given_back_when_the_parent_stops(tmp_path):
    said, _ = output(
        """
board = Callboard(state=sys.argv[1]).start()
board.register(Tool(count))
run(board, "tool")
reader, writer = os.pipe()
child = os.fork()
if child == 0:
    os.close(writer)
    os.read(reader, 1)
    os._exit(0)
board.stop()
with Callboard(state=sys.argv[1]) as again:
    again.register(Tool(count))
    print(run(again, "tool")["result"])
os.write(writer, b"!")
os.waitpid(child, 0)
""",
        str(tmp_path / "states.db"),
    )

    assert said == ["2"]
