"""An MCP server on the standard library whose tools run as tasks; raw lines, for no SDK serves tasks in both eras.

    mcp_task_server.py [WORD…]

Words: ``modern`` (the stateless era: the server decides, and makes a task of each call whose client knows tasks), ``optional`` (its tools may be
called without), ``lingers`` (goes on after the end of its input), ``no_interval`` (says that it may be asked at once), ``log=PATH`` (each request that it gets is a line there).
Tools: ``finish`` (says ``text``), ``fail``, ``refuse`` (an error of JSON-RPC), ``never``, ``ask`` (asks for a name), ``steps`` (tells of its progress), ``pid``,
``after`` (ends when the file ``path`` is there).
"""

import json
import os
import sys
import threading
from pathlib import Path

words = set(sys.argv[1:])
options = dict(word.split("=", 1) for word in words if "=" in word)
MODERN = "modern" in words
COMPLETE = {"resultType": "complete"} if MODERN else {}
CACHED = {"ttlMs": 0, "cacheScope": "private", **COMPLETE} if MODERN else {}
EXTENSION, RELATED = "io.modelcontextprotocol/tasks", "io.modelcontextprotocol/related-task"
TOOLS = ["finish", "fail", "refuse", "never", "ask", "steps", "pid", "after"]
NAME = {"type": "object", "properties": {"name": {"type": "string"}}}
writing = threading.Lock()
tasks, answers, waiting = {}, {}, {}


def say(**message):
    with writing:
        sys.stdout.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
        sys.stdout.flush()


class Task:
    def __init__(self, params):
        self.id = f"task-{len(tasks) + 1}"
        self.status, self.message, self.end, self.requests = "working", None, None, None
        self.over = threading.Event()
        self.token = params.get("_meta", {}).get("progressToken")
        tasks[self.id] = self
        threading.Thread(target=self.run, args=(params,), daemon=True).start()

    @property
    def said(self):
        ttl, interval = ("ttlMs", "pollIntervalMs") if MODERN else ("ttl", "pollInterval")
        found = {"taskId": self.id, "status": self.status, ttl: 60_000, "createdAt": "2026-01-01T00:00:00Z"}
        found |= {"lastUpdatedAt": "2026-01-01T00:00:00Z", interval: 0 if "no_interval" in words else 100}
        return found if self.message is None else {**found, "statusMessage": self.message}

    def turn(self, status, message=None):
        self.status, self.message = status, message
        if not MODERN:
            say(method="notifications/tasks/status", params=self.said)

    def ask(self):
        about = {"mode": "form", "message": "Who are you?", "requestedSchema": NAME}
        answers[self.id] = threading.Event(), []
        if MODERN:
            self.requests = {"who": {"method": "elicitation/create", "params": about}}
            self.turn("input_required")
        else:
            self.turn("input_required")
            say(
                id=f"ask-{self.id}",
                method="elicitation/create",
                params={**about, "_meta": {RELATED: {"taskId": self.id}}},
            )
        there, found = answers[self.id]
        there.wait()
        self.requests = None
        self.turn("working")
        return found[0].get("content", {}).get("name", found[0].get("action"))

    def run(self, params):
        given, text = params.get("arguments", {}), "done"
        match params["name"]:
            case "never":
                self.turn("working", "it will take a while")
                return
            case "after":
                while not Path(given["path"]).exists():
                    threading.Event().wait(0.01)
            case "ask":
                text = self.ask()
            case "pid":
                text = str(os.getpid())
            case "finish":
                text = given.get("text", text)
            case "steps" if self.token is not None and not MODERN:
                self.step()
        self.finish(params["name"], text)

    def step(self):
        for step in range(1, 4):
            about = {"progressToken": self.token, "progress": step, "message": f"step {step}"}
            say(method="notifications/progress", params={**about, "_meta": {RELATED: {"taskId": self.id}}})

    def finish(self, tool, text):
        if tool == "refuse":
            self.end = {"error": {"code": -32050, "message": "no such thing", "data": {"own": 1}}}
        else:
            self.end = {
                "result": {
                    "content": [{"type": "text", "text": text}],
                    "isError": tool == "fail",
                    **COMPLETE,
                }
            }
        if self.status != "cancelled":
            failed = "error" in self.end or (self.end["result"]["isError"] and not MODERN)
            self.turn("failed" if failed else "completed")
        self.over.set()

    def answer(self, request_id):
        self.over.wait()
        if "result" in self.end:
            self.end["result"]["_meta"] = {RELATED: {"taskId": self.id}}
        say(id=request_id, **self.end)


