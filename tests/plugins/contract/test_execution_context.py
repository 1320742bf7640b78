"""A context is built in layers, and a caller can add to it and not replace what is in it."""

from __future__ import annotations

import warnings

import pytest
from callboard.plugins.contract.context import ReservedContextKeyWarning, application_context, core_context
from hypothesis import given
from hypothesis import strategies as st

CORE, CONFIG, APP, STORE, RUNTIME = object(), {"model": "m"}, object(), object(), object()
LAYER_1 = {"core": CORE, "config": CONFIG, "trigger_source": "core"}
LAYER_2 = {
    "core": CORE,
    "config": CONFIG,
    "app": APP,
    "application": APP,
    "base_config": {"agents": {}},
    "session_asset_store": STORE,
    "trigger_source": "application",
}


def layer_2(**more):
    return application_context(
        core_context(CORE, CONFIG), app=APP, base_config={"agents": {}}, session_asset_store=STORE, **more
    )


def test_layer_1_is_what_the_core_has():
    assert core_context(CORE, CONFIG) == LAYER_1
    assert core_context(CORE, CONFIG, trigger_source="test")["trigger_source"] == "test"


def test_layer_2_adds_what_the_application_has():
    assert layer_2() == LAYER_2


def test_a_tool_runtime_is_there_only_if_the_application_has_one():
    assert "tool_runtime" not in layer_2()
    assert layer_2(tool_runtime=RUNTIME) == {**LAYER_2, "tool_runtime": RUNTIME}
    assert layer_2(extra={"tool_runtime": RUNTIME})["tool_runtime"] is RUNTIME


@given(st.dictionaries(st.text(), st.integers()))
def test_keys_of_the_callers_own_are_added(extra):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ReservedContextKeyWarning)
        context = core_context(CORE, CONFIG, extra=extra)

    assert context == {**extra, **LAYER_1}


@pytest.mark.parametrize("key", LAYER_1)
def test_a_key_of_layer_1_is_kept_and_the_caller_is_warned(key):
    with pytest.warns(ReservedContextKeyWarning, match=f"the context key '{key}' belongs to") as caught:
        context = core_context(CORE, CONFIG, extra={key: "mine", "other": 1})

    assert context == {**LAYER_1, "other": 1}
    assert caught[0].filename == __file__


@pytest.mark.parametrize("key", [*LAYER_2, "tool_runtime"])
def test_a_key_of_either_layer_is_kept_in_layer_2(key):
    with pytest.warns(ReservedContextKeyWarning):
        context = layer_2(tool_runtime=RUNTIME, extra={key: "mine"})

    assert context == {**LAYER_2, "tool_runtime": RUNTIME}


def test_what_the_caller_added_to_layer_1_stays_in_layer_2():
    layer_1 = core_context(CORE, CONFIG, extra={"request_id": 7})

    context = application_context(layer_1, app=APP, base_config={}, session_asset_store=STORE)

    assert context["request_id"] == 7
    assert layer_1 == {**LAYER_1, "request_id": 7}


def test_handing_a_context_on_warns_of_nothing():
    context = core_context(CORE, CONFIG)

    assert core_context(CORE, CONFIG, trigger_source=context["trigger_source"], extra=context) == context
