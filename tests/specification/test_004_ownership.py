"""The page on the interop flow, "Runtime ownership" and the "Common mistakes" that concern a request, rule by rule."""

from __future__ import annotations

import pytest
from callboard import AgentCore, ToolDescriptor, ToolPlugin
from callboard.base.errors import JsonValueError
from callboard.base.json import require_json
from callboard.tool_interop import (
    DEFAULT_TOOL_INTEROP_REGISTRY,
    ToolInteropTarget,
    get_registry_from_context,
    get_schema_target_formats_from_context,
)
from requests_of import CHAT, CUSTOM, request_of
from tools import tool_call

APPLY_PATCH = {
    "type": "custom",
    "name": "apply_patch",
    "description": "Apply a textual patch to files in the workspace.",
    "format": {"type": "grammar", "syntax": "lark", "definition": "start: /.+/"},
}


class ApplyPatch(ToolPlugin):
    """Declared in one way, whatever the provider takes."""

    name = "apply_patch"

    def get_tool_schemas(self, state):
        return [APPLY_PATCH]

    def execute_tool(self, tool_name, payload, state, *, payload_kind=None, context=None):
        return {"success": True, "result": [payload_kind, payload]}


@pytest.fixture
def core():
    with AgentCore() as core:
        core.register_tool(ApplyPatch)
        yield core


def sent(request):
    """The declarations as the page has a provider convert them."""
    return get_registry_from_context(request.context).convert_schemas(
        request.schemas,
        target=ToolInteropTarget("openai.chat_completions"),
        target_formats=get_schema_target_formats_from_context(request.context),
    )


def test_core_keeps_the_original_source_schema_in_the_tool_descriptor(core):
    request = request_of(core, {}, CHAT)

    (converted,) = sent(request)

    assert request.tools == (ToolDescriptor("apply_patch", "apply_patch", APPLY_PATCH),)
    assert core.board.tools() == list(request.tools)
    assert converted["function"]["name"] == "apply_patch"
    assert converted["function"]["parameters"]["required"] == ["input"]


def test_one_schema_source_participates_in_multiple_provider_stacks(core):
    kinds = {
        formats: request_of(core, {}, *formats).registry.convert_schemas(
            [APPLY_PATCH], ToolInteropTarget("openai"), list(formats)
        )[0]["type"]
        for formats in ((CHAT,), ("openai.responses.function",), (CUSTOM,))
    }

    assert list(kinds.values()) == ["function", "function", "custom"]


def test_mistake_to_use_the_default_registry_in_request_bound_code(core):
    request = request_of(core, {}, CHAT)
    call = tool_call("apply_patch", "c1", input="*** Begin Patch")

    bound = get_registry_from_context(request.context).inspect_call(call)
    fallback = get_registry_from_context(None)

    assert bound.payload_kind == "text"
    assert fallback is DEFAULT_TOOL_INTEROP_REGISTRY
    assert fallback.inspect_call(call).payload_kind == "object"
    assert get_registry_from_context({"config": {}}) is DEFAULT_TOOL_INTEROP_REGISTRY
    assert get_schema_target_formats_from_context(None) is None


def test_mistake_to_store_the_registry_in_config_or_state_where_only_json_belongs(core):
    config = {"model": "m"}
    request = request_of(core, config, CHAT)

    assert config == {"model": "m"}
    assert request.context["config"] is config
    assert core.board.state_of("apply_patch") == {}
    with pytest.raises(JsonValueError, match="registry"):
        require_json({"registry": request.registry})
