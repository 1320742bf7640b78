"""litellm and langchain-core in a process of their own: the same records, and the same measuring loop as ours.

Runs in a virtual environment of its own and knows nothing of Callboard. One line of JSON on stdin is one
turn, one line on stdout is what it came to. A conversion that raises has refused; what else is made of
that, who asked decides.
"""

from __future__ import annotations

import json
import logging
import os
import sys
import time
from copy import deepcopy
from typing import TYPE_CHECKING, Any

os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"  # else it asks the net, and waits

from langchain_core.output_parsers.openai_tools import parse_tool_call
from langchain_core.utils.function_calling import convert_to_openai_tool
from litellm.litellm_core_utils.prompt_templates.factory import (
    _bedrock_tools_pt,
    _convert_to_bedrock_tool_call_invoke,
    convert_to_anthropic_tool_invoke,
    convert_to_gemini_tool_call_invoke,
)
from litellm.llms.anthropic.chat.transformation import AnthropicConfig
from litellm.llms.vertex_ai.gemini.vertex_and_google_ai_studio_gemini import VertexGeminiConfig

if TYPE_CHECKING:
    from collections.abc import Callable

# The doors that their own requests go through; none is public.
_anthropic, _gemini = AnthropicConfig(), VertexGeminiConfig()


def _of_langchain(tool: dict[str, Any]) -> Any:
    return convert_to_openai_tool(tool)["function"].get("parameters")


def _args_of_langchain(call: dict[str, Any]) -> Any:
    parsed = parse_tool_call(call, return_id=True)
    return parsed and parsed["args"]


def _only(found: Any) -> Any:
    (one,) = found
    return one


def _tool_spec(tool: dict[str, Any]) -> Any:
    return _only(_bedrock_tools_pt([tool]))["toolSpec"]


def _declaration(tool: dict[str, Any]) -> Any:
    return _only(_only(_gemini._map_function([tool], {}))["function_declarations"])  # noqa: SLF001 - it has no public one


CONVERSIONS: dict[str, Callable[[Any], Any]] = {
    "mcp_to_chat langchain-core": _of_langchain,
    "anthropic_to_chat langchain-core": _of_langchain,
    "bedrock_to_chat langchain-core": _of_langchain,
    "chat_to_anthropic litellm": lambda tool: _only(_anthropic._map_tools([tool])[0])["input_schema"],  # noqa: SLF001 - it has no public one
    "chat_to_bedrock litellm": lambda tool: _tool_spec(tool)["inputSchema"]["json"],
    "chat_to_gemini litellm": lambda tool: _declaration(tool).get("parameters"),
    "call_read langchain-core": _args_of_langchain,
    "call_to_anthropic litellm": lambda call: _only(convert_to_anthropic_tool_invoke([call]))["input"],
    "call_to_gemini litellm": lambda call: _only(
        convert_to_gemini_tool_call_invoke({"role": "assistant", "tool_calls": [call]})
    )["function_call"]["args"],
    "call_to_bedrock litellm": lambda call: _only(_convert_to_bedrock_tool_call_invoke([call]))["toolUse"][
        "input"
    ],
}
"""Name and peer -> the schema or the arguments that it makes of a record."""


def outcomes(convert: Callable[[Any], Any], records: list[Any]) -> list[dict[str, Any]]:
    """What each record becomes: ``{"made": ...}``, or ``{"raised": ...}``."""
    found: list[dict[str, Any]] = []
    for record in records:
        try:
            made = convert(deepcopy(record))
            json.dumps(made)
            found.append({"made": made})
        except Exception as error:  # noqa: BLE001 - whatever they raise is a refusal
            found.append({"raised": type(error).__name__})
    return found


def timed(convert: Callable[[Any], Any], record: Any, count: int) -> list[float]:
    """Seconds of each of ``count`` conversions, each of a copy: some change what they are given."""
    block = []
    for copy in [deepcopy(record) for _ in range(count)]:
        begin = time.perf_counter()
        convert(copy)
        block.append(time.perf_counter() - begin)
    return block


def main() -> None:
    """Take turns until stdin ends."""
    logging.disable(logging.CRITICAL)
    answers, sys.stdout = sys.stdout, sys.stderr
    for line in sys.stdin:
        turn = json.loads(line)
        convert = CONVERSIONS[turn["conversion"]]
        if "records" in turn:
            answer: Any = outcomes(convert, turn["records"])
        else:
            answer = timed(convert, turn["record"], turn["count"])
        print(json.dumps(answer), file=answers, flush=True)


if __name__ == "__main__":
    main()
