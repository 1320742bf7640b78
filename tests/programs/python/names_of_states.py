"""A host that writes what it is sent of each call into a file: of its state, the name and whether it came.

usage: names_of_states.py FILE [forgets]
"""

import json
import sys
from pathlib import Path

log, forgets = sys.argv[1], "forgets" in sys.argv
known: dict[str, dict] = {}


def answer(method, params, request_id):
    match method:
        case "describe":
            return {"protocol": "thp/1", "features": ["state_version"], "methods": []}
        case "init":
            return {"count": 0, "page": "x" * 2000}
        case "get_tool_schemas":
            return [{"type": "function", "function": {"name": "count", "parameters": {"type": "object"}}}]
    name = params.get("state_version")
    with Path(log).open("a") as file:
        file.write(json.dumps([request_id, name, "state" in params]) + "\n")
    if name is not None:
        if "state" in params:
            known[name] = params["state"]
        state = known.get(name)
        if state is None or (forgets and "state" not in params):
            known.clear()
            raise LookupError("StateUnknown")
    else:
        state = params["state"]
    if params["arguments"].get("add"):
        known[request_id] = state = {**state, "count": state["count"] + 1}
        return {"success": True, "result": state["count"]}, state
    return {"success": True, "result": state["count"]}, None


for line in sys.stdin:
    request = json.loads(line)
    reply = {"v": 1, "id": request["id"]}
    try:
        said = answer(request["method"], request["params"], request["id"])
        value, state = said if isinstance(said, tuple) else (said, request["params"].get("state"))
        if request["method"] == "init":
            state = value
        reply |= {"ok": True, "result": {"value": value} | ({} if state is None else {"state": state})}
    except LookupError as error:
        reply |= {"ok": False, "error": {"type": str(error), "detail": "", "stack": ""}}
    print(json.dumps(reply), flush=True)