def declared():
    support = "optional" if "optional" in words else "required"
    more = {} if MODERN else {"execution": {"taskSupport": support}}
    return [{"name": name, "inputSchema": {"type": "object"}, **more} for name in TOOLS]


def called(request_id, params):
    knows = EXTENSION in params.get("_meta", {}).get("io.modelcontextprotocol/clientCapabilities", {}).get(
        "extensions", {}
    )
    if MODERN and knows:
        say(id=request_id, result={"resultType": "task", **Task(params).said})
    elif not MODERN and "task" in params:
        say(id=request_id, result={"task": Task(params).said})
    elif "optional" in words:
        task = Task(params)
        threading.Thread(target=task.answer, args=(request_id,), daemon=True).start()
    else:
        say(id=request_id, error={"code": -32601, "message": "it can be called as a task only"})


def about_task(request_id, method, params):
    task = tasks.get(params["taskId"])
    if task is None:
        say(id=request_id, error={"code": -32602, "message": "Failed to retrieve task: Task not found"})
    elif method == "tasks/result":
        threading.Thread(target=task.answer, args=(request_id,), daemon=True).start()
    elif method == "tasks/cancel":
        task.turn("cancelled")
        task.end = {"error": {"code": -32800, "message": "cancelled"}}
        task.over.set()
        say(id=request_id, result=COMPLETE or task.said)
    elif method == "tasks/update":
        for found in params["inputResponses"].values():
            answers[task.id][1].append(found)
            answers[task.id][0].set()
        say(id=request_id, result=COMPLETE)
    else:
        more = dict(task.end or {}) if MODERN and task.status in {"completed", "failed"} else {}
        more |= {} if task.requests is None else {"inputRequests": task.requests}
        say(id=request_id, result={**task.said, **more, **COMPLETE})


able = (
    {"tools": {}}
    if MODERN
    else {"tools": {}, "tasks": {"cancel": {}, "list": {}, "requests": {"tools": {"call": {}}}}}
)
able |= {"extensions": {EXTENSION: {}}} if MODERN else {}
for line in sys.stdin:
    asked = json.loads(line)
    method, params = asked.get("method"), asked.get("params", {})
    if "log" in options:
        with Path(options["log"]).open("a") as log:
            log.write(line)
    if method is None:
        for name, (there, found) in tuple(answers.items()):
            if asked.get("id") == f"ask-{name}":
                found.append(asked.get("result", {"action": "refused"}))
                there.set()
    elif "id" not in asked:
        continue
    elif method == "initialize" and not MODERN:
        server = {"name": "tasks", "version": "1"}
        say(
            id=asked["id"],
            result={"protocolVersion": "2025-11-25", "capabilities": able, "serverInfo": server},
        )
    elif method == "server/discover" and MODERN:
        say(id=asked["id"], result={"supportedVersions": ["2026-07-28"], "capabilities": able, **CACHED})
    elif method == "tools/list":
        say(id=asked["id"], result={"tools": declared(), **CACHED})
    elif method == "tools/call":
        called(asked["id"], params)
    elif method.startswith("tasks/"):
        about_task(asked["id"], method, params)
    elif method == "ping":
        say(id=asked["id"], result={})
    else:
        say(id=asked["id"], error={"code": -32601, "message": "no such method"})
if "lingers" in words:
    threading.Event().wait()
