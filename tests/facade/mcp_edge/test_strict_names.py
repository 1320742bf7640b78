"""Names that APIs refuse are mapped there and back, never onto one another, and never later to another tool."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest
from callboard.mcp_edge.strict_names import StrictNames
from command_line import callboard
from hypothesis import given
from hypothesis import strategies as st

if TYPE_CHECKING:
    from pathlib import Path

STRICT = re.compile(r"[a-zA-Z0-9_-]{1,64}")
LONG = "read." + "x" * 120
NAMES = st.lists(st.text(min_size=1, max_size=80) | st.sampled_from(["a.b", "a/b", "a_b", LONG]), max_size=12)


def tools(names):
    return [{"name": name, "inputSchema": {"type": "object"}} for name in dict.fromkeys(names)]


@given(st.lists(NAMES, max_size=4))
def test_each_name_is_strict_stands_for_one_tool_and_keeps_it(lists):
    strict, known = StrictNames(), {}

    for names in lists:
        said = [tool["name"] for tool in strict.tools(tools(names))]
        assert all(map(STRICT.fullmatch, said))
        for own, name in zip(dict.fromkeys(names), said, strict=True):
            assert strict.meant(name) == own
            assert known.setdefault(own, name) == name
    assert len(set(known.values())) == len(known)


@given(NAMES)
def test_names_are_the_same_in_another_process_whatever_the_order(names):
    one, other = StrictNames().tools(tools(names)), StrictNames().tools(tools(reversed(names)))

    assert {each["name"] for each in one} == {each["name"] for each in other}


@pytest.mark.parametrize("order", [1, -1])
@pytest.mark.parametrize("at_once", [True, False])
def test_a_tool_that_is_called_as_another_is_said_does_not_take_its_calls(order, at_once):
    strict = StrictNames()
    alias = StrictNames().tools(tools(["a.b"]))[0]["name"]
    names = ["a.b", alias][::order]

    if not at_once:
        strict.tools(tools(["a.b"]))
    said = {
        tool.get("_meta", {}).get("callboard/name", tool["name"]): tool["name"]
        for tool in strict.tools(tools(names))
    }

    assert said["a.b"] == alias
    assert strict.meant(alias) == "a.b"
    assert strict.meant(said[alias]) == alias


def test_a_call_that_comes_before_the_first_list_reaches_its_tool():
    (told,) = StrictNames().tools(tools(["a.b"]))

    assert StrictNames(offered=lambda: ["a.b", "c"]).meant(told["name"]) == "a.b"


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ('"names": "short"', "as_declared, strict"),
        ('"list_ttl": -1', "0 to 86,400"),
        ('"nmaes": "strict"', "'names'"),
    ],
)
def test_check_says_the_line_and_what_to_write(line: str, said: str, tmp_path: Path) -> None:
    (tmp_path / "callboard.json").write_text('{\n  "plugins": [],\n  ' + line + "\n}\n")

    checked = callboard("check", str(tmp_path / "callboard.json"))

    assert checked.returncode != 0
    told = checked.stdout + checked.stderr
    assert "3" in told
    assert said in told
