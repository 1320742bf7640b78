"""Which rules about features are put to the host: those about what it says that it can do, if it may be asked.

A plugin as `fixtures` is. The host is asked once, before the rules are run.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from ...hosts.protocol.description import describe_params
from .fixtures import read_given
from .raw_host import RawHost

if TYPE_CHECKING:
    from .fixtures import Given


@pytest.fixture
def describing() -> dict[str, Any]:
    """What a host is asked to describe itself with."""
    return describe_params()


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out the rules about what this host does not announce."""
    rules = {item: mark.args[0] for item in items if (mark := item.get_closest_marker("feature")) is not None}
    if not rules:
        return
    announced = _announced(read_given(config)) if config.getoption("--host-extended") else frozenset()
    left_out = [rule for rule, feature in rules.items() if feature not in announced]
    if left_out:
        config.hook.pytest_deselected(items=left_out)
        items[:] = [item for item in items if item not in left_out]


def _announced(given: Given) -> frozenset[str]:
    """The features that it tells of, ``describe`` among them: of a host that cannot say them, that rule is broken."""
    host = RawHost(given.argv, given.patience)
    try:
        answer = host.ask("describe", describe_params())
    finally:
        host.kill()
    value = answer["result"]["value"] if answer["ok"] is True else {}
    features = value.get("features") if isinstance(value, dict) else None
    names = features if isinstance(features, list) else []
    return frozenset({"describe", *(name for name in names if isinstance(name, str))})
