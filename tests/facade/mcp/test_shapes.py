"""The shapes of MCP are held to the official types: they take what those take as it is written, and nothing that those refuse."""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING, Any

import mcp_types as types
import pytest
from callboard.mcp_protocol import shapes
from hypothesis import given
from hypothesis import strategies as st
from mcp_results import JSON, drawn
from mcp_types import _v2026_07_28 as newest
from pydantic import BaseModel, ValidationError
from sdks import needs_sdk

if TYPE_CHECKING:
    from callboard.mcp_protocol.shapes import Shape

pytestmark = needs_sdk

HELD: dict[str, tuple[Shape, type[BaseModel]]] = {
    "tool": (shapes.TOOL, types.Tool),
    "resource": (shapes.RESOURCE, types.Resource),
    "template": (shapes.TEMPLATE, types.ResourceTemplate),
    "prompt": (shapes.PROMPT, types.Prompt),
    "result": (shapes.CALL_RESULT, types.CallToolResult),
    "contents": (shapes.READ_RESULT, types.ReadResourceResult),
    "messages": (shapes.PROMPT_RESULT, types.GetPromptResult),
    "filled in": (shapes.ELICITED, types.ElicitResult),
    "sampled": (shapes.SAMPLED, newest.CreateMessageResult),
    "logged": (shapes.LOG, types.LoggingMessageNotificationParams),
}


@pytest.mark.parametrize("what", HELD)
@given(data=st.data())
def test_a_shape_takes_what_the_official_type_takes_as_it_is_written_and_nothing_that_it_refuses(
    what: str, data: st.DataObject
) -> None:
    shape, model = HELD[what]
    value = data.draw(drawn(model) | drawn(model).flatmap(_spoilt) | JSON)

    fits = shape(value) is None

    assert fits <= _takes(model, value, strict=False), value
    assert fits >= _takes(model, value, strict=True), value


def _takes(model: type[BaseModel], value: Any, *, strict: bool) -> bool:
    try:
        model.model_validate(value, strict=strict, by_name=False)
    except ValidationError:
        return False
    return True


def _spoilt(value: Any) -> st.SearchStrategy[Any]:
    """The same with another value in one place."""
    places = list(_places(value))
    return (
        st.tuples(st.sampled_from(places), JSON).map(lambda drawn: _with(value, *drawn)) if places else JSON
    )


def _places(value: Any, way: tuple[Any, ...] = ()) -> Any:
    if way:
        yield way
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, each in inner:
        yield from _places(each, (*way, key))


def _with(value: Any, way: tuple[Any, ...], other: Any) -> Any:
    found = copy.deepcopy(value)
    place = found
    for step in way[:-1]:
        place = place[step]
    place[way[-1]] = other
    return found


@pytest.mark.parametrize(
    ("shape", "value", "problem"),
    [
        (shapes.TOOL, [], "has to be an object"),
        (shapes.TOOL, {"name": "a"}, "inputSchema: is missing"),
        (shapes.CALL_RESULT, {"content": None}, "content: has to be a list"),
        (
            shapes.CALL_RESULT,
            {"content": [{"type": "text", "text": "a"}, {"type": "image", "data": ""}]},
            "content: 1: mimeType: is missing",
        ),
        (
            shapes.CALL_RESULT,
            {"content": [{"type": "no"}]},
            "content: 0: has to be one of text, image, audio, resource_link, resource",
        ),
        (shapes.ELICITED, {"action": "yes"}, "action: has to be one of accept, decline, cancel"),
        (shapes.ELICITED, {"action": "accept", "content": {"a": {}}}, "content: a: has to be a text"),
    ],
)
def test_what_is_wrong_is_said_with_its_place(shape: Shape, value: Any, problem: str) -> None:
    assert shape(value) == problem
