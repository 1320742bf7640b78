"""Conditions are ordered by what a sandbox withholds; all else has to be the same."""

from __future__ import annotations

import pytest
from callboard.hosts.packages.conditions import are_conditions, is_as_strong
from hypothesis import given
from hypothesis import strategies as st

PATHS = st.lists(st.sampled_from(["/a", "/a/b", "/ab", "/c"]), max_size=2)
SWITCH = st.sampled_from([False, None, True])
NETWORKS = [False, "outside", True]
BWRAP = st.fixed_dictionaries(
    {"kind": st.just("bwrap"), "read": PATHS, "write": PATHS, "network": st.sampled_from(NETWORKS)}
)
NODE = st.fixed_dictionaries(
    {"kind": st.just("node"), "read": PATHS, "write": PATHS, "network": SWITCH, "addons": st.booleans()}
)
CONDITIONS = st.fixed_dictionaries(
    {}, optional={"build": BWRAP, "run": BWRAP | NODE, "node": st.sampled_from(["/n", "node"])}
)


@given(CONDITIONS)
def test_conditions_are_as_strong_as_themselves_and_can_be_kept(one):
    assert is_as_strong(one, one)
    assert are_conditions(one)


@given(CONDITIONS, CONDITIONS, CONDITIONS)
def test_what_is_as_strong_as_something_stronger_is_as_strong(first, second, third):
    assert not (is_as_strong(first, second) and is_as_strong(second, third)) or is_as_strong(first, third)


@pytest.mark.parametrize(
    "given", [{"read": ["/ab"]}, {"write": ["/a"]}, {"network": True}, {"network": None}]
)
def test_a_name_that_only_begins_alike_and_each_switch_count(given):
    agreed = {"run": {"kind": "node", "read": ["/a"], "write": [], "network": False}}

    assert not is_as_strong({"run": agreed["run"] | given}, agreed)


@pytest.mark.parametrize("asked", NETWORKS)
@pytest.mark.parametrize("agreed", NETWORKS)
def test_the_network_of_the_machine_is_weaker_than_that_of_the_outside_and_that_than_none(asked, agreed):
    one, other = ({"run": {"kind": "bwrap", "network": network}} for network in (asked, agreed))

    assert is_as_strong(one, other) == (NETWORKS.index(asked) <= NETWORKS.index(agreed))


@pytest.mark.parametrize(
    "given", [{"network": "inside"}, {"network": ["outside"]}, {"without_seccomp": "outside"}]
)
def test_what_no_version_has_kept_cannot_be_compared(given):
    assert not are_conditions({"run": {"kind": "bwrap", **given}})


@pytest.mark.parametrize("key", ["node", "manifests"])
def test_what_is_no_sandbox_has_to_be_the_same(key):
    assert not is_as_strong({}, {key: "a"})
    assert not is_as_strong({key: "a"}, {})
    assert not is_as_strong({key: "a"}, {key: "b"})
