"""A board with the one server of a scenario of the protocol's conformance suite, whose tools are called.

    conformance_client.py URL

The scenario's name stands in ``MCP_CONFORMANCE_SCENARIO``, and what else there is to know in ``MCP_CONFORMANCE_CONTEXT``.
"""

import json
import os
import sys
import threading
import urllib.request

from callboard import Callboard
from callboard.hooks import FormAnswer
from callboard.loading.loader import load_entry

scenario, url = os.environ["MCP_CONFORMANCE_SCENARIO"], sys.argv[1]
context = json.loads(os.environ.get("MCP_CONFORMANCE_CONTEXT") or "{}")
ARGUMENTS = {"a": 2, "b": 3}


class Person:
    """Leaves each form as it is."""

    def ask(self, _):
        return True

    def ask_form(self, form):
        return FormAnswer(
            "accept", {each.name: each.default for each in form.fields if each.default is not None}
        )


def browse(address):
    """Agree at once, as a user in a browser."""
    threading.Thread(target=lambda: urllib.request.urlopen(address, timeout=30).read()).start()


entry = {"mcp": {"url": url, "id": "server"}, "restart": {"intensity": 3}}
if scenario == "auth/basic-cimd":
    context["client_id"] = "https://conformance-test.local/client-metadata.json"
if "client_id" in context:
    entry["mcp"]["oauth"] = {key: context[key] for key in ("client_id", "client_secret") if key in context}
board = Callboard({"plugins": [entry]})
board.approver = Person()


def log_in():
    """As `callboard mcp CONFIG --login server` does."""
    (one,) = load_entry(entry, board.configuration)
    one.hosted.login(browse)


if scenario.startswith("auth/"):
    log_in()
with board:
    for tool in board.tools():
        result = board.execute({"name": tool.tool_name, "arguments": ARGUMENTS})
        print(result)
        if not result["success"] and "log in" in result["error"]:
            log_in()
            print(board.execute({"name": tool.tool_name, "arguments": ARGUMENTS}))
