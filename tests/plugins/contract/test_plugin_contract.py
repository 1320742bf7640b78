"""The protocol and the table of hooks say the same; what is merely inherited is not offered."""

from __future__ import annotations

import asyncio
import inspect
import subprocess
import sys

import pytest
from callboard.plugins import BasePlugin, ContractError, ToolPlugin
from callboard.plugins.contract.hook_table import HOOKS, RUNNING_HOOKS, offered


def protocol_methods():
    return {
        name: function
        for protocol in (BasePlugin, ToolPlugin)
        for name, function in vars(protocol).items()
        if inspect.isfunction(function) and not name.startswith("_")
    }


class Bare(ToolPlugin):
    name = "bare"


def test_the_table_and_the_protocol_name_the_same_hooks():
    assert HOOKS.keys() == protocol_methods().keys()


@pytest.mark.parametrize("hook", HOOKS.values(), ids=HOOKS)
def test_the_table_and_the_protocol_give_a_hook_the_same_arguments(hook):
    _, *parameters = inspect.signature(protocol_methods()[hook.name]).parameters.values()

    by_position = tuple(each.name for each in parameters if each.kind is not each.KEYWORD_ONLY)
    by_name = tuple(each.name for each in parameters if each.kind is each.KEYWORD_ONLY)

    assert by_position == hook.positional
    assert by_name == hook.keywords


@pytest.mark.parametrize("hook", HOOKS)
def test_what_a_plugin_inherits_from_the_protocol_is_not_its_own(hook):
    assert offered(Bare(), hook, name="bare") is None


@pytest.mark.parametrize("hook", HOOKS)
def test_what_a_plugin_overrides_is_its_own_even_two_classes_up(hook):
    class Parent(ToolPlugin):
        name = "parent"

    setattr(Parent, hook, lambda self, *values, **facts: "own")
    child = type("Child", (Parent,), {})()

    method = offered(child, hook, name="child")

    assert method is not None
    assert method() == "own"


def test_a_hook_may_be_an_attribute_of_the_instance():
    plugin = Bare()
    plugin.execute_tool = lambda tool_name, payload, state: "own"

    method = offered(plugin, "execute_tool", name="bare")

    assert method("x", {}, {}) == "own"


def test_a_hook_that_is_none_is_left_out():
    class Silent(ToolPlugin):
        can_handle_tool_call = None

    assert offered(Silent(), "can_handle_tool_call", name="silent") is None


def test_a_hook_that_cannot_be_called_is_refused_by_name():
    class Wrong:
        get_tags = ("a", "b")

    with pytest.raises(ContractError, match=r"plugin 'wrong': get_tags is a tuple; it has to be a method"):
        offered(Wrong(), "get_tags", name="wrong")


def test_a_hook_that_cannot_even_be_read_is_refused_by_name():
    class Wrong:
        @property
        def get_tags(self):
            raise ValueError("not today")

    with pytest.raises(ContractError, match="reading get_tags raised ValueError: not today"):
        offered(Wrong(), "get_tags", name="wrong")


def test_a_callable_that_cannot_be_hashed_can_be_a_hook():
    class Method:
        __hash__ = None

        def __call__(self, tool_name, payload, state):
            return "own"

    plugin = Bare()
    plugin.execute_tool = Method()

    assert offered(plugin, "execute_tool", name="bare") is plugin.execute_tool


@pytest.mark.parametrize("hook", ["execute_tool", "stream_tool", "stream_tool_async"])
def test_a_running_hook_that_is_not_implemented_says_so_when_called(hook):
    with pytest.raises(NotImplementedError, match=f"Bare does not implement {hook}"):
        getattr(Bare(), hook)("x", {}, {})


def test_an_asynchronous_hook_that_is_not_implemented_says_so_when_awaited():
    with pytest.raises(NotImplementedError, match="Bare does not implement execute_tool_async"):
        asyncio.run(Bare().execute_tool_async("x", {}, {}))


OPTIONAL = sorted(HOOKS.keys() - {*RUNNING_HOOKS, "get_tool_schemas", "prepare_async"})


@pytest.mark.parametrize("hook", OPTIONAL)
def test_an_optional_hook_that_is_not_implemented_has_no_opinion(hook):
    assert getattr(Bare(), hook)(*HOOKS[hook].positional) is None


def test_asynchronous_setup_that_is_not_implemented_has_no_opinion():
    assert asyncio.run(Bare().prepare_async({}, {})) is None


def test_schemas_that_are_not_implemented_are_missed():
    with pytest.raises(NotImplementedError):
        Bare().get_tool_schemas({})


def test_running_hooks_are_hooks():
    assert set(RUNNING_HOOKS) <= HOOKS.keys()


def test_a_program_without_asynchronous_tools_does_without_asyncio():
    program = "import sys, callboard.plugins.adapter.adapter; sys.exit('asyncio' in sys.modules)"

    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0
