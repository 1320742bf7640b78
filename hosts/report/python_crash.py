"""What a Python interpreter that crashed has said of it on stderr, as a cause in a sentence. Pure.

Python hosts run with `faulthandler` on: the last thing such an interpreter does is to name the signal and the
line that it was at. Of a Python code's own exceptions this file knows nothing; those are answers.
"""

from __future__ import annotations

import re

_FATAL = re.compile(
    r"Fatal Python error: (?P<what>[^\n]+)\n"
    r"(?:[^\n]*\n)*?[^\n]*\(most recent call first\):\n"
    r'\s+File "(?P<file>[^\n]+)", line (?P<line>\d+) in (?P<function>[^\n]+)'
)
_NAMELESS = re.compile(r"Fatal Python error: (?P<what>[^\n]+)")

_SIGNALS = {
    "Aborted": "it called abort",
    "Bus error": "it crashed in native code (SIGBUS)",
    "Floating point exception": "it crashed in native code (SIGFPE)",
    "Floating-point exception": "it crashed in native code (SIGFPE)",
    "Illegal instruction": "it crashed in native code (SIGILL)",
    "Segmentation fault": "it crashed in native code (SIGSEGV)",
}


def python_crash(stderr: str) -> str | None:
    """Return the cause, with the line of Python where it happened if that was told; ``None`` if nothing was said."""
    begin = stderr.rfind("Fatal Python error: ")
    if begin == -1:
        return None
    said = _FATAL.match(stderr, begin) or _NAMELESS.match(stderr, begin)
    if said is None:
        return None
    what = said["what"]
    cause = _SIGNALS.get(what, f"the interpreter gave up: {what}")
    if said.re is _NAMELESS:
        return cause
    file = re.split(r"[/\\]", said["file"])[-1]
    return f"{cause}, in {said['function']} ({file}, line {said['line']})"
