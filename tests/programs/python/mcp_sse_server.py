"""An MCP server over HTTP+SSE, the transport of 2024-11-05, on the standard library; it does to its client what a call asks for.

    mcp_sse_server.py PORT [WORD…]

It says its port on stdout once it listens. Words: ``refuses=STATUS`` (of a POST to its stream's address; 405 else), ``gets=STATUS`` (of the
stream), ``locked`` (wants ``Authorization: Bearer s3cret``), ``absolute`` (says its endpoint with its origin), ``elsewhere=ADDRESS`` (says that one; HOST and PORT are its own), ``mute``
(says no endpoint), ``talks`` (begins with a message), ``late`` (answers a POST after its call was answered), ``moved`` (redirects), ``html`` (has a page where
its stream should be).
"""

import asyncio
import json
import os
import signal
import sys
import uuid

words = sys.argv[2:]
options = dict(word.split("=", 1) for word in words if "=" in word)
TOOLS = [
    "cut", "die", "drop_stream", "echo", "end_stream", "facts_of", "fail", "flood", "forget", "hang", "headers", "large", "other_kinds", "progress",
    "sleep", "status", "streams",
]  # fmt: skip
sessions = {}
facts = {"hangs": 0, "cancels": []}


class Stream:
    def __init__(self, writer):
        self.writer = writer

    async def raw(self, data):
        self.writer.write(b"%x\r\n%s\r\n" % (len(data), data))
        await self.writer.drain()

    async def event(self, kind, data):
        await self.raw(f"event: {kind}\r\ndata: {data}\r\n\r\n".encode())

    async def message(self, message):
        await self.event("message", json.dumps(message))


class Asked:
    """A message, where its answer goes, and what was answered to its request over HTTP."""

    def __init__(self, message, headers, writer, session):
        self.message, self.headers, self.writer, self.session = message, headers, writer, session
        self.stream = sessions.get(session)
        self.replied = False

    async def take(self, status=202):
        if not self.replied:
            self.replied = True
            await reply(self.writer, status, b"Accepted" if status == 202 else b"")

    async def result(self, result):
        await self.stream.message({"jsonrpc": "2.0", "id": self.message["id"], "result": result})

    async def text(self, value):
        said = value if isinstance(value, str) else json.dumps(value)
        await self.result({"content": [{"type": "text", "text": said}]})

    async def error(self, code, message):
        error = {"code": code, "message": message}
        await self.stream.message({"jsonrpc": "2.0", "id": self.message["id"], "error": error})


async def reply(writer, status, body=b"", kind="text/plain", **more):
    head = [f"HTTP/1.1 {status} X", f"content-length: {len(body)}", f"content-type: {kind}"]
    head += [f"{name}: {value}" for name, value in more.items()]
    writer.write("\r\n".join([*head, "", ""]).encode() + body)
    await writer.drain()


async def serve(reader, writer):
    try:
        while head := await reader.readuntil(b"\r\n\r\n"):
            first, *lines = head.decode("latin-1").strip().split("\r\n")
            headers = {line.partition(":")[0].lower(): line.partition(":")[2].strip() for line in lines}
            body = await reader.readexactly(int(headers.get("content-length", 0)))
            method, target, _ = first.split()
            await respond(method, target, headers, body, writer)
    except (asyncio.IncompleteReadError, ConnectionError):
        pass
    finally:
        writer.close()


async def respond(method, target, headers, body, writer):
    path, _, query = target.partition("?")
    if "locked" in words and headers.get("authorization") != "Bearer s3cret":
        await reply(writer, 401)
    elif path == "/mcp" and method == "GET":
        await stream(headers, writer)
    elif path == "/messages" and method == "POST":
        session = query.partition("session=")[2]
        if session in sessions:
            asked = Asked(json.loads(body), headers, writer, session)
            if "late" not in words or "id" not in asked.message:
                await asked.take()
            running = asyncio.ensure_future(answer(asked))
            tasks.add(running)
            running.add_done_callback(tasks.discard)
            if not asked.replied:
                await running
        else:
            await reply(writer, 404)
    else:
        await reply(writer, int(options.get("refuses", 405)))


tasks = set()


