"""An MCP server that does as little as one can: what stands between it and its client is what is measured.

It echoes ``text``; before its answer it tells of as much progress as ``steps`` says. It answers all that it has read with one write.
"""

import os

import orjson

ECHO = {"name": "echo", "inputSchema": {"type": "object"}}
HELLO = {"capabilities": {"tools": {}}, "serverInfo": {"name": "swift", "version": "1"}}


def line_of(**message: object) -> bytes:
    """One message as a line."""
    return orjson.dumps({"jsonrpc": "2.0", **message}) + b"\n"


def answers(line: bytes) -> bytes:
    """What is said to one line."""
    message = orjson.loads(line)
    if "id" not in message:
        return b""
    params = message.get("params", {})
    match message.get("method"):
        case "tools/call":
            given = params["arguments"]
            steps = range(given.get("steps", 0))
            told = [
                {"progressToken": params["_meta"]["progressToken"], "progress": step + 1} for step in steps
            ]
            progress = b"".join([line_of(method="notifications/progress", params=each) for each in told])
            content = [{"type": "text", "text": given["text"]}]
            return progress + line_of(id=message["id"], result={"content": content})
        case "initialize":
            result = {"protocolVersion": params["protocolVersion"], **HELLO}
        case "tools/list":
            result = {"tools": [ECHO]}
        case "ping":
            result = {}
        case _:
            return line_of(id=message["id"], error={"code": -32601, "message": "unknown"})
    return line_of(id=message["id"], result=result)


def main() -> None:
    """Serve until the end of stdin."""
    parts: list[bytes] = []
    while data := os.read(0, 1 << 20):
        head, newline, rest = data.rpartition(b"\n")
        if not newline:
            parts.append(data)
            continue
        lines = b"".join([*parts, head]).split(b"\n")
        parts = [rest]
        left = memoryview(b"".join(map(answers, lines)))
        while left:
            left = left[os.write(1, left) :]


main()
