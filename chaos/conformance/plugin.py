"""The options of the conformance tests, as a pytest plugin.

It is loaded with every run of pytest in whose environment Callboard is installed, since options
have to be known before any test is. So it imports next to nothing, and the fixtures are brought in
once a host is named.
"""

from __future__ import annotations

from pathlib import Path

import pytest

FIXTURES = "callboard.chaos.conformance.fixtures"
FEATURES = "callboard.chaos.conformance.features"
HERE = Path(__file__).parent

NEEDED = {"failing": "--host-failing-arguments", "streamed": "--host-stream-tool"}
"""Fixtures of rules about what not every host has, and the option that says that this one does."""

OPTIONS = {
    "--host-cmd": (None, "the command line of the host to be tested; it is not given to a shell"),
    "--host-tool": (None, "the tool to be called; by default the first that the host offers"),
    "--host-arguments": ("{}", "its arguments, as JSON"),
    "--host-failing-arguments": (None, "arguments, as JSON, with which it fails"),
    "--host-stream-tool": (None, "a tool that emits parts when it is called with the arguments"),
    "--host-stream-arguments": ("{}", "its arguments, as JSON"),
    "--host-config": ("{}", "what the host's init is given, as JSON"),
    "--host-patience": ("10", "seconds that the host may take for anything"),
}


def pytest_addoption(parser: pytest.Parser) -> None:
    """Take the options."""
    group = parser.getgroup(
        "callboard conformance", "Conformance of a tool host (callboard.chaos.conformance)"
    )
    for name, (default, help_) in OPTIONS.items():
        group.addoption(name, default=default, help=help_)
    group.addoption(
        "--host-extended",
        action="store_true",
        help="the host may be asked to describe itself: put the rules about its features to it",
    )


def pytest_configure(config: pytest.Config) -> None:
    """Name the marks, and bring in the fixtures if they will be wanted."""
    config.addinivalue_line("markers", "must: a rule that every tool host has to keep")
    config.addinivalue_line("markers", "should: a rule that a good tool host keeps")
    config.addinivalue_line("markers", "feature(name): a rule about what a tool host says that it can do")
    if config.getoption("--host-cmd"):
        config.pluginmanager.import_plugin(FIXTURES)
        config.pluginmanager.import_plugin(FEATURES)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out the rules about what this host was not said to have."""
    rules = [item for item in items if item.path.parent == HERE]
    if rules and not config.getoption("--host-cmd"):
        raise pytest.UsageError('say which host to test: --host-cmd="node my_host.mjs"')
    lacking = {fixture for fixture, option in NEEDED.items() if config.getoption(option) is None}
    left_out = [rule for rule in rules if lacking & set(getattr(rule, "fixturenames", ()))]
    if left_out:
        config.hook.pytest_deselected(items=left_out)
        items[:] = [item for item in items if item not in left_out]
