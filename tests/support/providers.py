"""The shipped providers, asked at a replay server, and what came of it."""

from __future__ import annotations

import json
import re

from callboard.agent.providers.anthropic_messages import AnthropicProvider
from callboard.agent.providers.http import HttpShell
from callboard.agent.providers.openai_chat import OpenAIChatProvider
from callboard.agent.providers.openai_responses import OpenAIResponsesProvider, ResponsesExtension
from callboard.agent.requests.exchange import exchange, exchange_async
from callboard.agent.requests.provider_stack import ProviderStack
from callboard.interop.default_registry import compose_registry

SCRIPT = [
    {
        "when": "weather",
        "steps": [
            {
                "text": "Let me look.",
                "calls": [
                    {"name": "get.weather", "arguments": {"city": "Oslo", "days": [1, 2], "note": "größer"}},
                    {"name": "patch", "input": "*** Begin\n+x"},
                ],
            },
            {"text": "It is {result} there."},
        ],
    },
    {
        "when": "think",
        "steps": [{"reasoning": "Well, well.", "text": "So.", "calls": [{"name": "now", "arguments": {}}]}],
    },
    {"steps": [{"text": "You said: {user}"}]},
]

TOOLS = [
    {
        "type": "function",
        "function": {
            "name": "get.weather",
            "description": "The weather.",
            "parameters": {"type": "object", "properties": {"city": {"type": "string"}}},
        },
    },
    {"type": "custom", "name": "patch", "description": "Applies a patch.", "format": {"type": "text"}},
    {"name": "now", "input_schema": {"type": "object", "properties": {}}},
]
"""In three formats, one with a name that providers refuse."""

STACKS = {
    "chat": (OpenAIChatProvider, ()),
    "responses": (OpenAIResponsesProvider, ()),
    "responses extension": (OpenAIChatProvider, (ResponsesExtension,)),
    "anthropic": (AnthropicProvider, ()),
}


class Asked:
    """A stack of a provider that keeps the waits between its attempts, and does not wait."""

    def __init__(self, name, url, **config):
        provider, extensions = STACKS[name]
        self.waits = []

        async def pause(delay):
            self.waits.append(delay)

        shell = HttpShell(provider.key, pause=self.waits.append, pause_async=pause, jitter=lambda: 0.0)
        self.provider = provider(shell=shell)
        self.stack = ProviderStack(self.provider, [extension() for extension in extensions])
        self.config = {"model": "m", "base_url": url, **config}

    def state_and_context(self, tools=TOOLS):
        state = self.stack.init(self.config, tools)
        formats = self.stack.accepted_tool_schema_formats(state)
        registry = compose_registry(self.stack.contributions(state)).for_request(tools)
        return state, {"tool_interop": {"registry": registry, "schema_target_formats": formats}}

    def events(self, *messages, tools=TOOLS):
        state, context = self.state_and_context(tools)
        return list(exchange(self.stack, messages, state, context=context))

    async def events_async(self, *messages, tools=TOOLS):
        state, context = self.state_and_context(tools)
        return [event async for event in exchange_async(self.stack, messages, state, context=context)]

    def message(self, *messages):
        return self.events(*messages)[-1]["message"]


def user(text):
    return {"role": "user", "content": text}


def result_of(call, text="7 degrees", **metadata):
    return {
        "role": "tool",
        "content": text,
        "toolResult": {"type": "tool_result", "text": text},
        "metadata": {"tool_call_id": call["id"], "tool_name": "x", **metadata},
    }


def calls_of(message):
    return message.get("metadata", {}).get("tool_calls", [])


def said(events):
    return "".join(event["text"] for event in events if event["type"] == "text")


def kinds(events):
    """The types of events, each run of the same once."""
    found = [event["type"] for event in events]
    return [kind for number, kind in enumerate(found) if number == 0 or found[number - 1] != kind]


def but_for_ids(messages):
    """Messages as text, with the ids of calls numbered in the order in which they come."""
    text = json.dumps(messages, sort_keys=True)
    ids = list(dict.fromkeys(re.findall(r'"(?:id|tool_call_id)": "([^"]+)"', text)))
    for number, its in enumerate(ids):
        text = text.replace(f'"{its}"', f'"id {number}"')
    return text
