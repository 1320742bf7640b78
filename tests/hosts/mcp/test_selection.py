"""Which tools of a server are offered, and under which names."""

from __future__ import annotations

import pytest
from callboard.hosts.mcp.listing import ToolList
from callboard.hosts.mcp.selection import MAX_NAME, Selection, prefix_of, shortened
from hypothesis import given
from hypothesis import strategies as st


def listed(selection: Selection, *names: str) -> ToolList:
    tools = ToolList(selection)
    tools.add({"tools": [{"name": name, "inputSchema": {"type": "object"}} for name in names]})
    return tools


@pytest.mark.parametrize(
    ("selection", "offered"),
    [
        (Selection(), ["read_file", "write_file", "Search"]),
        (Selection(allow=("*_file",)), ["read_file", "write_file"]),
        (Selection(deny=("write_*",)), ["read_file", "Search"]),
        (Selection(allow=("*",), deny=("*",)), []),
        (Selection(allow=("search",)), []),
        (Selection(allow=()), []),
        (Selection(rename=(("Search", "find"),)), ["read_file", "write_file", "find"]),
        (Selection(prefix="fs"), ["fs__read_file", "fs__write_file", "fs__Search"]),
        (Selection(prefix="fs", rename=(("Search", "find"),)), ["fs__read_file", "fs__write_file", "find"]),
    ],
)
def test_an_entry_says_which_tools_are_offered_and_how_they_are_called(
    selection: Selection, offered: list[str]
) -> None:
    tools = listed(selection, "read_file", "write_file", "Search")

    assert [tool["name"] for tool in tools.tools] == offered
    assert [selection.offered_as(tools.wire[name]) for name in offered] == offered
    assert len(tools.left_out) == 3 - len(offered)


def test_a_tool_that_would_have_the_name_of_another_is_left_out() -> None:
    tools = listed(Selection(rename=(("a", "b"),)), "a", "b")

    assert [tool["name"] for tool in tools.tools] == ["b"]
    assert tools.wire == {"b": "a"}
    assert list(tools.left_out) == ["b"]


PLAIN = {"name": "plain", "inputSchema": {"type": "object"}}


@pytest.mark.parametrize(
    ("more", "why"),
    [
        ({"name": ""}, "not empty"),
        ({"name": "x" * 1001}, "1,000"),
        ({}, "twice"),
        ({"name": "odd", "description": 5}, "description"),
        ({"name": "odd", "outputSchema": []}, "outputSchema"),
        ({"name": "odd", "function": {}}, "name"),
        ({"name": "odd", "inputSchema": {"type": ["x"] * 100_001}}, "100000"),
    ],
)
def test_an_odd_tool_is_left_out_alone(more: dict[str, object], why: str) -> None:
    tools, odd = ToolList(), PLAIN | more

    tools.add({"tools": [PLAIN, odd]})

    assert tools.tools == tools.declared == [PLAIN]
    assert why in tools.left_out[str(odd["name"])[:100]]


def test_what_fits_no_tool_is_told() -> None:
    selection = Selection(allow=("read_*", "raed_*"), deny=("x",), rename=(("y", "z"),))

    assert selection.idle(["read_file"]) == ["allow 'raed_*'", "deny 'x'", "rename 'y'"]


@given(st.text(max_size=200), st.integers(16, 128))
def test_a_name_is_never_longer_than_its_limit_and_the_same_each_time(name: str, limit: int) -> None:
    short = shortened(name, limit)

    assert len(short) <= limit
    assert short == shortened(name, limit)
    assert len(name) > limit or short == name


def test_long_names_that_begin_alike_stay_apart() -> None:
    selection = Selection(prefix="server")

    names = [selection.offered_as("a" * 80 + end) for end in "xyz"]

    assert len(set(names)) == 3
    assert {len(name) for name in names} == {MAX_NAME}


@pytest.mark.parametrize(("name", "prefix"), [("files", "files"), ("my files!", "my_files"), ("日本", "mcp")])
def test_a_plugins_name_becomes_a_prefix_that_providers_take(name: str, prefix: str) -> None:
    assert prefix_of(name) == prefix
