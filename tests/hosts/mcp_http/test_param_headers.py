"""Arguments are said in headers as the tool wants, and a tool that wants what cannot be is not offered."""

from __future__ import annotations

from typing import Any

import pytest
from callboard.hosts.mcp import jsonrpc
from callboard.hosts.mcp_http.param_headers import invalid_header, param_headers, places_in
from hypothesis import given
from hypothesis import strategies as st
from mcp.shared.inbound import find_invalid_x_mcp_header, x_mcp_header_map
from sdks import needs_sdk

pytestmark = needs_sdk

REGION = {"type": "string", "x-mcp-header": "Region"}
SCHEMA = {
    "properties": {
        "region": REGION,
        "deep": {"properties": {"on": {"type": "boolean", "x-mcp-header": "On"}}},
        "x-mcp-header": {"type": "string"},
        "plain": {"default": {"x-mcp-header": "of a value"}},
    }
}


def listed(*tools: Any) -> bytes:
    return jsonrpc.result("1", {"tools": [*tools]})


@pytest.mark.parametrize(
    ("arguments", "headers"),
    [
        ({}, {}),
        ({"region": "eu", "plain": "x", "list": ["x"]}, {"mcp-param-Region": "eu"}),
        ({"region": "é"}, {"mcp-param-Region": "=?base64?w6k=?="}),
        ({"region": 3, "deep": {"on": True}}, {"mcp-param-Region": "3", "mcp-param-On": "true"}),
        ({"region": None, "deep": "x"}, {}),
        ({"region": ["x"]}, {}),
    ],
)
def test_arguments_that_a_tool_wants_in_headers_are_said_there(
    arguments: Any, headers: dict[str, str]
) -> None:
    places = places_in(listed({"name": "t", "inputSchema": SCHEMA}, "x", {"name": "u"}))

    assert param_headers(places["t"], arguments) == headers
    assert places["u"] == {}


def with_one(**more: Any) -> Any:
    return {"properties": {"a": {"type": "string", "x-mcp-header": "A", **more}}}


@pytest.mark.parametrize(
    "schema",
    [
        with_one(**{"x-mcp-header": ""}),
        with_one(**{"x-mcp-header": "a b"}),
        with_one(**{"x-mcp-header": "a\n"}),
        with_one(**{"x-mcp-header": 7}),
        with_one(type="number"),
        with_one(type="array"),
        with_one(type=["string", "null"]),
        {"properties": {"a": {"x-mcp-header": "A"}}},
        {"properties": {"a": REGION, "b": {"type": "integer", "x-mcp-header": "REGION"}}},
        {"x-mcp-header": "A", "type": "object"},
        {"properties": {"a": {"items": REGION}}},
        {"anyOf": [{"properties": {"a": REGION}}]},
        {"if": {"properties": {"a": REGION}}},
        {"$defs": {"a": REGION}},
        {"additionalProperties": REGION},
    ],
)
def test_a_tool_that_wants_what_cannot_be_is_not_offered(schema: Any) -> None:
    assert invalid_header(schema) is not None
    assert places_in(listed({"name": "t", "inputSchema": schema})) == {"t": {}}


NODE: Any = st.recursive(
    st.fixed_dictionaries(
        {"type": st.sampled_from(["string", "integer", "boolean", "number", "object", 7])},
        optional={"x-mcp-header": st.sampled_from(["A", "a", "B", "a b", "", 7])},
    ),
    lambda inner: (
        st.dictionaries(
            st.sampled_from(["properties", "$defs", "patternProperties"]),
            st.dictionaries(st.sampled_from(["x", "y", "x-mcp-header", "properties"]), inner, max_size=2),
            max_size=2,
        )
        | st.dictionaries(
            st.sampled_from(["items", "not", "default", "additionalProperties"]), inner, max_size=2
        )
        | st.dictionaries(
            st.sampled_from(["anyOf", "allOf", "enum"]), st.lists(inner, max_size=2), max_size=2
        )
    ),
    max_leaves=5,
)


@given(NODE)
def test_it_is_judged_as_the_sdk_judges_it(schema: Any) -> None:
    theirs = find_invalid_x_mcp_header(schema)

    assert (invalid_header(schema) is None) == (theirs is None)
    if theirs is None:
        assert places_in(listed({"name": "t", "inputSchema": schema}))["t"] == x_mcp_header_map(schema)
