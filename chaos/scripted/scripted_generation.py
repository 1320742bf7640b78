"""One generation of a host that is made of Python: it takes real bytes, gives real bytes, and has faults.

It stands where a process and its pump stand (see `hosts.transport`), and keeps their promises: a write
never blocks; all that was written is told before the exit, the exit once, and last that all is gone.
Everything it tells is told in its turn, as if by a pump's thread.

What a reader would get wrong: a paused or hung host is not a dead one. What is sent to it waits, what
it was about to do waits, and only the rungs of a stop ladder that work on such a process end it.
"""

from __future__ import annotations

import json
from collections.abc import Generator
from functools import partial
from typing import TYPE_CHECKING, Any

from ...base.errors import JsonValueError
from ...base.json import dump_json
from ...hosts.errors import HostGone
from ...hosts.process.process import ProcessExit, RingBuffer
from ...hosts.process.pump import FAULTS
from ...hosts.process.stop_ladder import KILL_NOW, Rung, StopLadder
from ...hosts.protocol.wire import PROTOCOL_VERSION, LineSplitter
from .. import faults as f
from ..schedules.corruption import Reply, spoil
from .scripted_call import GenerationOver, ScriptedCall

if TYPE_CHECKING:
    from collections.abc import Callable

    from ...hosts.process.process import ProcessListener
    from .script import Script

Json = dict[str, Any]

_PATIENCE = 0.25
"""As the pump's: seconds that a host may live on after it closed a stream."""

_SWEEP = 0.02
"""Seconds that it takes to find and end an orphan."""


