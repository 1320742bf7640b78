"""Functions as tools: what a model is told of them, and what they are given."""

from __future__ import annotations

import builtins
import datetime as dt
import sys
import threading  # noqa: TC003 - hints are read when the program runs
from dataclasses import dataclass
from typing import Annotated, Any

import pytest
from callboard.base.errors import ContractError
from callboard.plugins.adapter.adapter import PluginAdapter
from callboard.plugins.contract.invocation import Invocation
from callboard.plugins.functions.function_tool import function_tool
from callboard.plugins.functions.signature import ToolContext  # noqa: TC002 - hints are read when the program runs
from pydantic import BaseModel, Field


@dataclass
class Place:
    name: str
    inner: Place | None = None


class Found(BaseModel):
    at: dt.date


def declared(function: Any, **options: Any) -> dict[str, Any]:
    return function_tool(function, **options).get_tool_schemas({})[0]["function"]


def run(function: Any, context: Any = None, **arguments: Any) -> Any:
    tool = PluginAdapter(function)
    return tool.execute(Invocation(tool_name=tool.name, payload=arguments, context=context), {}).result


def test_a_signature_and_a_docstring_make_the_declaration():
    def find(text: str, *, most: int = 3) -> list[str]:
        """Find a text,
        wherever it is.

        This is for people.
        """
        return [text] * most

    assert declared(find) == {
        "name": "find",
        "description": "Find a text, wherever it is.",
        "parameters": {
            "type": "object",
            "properties": {"text": {"type": "string"}, "most": {"type": "integer", "default": 3}},
            "required": ["text"],
            "additionalProperties": False,
        },
    }
    assert run(find, text="a", most=2) == {"success": True, "result": ["a", "a"]}


def test_name_and_description_may_be_given():
    def find() -> None:
        """Find it."""

    assert {**declared(find, name="seek", description="Seek it."), "parameters": ...} == {
        "name": "seek",
        "description": "Seek it.",
        "parameters": ...,
    }


def test_a_parameter_of_the_context_is_given_it_and_no_model_sees_it():
    def who(context: ToolContext, greeting: str = "hi") -> str:
        return f"{greeting} {context.get('user')}"

    assert list(declared(who)["parameters"]["properties"]) == ["greeting"]
    assert run(who, {"user": "ann"})["result"] == "hi ann"
    assert run(who)["result"] == "hi None"


async def awaited(n: int) -> int:
    return n + 1


def parts(n: int) -> Any:
    yield from range(n)
    return "all"


async def async_parts(n: int) -> Any:
    for each in range(n):
        yield each


@pytest.mark.parametrize(
    ("function", "streamed", "result"),
    [(awaited, [], 4), (parts, [0, 1, 2], "all"), (async_parts, [0, 1, 2], None)],
    ids=["async", "a generator", "an async generator"],
)
def test_how_a_function_is_written_says_how_it_is_run(function, streamed, result):
    tool = PluginAdapter(function)

    *came, end = tool.stream(Invocation(tool_name=tool.name, payload={"n": 3}), {})

    assert [chunk.chunk["part"] for chunk in came] == streamed
    assert end.result == {"success": True, "result": result}


@pytest.mark.parametrize(
    ("returned", "failed"),
    [
        ({"success": False, "error": "no such thing"}, True),
        ({"success": False, "error": "no such thing", "tried": 3}, False),
        ({"success": False}, False),
        ({"success": False, "error": None}, False),
        ({"success": 0, "error": "no such thing"}, False),
        ({"success": True, "result": 1}, False),
        ({"error": "no such thing"}, False),
    ],
)
def test_a_function_says_an_expected_no_by_exactly_the_mapping_of_a_failure(returned, failed):
    def find() -> dict[str, Any]:
        return returned

    assert run(find) == (returned if failed else {"success": True, "result": returned})


def test_objects_are_answered_as_what_they_hold():
    def find() -> list[Any]:
        return [Place("a", Place("b")), Found(at=dt.date(2024, 1, 2))]

    assert run(find)["result"] == [
        {"name": "a", "inner": {"name": "b", "inner": None}},
        {"at": "2024-01-02"},
    ]


def test_pydantic_says_and_reads_what_is_beyond_the_subset():
    def plan(
        when: dt.date, count: Annotated[int, Field(gt=0)] = 1, model_config: str = "", copy: int = 0
    ) -> str:
        return f"{when:%Y} {count}{model_config}{copy}"

    told = declared(plan)["parameters"]

    assert told["properties"]["when"] == {"type": "string", "format": "date"}
    assert told["properties"]["count"]["exclusiveMinimum"] == 0
    assert (told["required"], told["additionalProperties"]) == (["when"], False)
    assert run(plan, when="2024-05-06", copy=7)["result"] == "2024 17"


def test_a_type_that_holds_itself_is_said_by_pydantic():
    def walk(place: Place) -> str:
        assert place.inner is not None
        return place.inner.name

    assert "$defs" in declared(walk)["parameters"]
    assert run(walk, place={"name": "a", "inner": {"name": "b"}})["result"] == "b"


def test_without_pydantic_the_parameter_is_named_and_what_to_do(monkeypatch):
    def plan(text: str, when: dt.date) -> None: ...

    real = builtins.__import__

    def without(name: str, *rest: Any) -> Any:
        if name.startswith("pydantic") or (rest[3:] and "pydantic_schema" in name):
            raise ImportError(name)
        return real(name, *rest)

    monkeypatch.delitem(sys.modules, "callboard.plugins.functions.pydantic_schema", raising=False)
    monkeypatch.setattr(builtins, "__import__", without)

    with pytest.raises(ContractError, match=r"'when'.*pydantic"):
        function_tool(plan)


def of_any_number(*texts: str) -> None: ...


def of_any_name(**texts: str) -> None: ...


def by_place(text: str, /) -> None: ...


def of_an_unknown_name(text: NotThere) -> None: ...  # type: ignore[name-defined]  # noqa: F821 - that is what it is about


def of_no_json(text: threading.Lock) -> None: ...


@pytest.mark.parametrize("function", [of_any_number, of_any_name, by_place, of_an_unknown_name, of_no_json])
def test_a_function_that_no_model_can_call_is_refused_by_its_name(function):
    with pytest.raises(ContractError, match=function.__name__):
        function_tool(function)
