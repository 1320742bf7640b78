"""The result of ``tools/call`` as the result of a tool. Pure.

What a tool says is said once: its structured content if it has any, else its text, else its blocks. Blocks that are no text
(images, audio, resources) are kept beside it under ``content``, for the one who builds the messages of a model.
"""

from __future__ import annotations

from typing import Any

COMPLETE = "complete"


def tool_result(value: dict[str, Any]) -> dict[str, Any]:
    """``{"success", "result"}``, or ``{"success", "error"}`` if the tool says that it failed."""
    blocks = value.get("content")
    blocks = [each for each in blocks if isinstance(each, dict)] if isinstance(blocks, list) else []
    texts = [
        each["text"] for each in blocks if each.get("type") == "text" and isinstance(each.get("text"), str)
    ]
    structured = value.get("structuredContent")
    if value.get("isError") is True:
        said = "\n".join(texts) or "the server says that the tool failed, and not why"
        failed: dict[str, Any] = {"success": False, "error": said}
        if structured is not None:
            failed["error_details"] = structured
        return failed
    only_text = len(texts) == len(blocks)
    if structured is not None:
        told = structured
    elif only_text:
        told = "\n".join(texts)
    else:
        told = "\n".join(texts) or None
    result: dict[str, Any] = {"success": True, "result": told}
    if not only_text:
        result["content"] = blocks
    return result
