"""The tool of a simulation: everything that the rules want to hold a board to, in a few lines.

It writes down that it has begun, counts its answers in its state, and tells with each answer which generation
has given it. How long it takes, how many parts it sends and how it ends is told by its arguments.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Generator

    from .scripted_call import ScriptedCall


def work(call: ScriptedCall) -> Generator[float, None, dict[str, Any]]:
    """Do what the arguments say: ``call``, ``seconds``, ``parts``, ``mood`` (``well``, ``fail``, ``raise``)."""
    call.note("began")
    given = call.arguments
    pieces = given["parts"] + 1
    for number in range(given["parts"]):
        yield given["seconds"] / pieces
        call.part({"number": number, "generation": call.generation})
    yield given["seconds"] / pieces
    call.point("before the answer")
    match given["mood"]:
        case "fail":
            return {"success": False, "error": "it was asked to fail"}
        case "raise":
            raise LookupError("it was asked to raise")
    count = call.state["count"] = call.state.get("count", 0) + 1
    return {"success": True, "result": {"call": given["call"], "count": count, "generation": call.generation}}
