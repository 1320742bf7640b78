"""A tool host that goes wrong on schedule; the twin of ``evil_host.mjs``. Run, never imported.

``python -I evil_host.py NAME SCHEDULE BOOK``: the host's name, the file of its fault schedule, and
the file in which it keeps count, since what it has done must outlive its generations. The board's side of
all three is `callboard.chaos.inject.evil_tool`, where the layout of the book is described.

It uses the standard library alone, and none of Callboard: what is to be trusted with the proof of a
thing should not be made of it.
"""

from __future__ import annotations

import json
import os
import random
import signal
import struct
import subprocess
import sys
import threading
from functools import partial
from pathlib import Path
from typing import Any, NoReturn

assert sys.platform != "win32", "an evil host needs POSIX: its faults are signals and descriptors"

COUNTS = ("spawn", "call", "in", "out", "byte")
ENTRIES, ENTRY = 40, 12
STATUS, USED, SEEN = range(3)
WAITING, DUE, DONE = range(3)

GENERATION = frozenset({
    "exit", "signal", "pause", "hang", "stderr_flood", "orphan", "grow_memory", "close_stdin",
    "close_stdout", "kill_parent",
})  # fmt: skip
ANSWER = frozenset({
    "slow", "partial_line", "truncate", "garbage", "duplicate_reply", "wrong_id", "wrong_version",
    "stdout_flood", "part_flood", "reply_flood",
})  # fmt: skip


class Book:
    """What has happened, in all generations. Written before the consequences, so that no death undoes it."""

    def __init__(self, path: str, entries: int) -> None:
        self._file = os.open(path, os.O_RDWR)
        self._entries = entries
        self.total: dict[str, int] = dict(
            zip(COUNTS, struct.unpack("<5Q", os.pread(self._file, ENTRIES, 0)), strict=True)
        )
        self.generation: dict[str, int] = dict.fromkeys(COUNTS, 0)

    def count(self, what: str, more: int = 1) -> None:
        """It has happened again."""
        self.generation[what] += more
        self.total[what] += more
        os.pwrite(self._file, struct.pack("<Q", self.total[what]), COUNTS.index(what) * 8)

    def read(self) -> list[list[int]]:
        """Status, uses and sightings of each entry."""
        data = os.pread(self._file, self._entries * ENTRY, ENTRIES)
        return [list(fields) for fields in struct.iter_unpack("<3I", data)]

    def put(self, entry: int, fields: list[int]) -> None:
        """Write them down for one entry."""
        os.pwrite(self._file, struct.pack("<3I", *fields), ENTRIES + entry * ENTRY)