async def stream(headers, writer):
    if "gets" in options:
        await reply(writer, int(options["gets"]))
        return
    if "moved" in words:
        await reply(writer, 307, location="http://127.0.0.1:1/elsewhere?key=s3cret")
        return
    if "html" in words:
        await reply(writer, 200, b"<p>hello</p>", "text/html")
        return
    writer.write(
        b"HTTP/1.1 200 X\r\ncontent-type: text/event-stream; charset=utf-8\r\ntransfer-encoding: chunked\r\n\r\n"
    )
    session, opened = uuid.uuid4().hex, Stream(writer)
    sessions[session] = opened
    try:
        await begin(opened, session, headers["host"])
        while not writer.is_closing():
            await opened.raw(b": ping\r\n\r\n")
            await asyncio.sleep(0.05)
    finally:
        sessions.pop(session, None)


async def begin(opened, session, host):
    endpoint = f"/messages?session={session}"
    if "talks" in words:
        await opened.message({"jsonrpc": "2.0", "method": "notifications/message", "params": {}})
    if "absolute" in words:
        endpoint = f"http://{host}{endpoint}"
    if "mute" not in words:
        said = options.get("elsewhere", endpoint)
        await opened.event("endpoint", said.replace("HOST", host).replace("PORT", host.partition(":")[2]))


async def answer(asked):
    try:
        await run(asked)
    except ConnectionError:
        pass
    finally:
        await asked.take()


async def run(asked):
    message = asked.message
    method, params = message.get("method"), message.get("params", {})
    match method:
        case "initialize":
            server = {"name": "sse", "version": "1"}
            await asked.result(
                {"protocolVersion": "2024-11-05", "capabilities": {"tools": {}}, "serverInfo": server}
            )
        case "ping":
            await asked.result({})
        case "tools/list":
            await asked.result(
                {"tools": [{"name": name, "inputSchema": {"type": "object"}} for name in TOOLS]}
            )
        case "notifications/cancelled":
            facts["cancels"].append(params["requestId"])
        case "tools/call":
            await TOOLS_BY_NAME[params["name"]](asked, params.get("arguments", {}), params.get("_meta", {}))
        case _ if "id" in message:
            await asked.error(-32601, "no such method")


TOOLS_BY_NAME = {}


def tool(function):
    TOOLS_BY_NAME[function.__name__] = function
    return function


@tool
async def echo(asked, given, meta):
    await asked.text(given)


@tool
async def facts_of(asked, given, meta):
    await asked.text(facts)


@tool
async def streams(asked, given, meta):
    await asked.text(len(sessions))


@tool
async def headers(asked, given, meta):
    await asked.text(asked.headers)


@tool
async def fail(asked, given, meta):
    await asked.error(-32602, "it refuses")


@tool
async def progress(asked, given, meta):
    for step in range(3):
        told = {"progressToken": meta.get("progressToken"), "progress": step, "total": 3}
        await asked.stream.message({"jsonrpc": "2.0", "method": "notifications/progress", "params": told})
    await asked.text("done")


@tool
async def other_kinds(asked, given, meta):
    forged = {"jsonrpc": "2.0", "id": asked.message["id"], "result": {"content": []}}
    await asked.stream.event("endpoint", "http://127.0.0.1:1/elsewhere")
    await asked.stream.event("notice", json.dumps(forged))
    await asked.text("the message")


@tool
async def sleep(asked, given, meta):
    await asyncio.sleep(given["seconds"])
    await asked.text("slept")


@tool
async def hang(asked, given, meta):
    facts["hangs"] += 1
    await asyncio.sleep(600)


@tool
async def large(asked, given, meta):
    await asked.text("x" * given["bytes"])


@tool
async def flood(asked, given, meta):
    await asked.stream.raw(b"data: ")
    while True:
        await asked.stream.raw(b"x" * 65536)


@tool
async def end_stream(asked, given, meta):
    asked.stream.writer.write(b"0\r\n\r\n")
    asked.stream.writer.close()


@tool
async def drop_stream(asked, given, meta):
    asked.stream.writer.transport.abort()


@tool
async def die(asked, given, meta):
    os.kill(os.getpid(), signal.SIGKILL)


# The three that are about the answer to a POST want the word `late`.


@tool
async def status(asked, given, meta):
    await asked.take(given["status"])


@tool
async def cut(asked, given, meta):
    asked.replied = True
    asked.writer.transport.abort()


@tool
async def forget(asked, given, meta):
    sessions.pop(asked.session)
    await asked.take(404)


async def main():
    server = await asyncio.start_server(serve, "127.0.0.1", int(sys.argv[1]), limit=1 << 27)
    print(server.sockets[0].getsockname()[1], flush=True)
    await server.serve_forever()


asyncio.run(main())
