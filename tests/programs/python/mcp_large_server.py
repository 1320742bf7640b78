"""An MCP server of the handshake era whose answers are as large as they are asked for; with ``modern``, of the stateless era.

``large`` answers with the blocks and the structure of its arguments, where ``{"repeat": VALUE, "times": N}`` stands for a long text or list. With
``notes`` it says that many characters as progress and as a log message before; with ``mirrored`` its content is the structure as text. With ``shared=N`` there is a resource of so many characters, and a list of a thousand more.
"""

import json
import sys

values = dict(word.split("=", 1) for word in sys.argv[1:] if "=" in word)
modern = "modern" in sys.argv[1:]
TOOL = {
    "name": "large",
    "inputSchema": {"type": "object"},
    "_meta": {"padding": "p" * int(values.get("padding", 0))},
}
COMPLETE = {"resultType": "complete", "ttlMs": 0, "cacheScope": "private"} if modern else {}
OFFERS = {"tools": {}, "logging": {}} | ({"resources": {}} if "shared" in values else {})


def spelled(value):
    if isinstance(value, dict) and set(value) == {"repeat", "times"}:
        repeated = value["repeat"]
        return (repeated if isinstance(repeated, str) else [repeated]) * value["times"]
    if isinstance(value, dict):
        return {key: spelled(each) for key, each in value.items()}
    return [spelled(each) for each in value] if isinstance(value, list) else value


def say(**message):
    print(json.dumps({"jsonrpc": "2.0", **message}), flush=True)


def result_of(method, params):
    match method:
        case "initialize":
            about = {"capabilities": OFFERS, "serverInfo": {"name": "large", "version": "1"}}
            return {"protocolVersion": params["protocolVersion"], **about}
        case "server/discover" if modern:
            return {
                "supportedVersions": ["2026-07-28"],
                "capabilities": OFFERS,
                "serverInfo": {"name": "large", "version": "1"},
                **COMPLETE,
            }
        case "ping":
            return {}
        case "tools/list":
            count = int(values.get("tools", 1))
            return {
                "tools": [
                    TOOL | {"name": f"large{number}" if number else "large"} for number in range(count)
                ],
                **COMPLETE,
            }
        case "resources/list":
            items = [{"uri": f"note://{number}", "name": "n" * 2000} for number in range(1000)]
            return {"resources": items, **COMPLETE}
        case "resources/read":
            return {
                "contents": [
                    {"uri": params["uri"], "mimeType": "text/plain", "text": "\n" * int(values["shared"])}
                ],
                **COMPLETE,
            }
        case "tools/call":
            arguments = params["arguments"]
            if "notes" in arguments:
                text = "n" * arguments["notes"]
                say(
                    method="notifications/progress",
                    params={
                        "progressToken": params["_meta"]["progressToken"],
                        "progress": 1,
                        "message": text,
                    },
                )
                say(method="notifications/message", params={"level": "info", "data": text})
            result = spelled(
                {key: each for key, each in arguments.items() if key not in ("notes", "mirrored")}
            )
            if "mirrored" in arguments:
                result["content"] = [{"type": "text", "text": json.dumps(result["structuredContent"])}]
            return result | COMPLETE
    return None


for line in sys.stdin:
    asked = json.loads(line)
    if "id" not in asked:
        continue
    result = result_of(asked["method"], asked.get("params", {}))
    if result is None:
        say(id=asked["id"], error={"code": -32601, "message": "no such method"})
    elif "refuses" in result:
        say(id=asked["id"], error={"code": -32000, "message": result["refuses"], "data": result["refuses"]})
    else:
        say(id=asked["id"], result=result)