class Fates:
    """Which entries of the schedule have come true, and which of those are still to be carried out."""

    def __init__(self, schedule: dict[str, Any], book: Book) -> None:
        self._book = book
        self._entries = [(entry["trigger"], entry["fault"]) for entry in schedule["entries"]]
        self.chance: random.Random = random.Random(schedule["seed"])  # noqa: S311 - a game, no secret
        self.look_up()

    def look_up(self) -> None:
        """Read what the book says: an earlier generation or the board's side may have written there."""
        self._fields = self._book.read()
        self._due = [number for number, fields in enumerate(self._fields) if fields[STATUS] == DUE]
        self._waiting: dict[str, list[int]] = {}
        for number, (trigger, _) in enumerate(self._entries):
            if self._fields[number][STATUS] == WAITING:
                self._waiting.setdefault(trigger["on"], []).append(number)

    def comes(self, on: str, about: str | None = None) -> None:
        """Something that triggers count has happened: note what has come true by it."""
        for number in self._waiting.get(on, ())[:]:
            trigger = self._entries[number][0]
            if self._concerns(trigger, about) and self._reached(number, trigger):
                self._waiting[on].remove(number)
                self._put(number, STATUS, DUE)
                self._due.append(number)

    def _concerns(self, trigger: dict[str, Any], about: str | None) -> bool:
        if about is not None and about != (
            trigger["name"] if "name" in trigger else trigger.get("way", "in")
        ):
            return False
        return bool(trigger.get("generation", self._book.total["spawn"]) == self._book.total["spawn"])

    def _reached(self, number: int, trigger: dict[str, Any]) -> bool:
        if trigger["on"] == "point":
            self._put(number, SEEN, self._fields[number][SEEN] + 1)
            return self._fields[number][SEEN] >= int(trigger.get("n", 1))
        return self._left(trigger) <= 0

    def _left(self, trigger: dict[str, Any]) -> int:
        what = trigger.get("way", "in") if trigger["on"] == "frame" else trigger["on"]
        counted = self._book.generation if "generation" in trigger else self._book.total
        return int(trigger["n"]) - counted[what]

    def bytes_until_next(self) -> int | None:
        """How many bytes may be written before a trigger wants to be asked; ``None`` for any number."""
        triggers = [self._entries[number][0] for number in self._waiting.get("byte", ())]
        left = [self._left(trigger) for trigger in triggers if self._concerns(trigger, None)]
        return min((count for count in left if count > 0), default=None)

    def take(self, kinds: frozenset[str]) -> list[dict[str, Any]]:
        """The faults of these kinds that are due, each as often as it may come."""
        taken = []
        for number in self._due[:]:
            fault = self._entries[number][1]
            if fault["do"] in kinds:
                taken.append(fault)
                self._put(number, USED, self._fields[number][USED] + 1)
                if fault["do"] != "refuse_start" or self._fields[number][USED] >= fault.get("times", 1):
                    self._put(number, STATUS, DONE)
                    self._due.remove(number)
        return taken

    def _put(self, number: int, field: int, value: int) -> None:
        self._fields[number][field] = value
        self._book.put(number, self._fields[number])


