"""Models of frameworks that call ``count_words`` once, and then say what they were told: each by its framework's own class."""

# ruff: noqa: PLC0415 - of all frameworks only the one that is tried is imported

from __future__ import annotations

import json
from typing import Any

NAME, ARGUMENTS = "count_words", {"text": "to be or not"}


def langchain() -> Any:
    """Says it with its content."""
    from langchain_core.language_models import BaseChatModel
    from langchain_core.messages import AIMessage, ToolMessage
    from langchain_core.outputs import ChatGeneration, ChatResult

    class Scripted(BaseChatModel):
        @property
        def _llm_type(self) -> str:
            return "scripted"

        def bind_tools(self, tools: Any, **_: Any) -> Any:
            return self

        def _generate(self, messages: list[Any], *_: Any, **__: Any) -> ChatResult:
            told = [each.content for each in messages if isinstance(each, ToolMessage)]
            call = {"name": NAME, "args": ARGUMENTS, "id": "1"}
            said = AIMessage(str(told[0])) if told else AIMessage("", tool_calls=[call])
            return ChatResult(generations=[ChatGeneration(message=said)])

    return Scripted()


def openai_agents() -> Any:
    """Says it with its text."""
    from agents import Model, ModelResponse, Usage
    from openai.types.responses import ResponseFunctionToolCall, ResponseOutputMessage, ResponseOutputText

    class Scripted(Model):
        async def get_response(self, *given: Any, **asked: Any) -> ModelResponse:
            items = asked.get("input") or given[1]
            told = [
                item["output"]
                for item in items
                if isinstance(item, dict) and item.get("type") == "function_call_output"
            ]
            said: Any = ResponseFunctionToolCall(
                arguments=json.dumps(ARGUMENTS), call_id="c1", name=NAME, type="function_call", id="f1"
            )
            if told:
                text = ResponseOutputText(annotations=[], text=str(told[0]), type="output_text")
                said = ResponseOutputMessage(
                    id="m1", content=[text], role="assistant", status="completed", type="message"
                )
            return ModelResponse(output=[said], usage=Usage(), response_id=None)

        def stream_response(self, *_: Any, **__: Any) -> Any:
            raise NotImplementedError

    return Scripted()


def pydantic_ai() -> Any:
    """Says it with its text."""
    from pydantic_ai.messages import ModelResponse, TextPart, ToolCallPart, ToolReturnPart
    from pydantic_ai.models.function import FunctionModel

    def answer(messages: list[Any], _: Any) -> ModelResponse:
        told = [each.content for each in messages[-1].parts if isinstance(each, ToolReturnPart)]
        return ModelResponse(parts=[TextPart(json.dumps(told[0])) if told else ToolCallPart(NAME, ARGUMENTS)])

    return FunctionModel(answer)


def llama_index() -> Any:
    """Says it with its content."""
    from llama_index.core.base.llms.types import ChatMessage, MessageRole, ToolCallBlock
    from llama_index.core.llms.mock import MockFunctionCallingLLM

    def answer(messages: Any, **_: Any) -> ChatMessage:
        told = [each.content for each in messages if each.role == MessageRole.TOOL]
        if told:
            return ChatMessage(role="assistant", content=told[0])
        call = ToolCallBlock(tool_name=NAME, tool_kwargs=ARGUMENTS, tool_call_id="1")
        return ChatMessage(role="assistant", blocks=[call])

    return MockFunctionCallingLLM(response_generator=answer)


def smolagents() -> Any:
    """Says it as the final answer."""
    from smolagents import Model
    from smolagents.models import (
        ChatMessage,
        ChatMessageToolCall,
        ChatMessageToolCallFunction,
        MessageRole,
    )

    class Scripted(Model):
        def generate(self, messages: list[Any], **_: Any) -> ChatMessage:
            told = [str(each.content) for each in messages if each.role == MessageRole.TOOL_RESPONSE]
            name, arguments = ("final_answer", {"answer": told[0]}) if told else (NAME, ARGUMENTS)
            function = ChatMessageToolCallFunction(arguments=arguments, name=name)
            call = ChatMessageToolCall(function=function, id="1", type="function")
            return ChatMessage(role=MessageRole.ASSISTANT, content="", tool_calls=[call])

    return Scripted()


async def claude_agent_query(*, prompt: str, options: Any) -> Any:
    """In the place of the SDK's own, which starts a program: it calls the tool by the server that it is given."""
    from mcp.client import Client

    assert prompt
    assert options.allowed_tools == ["mcp__callboard"]
    async with Client(options.mcp_servers["callboard"]["instance"], mode="legacy") as client:
        told = await client.call_tool(NAME, ARGUMENTS)
    yield told.content[0].text
