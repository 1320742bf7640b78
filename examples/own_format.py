"""A provider with a wire of its own: a plugin teaches the board to read its calls and to write what it reads.

The wire is three shapes: a declaration ``{"fn", "takes"}``, a call ``{"ref", "fn", "with"}``, and an answer
``{"ref", "ok", "say"}``. Each class below is one member of the contribution; none knows another format.
"""

from __future__ import annotations

from typing import Any

from callboard import Callboard, ToolPlugin
from callboard.tool_interop import (
    HUB,
    ConversionContext,
    Converted,
    InspectedCall,
    InspectedResult,
    InspectedSchema,
    Loss,
    ToolInteropContribution,
    ToolInteropTarget,
    as_text,
    parse_arguments,
    read_function_call,
)

FORMAT = "acme.tool"


class AcmeCalls:
    format = FORMAT

    def matches(self, value: Any) -> bool:
        return isinstance(value, dict) and all(key in value for key in ("ref", "fn", "with"))

    def inspect(self, value: dict[str, Any]) -> InspectedCall:
        arguments = parse_arguments(value["with"])
        return read_function_call(FORMAT, value["ref"], value["fn"], arguments, metadata={})

    def sanitize(self, value: dict[str, Any]) -> dict[str, Any]:
        return value if parse_arguments(value["with"]).kind == "object" else {**value, "with": {}}


class ToAcmeSchema:
    source, target = HUB, FORMAT

    def convert(self, value: InspectedSchema, context: ConversionContext) -> Converted:
        takes = list((value.parameters or {}).get("properties", {}))
        return Converted({"fn": value.name, "takes": takes}, (Loss("types", "only names are told"),))


class ToAcmeResult:
    source, target = HUB, FORMAT

    def convert(self, value: InspectedResult, context: ConversionContext) -> Converted:
        text, losses = as_text(value)
        return Converted({"ref": value.call_id, "ok": not value.is_error, "say": text}, losses)


class Acme(ToolPlugin):
    name = "acme"

    def get_tool_schemas(self, state: dict[str, Any]) -> list[dict[str, Any]]:
        number = {"type": "number"}
        parameters = {"type": "object", "properties": {"a": number, "b": number}, "required": ["a", "b"]}
        return [{"type": "function", "function": {"name": "add", "parameters": parameters}}]

    def execute_tool(self, tool_name: str, payload: dict[str, Any], state: dict[str, Any]) -> dict[str, Any]:
        return {"success": True, "result": payload["a"] + payload["b"]}

    def get_tool_interop_contribution(self, state: dict[str, Any]) -> ToolInteropContribution:
        return ToolInteropContribution(
            call_accessors=(AcmeCalls(),),
            schema_adapters=(ToAcmeSchema(),),
            result_adapters=(ToAcmeResult(),),
        )


if __name__ == "__main__":
    with Callboard() as board:
        board.register(Acme())
        (declared,) = board.schemas([FORMAT])
        print("declared: ", declared)

        call = {"ref": "7", "fn": "add", "with": {"a": 2, "b": 3}}
        result = board.execute(call)
        answer = board.registry.convert_result(result, ToolInteropTarget("acme"), call=call)
        print("answered: ", answer.value)

        print(
            "elsewhere:",
            board.registry.convert_tool_call(call, ToolInteropTarget("anthropic.messages")).value,
        )

        broken = {"ref": "8", "fn": "add", "with": '{"a": 2'}
        print("malformed:", board.execute(broken)["error"])