class EvilHost:
    """The host: reads requests, answers them, and goes wrong in between."""

    def __init__(self, name: str, schedule: dict[str, Any], book: Book) -> None:
        self._name = name
        self._book = book
        self._fates = Fates(schedule, book)
        self._out = threading.RLock()
        self._reading = self._told = False
        self._generation = 0
        self._kept: list[Any] = []
        self._tools = {f"{name}_{tool}": getattr(self, f"_{tool}") for tool in TOOLS}

    def run(self) -> None:
        """Live."""
        signal.signal(signal.SIGUSR2, self._hear)
        self._book.count("spawn")
        self._fates.comes("spawn")
        self._strike()
        if self._fates.take(frozenset({"refuse_start"})):
            os._exit(1)
        self._reading = True
        for line in sys.stdin.buffer:
            self._reading = False
            with self._out:
                self._book.count("in")
                self._fates.comes("frame", "in")
                self._strike()
                self._serve(json.loads(line))
            self._reading = True

    def _hear(self, *_: object) -> None:
        """The board's side has armed an entry. In the middle of something it can wait for the next step."""
        self._told = True
        if self._reading:
            with self._out:
                self._strike()

    def _serve(self, request: dict[str, Any]) -> None:
        params = request["params"]
        answer = partial(self._answer, request["id"])
        match request["method"]:
            case "init":
                # Of the first request alone: what is asked of this process later must not rename it.
                number = request["id"].partition("-")[0]
                self._generation = int(number) if number.isdecimal() else 0
                for fault in self._fates.take(frozenset({"die_in_init"})):
                    os._exit(fault.get("code", 1))
                waits = sum(fault["seconds"] for fault in self._fates.take(frozenset({"slow_start"})))
                self._later(waits, partial(answer, {}, {}))
            case "get_tool_schemas":
                answer([schema(name) for name in self._tools])
            case "execute_tool":
                self._book.count("call")
                self._fates.comes("call")
                self._strike()
                if tool := self._tools.get(params["tool_name"]):
                    tool(request["id"], params["arguments"], params.get("state") or {})
                else:
                    self._refuse(request["id"], "LookupError", f"there is no tool {params['tool_name']!r}")
            case method:
                self._refuse(request["id"], "MethodNotFound", f"there is no method {method!r}")

    # The tools

    def _echo(self, request_id: str, arguments: dict[str, Any], state: dict[str, Any]) -> None:
        self._succeed(request_id, arguments, state)

    def _count(self, request_id: str, arguments: dict[str, Any], state: dict[str, Any]) -> None:
        count = state.get("count", 0) + arguments.get("by", 1)
        self._succeed(request_id, count, {**state, "count": count})

    def _ledger(self, request_id: str, arguments: dict[str, Any], state: dict[str, Any]) -> None:
        self._point("ledger.before")
        with Path(arguments["path"]).open("a", encoding="utf-8") as ledger:
            ledger.write(f"{arguments['line']}\n")
        self._point("ledger.after")
        self._succeed(request_id, arguments["line"], state)

    def _stream(self, request_id: str, arguments: dict[str, Any], state: dict[str, Any]) -> None:
        for number in range(arguments["parts"]):
            self._point("stream.part")
            self._write({"v": 1, "id": request_id, "event": {"type": "part", "payload": number}})
        self._succeed(request_id, arguments["parts"], state)

    def _slow(self, request_id: str, arguments: dict[str, Any], state: dict[str, Any]) -> None:
        self._later(arguments["seconds"], partial(self._succeed, request_id, arguments["seconds"], state))

    def _succeed(self, request_id: str, result: Any, state: dict[str, Any]) -> None:
        self._answer(request_id, {"success": True, "result": result, "generation": self._generation}, state)

    # How things are said, and how that goes wrong

    def _refuse(self, request_id: str, kind: str, detail: str) -> None:
        error = {"type": kind, "detail": detail, "stack": ""}
        self._write({"v": 1, "id": request_id, "ok": False, "error": error})

    def _answer(self, request_id: str, value: Any, state: dict[str, Any] | None = None) -> None:
        result = {"value": value} if state is None else {"value": value, "state": state}
        message: dict[str, Any] = {"v": 1, "id": request_id, "ok": True, "result": result}
        faults = {fault["do"]: fault for fault in self._fates.take(ANSWER)}
        if "wrong_id" in faults:
            message["id"] = "an id that nobody asked"
        if wrong := faults.get("wrong_version"):
            message["v"] = wrong.get("version", 2)
        self._later(
            faults["slow"]["seconds"] if "slow" in faults else 0.0, lambda: self._spoil(message, faults)
        )

    def _spoil(self, message: dict[str, Any], faults: dict[str, dict[str, Any]]) -> None:
        line = encode(message)
        if garbage := faults.get("garbage"):
            rubbish = bytes(
                self._fates.chance.choices(b"abcdefghijklmnopqrstuvwxyz ", k=garbage.get("bytes", 40))
            )
            self._raw(rubbish + (b"\n" if garbage.get("newline", True) else b""))
        if "stdout_flood" in faults:
            self._raw(b"a flood of words \n" * (faults["stdout_flood"].get("bytes", 1_000_000) // 18 + 1))
        if "part_flood" in faults:
            part = {"v": 1, "id": message["id"], "event": {"type": "part", "payload": "a flood"}}
            self._raw(encode(part) * faults["part_flood"].get("parts", 10_000))
        if partial_line := faults.get("partial_line"):
            self._raw(line[: min(partial_line.get("bytes", 10), len(line) - 1)])
            os._exit(partial_line.get("code", 0))
        if truncate := faults.get("truncate"):
            line = line[: min(truncate.get("bytes", 10), len(line) - 2)] + b"\n"
        self._say(line)
        for _ in range(faults.get("duplicate_reply", {"times": 0}).get("times", 1)):
            self._say(line)
        if "reply_flood" in faults:
            self._raw(line * faults["reply_flood"].get("times", 10_000))

    def _write(self, message: dict[str, Any]) -> None:
        self._say(encode(message))

    def _say(self, line: bytes) -> None:
        with self._out:
            self._book.count("out")
            self._fates.comes("frame", "out")
            self._strike()
            self._raw(line)

    def _raw(self, data: bytes) -> None:
        """Write bytes, stopping at each that a trigger waits for."""
        with self._out:
            self._bite_by_bite(data)

    def _bite_by_bite(self, data: bytes) -> None:
        while data:
            until = self._fates.bytes_until_next()
            bite, data = (data, b"") if until is None else (data[:until], data[until:])
            write_all(bite)
            self._book.count("byte", len(bite))
            self._fates.comes("byte")
            self._strike()

    def _later(self, seconds: float, function: Any) -> None:
        if seconds <= 0:
            function()
            return
        timer = threading.Timer(seconds, function)
        timer.daemon = True
        timer.start()

    # What happens to its generation

    def _point(self, name: str) -> None:
        self._fates.comes("point", name)
        self._strike()

    def _strike(self) -> None:
        if self._told:
            self._told = False
            self._fates.look_up()
        for fault in self._fates.take(GENERATION):
            getattr(self, f"_do_{fault['do']}")(fault)

    def _do_exit(self, fault: dict[str, Any]) -> NoReturn:
        os._exit(fault.get("code", 1))

    def _do_signal(self, fault: dict[str, Any]) -> None:
        os.kill(os.getpid(), fault.get("number", signal.SIGKILL))

    def _do_pause(self, fault: dict[str, Any]) -> None:
        if "seconds" in fault:  # nobody who is stopped can go on by himself
            wake = f"sleep {fault['seconds']}; kill -CONT {os.getpid()}"
            spawn(["/bin/sh", "-c", wake], stdout=subprocess.DEVNULL)
        os.kill(os.getpid(), signal.SIGSTOP)

    def _do_hang(self, fault: dict[str, Any]) -> NoReturn:
        if fault.get("deaf"):
            signal.signal(signal.SIGTERM, signal.SIG_IGN)
            while True:
                pass
        while os.read(0, 65_536):
            continue
        os._exit(0)

    def _do_stderr_flood(self, fault: dict[str, Any]) -> None:
        size = fault.get("bytes", 200_000)
        os.write(2, (b"a flood of words \n" * (size // 18 + 1))[:size])

    def _do_orphan(self, _fault: dict[str, Any]) -> None:
        spawn(["sleep", "1000000"], start_new_session=True)

    def _do_grow_memory(self, fault: dict[str, Any]) -> None:
        self._kept.append(b"\x01" * (fault.get("mebibytes", 256) << 20))

    def _do_close_stdin(self, _fault: dict[str, Any]) -> NoReturn:
        os.close(0)
        while True:
            signal.pause()

    def _do_close_stdout(self, _fault: dict[str, Any]) -> None:
        os.close(1)

    def _do_kill_parent(self, _fault: dict[str, Any]) -> None:
        os.kill(os.getppid(), signal.SIGKILL)


TOOLS = ("echo", "count", "ledger", "stream", "slow")


def schema(name: str) -> dict[str, Any]:
    """Any object will do."""
    return {"type": "function", "function": {"name": name, "parameters": {"type": "object"}}}


def encode(message: dict[str, Any]) -> bytes:
    """One line."""
    return json.dumps(message, separators=(",", ":"), ensure_ascii=False).encode() + b"\n"


def write_all(data: bytes) -> None:
    """Write to stdout, if there still is one."""
    while data:
        try:
            data = data[os.write(1, data) :]
        except OSError:
            return


def spawn(argv: list[str], **options: Any) -> None:
    """Start a process that nobody here waits for; it inherits what ``options`` do not take away."""
    subprocess.Popen(argv, stdin=subprocess.DEVNULL, **options)


def main(host_name: str, schedule_path: str, book_path: str) -> None:
    """Play the host of that name, by the schedule and the book at these paths."""
    plan = json.loads(Path(schedule_path).read_bytes())
    EvilHost(host_name, plan, Book(book_path, len(plan["entries"]))).run()


if __name__ == "__main__":
    main(*sys.argv[1:])
