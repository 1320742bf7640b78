"""The tools of `callboard chat --demo` that are Python: one that only knows, and one that must be allowed to act."""

from __future__ import annotations

from typing import Any

Json = dict[str, Any]

_KILOMETRES = {frozenset({"Oslo", "Bergen"}): 463}


class Distance:
    """Knows how far it is."""

    name = "map"

    def get_tool_schemas(self, state: Json) -> list[Json]:
        """One tool."""
        return [
            _schema(
                "distance", "How far it is from one place to another by rail.", start="string", end="string"
            )
        ]

    def execute_tool(self, tool_name: str, payload: Json, state: Json) -> Json:
        """Look it up."""
        kilometres = _KILOMETRES.get(frozenset({payload["start"], payload["end"]}))
        if kilometres is None:
            return {"success": False, "error": f"{payload['start']} and {payload['end']} are not on my map"}
        return {"success": True, "result": f"{kilometres} km"}


class Booking:
    """Books seats, each once."""

    name = "booking"

    def init(self, config: Json) -> Json:
        """Nothing is booked."""
        return {"booked": []}

    def get_tool_schemas(self, state: Json) -> list[Json]:
        """One tool."""
        parameters = {"train": "integer", "seat": "string", "price": "integer"}
        return [_schema("book_seat", "Book a seat. It is paid at once.", **parameters)]

    def format_tool_call_preview(self, tool_name: str, payload: Json, state: Json) -> str:
        """What is about to be paid."""
        return f"Book seat {payload['seat']} in train {payload['train']} for {payload['price']} kr"

    def execute_tool(self, tool_name: str, payload: Json, state: Json) -> Json:
        """Book it, unless it is."""
        seat = f"{payload['train']}/{payload['seat']}"
        if seat in state["booked"]:
            return {"success": False, "error": f"seat {seat} is booked already"}
        state["booked"].append(seat)
        return {
            "success": True,
            "result": f"seat {payload['seat']} in train {payload['train']} is yours, ticket 7F3A.",
        }


def _schema(name: str, description: str, **parameters: str) -> Json:
    properties = {each: {"type": kind} for each, kind in parameters.items()}
    described = {"type": "object", "properties": properties, "required": list(parameters)}
    return {
        "type": "function",
        "function": {"name": name, "description": description, "parameters": described},
    }
