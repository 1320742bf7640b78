"""Annotations that are not evaluated when a function is defined: by `from __future__`, and since Python 3.14 without it.

What such an annotation names may be defined further down, or be imported for type checkers only.
"""

from __future__ import annotations

import sys

import pytest
from callboard import Callboard, ContractError, PluginError
from tools import tool_call

FUTURE = "from __future__ import annotations\n"
WITHOUT = "" if sys.version_info >= (3, 14) else FUTURE
"""What the first line of a module has to be, for its annotations to be deferred."""

FIRST_LINES = sorted({FUTURE, WITHOUT})

PLUGIN = """
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from elsewhere import Absent

class Tool:
    name = "tool"

    def __init__(self, config: Absent = None) -> None:
        self.config = config

    def get_tool_schemas(self, context: Absent) -> Absent:
        return [{"type": "function", "function": {"name": "tool", "parameters": {"type": "object"}}}]

    def execute_tool(self, tool_name: Absent, payload: list[Absent], state: None, *, payload_kind: Absent.Kind) -> Absent:
        return {"success": True, "result": [self.config["told"], payload, payload_kind]}
"""

WRONG = """
class Tool:
    name = "tool"

    def get_tool_schemas(self, context):
        return [{"type": "function", "function": {"name": "tool", "parameters": {"type": "object"}}}]

    def execute_tool(self, tool_name, payload: {}["missing"], state):
        return {"success": True}
"""

FUNCTIONS = """
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypedDict

if TYPE_CHECKING:
    from elsewhere import Absent

def find(place: Place, marks: list[Mark]) -> Absent:
    return [place.number + 1, marks]

def lose(absent: Absent) -> int:
    return 0

@dataclass
class Place:
    number: Number

class Mark(TypedDict):
    number: Number

Number = int
"""


@pytest.fixture(params=FIRST_LINES, ids=["without a future", "from a future"][-len(FIRST_LINES) :])
def module(request, tmp_path, monkeypatch):
    """Write a module and have it found, in hosts too; returns its name."""
    name = f"deferred_{tmp_path.name}"

    def write(body):
        (tmp_path / f"{name}.py").write_text(request.param + body)
        return name

    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    return write


@pytest.mark.parametrize("isolate", [False, True], ids=["in this process", "in a host"])
def test_a_plugin_may_be_annotated_with_what_is_imported_for_type_checkers_only(module, isolate):
    entry = {"plugin": f"{module(PLUGIN)}.Tool", "config": {"told": 1}, "isolate": isolate, "required": True}

    with Callboard({"plugins": [entry]}) as board:
        answer = board.submit(tool_call("tool", a=2)).result()

    assert answer["result"] == [1, {"a": 2}, "object"]


def test_a_function_may_take_types_that_are_defined_after_it_and_return_one_that_is_not_there(module):
    with Callboard({"plugins": [f"{module(FUNCTIONS)}.find"]}) as board:
        answer = board.submit(tool_call("find", place={"number": 1}, marks=[{"number": 2}])).result()
        (told,) = board.tools()

    assert answer["result"] == [2, [{"number": 2}]]
    assert told.schema["function"]["parameters"]["properties"]["marks"]["items"]["properties"] == {
        "number": {"type": "integer"}
    }


def test_a_function_that_takes_a_type_that_is_not_there_is_refused_by_the_name_of_the_type(module):
    entry = {"plugin": f"{module(FUNCTIONS)}.lose", "required": True}

    with pytest.raises(ContractError, match="'Absent' is not defined"):
        Callboard({"plugins": [entry]}).start()


@pytest.mark.parametrize("isolate", [False, True], ids=["in this process", "in a host"])
def test_an_annotation_that_raises_is_the_plugin_s_fault_whenever_it_is_evaluated(
    isolate, tmp_path, monkeypatch
):
    (tmp_path / "wrongly_annotated.py").write_text(WRONG)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    entry = {"plugin": "wrongly_annotated.Tool", "isolate": isolate, "required": True}

    with pytest.raises(PluginError, match="KeyError: 'missing'"):
        Callboard({"plugins": [entry]}).start()
