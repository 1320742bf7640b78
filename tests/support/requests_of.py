"""Requests of a core as a provider with certain formats makes them, and the plainest tool to be offered in one."""

from __future__ import annotations

from callboard import ToolPlugin
from callboard.agent.requests.provider_adapter import ProviderAdapter
from callboard.agent.requests.request import compose_request
from callboard.plugins.contract.context import core_context
from tools import schema

CUSTOM = "openai.responses.custom.tool_schema"
CHAT = "openai.chat_completions.function"


class Provider:
    """Asks nobody; says what it accepts."""

    def __init__(self, *formats, tags=()):
        self.name = "provider"
        self.formats = list(formats)
        self.tags = list(tags)

    def accepted_tool_schema_formats(self, state):
        return self.formats

    def get_tags(self, config, models):
        return self.tags

    def send_request_stream(self, native_messages, state):
        raise NotImplementedError


class Extension(Provider):
    """Needs a tag to be enabled."""

    def required_tags(self):
        return ["supports_responses"]


def request_of(core, config=None, *formats, tags=(), extensions=(), context=None):
    return compose_request(
        core.board,
        ProviderAdapter(Provider(*formats, tags=tags)),
        [ProviderAdapter(each, extension=True) for each in extensions],
        config or {},
        context=core_context(core, config or {}) if context is None else context,
    )


def offered(request):
    return [tool.tool_name for tool in request.tools]


class Named(ToolPlugin):
    """One tool, of the plugin's own name."""

    def __init__(self, name: str = "named") -> None:
        self.name = name

    def get_tool_schemas(self, state):
        return [schema(self.name)]

    def execute_tool(self, tool_name, payload, state):
        return {"success": True, "result": state}
