"""What somebody gets wrong who calls `Callboard` for the first time: refused where it is written, in a sentence."""

from __future__ import annotations

import pytest
from callboard import Callboard, PluginLoadError


@pytest.fixture(scope="module")
def board():
    with Callboard() as board:
        yield board


@pytest.mark.parametrize("source", [5, None, [], object])
def test_what_is_no_source_is_refused_with_the_way_for_objects(board, source):
    with pytest.raises(
        PluginLoadError, match=r"neither a text nor a mapping; an object or a class is for 'register'"
    ):
        board.load(source)


def test_a_subscriber_that_cannot_be_called_is_refused_at_once(board):
    with pytest.raises(TypeError, match="a subscriber is called with each event, and None cannot be called"):
        board.subscribe(None)


def test_one_kind_of_event_is_a_list_too(board):
    with pytest.raises(TypeError, match=r"kinds is 'host_ready'; give a list: \['host_ready'\]"):
        board.subscribe(print, kinds="host_ready")


def test_one_format_is_a_list_too(board):
    with pytest.raises(TypeError, match=r"target_formats is 'openai\.x'; give a list"):
        board.schemas("openai.x")
