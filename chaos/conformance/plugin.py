"""The options of the conformance tests, as a pytest plugin.

It is loaded with every run of pytest in whose environment Callboard is installed, since options
have to be known before any test is. So it imports next to nothing, and the fixtures are brought in
once a host is named.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

FIXTURES = "callboard.chaos.conformance.fixtures"
FEATURES = "callboard.chaos.conformance.features"
HERE = Path(__file__).parent

NEEDED = {"failing": "--host-failing-arguments", "streamed": "--host-stream-tool"}
"""Fixtures of rules about what not every host has, and the option that says that this one does, or with '' that it does not."""

OPTIONS: dict[str, tuple[str | None, str]] = {
    "--host-cmd": (None, "the command line of the host to be tested; it is not given to a shell"),
    "--host-tool": (None, "the tool to be called; by default the first that the host offers"),
    "--host-arguments": ("{}", "its arguments, as JSON"),
    "--host-failing-arguments": (None, "arguments, as JSON, with which it fails; '' if there are none"),
    "--host-stream-tool": (
        None,
        "a tool that emits parts when it is called with the arguments; '' if there is none",
    ),
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
        config.pluginmanager.register(NotTested())
        config.pluginmanager.import_plugin(FIXTURES)
        config.pluginmanager.import_plugin(FEATURES)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out the rules about what this host was said not to have; of what nobody spoke, say that it is not tested."""
    rules = [item for item in items if item.path.parent == HERE]
    if rules and not config.getoption("--host-cmd"):
        raise pytest.UsageError('say which host to test: --host-cmd="node my_host.mjs"')
    left_out = set()
    for rule in rules:
        for option in _lacking(config, rule):
            if config.getoption(option) is None:
                why = f"{_PREFIX}say {option}, or {option}='' if there is none"
                rule.add_marker(pytest.mark.skip(reason=why))
            else:
                left_out.add(rule)
    if left_out:
        config.hook.pytest_deselected(items=[*left_out])
        items[:] = [item for item in items if item not in left_out]


_NOT_TESTED = "callboard: not tested"
_PREFIX = "not tested: "


def _lacking(config: pytest.Config, rule: pytest.Item) -> list[str]:
    """The options that a rule needs and has not."""
    fixtures = getattr(rule, "fixturenames", ())
    return [option for name, option in NEEDED.items() if name in fixtures and not config.getoption(option)]


class NotTested:
    """Counts the rules that could not be tested, of all workers, and has the run say so and not pass."""

    def __init__(self) -> None:
        self._why: dict[str, str] = {}

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(self, item: pytest.Item) -> Any:
        """Note a rule that could not be tested."""
        report = yield
        if report.skipped and item.path.parent == HERE and isinstance(report.longrepr, tuple):
            report.user_properties.append((_NOT_TESTED, report.longrepr[2].rpartition(_PREFIX)[2]))
        return report

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Hear of a rule."""
        self._why.update(
            (report.nodeid, str(why)) for name, why in report.user_properties if name == _NOT_TESTED
        )

    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        """A run without a broken rule passes if every rule was tested."""
        from ..checker.exits import NOT_TESTED  # noqa: PLC0415 - this module is imported in every run of every project

        if self._why and session.exitstatus == pytest.ExitCode.OK:
            session.exitstatus = NOT_TESTED

    def pytest_terminal_summary(self, terminalreporter: Any) -> None:
        """Name them."""
        if self._why:
            terminalreporter.section("not tested")
            for nodeid, why in self._why.items():
                terminalreporter.write_line(f"{nodeid.rpartition('::')[2]}: {why}")
