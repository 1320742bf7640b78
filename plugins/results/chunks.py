"""What a streaming tool yields, read chunk by chunk: parts, and the final result. Pure.

The specification's rules, in their order: a mapping with ``success`` is the final result, a mapping with
``part`` is a partial result, and any other chunk is wrapped as one. A part is meant for people, so one
that is not JSON does not cost the call its answer: a text that says so takes its place, and `Part.fault`
tells the author.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from ...base.errors import JsonValueError
from ...base.json import copied_json
from ...base.json_size import weight_of
from .normalise import NormalisedResult, invalid_result, normalise_result


class Part(NamedTuple):
    """A partial result.

    Attributes:
        chunk: ``{"part": …}``, with further keys if the tool gave some; JSON of its own.
        fault: why the tool's own chunk could not be passed on, or ``None``.
        size: bytes that it takes to keep, about.
    """

    chunk: dict[str, Any]
    fault: str | None = None
    size: int = 0


Chunk = Part | NormalisedResult
"""What comes out of a stream: parts, and last the one final result."""


def read_chunk(chunk: Any) -> Chunk:
    """Read one chunk of a stream. Raises nothing but what a chunk's own methods raise."""
    if type(chunk) is dict or isinstance(chunk, Mapping):
        if "success" in chunk:
            return normalise_result(chunk)
        part = dict(chunk) if "part" in chunk else {"part": dict(chunk)}
    else:
        part = {"part": chunk}
    try:
        copy, text = copied_json(part)
    except JsonValueError as error:
        said = unshowable(error)
        return Part(said, str(error), len(said["part"]["content"]))
    return Part(copy, size=weight_of(text))


def unshowable(error: JsonValueError) -> dict[str, Any]:
    """Return what stands for a part that is not JSON."""
    return {"part": {"type": "text", "content": f"(a part that cannot be shown: {error})"}}


def no_final_result() -> NormalisedResult:
    """Return the end of a stream that ended without a final result."""
    return invalid_result("the tool's stream ended without a final result, which is a chunk with 'success'")
