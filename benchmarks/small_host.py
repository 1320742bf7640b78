"""A host of the standard library alone, with one tool, whose name it is told: what many of them cost is ours."""

import json
import sys

name = sys.argv[1]
schemas = [{"type": "function", "function": {"name": name, "parameters": {"type": "object"}}}]
values = {"init": {}, "get_tool_schemas": schemas, "execute_tool": {"success": True, "result": name}}

for line in sys.stdin:
    request = json.loads(line)
    said = {"v": 1, "id": request["id"]}
    if request["method"] in values:
        said |= {"ok": True, "result": {"value": values[request["method"]], "state": {}}}
    else:
        said |= {"ok": False, "error": {"type": "MethodNotFound", "detail": "", "stack": ""}}
    print(json.dumps(said), flush=True)
