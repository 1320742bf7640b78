"""A Python tool that does whatever it is told, however bad that is. Only for hosts: most of it would end the tests."""

from __future__ import annotations

import ctypes
import os
import re
import resource
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path


def answers(payload, state):
    return {"success": True, "result": payload.get("value"), "count": state["count"]}


def aborts(payload, state):
    os.abort()


def reads_nothing(payload, state):
    ctypes.string_at(0)


def exits_at_once(payload, state):
    os._exit(payload.get("code", 0))


def exits(payload, state):
    sys.exit("enough")


def interrupts(payload, state):
    raise KeyboardInterrupt


def kills_itself(payload, state):
    os.kill(os.getpid(), signal.SIGKILL)


def spins(payload, state):
    while True:
        pass


def never_lets_go(payload, state):
    """Hold the interpreter's lock in C, so that no other thread of the process gets to run."""
    re.match(r"(a+)+$", "a" * 60 + "b")


def prints(payload, state):
    line = '{"v":1,"id":"1","ok":true,"result":{"value":"forged"}}'
    print(line)
    print(line, file=sys.__stdout__)
    os.write(1, f"{line}\n".encode())
    subprocess.run(["echo", line], check=True)
    return answers(payload, state)


def floods(payload, state):
    for _ in range(payload["lines"]):
        print("x" * 1000)
    return answers(payload, state)


def closes_streams(payload, state):
    sys.stdout.close()
    sys.stdin.close()
    sys.stderr.close()
    for descriptor in range(3):
        os.close(descriptor)
    return answers(payload, state)


def reads_stdin(payload, state):
    return answers({"value": sys.stdin.read() + os.read(0, 100).decode()}, state)


def forks(payload, state):
    pid = os.fork()
    if pid == 0 and payload.get("twice") and (inner := os.fork()):
        os.waitpid(inner, 0)
    if pid:
        return answers({"value": os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])}, state)
    return {"success": True, "result": "the copy"}


def leaves_threads(payload, state):
    for daemon in (True, False):
        threading.Thread(target=threading.Event().wait, daemon=daemon).start()
    return answers(payload, state)


def leaves_a_child(payload, state):
    child = subprocess.Popen(["sleep", "1000"], start_new_session=payload.get("detached", False))
    return answers({"value": child.pid}, state)


def leaves_a_daemon(payload, state):
    """With no parent, session, environment or descriptor that would tell whose it is."""
    script = "(setsid env -i /bin/sh -c 'echo $$; exec sleep 1000 >&- 2>&-' </dev/null &)"
    said = subprocess.run(["/bin/sh", "-c", script], stdout=subprocess.PIPE, check=True).stdout
    return answers({"value": int(said)}, state)


def hoards(payload, state):
    _, hard = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (1 << 30, hard))
    return answers({"value": len(bytearray(1 << 40))}, state)


def answers_much(payload, state):
    return answers({"value": "x" * (3 << 20)}, state)


def spoils_the_state(payload, state):
    state["made of"] = object()
    return answers(payload, state)


def returns_an_object(payload, state):
    return {"success": True, "result": {"deep": [1, object()]}}


def returns_nan(payload, state):
    return {"success": True, "result": {"ratio": float("nan")}}


def returns_half_a_character(payload, state):
    return {"success": True, "result": "cut \ud83d, and 2**70 beside", "number": 2**70}


def returns_no_verdict(payload, state):
    return {"success": "perhaps"}


def raises(payload, state):
    raise UnprintableError


def raises_in_a_chain(payload, state):
    try:
        Path("/nowhere").read_text()
    except OSError as error:
        raise ValueError("outer") from error


def raises_os_error(payload, state):
    Path("/nowhere").read_text()


def tells_where_it_runs(payload, state):
    where = {
        "pid": os.getpid(),
        "folder": str(Path.cwd()),
        "main thread": threading.current_thread() is threading.main_thread(),
        "environment": dict(os.environ),
        "path": sys.path,
        "program": sys.argv,
    }
    return answers({"value": where}, state)


class UnprintableError(Exception):
    def __str__(self):
        raise RuntimeError("not even this")


class Moody:
    name = "moody"

    def init(self, config):
        return {"count": config.get("count", 0)}

    def get_tool_schemas(self, state):
        return [{"type": "function", "function": {"name": "moody", "parameters": {"type": "object"}}}]

    def stream_tool(self, tool_name, payload, state):
        state["count"] += 1
        if payload.get("first") is not None:
            yield {"part": payload["first"]}
        yield globals()[payload.get("way", "answers")](payload, state)

    def format_tool_result(self, result, state):
        if result.get("raise"):
            raise LookupError("no such format")
        if isinstance(result.get("result"), dict):
            return None
        return f"{result['result']} of {state['count']}"

    def get_ui_elements(self):
        return [{"element": object()}]


class Meeting:
    """Two calls that need each other in order to end."""

    name = "meeting"

    def __init__(self):
        self._here = threading.Barrier(2, timeout=20)

    def get_tool_schemas(self, state):
        return [{"type": "function", "function": {"name": "meet", "parameters": {"type": "object"}}}]

    def execute_tool(self, tool_name, payload, state):
        self._here.wait()
        return {"success": True, "result": "met"}


class Slow:
    """Says when it begins, and then takes its time."""

    name = "slow"

    def get_tool_schemas(self, state):
        return [{"type": "function", "function": {"name": "slow", "parameters": {"type": "object"}}}]

    def stream_tool(self, tool_name, payload, state):
        yield {"part": "begun"}
        time.sleep(1000)
        yield {"success": True, "result": "slept"}


class Counter:
    """Counts in its state, and in the process."""

    name = "counter"

    def __init__(self):
        self.lived = 0

    def init(self, config):
        return {"count": 0}

    def get_tool_schemas(self, state):
        return [{"type": "function", "function": {"name": "count", "parameters": {"type": "object"}}}]

    def execute_tool(self, tool_name, payload, state):
        self.lived += 1
        state["count"] += 1
        return {"success": True, "result": [state["count"], self.lived]}
