"""An MCP server over streamable HTTP on the standard library, which does to its client what a call asks for.

    mcp_http_server.py PORT [WORD…]

It says its port on stdout once it listens. Words: ``modern`` (the stateless era), ``says400`` (of a session that it does not know), ``locked``
(wants ``Authorization: Bearer s3cret``), ``refuses=STATUS`` (answers everything so), ``silent`` (never answers), ``moved`` (redirects),
``no_news`` (has no stream for what nobody asks), ``misplaces`` (has a tool that wants an argument in a header which not always is there).
"""

import asyncio
import json
import os
import signal
import sys
import uuid

words = sys.argv[2:]
options = dict(word.split("=", 1) for word in words if "=" in word)
MODERN = "modern" in words
TOOLS = [
    "accepted", "cancels", "count", "cut", "die", "dropped", "echo", "encoded", "endless", "events", "fail", "flood", "forget",
    "gone", "hang", "headers", "html", "large", "learn", "news", "open_sessions", "resumed", "sleep", "status", "two",
]  # fmt: skip
SCHEMA = {"type": "object", "properties": {"region": {"type": "string", "x-mcp-header": "Region"}}}
sessions = set()
streams = set()
facts = {"count": 0, "cancels": [], "news": 0}
waiting = {}


def answer(request, result):
    complete = {"resultType": "complete"} if MODERN else {}
    return {"jsonrpc": "2.0", "id": request["id"], "result": {**result, **complete}}


def text(request, value):
    said = value if isinstance(value, str) else json.dumps(value)
    return answer(request, {"content": [{"type": "text", "text": said}]})


def refusal(request, code=-32601, message="no such method"):
    return {"jsonrpc": "2.0", "id": request["id"], "error": {"code": code, "message": message}}


class Exchange:
    """One request and what is sent for it."""

    def __init__(self, writer, method, headers, body):
        self.writer, self.method, self.headers = writer, method, headers
        self.message = json.loads(body) if body else {}
        self.session = headers.get("mcp-session-id")

    async def send(self, status, body=b"", kind="application/json", **more):
        head = [f"HTTP/1.1 {status} X", f"content-length: {len(body)}"]
        head += [f"content-type: {kind}"] if body else []
        head += [f"{name.replace('_', '-')}: {value}" for name, value in more.items()]
        self.writer.write("\r\n".join([*head, "", ""]).encode() + body)
        await self.writer.drain()

    async def json(self, message, status=200, **more):
        await self.send(status, json.dumps(message).encode(), **more)

    async def begin_events(self):
        head = "HTTP/1.1 200 X\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n"
        self.writer.write(head.encode())
        await self.writer.drain()

    async def raw(self, data):
        self.writer.write(b"%x\r\n%s\r\n" % (len(data), data))
        await self.writer.drain()

    async def event(self, message, event_id=None):
        head = f"id: {event_id}\n" if event_id else ""
        data = "" if message is None else json.dumps(message)
        await self.raw(f"{head}event: message\ndata: {data}\n\n".encode())

    async def end_events(self):
        self.writer.write(b"0\r\n\r\n")
        await self.writer.drain()

    def drop(self):
        self.writer.transport.abort()


async def serve(reader, writer):
    try:
        while head := await reader.readuntil(b"\r\n\r\n"):
            first, *lines = head.decode("latin-1").strip().split("\r\n")
            headers = {line.partition(":")[0].lower(): line.partition(":")[2].strip() for line in lines}
            body = await reader.readexactly(int(headers.get("content-length", 0)))
            await respond(Exchange(writer, first.split()[0], headers, body))
    except (asyncio.IncompleteReadError, ConnectionError):
        pass
    finally:
        writer.close()


async def respond(exchange):
    if "refuses" in options:
        await exchange.send(int(options["refuses"]))
    elif "silent" in words:
        await asyncio.sleep(600)
    elif "moved" in words:
        await exchange.send(307, location="http://127.0.0.1:1/elsewhere?key=s3cret")
    elif "locked" in words and exchange.headers.get("authorization") != "Bearer s3cret":
        await exchange.send(401, www_authenticate="Bearer")
    elif exchange.message.get("method") in BEGINNINGS:
        await BEGINNINGS[exchange.message["method"]](exchange)
    elif MODERN or exchange.session in sessions:
        await go_on(exchange)
    elif exchange.session is None:
        error = {"code": -32000, "message": "Bad Request: No valid session ID provided"}
        await exchange.json({"jsonrpc": "2.0", "id": None, "error": error}, 400)
    else:
        await exchange.send(400 if "says400" in words else 404)


async def go_on(exchange):
    method = exchange.message.get("method")
    if exchange.method == "DELETE":
        sessions.discard(exchange.session)
        await exchange.send(204)
    elif exchange.method == "GET":
        await stream(exchange)
    elif "id" in exchange.message:
        await request(exchange, method, exchange.message.get("params", {}))
    else:
        if method == "notifications/cancelled":
            facts["cancels"].append(exchange.message["params"]["requestId"])
        await exchange.send(202)


async def discover(exchange):
    listed = {"tools": {"listChanged": True}}
    found = {"supportedVersions": ["2026-07-28"], "capabilities": listed, "ttlMs": 0, "cacheScope": "private"}
    await exchange.json(answer(exchange.message, found))


async def initialize(exchange):
    session = uuid.uuid4().hex
    sessions.add(session)
    asked = exchange.message["params"]["protocolVersion"]
    result = {
        "protocolVersion": asked,
        "capabilities": {"tools": {}},
        "serverInfo": {"name": "http", "version": "1"},
    }
    await exchange.json(answer(exchange.message, result), Mcp_Session_Id=session)


BEGINNINGS = {"server/discover": discover} if MODERN else {"initialize": initialize}


