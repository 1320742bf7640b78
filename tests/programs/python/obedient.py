"""A tool host that ends, or does not end, as its script says; and does as its calls say.

The script is JSON, the first argument: ``at_eof`` and ``on_term`` are ``exit:N``, ``ignore`` or
``spin``; ``child`` starts a grandchild that inherits all pipes; ``init`` may be ``silent``.
"""

import json
import os
import signal
import subprocess
import sys
import threading
from pathlib import Path

SCRIPT = json.loads(sys.argv[1]) if len(sys.argv) > 1 else {}
CHILD = [sys.executable, "-c", "import signal; signal.pause()"]


def say(message_id, **answer):
    print(json.dumps({"v": 1, "id": message_id, **answer}), flush=True)


def result(message_id, value, state=None):
    say(message_id, ok=True, result={"value": value} | ({} if state is None else {"state": state}))


def obey(order):
    if order == "spin":
        while True:
            pass
    if order and order.startswith("exit:"):
        os._exit(int(order[5:]))


if "on_term" in SCRIPT:
    signal.signal(signal.SIGTERM, lambda *_: obey(SCRIPT["on_term"]))
children = [subprocess.Popen(CHILD)] if SCRIPT.get("child") == "plain" else []
if SCRIPT.get("child") == "apart":
    children.append(subprocess.Popen(CHILD, start_new_session=True))


def execute(message_id, arguments, state):
    state = {"count": state.get("count", 0) + 1}
    if "ledger" in arguments:
        with Path(arguments["ledger"]).open("a") as ledger:
            ledger.write("ran\n")
    for number in range(arguments.get("parts", 0)):
        say(message_id, event={"type": "part", "payload": number})
    match arguments.get("do"):
        case "kill":
            os.kill(os.getpid(), signal.SIGKILL)
        case "half":
            os.write(1, b'{"v":1,"id":"' + message_id.encode() + b'","ok":true,"result":{"val')
            print("half a line is out", file=sys.stderr, flush=True)
            os._exit(arguments.get("code", 0))
        case "stray":
            print("\n".join(f"debug: {n}" for n in range(arguments["lines"])), flush=True)
        case "flood":
            os.write(2, b"x" * 1_000_000)
        case "endless line":
            while True:
                os.write(1, b"x" * 65_536)
        case "deaf":
            threading.Event().wait()
    value = {"pid": os.getpid(), "count": state["count"], "children": [child.pid for child in children]}
    result(message_id, {"success": True, "result": value}, state)


for line in sys.stdin.buffer:
    request = json.loads(line)
    params = request["params"]
    match request["method"]:
        case "init" if SCRIPT.get("init") == "silent":
            pass
        case "init":
            result(request["id"], {}, {})
        case "get_tool_schemas":
            tool = {"name": SCRIPT.get("tool", "obey"), "parameters": {"type": "object"}}
            result(request["id"], [{"type": "function", "function": tool}])
        case "execute_tool":
            execute(request["id"], params.get("arguments", {}), params.get("state", {}))
        case method:
            error = {"type": "MethodNotFound", "detail": method, "stack": ""}
            say(request["id"], ok=False, error=error)
obey(SCRIPT.get("at_eof", "exit:0"))
while True:
    signal.pause()
