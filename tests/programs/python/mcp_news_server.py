"""An MCP server on the standard library with resources that can be subscribed to, lists that change, and completions.

Words: ``modern`` (the stateless era), ``plain`` (takes no subscriptions), ``mute`` (does not answer when one is ended), ``lies`` (tells of any resource to whoever has subscribed to one), ``name=TEXT`` (its resources are TEXT://…, and its prompt is called so).
"""

import json
import os
import signal
import sys

words = set(sys.argv[1:])
values = dict(word.split("=", 1) for word in words if "=" in word)
modern = "modern" in words
name = values.get("name", "note")
subscribed = set()
listening = {}
ERAS = {
    True: {"ttlMs": 0, "cacheScope": "private", "resultType": "complete"},
    False: {},
}
TOOLS = ["subscribed", "touch", "change", "crash"]
LISTS = {
    "tools/list": {"tools": [{"name": each, "inputSchema": {"type": "object"}} for each in TOOLS]},
    "resources/list": {"resources": [{"uri": f"{name}://one", "name": "one"}]},
    "resources/templates/list": {
        "resourceTemplates": [{"uriTemplate": f"{name}://all/{{word}}", "name": "all"}]
    },
    "prompts/list": {"prompts": [{"name": name, "arguments": [{"name": "word"}]}]},
}


def say(**message):
    sys.stdout.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
    sys.stdout.flush()


def tell(method, params, wanted):
    """Tell who wants it: in the stateless era that is a listener, and who subscribed in the other."""
    if not modern:
        say(method=method, params=params)
    for listener, wants in listening.items():
        if wanted(wants):
            about = {"io.modelcontextprotocol/subscriptionId": listener}
            say(method=method, params={**params, "_meta": about})


def text(said):
    return {
        "content": [{"type": "text", "text": json.dumps(said)}],
        **({"resultType": "complete"} if modern else {}),
    }


def touch(uri):
    if modern or uri in subscribed or ("lies" in words and subscribed):
        tell(
            "notifications/resources/updated",
            {"uri": uri},
            lambda wants: uri in wants.get("resourceSubscriptions", []) or "lies" in words,
        )


def called(tool, given):
    if tool == "crash":
        os.kill(os.getpid(), signal.SIGKILL)
    if tool == "touch":
        touch(given["uri"])
    if tool == "change":
        kind = given["kind"]
        tell(f"notifications/{kind}/list_changed", {}, lambda wants: wants.get(f"{kind}ListChanged"))
    if modern:
        return text(
            sorted({uri for wants in listening.values() for uri in wants.get("resourceSubscriptions", [])})
        )
    return text(sorted(subscribed))


def complete(params):
    ref, argument, context = params["ref"], params["argument"], params.get("context", {})
    about = ref.get("name", ref.get("uri"))
    values = [f"{argument['value']}{about}", *context.get("arguments", {}).values()]
    return {
        "completion": {"values": values, "total": 20, "hasMore": True},
        **({"resultType": "complete"} if modern else {}),
    }


def capabilities():
    resources = {"listChanged": True} if "plain" in words else {"listChanged": True, "subscribe": True}
    return {"tools": {}, "resources": resources, "prompts": {"listChanged": True}, "completions": {}}


def respond(method, params):
    match method:
        case "initialize" if not modern:
            server = {"name": name, "version": "1"}
            return {"protocolVersion": "2025-11-25", "capabilities": capabilities(), "serverInfo": server}
        case "server/discover" if modern:
            return {"supportedVersions": ["2026-07-28"], "capabilities": capabilities(), **ERAS[True]}
        case "ping":
            return {}
        case "tools/call":
            return called(params["name"], params.get("arguments", {}))
        case _ if method in LISTS:
            return {**LISTS[method], **ERAS[modern]}
        case "resources/read":
            return {"contents": [{"uri": params["uri"], "text": "here"}], **ERAS[modern]}
        case "completion/complete":
            return complete(params)
        case "resources/subscribe" if not modern and "forbidden" not in params["uri"]:
            subscribed.add(params["uri"])
            return {}
        case "resources/unsubscribe" if not modern:
            subscribed.discard(params["uri"])
            return {}
    return None


for line in sys.stdin:
    asked = json.loads(line)
    method, params = asked.get("method"), asked.get("params", {})
    if method == "subscriptions/listen" and modern:
        listening[asked["id"]] = params["notifications"]
        about = {"io.modelcontextprotocol/subscriptionId": asked["id"]}
        say(
            method="notifications/subscriptions/acknowledged",
            params={"notifications": params["notifications"], "_meta": about},
        )
        continue
    if method == "notifications/cancelled":
        listening.pop(params["requestId"], None)
    if "id" not in asked or method is None:
        continue
    if "mute" in words and method == "resources/unsubscribe":
        continue
    found = respond(method, params)
    if found is None:
        say(id=asked["id"], error={"code": -32601, "message": "no such method"})
    else:
        say(id=asked["id"], result=found)
