"""An MCP server on the standard library alone, whose tool keeps a ledger as `ledger_tool` does; it has no state.

It is a program, and imports nothing of Callboard: ``python ledger_server.py NAME`` offers ``NAME_work`` and ``NAME_also``. A call that is cancelled is
written down as stopped when the server hears of it, whatever it goes on to do: no answer comes after that.
"""

import json
import os
import sys
import threading
import uuid

TYPE_CHECKING = False  # `typing` is not imported: it is most of what the start would take
if TYPE_CHECKING:
    from typing import Any


class Server:
    """Speaks the handshake era of the protocol over its stdin and stdout."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._lock = threading.Lock()
        self._open: dict[object, Run] = {}

    def serve(self) -> None:
        """Until the end of the input."""
        for line in sys.stdin.buffer:
            try:
                message = json.loads(line)
            except ValueError:
                continue
            self._hear(message)

    def _hear(self, message: "dict[str, Any]") -> None:
        number, params = message.get("id"), message.get("params") or {}
        match message.get("method"):
            case "initialize":
                info = {"name": self._name, "version": "1"}
                said = {"protocolVersion": params["protocolVersion"], "serverInfo": info}
                self._answer(number, {**said, "capabilities": {"tools": {}}})
            case "tools/list":
                names = [f"{self._name}_{name}" for name in ("work", "also")]
                tools = [{"name": name, "inputSchema": {"type": "object"}} for name in names]
                self._answer(number, {"tools": tools})
            case "tools/call":
                run = Run(self, number, params)
                with self._lock:  # across the ledger: a cancel comes before the beginning or after it
                    self._open[number] = run
                    run.write("begin")
                threading.Thread(target=run.go, daemon=True).start()
            case "notifications/cancelled":
                with self._lock:  # across the ledger, as above
                    stopped = self._open.pop(params.get("requestId"), None)
                    if stopped is not None:
                        stopped.write("end", how="stopped")
            case "ping":
                self._answer(number, {})
            case str() if number is not None:
                self.say(id=number, error={"code": -32601, "message": "there is no such method"})

    def end(self, run: "Run", how: str) -> bool:
        """Write down how a run ended; False if it was cancelled, and has no more to say."""
        with self._lock:  # across the ledger: a cancel is heard before this or after it
            if self._open.pop(run.number, None) is None:
                return False
            run.write("end", how=how)
            return True

    def say(self, **message: object) -> None:
        """Write a message."""
        line = json.dumps({"jsonrpc": "2.0", **message}, separators=(",", ":")).encode() + b"\n"
        with self._lock:  # across the pipe: lines of several threads do not mix
            sys.stdout.buffer.write(line)
            sys.stdout.buffer.flush()

    def _answer(self, number: object, result: object) -> None:
        self.say(id=number, result=result)


class Run:
    """One run of the tool."""

    def __init__(self, server: Server, number: object, params: "dict[str, Any]") -> None:
        self.number = number
        self._server = server
        self._given = params["arguments"]
        self._token = (params.get("_meta") or {}).get("progressToken")
        self._run = uuid.uuid4().hex

    def go(self) -> None:
        """In a thread of its own."""
        given, say = self._given, self._server.say
        if self._token is not None:
            for step in range(1, given["parts"] + 1):
                say(method="notifications/progress", params={"progressToken": self._token, "progress": step})
        mood = given["mood"]
        threading.Event().wait(None if mood in {"hang", "spin"} else given["seconds"])
        if mood == "exit":
            os._exit(3)
        how = {"fail": "failure", "raise": "raise", "invalid": "invalid"}.get(mood, "success")
        if not self._server.end(self, how):
            return
        if mood == "exit late":
            os._exit(3)
        if mood == "raise":
            say(id=self.number, error={"code": -32603, "message": "as it was asked to"})
            return
        told = {"call": given["call"], "run": self._run, "pid": os.getpid()}
        result: object = {"content": [{"type": "text", "text": json.dumps(told)}], "structuredContent": told}
        if mood == "fail":
            result = {"content": [{"type": "text", "text": "as it was asked to"}], "isError": True}
        elif mood == "invalid":
            result = "as it was asked to"
        say(id=self.number, result=result)

    def write(self, mark: str, **more: object) -> None:
        """In one write, to a file that is opened to append: the lines of several processes do not mix."""
        of = {name: self._given[name] for name in ("call", "plugin")} | {"pid": os.getpid()}
        line = {"mark": mark, "run": self._run, **(of if mark == "begin" else more)}
        descriptor = os.open(self._given["ledger"], os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
        try:
            os.write(descriptor, json.dumps(line).encode() + b"\n")
        finally:
            os.close(descriptor)


if __name__ == "__main__":
    Server(sys.argv[1]).serve()
