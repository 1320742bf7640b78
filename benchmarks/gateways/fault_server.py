"""An MCP server of the handshake era on the standard library, whose tools do what servers do that fail: ``fault_server.py NAME MARK``.

The mark stands in its command line, so that its processes are found.
"""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

NUMBER, TEXT = {"type": "integer"}, {"type": "string"}
TOOLS: dict[str, Any] = {
    "echo": {"text": TEXT},
    "big": {"bytes": NUMBER},
    "hang": {"begun": TEXT},
    "crash": {},
    "hold": {},
    "deafen": {},
    "grow": {},
}
begun: list[Path] = []


def say(**message: Any) -> None:
    """Write a message."""
    print(json.dumps({"jsonrpc": "2.0", **message}), flush=True)


def declared(name: str) -> dict[str, Any]:
    """A tool, as it is listed."""
    properties = TOOLS[name]
    return {
        "name": name,
        "description": f"Does {name}.",
        "inputSchema": {"type": "object", "properties": properties, "required": list(properties)},
    }


def called(name: str, arguments: dict[str, Any]) -> str | None:
    """What a tool says; ``None`` if it never does."""
    match name:
        case "echo":
            return arguments["text"]
        case "big":
            return "x" * arguments["bytes"]
        case "hang":
            begun.append(Path(arguments["begun"]))
            begun[-1].touch()
            return None
        case "crash":
            os.kill(os.getpid(), signal.SIGKILL)
        case "hold":  # a child keeps this server's stdout open when it is gone
            subprocess.Popen(
                [sys.executable, "-c", "import time; time.sleep(300)", sys.argv[2]], stdin=subprocess.DEVNULL
            )
            os.kill(os.getpid(), signal.SIGKILL)
        case "grow":
            TOOLS["grown"] = {}
            say(method="notifications/tools/list_changed")
    return "done"


def answer(method: str, params: dict[str, Any]) -> Any:
    """The result of a request; ``None`` for no answer."""
    match method:
        case "initialize":
            offers = {"tools": {"listChanged": True}}
            about = {"name": sys.argv[1], "version": "1"}
            return {"protocolVersion": params["protocolVersion"], "capabilities": offers, "serverInfo": about}
        case "ping":
            return {}
        case "tools/list":
            return {"tools": [declared(name) for name in TOOLS]}
        case "tools/call":
            said = called(params["name"], params.get("arguments") or {})
            return None if said is None else {"content": [{"type": "text", "text": said}]}
    return "unknown"


for line in sys.stdin:
    asked = json.loads(line)
    if asked.get("method") == "notifications/cancelled":
        for each in begun:
            each.with_suffix(".cancelled").touch()
    if "id" not in asked or "method" not in asked:
        continue
    result = answer(asked["method"], asked.get("params") or {})
    if result == "unknown":
        say(id=asked["id"], error={"code": -32601, "message": "no such method"})
    elif result is not None:
        say(id=asked["id"], result=result)
    if asked.get("params", {}).get("name") == "deafen":  # it reads no more, not the end of its input either
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        time.sleep(300)
