"""Python tools in hosts of their own: what would end the program costs a call."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest
from callboard import Callboard, PluginLoadError
from callboard.hosts.python.runner.origin import PythonOrigin
from callboard.hosts.python.tool import PythonToolPlugin
from command_line import ECHO
from leaks import TEST_MARK, alive, no_leaks, wait_gone, wait_until
from moody_python import Counter, Meeting, Moody
from tools import tool_call

QUICK = {"backoff": {"first": 0.0, "min": 0.01, "max": 0.05}, "intensity": 1000}
OPTIONS = {"isolate": True, "env": TEST_MARK, "restart": QUICK}


@pytest.fixture(autouse=True)
def nothing_is_left():
    with no_leaks():
        yield


@pytest.fixture
def board():
    with Callboard({"calls": {"grace": 0.1}}) as board:
        board.register(Moody, **OPTIONS)
        yield board


def moody(board, way, **arguments):
    return board.execute(tool_call("moody", way=way, **arguments))


def test_an_abort_costs_one_call_and_nothing_else(board):
    board.register(Counter)
    board.register(Meeting, concurrency=2, **OPTIONS)
    waiting = board.submit(tool_call("meet"))
    counted = [moody(board, "answers")["count"], board.execute(tool_call("count"))["result"]]

    aborted = moody(board, "aborts")

    counted_on = [moody(board, "answers")["count"], board.execute(tool_call("count"))["result"]]
    met = board.execute(tool_call("meet"))
    status = board.status()["plugins"]
    assert (aborted["code"], aborted["outcome"]) == ("host_crashed", "outcome_unknown")
    assert (counted, counted_on) == ([1, [1, 1]], [2, [2, 2]])
    assert (waiting.result(), met) == ({"success": True, "result": "met"},) * 2
    assert (status["moody"]["host"]["generation"], status["meeting"]["host"]["generation"]) == (2, 1)
    assert status["moody"]["host"]["crashes"] == 1


@pytest.mark.parametrize(
    ("way", "exit_", "cause"),
    [
        ("aborts", "signal SIGABRT", r"it called abort, in aborts \(moody_python.py, line \d+\)"),
        ("reads_nothing", "signal SIGSEGV", r"it crashed in native code \(SIGSEGV\), in "),
        ("exits_at_once", "exit code 0", "it exited by itself while it owed answers"),
        ("kills_itself", "signal SIGKILL", "somebody killed it"),
    ],
)
def test_what_ends_the_process_is_a_crash_with_its_cause(board, way, exit_, cause):
    result = moody(board, way, first="begun")

    assert result["code"] == "host_crashed"
    report = result["crash_report"]
    assert report["exit"] == exit_
    assert re.match(cause, report["cause"])
    assert moody(board, "answers")["count"] == 1


@pytest.mark.parametrize(
    ("way", "type_"),
    [("exits", "SystemExit"), ("interrupts", "KeyboardInterrupt"), ("hoards", "MemoryError")],
)
def test_what_a_tool_raises_is_its_answer_and_the_host_lives_on(board, way, type_):
    result = moody(board, way)

    assert (result["code"], result["type"]) == ("tool_raised", type_)
    assert moody(board, "answers")["success"]
    assert board.status()["plugins"]["moody"]["host"]["generation"] == 1


@pytest.mark.parametrize("way", ["spins", "never_lets_go"])
def test_an_endless_loop_costs_a_host_after_its_deadline(board, way):
    call = board.submit(tool_call("moody", way=way, first="begun"), deadline=0.3)

    assert call.result()["code"] == "deadline_exceeded"
    assert moody(board, "answers") == {"success": True, "result": None, "count": 1}
    assert board.status()["plugins"]["moody"]["host"]["generation"] == 2


def test_what_a_tool_has_started_ends_with_its_host(board):
    child = moody(board, "leaves_a_child", detached=True)["result"]
    assert alive(child)

    moody(board, "aborts")

    wait_gone([child])


def test_a_host_that_is_idle_is_killed_and_the_next_call_works(board):
    moody(board, "answers")
    os.kill(board.status()["plugins"]["moody"]["host"]["pid"], signal.SIGSEGV)

    wait_until(lambda: board.status()["plugins"]["moody"]["host"]["generation"] == 2)

    assert moody(board, "answers")["count"] == 2


def test_an_isolated_plugin_says_where_it_runs(board):
    status = board.status()["plugins"]["moody"]
    result = moody(board, "tells_where_it_runs")["result"]

    assert (status["runs_in"], status["kind"]) == ("host", "python")
    assert status["host"]["pid"] == result["pid"] != os.getpid()
    assert result["main thread"]
    assert result["folder"] == str(Path.cwd())
    assert "CALLBOARD_GENERATION" in result["environment"]


def test_a_secret_of_the_program_stays_where_it_is(monkeypatch):
    monkeypatch.setenv("API_KEY", "secret")

    with Callboard() as board:
        board.register(Moody, **{**OPTIONS, "env": {**TEST_MARK, "DECLARED": "yes"}})
        environment = moody(board, "tells_where_it_runs")["result"]["environment"]

    assert "API_KEY" not in environment
    assert environment["DECLARED"] == "yes"


@pytest.mark.parametrize(
    ("code", "said"),
    [
        ("raise RuntimeError('not today')", "RuntimeError: not today"),
        ("import nothing_of_that_name", "what has the module 'nothing_of_that_name'"),
        ("import sys; sys.exit(3)", "SystemExit: 3"),
        ("raise KeyboardInterrupt", "KeyboardInterrupt"),
        ("import os; os._exit(7)", "exit code 7"),
        ("import os; os.abort()", "it called abort"),
        ("def Tool(: pass", "SyntaxError"),
        ("Tool = 3", "is no tool plugin"),
        ("", "has no 'Tool'"),
    ],
)
def test_what_goes_wrong_at_import_goes_wrong_over_there_and_is_told(tmp_path, code, said):
    (tmp_path / "agent_plugin.json").write_text('{"entries": ["evil_at_import.Tool"]}')
    (tmp_path / "evil_at_import.py").write_text(code)

    with Callboard() as board, pytest.raises(PluginLoadError) as caught:
        board.load(f"path:{tmp_path}", **{**OPTIONS, "restart": {"intensity": 0}})

    assert said in str(caught.value)


def test_prints_at_import_go_to_the_log_and_an_import_that_never_ends_parks_the_host_at_once(tmp_path):
    (tmp_path / "agent_plugin.json").write_text('{"entries": ["hangs_at_import.Tool"]}')
    (tmp_path / "hangs_at_import.py").write_text("print('begun')\nimport threading; threading.Event().wait()")

    with Callboard() as board, pytest.raises(PluginLoadError) as caught:
        board.load(f"path:{tmp_path}", start_deadline=0.5, **OPTIONS)

    assert "it was not ready within 0.5 s, for its plugin was still being loaded" in str(caught.value)


@pytest.mark.parametrize("far", [ECHO, "moody_python.Moody"])
def test_a_configuration_that_is_no_json_cannot_be_sent_and_says_where(far):
    with (
        Callboard() as board,
        pytest.raises(
            PluginLoadError, match=r"\$\.params\.config\.folder is of type PosixPath, which is not JSON"
        ),
    ):
        board.load(far, config={"folder": Path("/")}, **OPTIONS)


def test_an_object_cannot_be_sent_and_says_what_to_do():
    with Callboard() as board, pytest.raises(PluginLoadError, match="register its class"):
        board.register(Moody(), isolate=True)


def test_a_class_of_a_function_cannot_be_found_and_says_what_to_do():
    class Local(Moody):
        name = "local"

    with Callboard() as board, pytest.raises(PluginLoadError, match="at the top level of a module"):
        board.register(Local, isolate=True)


@pytest.mark.parametrize(("given", "name"), [({}, "counter"), ({"name": "far"}, "far")])
def test_a_plugin_that_is_not_loaded_here_goes_by_its_own_name_unless_it_is_given_one(given, name):
    with Callboard() as board:
        board.load("moody_python.Counter", **OPTIONS, **given)

        assert [tool.plugin_name for tool in board.tools()] == [name]


def test_a_class_at_hand_goes_by_its_own_name():
    with Callboard() as board:
        board.register(Counter, **OPTIONS)

        assert [tool.plugin_name for tool in board.tools()] == ["counter"]


def test_what_runs_in_a_host_anyway_may_be_called_isolated():
    with Callboard() as board:
        board.load(ECHO, isolate=True)
        board.register(
            PythonToolPlugin("far", PythonOrigin("moody_python.Counter"), env=TEST_MARK), isolate=True
        )

        kinds = {name: plugin["kind"] for name, plugin in board.status()["plugins"].items()}

    assert kinds == {"echo": "node", "far": "python"}


def test_code_that_is_isolated_is_never_imported_here(tmp_path):
    (tmp_path / "agent_plugin.json").write_text('{"entries": ["only_over_there.Tool"]}')
    (tmp_path / "only_over_there.py").write_text("from moody_python import Moody as Tool")

    with Callboard() as board:
        board.load(f"path:{tmp_path}", **OPTIONS)

        assert moody(board, "answers")["success"]
    assert "only_over_there" not in sys.modules
    assert str(tmp_path) not in sys.path


def test_a_plugin_that_cannot_prepare_does_not_come_up_and_says_why(tmp_path):
    (tmp_path / "agent_plugin.json").write_text('{"entries": ["unprepared.Tool"]}')
    (tmp_path / "unprepared.py").write_text(
        "from moody_python import Moody\n"
        "class Tool(Moody):\n"
        "    def prepare(self, config, state, *, context=None): raise OSError('no network')\n"
    )

    with Callboard() as board, pytest.raises(PluginLoadError, match="OSError: no network"):
        board.load(f"path:{tmp_path}", **{**OPTIONS, "restart": {"intensity": 0}})


POOLED = """
    import multiprocessing
    import os
    from concurrent.futures import ProcessPoolExecutor

    from callboard import Callboard


    def shout(text):
        return text.upper(), os.getpid()


    class Shout:
        name = "shout"

        def get_tool_schemas(self, state):
            return [{"type": "function", "function": {"name": "shout", "parameters": {"type": "object"}}}]

        def execute_tool(self, tool_name, payload, state):
            with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context(payload["way"])) as pool:
                text, pid = pool.submit(shout, payload["text"]).result()
            return {"success": True, "result": [text, pid != os.getpid()]}


    if __name__ == "__main__":
        with Callboard() as board:
            board.register(Shout, isolate=True)
            for way in ("fork", "spawn", "forkserver", None):  # None: the default of this Python
                arguments = {"text": "hi", "way": way}
                call = {"type": "function_call", "call_id": "1", "name": "shout", "arguments": arguments}
                print(board.execute(call))
    """

PROGRAM = """
    from callboard import Callboard


    class Shout:
        name = "shout"

        def get_tool_schemas(self, state):
            return [{"type": "function", "function": {"name": "shout", "parameters": {"type": "object"}}}]

        def execute_tool(self, tool_name, payload, state):
            return {"success": True, "result": payload["text"].upper()}


    def main():
        with Callboard() as board:
            board.register(Shout, isolate=True)
            print(board.execute({"type": "function_call", "call_id": "1", "name": "shout", "arguments": {"text": "hi"}}))

    """


def run_program(folder, end, text=PROGRAM):
    program = folder / "program.py"
    program.write_text(textwrap.dedent(text) + end)
    return subprocess.run(
        [sys.executable, str(program)],
        cwd="/",
        env=os.environ | TEST_MARK,
        capture_output=True,
        text=True,
        timeout=50,
        check=False,
    )


def test_a_class_of_the_program_itself_runs_in_a_host(tmp_path):
    ended = run_program(tmp_path, 'if __name__ == "__main__":\n    main()\n')

    assert ended.stdout == "{'success': True, 'result': 'HI'}\n"
    assert ended.stderr == ""


def test_a_tool_of_the_program_may_have_processes_of_its_own(tmp_path):
    ended = run_program(tmp_path, "", POOLED)

    assert ended.stdout == "{'success': True, 'result': ['HI', True]}\n" * 4


def test_a_program_that_starts_hosts_as_it_is_loaded_is_told_not_to(tmp_path):
    ended = run_program(tmp_path, "main()\n")

    said = ended.stderr.splitlines()[-1]
    assert ended.returncode == 1
    assert said.count('behind if __name__ == "__main__"') == 1
    assert said.count("is not running") <= 1, "told once, and not by each of the two processes"
