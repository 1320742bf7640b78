from __future__ import annotations

import pytest
from callboard.hosts.protocol.call_params import ALL_FACTS, add_facts
from callboard.plugins.contract.invocation import Invocation

KNOWN = {
    "payload_format": "lark",
    "payload_metadata": {"line": 1},
    "tool_call": {"type": "call"},
    "tool_schema": {"type": "custom"},
}


def params_of(invocation, prepared=None, wants=frozenset()):
    params = {"tool_name": "t", "arguments": invocation.payload, "state": {}}
    add_facts(params, invocation, prepared, wants)
    return params


@pytest.mark.parametrize("kind", ["object", None])
def test_of_plain_arguments_nothing_is_added_that_is_not_wanted(kind):
    call = Invocation("t", {"a": 1}, kind, **KNOWN)

    assert params_of(call) == {"tool_name": "t", "arguments": {"a": 1}, "state": {}}
    assert params_of(call, wants=frozenset({"tool_call", "moon"}))["tool_call"] == {"type": "call"}
    assert params_of(call, wants=ALL_FACTS) == params_of(call) | KNOWN


def test_raw_text_goes_with_all_that_is_known_of_it_and_has_no_arguments():
    call = Invocation("t", "raw", "text", **KNOWN)

    assert params_of(call) == {
        "tool_name": "t",
        "state": {},
        "payload": "raw",
        "payload_kind": "text",
        **KNOWN,
    }
    assert params_of(call._replace(payload_format=None)).keys() == params_of(call).keys() - {"payload_format"}


def test_what_was_prepared_goes_along_if_there_is_anything():
    assert params_of(Invocation("t", {}), prepared={"a": 1})["prepared"] == {"a": 1}
    assert "prepared" not in params_of(Invocation("t", {}), prepared={})
