"""Long-running setup is done by whichever hook the plugin has, from either side."""

from __future__ import annotations

import asyncio

import pytest
from callboard.plugins import ContractError, HookError
from plugin_tools import adapted


def prepare(config, state, *, context=None):
    return {"config": config, "state": state, "context": context}


async def prepare_async(config, state, *, context=None):
    await asyncio.sleep(0)
    return {"config": config, "state": state, "context": context}


def hidden(config, state, *, context=None):
    return prepare_async(config, state, context=context)


WRITTEN = {
    "prepare": {"prepare": prepare},
    "prepare_async": {"prepare_async": prepare_async},
    "async prepare": {"prepare": prepare_async},
    "plain prepare_async": {"prepare_async": prepare},
    "awaitable out of a plain function": {"prepare": hidden},
    "both": {"prepare": prepare, "prepare_async": prepare_async},
}


@pytest.mark.parametrize("hooks", WRITTEN.values(), ids=WRITTEN)
def test_setup_gives_its_data_from_a_thread_and_from_an_event_loop(hooks):
    adapter = adapted(**hooks)

    prepared = adapter.prepare({"c": 1}, {"s": 1}, {"x": 1})

    assert prepared == {"config": {"c": 1}, "state": {"s": 1}, "context": {"x": 1}}
    assert asyncio.run(adapter.prepare_async({"c": 1}, {"s": 1}, {"x": 1})) == prepared
    assert adapter.has_prepare


def test_a_plugin_without_setup_has_nothing_prepared():
    adapter = adapted()

    assert not adapter.has_prepare
    assert adapter.prepare({}, {}) is None
    assert asyncio.run(adapter.prepare_async({}, {})) is None


def test_setup_that_answers_nothing_prepared_an_empty_object():
    adapter = adapted(prepare=lambda config, state: None)

    assert adapter.prepare({}, {}) == {}
    assert asyncio.run(adapter.prepare_async({}, {})) == {}


@pytest.mark.parametrize(
    ("answer", "problem"),
    [([1], "prepare has to return an object"), ({"client": object()}, "prepare.client is of type object")],
)
def test_prepared_data_is_a_json_object(answer, problem):
    adapter = adapted(prepare=lambda config, state: answer)

    with pytest.raises(ContractError, match=problem):
        adapter.prepare({}, {})
    with pytest.raises(ContractError, match=problem):
        asyncio.run(adapter.prepare_async({}, {}))


@pytest.mark.parametrize("hook", ["prepare", "prepare_async"])
def test_setup_that_raises_is_named_by_the_hook_that_the_plugin_has(hook):
    def broken(config, state):
        raise OSError("no network")

    adapter = adapted(**{hook: broken})

    with pytest.raises(HookError, match=f"plugin 'tool': {hook} raised OSError: no network"):
        adapter.prepare({}, {})
    with pytest.raises(HookError, match=f"plugin 'tool': {hook} raised OSError: no network"):
        asyncio.run(adapter.prepare_async({}, {}))


def test_setup_cannot_change_the_configuration_of_its_board():
    config = {"c": 1}

    adapted(prepare=lambda config, state: config.clear()).prepare(config, {})

    assert config == {"c": 1}