class ScriptedGeneration:
    """See the module. It is a `Transport`; the plugin makes one for each generation."""

    def __init__(self, script: Script, pid: int, listener: ProcessListener, at_once: list[f.Fault]) -> None:
        self.pid = pid
        self.took: bytes | None = None
        self.number: int = script.cues.generation
        self.ended: bool = False
        self.gone: bool = False
        self._script = script
        self._clock = script.clock
        self._listener = listener
        self._at_once = at_once
        self._born = script.clock.now()
        self._stderr = RingBuffer()
        self._lines = LineSplitter()
        self._stdin_open = True
        self._refuses_stdin = False
        self._stdout_open = True
        self._paused = self._hung = self._deaf = False
        self._held: list[Callable[[], None]] = []
        self._running: dict[str, Generator[float, None, Any]] = {}
        self._spoilt: dict[str, list[f.Fault]] = {}
        self._orphans = 0
        self._memory = 0
        self._stop_reason: str | None = None
        self._fault: str | None = None
        self._ladder: tuple[float, ...] = ()

    # The transport

    @property
    def stderr_tail(self) -> str:
        return self._stderr.tail()

    def start(self) -> None:
        self._script.record("spawn", self._script.name, {"generation": self.number, "pid": self.pid})
        self._clock.soon(partial(self._script.suffer, self._at_once))

    def write(self, data: bytes) -> None:
        if self.ended or not self._stdin_open:
            raise HostGone(f"host {self._script.name!r} is not running", host=self._script.name)
        if self._refuses_stdin:
            self._note_closed("stdin_closed")
            self._stdin_open = False
            raise HostGone(f"host {self._script.name!r} has closed its stdin", host=self._script.name)
        self.took = data
        self._clock.soon(partial(self._do, partial(self._read, data)))

    def has_ended(self) -> bool:
        return self.ended

    def stop(self, reason: str, ladder: StopLadder, *, fault: str | None = None) -> None:
        if self.ended:
            return
        if self._stop_reason is None:
            self._stop_reason, self._fault = reason, fault
            self._script.enter("stopping")
        now = self._clock.now()
        asked = [(now + after, rung) for after, rung in ladder.rungs()]
        times = tuple(when for when, _ in asked)
        if self._ladder and times[-1] >= self._ladder[-1]:
            return
        self._ladder = times
        at_once = [rung for when, rung in asked if when <= now][-1:]  # nobody can obey two at one moment
        for rung in at_once:
            self._clock.soon(partial(self._climb, times, rung))
        for when, rung in asked:
            if when > now:
                self._clock.call_at(when, partial(self._climb, times, rung))

    def join(self, timeout: float | None = None) -> bool:
        """See `Transport`; lets time pass."""
        return self._clock.advance_until(lambda: self.gone, 3600.0 if timeout is None else timeout)

    # Being stopped, and ending

    def _climb(self, ladder: tuple[float, ...], rung: Rung) -> None:
        if ladder is not self._ladder:
            return
        match rung:
            case Rung.CLOSE_STDIN:
                self._stdin_open = False
                self._do(partial(self.end, 0))
            case Rung.TERMINATE if not self._deaf:
                end = partial(self.end, None, 15)
                if self._paused:
                    self._held.insert(0, end)
                else:
                    end()
            case Rung.KILL:
                self.end(None, 9)

    def end(self, code: int | None, signal: int | None = None) -> None:
        """End now, with a status or by a signal; what was written before is still told."""
        if self.ended:
            return
        self.ended, self._stdin_open = True, False
        running, self._running = list(self._running.values()), {}
        for tool in running:
            tool.close()
        self._clock.soon(partial(self._tell_exit, code, signal))

    def _tell_exit(self, code: int | None, signal: int | None) -> None:
        uptime = self._clock.now() - self._born
        exit_ = ProcessExit(code, signal, uptime, self._stop_reason, self._fault)
        facts = {"generation": self.number, "pid": self.pid, "exit": exit_.text}
        self._script.record("exit", self._script.name, facts)
        self._listener.on_exit(exit_)
        if self._orphans:
            self._clock.call_at(self._clock.now() + _SWEEP, self._tell_gone)
        else:
            self._clock.soon(self._tell_gone)

    def _tell_gone(self) -> None:
        self.gone = True
        self._script.record("gone", self._script.name, {"generation": self.number, "swept": self._orphans})
        self._listener.on_gone([])

    # Doing things, if it can

    def _do(self, deed: Callable[[], None]) -> None:
        if self.ended or self._hung:
            return
        if self._paused:
            self._held.append(deed)
        else:
            deed()

    def _later(self, seconds: float, deed: Callable[[], None]) -> None:
        if seconds > 0:
            self._clock.call_at(self._clock.now() + seconds, partial(self._do, deed))
        else:
            self._clock.soon(partial(self._do, deed))

    def _go_on(self) -> None:
        self._paused = False
        held, self._held = self._held, []
        for deed in held:
            self._do(deed)

    def _note_closed(self, fault: str) -> None:
        def lose_patience() -> None:
            if self._stop_reason is None:
                self.stop(FAULTS[fault], KILL_NOW, fault=fault)

        self._clock.call_at(self._clock.now() + _PATIENCE, lose_patience)

    def suffer(self, fault: f.Fault) -> None:
        """Have a fault that touches the generation."""
        match fault:
            case f.Exit():
                self.end(fault.code)
            case f.Signal():
                self.end(None, fault.number)
            case f.Pause():
                self._paused = True
                if fault.seconds is not None:
                    self._clock.call_at(self._clock.now() + fault.seconds, self._go_on)
            case f.Hang():
                self._hung, self._deaf = True, self._deaf or fault.deaf
            case f.CloseStdin():
                self._refuses_stdin = True
            case f.CloseStdout():
                self._stdout_open = False
                self._note_closed("stdout_closed")
            case _:
                self._take_more(fault)

    def _take_more(self, fault: f.Fault) -> None:
        """Have a fault that takes of the machine what a host should not."""
        match fault:
            case f.StderrFlood():
                self._stderr.feed(b"it goes on and on\n" * (fault.bytes // 18 + 1))
            case f.Orphan():
                self._orphans += 1
            case f.GrowMemory():
                self._memory += fault.mebibytes
                if self._memory > self._script.memory_limit:
                    self.end(None, 9)
            case _:
                raise ValueError(f"{fault.kind!r} is no fault of a generation")

    # Requests

    def _read(self, data: bytes) -> None:
        for line in self._lines.feed(data):
            self._do(partial(self._take, json.loads(line)))

    def _take(self, request: Json) -> None:
        script, method, params = self._script, request["method"], request["params"]
        facts = {"generation": self.number, "way": "in", "id": request["id"], "method": method}
        script.record("frame", script.name, facts)
        script.suffer(script.cues.at_frame("in"))
        self._do(partial(self._serve, request["id"], method, params))

    def _serve(self, request_id: str, method: str, params: Json) -> None:
        guest = self._script.guest(params.get("plugin"))
        match method:
            case "init":
                self._init(request_id, guest, params["config"])
            case "get_tool_schemas":
                self._answer(request_id, guest.schemas, params["state"])
            case "execute_tool":
                self._begin(request_id, guest, params)
            case "load" | "unload" if guest is not self._script:
                self._answer(request_id, None, None)
            case _:
                self._refuse(request_id, "MethodNotFound", f"there is no {method}")

    def _init(self, request_id: str, guest: Script, config: Json) -> None:
        faults, self._script.start_faults = self._script.start_faults, []
        for fault in faults:
            if isinstance(fault, f.DieInInit):
                self.end(fault.code)
                return
        try:
            state = guest.fresh(config)
        except Exception as error:  # noqa: BLE001 - the plugin's, and it is told like a host tells it
            self._refuse(request_id, type(error).__name__, str(error))
            return
        except GenerationOver:
            self.end(1)
            return
        delay = sum(fault.seconds for fault in faults if isinstance(fault, f.SlowStart))
        self._later(delay, partial(self._answer, request_id, state, state))

    def _begin(self, request_id: str, guest: Script, params: Json) -> None:
        script, name = self._script, params["tool_name"]
        faults = script.cues.at_call()
        self._spoilt[request_id] = [fault for fault in faults if fault.touches == f.ANSWER]
        for fault in self._spoilt[request_id]:
            script.record("fault", script.name, fault.as_dict("do"))
        script.suffer(fault for fault in faults if fault.touches != f.ANSWER)
        call = ScriptedCall(
            request_id,
            name,
            params["arguments"] or {},
            params["state"],
            self._part,
            self._pass_by,
            self._note,
        )
        self._do(partial(self._run, guest, call))

    def _run(self, guest: Script, call: ScriptedCall) -> None:
        try:
            value = guest.tools[call.tool](call)
        except Exception as error:  # noqa: BLE001 - the tool's, and it is told like a host tells it
            self._refuse(call.id, type(error).__name__, str(error))
            return
        except GenerationOver:
            return
        if isinstance(value, Generator):
            self._step(call, value)
        else:
            self._answer(call.id, value, call.state)

    def _step(self, call: ScriptedCall, tool: Generator[float, None, Any]) -> None:
        self._running.pop(call.id, None)  # while its code runs nobody else can close it
        try:
            seconds = next(tool)
        except StopIteration as stop:
            self._answer(call.id, stop.value, call.state)
        except Exception as error:  # noqa: BLE001 - as above
            self._refuse(call.id, type(error).__name__, str(error))
        except GenerationOver:
            return
        else:
            self._running[call.id] = tool
            self._later(seconds, partial(self._step, call, tool))

    # What a call does

    def _part(self, call: ScriptedCall, payload: Any) -> None:
        event = {"type": "part", "payload": payload}
        self._say({"v": PROTOCOL_VERSION, "id": call.id, "event": event})
        self._require_generation()

    def _pass_by(self, call: ScriptedCall, name: str) -> None:
        script = self._script
        faults = script.cues.at_point(name)
        self._spoilt[call.id] += [fault for fault in faults if fault.touches == f.ANSWER]
        script.suffer(fault for fault in faults if fault.touches != f.ANSWER)
        self._require_generation()

    def _note(self, call: ScriptedCall, effect: Any) -> None:
        facts = {"generation": call.generation, "id": call.id, "arguments": call.arguments, "effect": effect}
        self._script.record("effect", self._script.name, facts)

    def _require_generation(self) -> None:
        """The tool's code does not go on in a host that has ended under it."""
        if self.ended:
            raise GenerationOver

    # Answers

    def _answer(self, request_id: str, value: Any, state: Any) -> None:
        message = {"v": PROTOCOL_VERSION, "id": request_id, "ok": True}
        try:
            self._reply(request_id, message | {"result": {"value": value, "state": state}})
        except JsonValueError as error:
            self._refuse(request_id, "InvalidResult", str(error))

    def _refuse(self, request_id: str, kind: str, detail: str) -> None:
        error = {"type": kind, "detail": detail, "stack": ""}
        self._reply(request_id, {"v": PROTOCOL_VERSION, "id": request_id, "ok": False, "error": error})

    def _reply(self, request_id: str, message: Json) -> None:
        line = dump_json(message) + b"\n"
        faults = self._spoilt.pop(request_id, [])
        if self._script.answer_faults:
            faults += self._script.answer_faults
            self._script.answer_faults = []
        reply = spoil(line, request_id, faults, self._script.garbage)
        self._later(reply.delay + self._script.latency, partial(self._send, reply))

    def _send(self, reply: Reply) -> None:
        self._write_out(reply.data, frame=True)
        if reply.code is not None:
            self._do(partial(self.end, reply.code))

    def _say(self, message: Json) -> None:
        self._write_out(dump_json(message) + b"\n", frame=True)

    def _write_out(self, data: bytes, *, frame: bool = False) -> None:
        script = self._script
        if frame:
            facts = {"generation": self.number, "way": "out", "size": len(data)}
            script.record("frame", script.name, facts)
            script.suffer(script.cues.at_frame("out"))
            self._do(partial(self._write_out, data))
            return
        size = script.cues.until_byte(len(data))
        piece, rest = data[:size], data[size:]
        if self._stdout_open:
            self._deliver(piece)
        script.suffer(script.cues.at_byte(len(piece)))
        if rest:
            self._do(partial(self._write_out, rest))

    def _deliver(self, piece: bytes) -> None:
        """Hand bytes over; now and then in two pieces, as pipes do."""
        cut = (
            self._script.chance.randint(1, len(piece)) if self._script.chance.random() < 1 / 4 else len(piece)
        )
        for chunk in (piece[:cut], piece[cut:]):
            if chunk:
                self._clock.soon(partial(self._listener.on_output, chunk))
