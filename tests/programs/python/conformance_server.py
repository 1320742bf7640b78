"""An MCP server of the handshake era on the standard library, with what the protocol's conformance suite asks of a server.

The names of tools, resources and prompts are the suite's own.
"""

import itertools
import json
import sys

PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg=="
SILENCE = "UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YQAAAAA="
NAMED = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "type": "object",
    "$defs": {
        "address": {
            "type": "object",
            "properties": {"street": {"type": "string"}, "city": {"type": "string"}},
        }
    },
    "properties": {"name": {"type": "string"}, "address": {"$ref": "#/$defs/address"}},
    "additionalProperties": False,
}


def text(said):
    return {"type": "text", "text": said}


def embedded(uri, said, mime="text/plain"):
    return {"type": "resource", "resource": {"uri": uri, "mimeType": mime, "text": said}}


IMAGE = {"type": "image", "data": PIXEL, "mimeType": "image/png"}
BLOCKS = {
    "test_simple_text": [text("This is a simple text response for testing.")],
    "test_image_content": [IMAGE],
    "test_audio_content": [{"type": "audio", "data": SILENCE, "mimeType": "audio/wav"}],
    "test_embedded_resource": [embedded("test://embedded-resource", "This is an embedded resource content.")],
    "test_multiple_content_types": [
        text("Multiple content types test:"),
        IMAGE,
        embedded("test://mixed-content-resource", '{"test":"data","value":123}', "application/json"),
    ],
    "test_tool_with_logging": [text("logged")],
    "test_tool_with_progress": [text("progressed")],
    "json_schema_2020_12_tool": [text("named")],
    "test_reconnection": [text("connected")],
}
WORDS = {"test_sampling": "prompt", "test_elicitation": "message"}
CHOICES = [{"const": f"value{each}", "title": f"Option {each}"} for each in (1, 2, 3)]
VALUES = [each["const"] for each in CHOICES]
ASKED = {
    "test_elicitation": {"username": {"type": "string"}, "email": {"type": "string"}},
    "test_elicitation_sep1034_defaults": {
        "name": {"type": "string", "default": "John Doe"},
        "age": {"type": "integer", "default": 30},
        "score": {"type": "number", "default": 95.5},
        "status": {"type": "string", "enum": ["active", "inactive", "pending"], "default": "active"},
        "verified": {"type": "boolean", "default": True},
    },
    "test_elicitation_sep1330_enums": {
        "untitledSingle": {"type": "string", "enum": VALUES},
        "titledSingle": {"type": "string", "oneOf": CHOICES},
        "legacyEnum": {"type": "string", "enum": VALUES, "enumNames": [each["title"] for each in CHOICES]},
        "untitledMulti": {"type": "array", "items": {"type": "string", "enum": VALUES}},
        "titledMulti": {"type": "array", "items": {"anyOf": CHOICES}},
    },
}
RESOURCES = [
    {"uri": f"test://{name}", "name": name, "description": f"A resource: {name}", "mimeType": mime}
    for name, mime in (
        ("static-text", "text/plain"),
        ("static-binary", "image/png"),
        ("watched-resource", "text/plain"),
    )
]
PROMPTS = {
    "test_simple_prompt": [],
    "test_prompt_with_arguments": ["arg1", "arg2"],
    "test_prompt_with_embedded_resource": ["resourceUri"],
    "test_prompt_with_image": [],
}


waiting = {}
numbers = itertools.count(100)


def say(**message):
    sys.stdout.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
    sys.stdout.flush()


def tool(name):
    schema = {"type": "object", "properties": {}}
    if name == "json_schema_2020_12_tool":
        schema = NAMED
    elif name in WORDS:
        schema = {
            "type": "object",
            "properties": {WORDS[name]: {"type": "string"}},
            "required": [WORDS[name]],
        }
    return {"name": name, "description": f"Does what the suite asks of {name}", "inputSchema": schema}


def ask(name, given):
    """What a tool asks of its client before it answers."""
    if name == "test_sampling":
        message = {"role": "user", "content": text(given["prompt"])}
        return "sampling/createMessage", {"messages": [message], "maxTokens": 100}
    form = {"type": "object", "properties": ASKED[name]}
    return "elicitation/create", {
        "message": given.get("message", "Please fill it in"),
        "requestedSchema": form,
    }


