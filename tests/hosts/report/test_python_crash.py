import pytest
from callboard.hosts.process.process import ProcessExit
from callboard.hosts.report.crash_report import probable_cause
from callboard.hosts.report.python_crash import python_crash

CRASH = """something it printed
Fatal Python error: {what}

Stack (most recent call first):
  File "/tools/my tool.py", line 11 in execute_tool
  File "/house/running.py", line 84 in execute

Extension modules: orjson.orjson (total: 1)"""

ALL_THREADS = """Fatal Python error: Segmentation fault

Current thread 0x00007f1c2a7fc6c0 (most recent call first):
  File "/usr/lib/python3.11/ctypes/__init__.py", line 519 in string_at"""


@pytest.mark.parametrize(
    ("stderr", "cause"),
    [
        (CRASH.format(what="Aborted"), "it called abort, in execute_tool (my tool.py, line 11)"),
        (
            CRASH.format(what="Segmentation fault"),
            "it crashed in native code (SIGSEGV), in execute_tool (my tool.py, line 11)",
        ),
        (ALL_THREADS, "it crashed in native code (SIGSEGV), in string_at (__init__.py, line 519)"),
        ("Fatal Python error: Bus error", "it crashed in native code (SIGBUS)"),
        (
            "Fatal Python error: Cannot recover from stack overflow.\n",
            "the interpreter gave up: Cannot recover from stack overflow.",
        ),
        ("Fatal Python error: ", None),
        ("Traceback (most recent call last):\n  ...\nValueError", None),
        ("", None),
    ],
)
def test_the_last_words_of_an_interpreter_are_read(stderr, cause):
    assert python_crash(stderr) == cause


def test_the_last_of_two_crashes_counts():
    stderr = CRASH.format(what="Aborted") + "\n" + CRASH.format(what="Bus error").replace("11", "12")

    assert python_crash(stderr) == "it crashed in native code (SIGBUS), in execute_tool (my tool.py, line 12)"


@pytest.mark.parametrize(("signal", "told"), [(6, True), (11, True), (9, False), (15, False)])
def test_it_is_the_cause_only_of_an_end_that_a_program_brings_upon_itself(signal, told):
    exit_ = ProcessExit(code=None, signal=signal, uptime=1.0, stop_reason=None)

    assert probable_cause(exit_, CRASH.format(what="Aborted")).startswith("it called abort") is told
