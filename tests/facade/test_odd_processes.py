"""Programs in odd circumstances: their folder is deleted, they are ending, or they have no standard streams."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from functools import partial

import pytest
from leaks import TEST_MARK, no_leaks
from programs import NODE

ANSWERS = """
import json, os, sys, tempfile
from callboard import Callboard

def answers():
    with Callboard() as board:
        @board.tool
        def add(a: int, b: int) -> int:
            "Add."
            return a + b

        board.load({"node_tool": {"file": sys.argv[1], "id": "moody"}})
        call = {"type": "function", "function": {"name": "moody", "arguments": "{}"}}
        return board.call("add", a=1, b=2), board.execute(call, deadline=20)["success"]
"""
IN_A_DELETED_FOLDER = """
folder = tempfile.mkdtemp()
# Python 3.13.0 raises SystemError for a missing attribute of any module where the program's folder, "" with -c, is gone.
assert sys.path[0], "to be run as a file"
os.chdir(folder)
os.rmdir(folder)
print(json.dumps(answers()))
"""
REFUSES_TO_WRITE = """
from callboard import CallboardError
folder = tempfile.mkdtemp()
os.chdir(folder)
os.rmdir(folder)
asked = json.loads(sys.argv[2])
try:
    Callboard(asked["config"], state=asked["state"])
except CallboardError as error:
    print(json.dumps({"path": error.path, "said": str(error)}))
"""
AS_IT_ENDS = """
import atexit
atexit.register(lambda: print(json.dumps(answers())))
"""
IN_A_FRAME_THAT_IS_NEVER_LEFT = {
    "a task that was cancelled": """
task.cancel()
loop.run_until_complete(asyncio.sleep(0))
""",
    "a task": "",
    "a closed loop": "loop.close()",
    "a task that is starting a board": """
begun = threading.Event()
async def starting():
    async with Callboard(subscribers=[lambda event: begun.set()]) as board:
        board.load({"node_tool": {"file": sys.argv[1], "id": "moody"}})
other = loop.create_task(starting())
loop.run_until_complete(asyncio.sleep(0))
""",
    "an asynchronous generator": """
async def boards():
    async with Callboard() as board:
        yield board
generator = boards()
another = loop.run_until_complete(anext(generator))
""",
    "a generator": """
def boards():
    with Callboard() as board:
        board.load({"node_tool": {"file": sys.argv[1], "id": "moody"}})
        yield board
generator = boards()
next(generator)
""",
}
ENDS_IN_A_FRAME = """
import asyncio, threading
async def serve(started):
    async with Callboard() as board:
        board.load({"node_tool": {"file": sys.argv[1], "id": "moody"}})
        started.set()
        await asyncio.Event().wait()
loop, started = asyncio.new_event_loop(), asyncio.Event()
task = loop.create_task(serve(started))
loop.run_until_complete(started.wait())
"""
WITHOUT_STREAMS = """
import subprocess
result = os.open(sys.argv[2], os.O_WRONLY | os.O_CREAT)
os.set_inheritable(result, False)
for descriptor in range(3):
    os.close(descriptor)
state = os.path.join(os.path.dirname(sys.argv[2]), "state.sqlite")
with Callboard({"state": state}) as board:
    board.load({"node_tool": {"file": sys.argv[1], "id": "moody"}})
    for descriptor in range(3):
        assert os.path.samestat(os.fstat(descriptor), os.stat(os.devnull)), descriptor
    subprocess.run(["sh", "-c", "echo out; echo err >&2"], check=True)
    call = {"type": "function", "function": {"name": "moody", "arguments": "{}"}}
    os.write(result, json.dumps(board.execute(call, deadline=20)).encode())
"""


@pytest.fixture(autouse=True)
def nothing_is_left():
    with no_leaks():
        yield


@pytest.fixture
def run(tmp_path):
    return partial(_run, tmp_path / "program.py")


def _run(file, code, *arguments):
    file.write_text(ANSWERS + code)
    program = [sys.executable, str(file), str(NODE / "moody.mjs"), *arguments]
    return subprocess.run(program, env=os.environ | TEST_MARK, capture_output=True, timeout=60, check=False)


@pytest.mark.parametrize(
    ("asked", "where"),
    [
        ({"config": None, "state": "kept.db"}, "state.path"),
        ({"config": {"state": {"path": "deep/kept.db"}}, "state": None}, "$.state.path"),
        ({"config": {"plugin_cache_dir": "kept.db"}, "state": None}, "$.plugin_cache_dir"),
    ],
)
def test_what_would_be_written_relative_to_a_deleted_folder_is_refused(run, asked, where):
    ended = run(REFUSES_TO_WRITE, json.dumps(asked))

    assert ended.returncode == 0, ended.stderr.decode()
    refusal = json.loads(ended.stdout)
    assert refusal["path"] == where
    assert all(
        word in refusal["said"] for word in ("kept.db", "working directory", "deleted", "absolute path")
    )


def test_a_board_works_in_a_folder_that_was_deleted(run):
    ended = run(IN_A_DELETED_FOLDER)

    assert ended.returncode == 0, ended.stderr.decode()
    assert json.loads(ended.stdout) == [3, True]


def test_a_board_that_is_made_as_the_program_ends_works_or_says_that_no_thread_can_be_had(run):
    probe = "import atexit, threading; atexit.register(lambda: threading.Thread(target=int).start())"
    alone = subprocess.run([sys.executable, "-c", probe], capture_output=True, timeout=60, check=False)

    ended = run(AS_IT_ENDS)

    if alone.stderr:  # Python 3.12 starts no thread then
        assert b"at interpreter shutdown" in alone.stderr
        assert b"at interpreter shutdown" in ended.stderr
    else:
        assert json.loads(ended.stdout) == [3, True], ended.stderr.decode()


@pytest.mark.parametrize("frame", IN_A_FRAME_THAT_IS_NEVER_LEFT)
def test_a_program_ends_though_the_frame_that_has_a_board_is_never_left(run, frame):
    ended = run(ENDS_IN_A_FRAME + IN_A_FRAME_THAT_IS_NEVER_LEFT[frame])

    assert ended.returncode == 0, ended.stderr.decode()
    assert "Exception ignored" not in ended.stderr.decode()


def test_nothing_of_a_board_is_opened_as_a_standard_stream_that_is_closed(run, tmp_path):
    result = tmp_path / "result"

    ended = run(WITHOUT_STREAMS, str(result))

    assert ended.returncode == 0
    assert json.loads(result.read_text())["success"]
