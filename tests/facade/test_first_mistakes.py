"""What somebody gets wrong who calls `Callboard` for the first time: refused where it is written, in a sentence."""

from __future__ import annotations

from types import MappingProxyType

import pytest
from callboard import Callboard, PluginLoadError, ToolFailed


@pytest.fixture(scope="module")
def board():
    with Callboard() as board:

        @board.tool
        def halve(number: int) -> float:
            return number / 2

        yield board


@pytest.mark.parametrize("source", [5, None, [], object])
def test_what_is_no_source_is_refused_with_the_way_for_objects(board, source):
    with pytest.raises(
        PluginLoadError, match=r"neither a text nor a mapping; an object or a class is for 'register'"
    ):
        board.load(source)


@pytest.mark.parametrize("entry", [3, 3.5, None, True, [], [["plugin", "json.JSONDecoder"]]])
def test_an_entry_of_a_configuration_that_is_none_is_left_out(entry, caplog):
    with Callboard({"plugins": [entry]}) as board:
        assert board.status()["plugins"] == {}

    assert f"is left out: the plugin entry {entry} is neither a text nor a mapping" in caplog.text


def test_an_entry_of_a_configuration_may_be_any_mapping():
    with Callboard(
        {"plugins": [MappingProxyType({"plugin": "tools.Tool", "isolate": False, "name": "x"})]}
    ) as board:
        assert [*board.status()["plugins"]] == ["x"]


def test_a_subscriber_that_cannot_be_called_is_refused_at_once(board):
    with pytest.raises(TypeError, match="a subscriber is called with each event, and None cannot be called"):
        board.subscribe(None)


def test_one_kind_of_event_is_a_list_too(board):
    with pytest.raises(TypeError, match=r"kinds is 'host_ready'; give a list: \['host_ready'\]"):
        board.subscribe(print, kinds="host_ready")


def test_a_tool_is_called_by_its_name_and_not_by_its_function(board):
    @board.tool
    def double(number: int) -> int:
        return 2 * number

    with pytest.raises(TypeError, match=r"the tool is <function .*>; give its name: 'double'"):
        board.call(double, number=1)
    with pytest.raises(TypeError, match="the tool is 5; give the name of a tool"):
        board.call(5)


def test_a_call_whose_deadline_is_over_at_its_beginning_says_so_and_reaches_no_tool(board):
    with pytest.raises(ToolFailed, match=r"its deadline, -1 s, was over as it was submitted") as failed:
        board.with_options(deadline=-1).call("halve", number=1)

    assert (failed.value.code, failed.value.outcome) == ("deadline_exceeded", "not_sent")


def test_one_format_is_a_list_too(board):
    with pytest.raises(TypeError, match=r"target_formats is 'openai\.x'; give a list"):
        board.schemas("openai.x")