def called(name, meta):
    if name == "test_tool_with_logging":
        for said in ("Tool execution started", "Tool processing data", "Tool execution completed"):
            say(method="notifications/message", params={"level": "info", "logger": "test", "data": said})
    if name == "test_tool_with_progress" and "progressToken" in meta:
        for step in (0, 50, 100):
            told = {"progressToken": meta["progressToken"], "progress": step, "total": 100}
            say(method="notifications/progress", params=told)
    if name in BLOCKS:
        return {"content": BLOCKS[name]}
    return {"content": [text("This tool intentionally returns an error for testing")], "isError": True}


def read(uri):
    if uri == "test://static-binary":
        return {"contents": [{"uri": uri, "mimeType": "image/png", "blob": PIXEL}]}
    said = "This is the content of the static text resource."
    mime = "text/plain"
    if uri.startswith("test://template/"):
        number = uri.split("/")[3]
        said = json.dumps({"id": number, "templateTest": True, "data": f"Data for ID: {number}"})
        mime = "application/json"
    return {"contents": [{"uri": uri, "mimeType": mime, "text": said}]}


def prompt(name, arguments):
    blocks = {
        "test_simple_prompt": [text("This is a simple prompt for testing.")],
        "test_prompt_with_arguments": [text(f"Prompt with arguments: {arguments}")],
        "test_prompt_with_embedded_resource": [
            embedded(arguments.get("resourceUri", "test://none"), "Embedded resource content for testing."),
            text("Please process the embedded resource above."),
        ],
        "test_prompt_with_image": [IMAGE, text("Please analyze the image above.")],
    }[name]
    return {"messages": [{"role": "user", "content": block} for block in blocks]}


ANSWERS = {
    "completion/complete": {"completion": {"values": ["test"], "total": 1, "hasMore": False}},
    "ping": {},
    "resources/subscribe": {},
    "resources/unsubscribe": {},
}


def answer(method, params):
    match method:
        case "initialize":
            return {
                "protocolVersion": params["protocolVersion"],
                "capabilities": {
                    "tools": {},
                    "resources": {"subscribe": True},
                    "prompts": {},
                    "completions": {},
                },
                "serverInfo": {"name": "conformance", "version": "1"},
            }
        case "tools/list":
            return {
                "tools": [tool(name) for name in (*BLOCKS, "test_error_handling", "test_sampling", *ASKED)]
            }
        case "tools/call":
            return called(params["name"], params.get("_meta", {}))
        case "resources/list":
            return {"resources": RESOURCES}
        case "resources/templates/list":
            template = {"uriTemplate": "test://template/{id}/data", "name": "template"}
            return {"resourceTemplates": [template]}
        case "resources/read":
            return read(params["uri"])
        case "prompts/list":
            return {
                "prompts": [
                    {
                        "name": name,
                        "description": f"A prompt: {name}",
                        "arguments": [{"name": each, "required": True} for each in given],
                    }
                    for name, given in PROMPTS.items()
                ]
            }
        case "prompts/get":
            return prompt(params["name"], params.get("arguments", {}))
    return ANSWERS.get(method)


for line in sys.stdin:
    message = json.loads(line)
    if "id" not in message:
        continue
    if "method" not in message:
        answered = text(f"The client has answered: {json.dumps(message.get('result', message.get('error')))}")
        say(id=waiting.pop(message["id"]), result={"content": [answered]})
        continue
    called_tool = message["params"]["name"] if message["method"] == "tools/call" else None
    if called_tool == "test_sampling" or called_tool in ASKED:
        method, params = ask(called_tool, message["params"].get("arguments", {}))
        number = next(numbers)
        waiting[number] = message["id"]
        say(id=number, method=method, params=params)
        continue
    result = answer(message["method"], message.get("params", {}))
    if result is None:
        say(id=message["id"], error={"code": -32601, "message": "no such method"})
    else:
        say(id=message["id"], result=result)
