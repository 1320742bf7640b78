"""The types of options say what a board takes: no more, and no less."""

from __future__ import annotations

import inspect
from dataclasses import fields
from typing import get_args

import pytest
from callboard.actors.board import Board
from callboard.actors.endpoint.endpoint import ToolSettings
from callboard.actors.hooks.listeners import Listeners
from callboard.plugins.contract import option_types as types
from callboard.plugins.hooks.terms import EVENTS
from callboard.plugins.sources.options import PluginOptions

OPTIONS = {each.name for each in fields(PluginOptions)}
OF_CALLS = {each.name for each in fields(ToolSettings)} & OPTIONS
OF_HOSTS = {"idle_deadline"}
"""Options of calls that only a host can honour."""


def test_load_takes_every_option_of_an_entry_and_its_configuration_by_a_parameter():
    assert set(types.LoadOptions.__annotations__) == OPTIONS - {"config"}


def test_register_takes_what_an_entry_does_but_for_required_which_it_always_is():
    assert set(types.RegisterOptions.__annotations__) == OPTIONS - {"config", "required"}


def test_a_function_has_its_name_by_a_parameter():
    assert set(types.ToolOptions.__annotations__) == OPTIONS - {"config", "required", "name"}


def test_a_mounted_module_is_told_how_its_calls_are_run_and_nothing_of_hosts():
    assert set(types.RunOptions.__annotations__) == OF_CALLS - OF_HOSTS | {"hold"}


@pytest.mark.parametrize(
    ("of", "function"), [(types.CallOptions, Board.submit), (types.HookOptions, Listeners.add)]
)
def test_the_options_of_calls_and_hooks_are_the_parameters_by_name(of, function):
    named = [
        each.name
        for each in inspect.signature(function).parameters.values()
        if each.kind is inspect.Parameter.KEYWORD_ONLY
    ]

    assert sorted(of.__annotations__) == sorted(named)


@pytest.mark.parametrize("of", [types.RunOptions, types.LoadOptions, types.CallOptions, types.HookOptions])
def test_every_option_may_be_left_out(of):
    assert of.__required_keys__ == frozenset()


def test_the_events_of_hooks_are_those_of_their_type():
    assert get_args(types.HookEvent) == EVENTS
