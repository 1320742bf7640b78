"""A class and a function of the program itself run in a host, whichever way Python was told to run the program."""

from __future__ import annotations

import os
import py_compile
import subprocess
import sys
import textwrap

import pytest
from leaks import TEST_MARK

PROGRAM = """
    import functools

    from callboard import Callboard


    class Shout:
        name = "shout"

        def get_tool_schemas(self, state):
            return [{"type": "function", "function": {"name": "shout", "parameters": {"type": "object"}}}]

        def execute_tool(self, tool_name, payload, state):
            return {"success": True, "result": payload["text"].upper()}


    def noted(function):
        return functools.wraps(function)(lambda *a, **k: function(*a, **k))


    def half(n: int) -> float:
        return n / 2


    @noted
    def third(n: int) -> float:
        return n / 3


    def main():
        with Callboard() as board:
            for each in (Shout, half, third):
                board.register(each, isolate=True)
            print("said:", board.call("shout", text="hi"), board.call("half", n=1), board.call("third", n=3))


    if __name__ == "__main__":
        main()
    """


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "app").mkdir()
    program = tmp_path / "program.py"
    for file in (program, tmp_path / "app" / "__main__.py"):
        file.write_text(textwrap.dedent(PROGRAM))
    py_compile.compile(str(program), str(tmp_path / "compiled.pyc"), doraise=True)
    (tmp_path / "compiled").write_bytes((tmp_path / "compiled.pyc").read_bytes())
    return tmp_path


@pytest.mark.parametrize(
    "words",
    [
        ("app",),
        ("-m", "app"),
        ("compiled.pyc",),
        ("compiled",),
        ("-m", "cProfile", "program.py"),
        ("-m", "cProfile", "-m", "app"),
        ("-m", "cProfile", "-m", "program"),
        ("-m", "trace", "--listfuncs", "program.py"),
        ("-m", "pdb", "-c", "continue", "-c", "quit", "program.py"),
        ("-m", "runpy", "program"),
    ],
    ids=" ".join,
)
def test_what_a_program_defines_runs_in_a_host(folder, words):
    ended = subprocess.run(
        [sys.executable, *words],
        cwd=folder,
        env=os.environ | TEST_MARK,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=200,
        check=False,
    )

    assert "said: HI 0.5 1.0\n" in ended.stdout, ended.stderr
