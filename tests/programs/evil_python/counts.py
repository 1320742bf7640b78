"""Well behaved: a tool that counts, with state, and says ``MethodNotFound`` to what it does not offer.

``--lacks NAME`` takes one more method away. Each request's method is told on stderr.
"""

import json
import sys

LACKING = {"get_ui_elements", "required_tags", "to_display_format", *sys.argv[2:]}


def answer(method, params):
    state = params.get("state", {})
    match method:
        case "init":
            return {"value": {"count": 0, "config": params["config"]}}
        case "get_tool_schemas":
            return {"value": [{"name": "count"}], "state": state}
        case "execute_tool":
            step = params["arguments"]["step"]
            if step < 0:
                return {"value": {"success": False, "error": "only forward"}}
            count = state["count"] + step
            return {"value": {"success": True, "result": count}, "state": {**state, "count": count}}
        case _:
            return {"value": {"method": method, "params": params}}


for line in sys.stdin.buffer:
    request = json.loads(line)
    method = request["method"]
    print(method, file=sys.stderr, flush=True)
    reply = {"v": 1, "id": request["id"]}
    if method in LACKING:
        reply |= {"ok": False, "error": {"type": "MethodNotFound", "detail": f"no {method} here"}}
    elif method == "get_tags" and not request["params"]["models"]:
        reply |= {"ok": False, "error": {"type": "ValueError", "detail": "bad models"}}
    else:
        reply |= {"ok": True, "result": answer(method, request["params"])}
    print(json.dumps(reply), flush=True)