async def stream(exchange):
    last = exchange.headers.get("last-event-id")
    if last in waiting:
        await exchange.begin_events()
        await exchange.event(waiting.pop(last))
        await exchange.end_events()
    elif "no_news" in words:
        await exchange.send(405)
    else:
        facts["news"] += 1
        await keep_telling(exchange)


async def keep_telling(exchange):
    await exchange.begin_events()
    streams.add(exchange)
    try:
        while not exchange.writer.is_closing():
            await asyncio.sleep(0.1)
            await exchange.raw(b": still here\n\n")
    finally:
        streams.discard(exchange)


async def request(exchange, method, params):
    message = exchange.message
    match method:
        case "ping":
            await exchange.json(answer(message, {}))
        case "tools/list":
            tools = [{"name": name, "inputSchema": SCHEMA} for name in TOOLS]
            if "misplaces" in words:
                tools.append({"name": "misplaced", "inputSchema": {"anyOf": [SCHEMA]}})
            cached = {"ttlMs": 0, "cacheScope": "private"} if MODERN else {}
            await exchange.json(answer(message, {"tools": tools, **cached}))
        case "subscriptions/listen" if MODERN:
            facts["news"] += 1
            await keep_telling(exchange)
        case "tools/call":
            facts["count"] += 1
            run = TOOLS_BY_NAME[params["name"]]
            await run(exchange, params.get("arguments", {}), params.get("_meta", {}))
        case _:
            await exchange.json(refusal(message))


TOOLS_BY_NAME = {}


def tool(function):
    TOOLS_BY_NAME[function.__name__] = function
    return function


@tool
async def echo(exchange, given, meta):
    await exchange.json(text(exchange.message, given))


@tool
async def count(exchange, given, meta):
    await exchange.json(text(exchange.message, facts["count"]))


@tool
async def cancels(exchange, given, meta):
    await exchange.json(text(exchange.message, facts["cancels"]))


@tool
async def news(exchange, given, meta):
    await exchange.json(text(exchange.message, facts["news"]))


@tool
async def open_sessions(exchange, given, meta):
    await exchange.json(text(exchange.message, len(sessions)))


@tool
async def headers(exchange, given, meta):
    await exchange.json(text(exchange.message, exchange.headers))


@tool
async def fail(exchange, given, meta):
    await exchange.json(refusal(exchange.message, -32602, "it refuses"))


@tool
async def sleep(exchange, given, meta):
    await asyncio.sleep(given["seconds"])
    await exchange.json(text(exchange.message, "slept"))


@tool
async def events(exchange, given, meta):
    await exchange.begin_events()
    for step in range(3):
        told = {"progressToken": meta.get("progressToken"), "progress": step, "total": 3}
        await exchange.event({"jsonrpc": "2.0", "method": "notifications/progress", "params": told})
    await exchange.event(text(exchange.message, "done"))
    await exchange.end_events()


@tool
async def two(exchange, given, meta):
    await exchange.json(
        [{"jsonrpc": "2.0", "method": "notifications/message", "params": {}}, text(exchange.message, "both")]
    )


@tool
async def dropped(exchange, given, meta):
    await exchange.begin_events()
    await exchange.raw(b": it begins\n\n")
    exchange.drop()


@tool
async def cut(exchange, given, meta):
    exchange.drop()


@tool
async def resumed(exchange, given, meta):
    key = uuid.uuid4().hex
    waiting[key] = text(exchange.message, "the rest")
    await exchange.begin_events()
    await exchange.raw(b"retry: %d\n\n" % given.get("retry", 10))
    await exchange.event(None, key)
    await exchange.end_events()


@tool
async def status(exchange, given, meta):
    more = {"location": "http://127.0.0.1:1/x?key=s3cret"} if given["status"] in range(300, 400) else {}
    await exchange.send(given["status"], **more)


@tool
async def forget(exchange, given, meta):
    sessions.clear()
    await exchange.json(text(exchange.message, "forgotten"))


@tool
async def gone(exchange, given, meta):
    sessions.clear()
    await exchange.send(400 if "says400" in words else 404)


@tool
async def die(exchange, given, meta):
    os.kill(os.getpid(), signal.SIGKILL)


@tool
async def hang(exchange, given, meta):
    await asyncio.sleep(600)


@tool
async def html(exchange, given, meta):
    await exchange.send(200, b"<p>hello</p>", "text/html")


@tool
async def accepted(exchange, given, meta):
    await exchange.send(202)


@tool
async def encoded(exchange, given, meta):
    await exchange.send(200, b"\x1f\x8b", content_encoding="gzip")


@tool
async def large(exchange, given, meta):
    await exchange.send(200, json.dumps(text(exchange.message, "x" * given["bytes"])).encode())


@tool
async def flood(exchange, given, meta):
    await exchange.begin_events()
    await exchange.raw(b"data: ")
    while True:
        await exchange.raw(b"x" * 65536)


@tool
async def endless(exchange, given, meta):
    await exchange.begin_events()
    while True:
        await exchange.raw(b": nothing\n\n")
        await asyncio.sleep(0.001)


@tool
async def learn(exchange, given, meta):
    TOOLS[:] = given["tools"]
    for each in list(streams):
        about = (
            {"_meta": {"io.modelcontextprotocol/subscriptionId": each.message.get("id")}} if MODERN else {}
        )
        await each.event({"jsonrpc": "2.0", "method": "notifications/tools/list_changed", "params": about})
    await exchange.json(text(exchange.message, ""))


async def main():
    server = await asyncio.start_server(serve, "127.0.0.1", int(sys.argv[1]), limit=1 << 27)
    print(server.sockets[0].getsockname()[1], flush=True)
    await server.serve_forever()


asyncio.run(main())
