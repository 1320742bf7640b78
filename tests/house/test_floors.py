"""Who may import whom: downwards only, relative, and without circles."""

from __future__ import annotations

from graphlib import CycleError, TopologicalSorter

import pytest
from house_source import FLOOR, Import, imports, modules, room_of, rooms

PROGRAMS = {
    (
        "chaos/__main__.py",
        "callboard.trial.tampered_board",
    ): "a program stands above all rooms: its campaign is run on the board that users have",
    (
        "chaos/__main__.py",
        "callboard.direct_calls",
    ): "as the one before: its soak interrupts callers of `execute`",
}
"""Programs of a room that put rooms above it together; nobody imports them."""

IN_FUNCTION = {
    (
        "facade/config/plugin_options.py",
        "callboard.hosts.sandbox.containment",
    ): "it starts programs, and only a profile asks what they would have",
    (
        "hosts/process_tree/contained_start.py",
        "callboard.hosts.process_tree.credentials",
    ): "it needs ctypes, and only what runs in a sandbox of the system's needs it",
    (
        "hosts/python/own_name.py",
        "callboard.hosts.packages.command_runner",
    ): "most plugins need not be asked for their names",
    (
        "facade/cli/ui/files.py",
        "callboard.authoring.locate",
    ): "the page of help needs no reader of configurations",
    ("facade/config/configuration.py", "callboard.plugins.placeholders"): "only a file has placeholders",
    ("facade/sources/entry.py", "callboard.plugins.placeholders"): "only a file has placeholders",
    ("facade/cli/ui/streams.py", "callboard.exporters.json_log"): "most commands write no such log",
    (
        "plugins/placeholders.py",
        "callboard.plugins.keyring_secrets",
    ): "an extra, for who names a secret of it",
    (
        "hosts/mcp_http/tool.py",
        "callboard.hosts.mcp_http.connection",
    ): "an extra, which only a server over HTTP needs",
    (
        "hosts/mcp_http/tool.py",
        "callboard.hosts.mcp_oauth.authorization",
    ): "as the one before, and it brings asyncio",
    ("hosts/mcp_http/tool.py", "callboard.hosts.mcp_oauth.oauth"): "the SDK takes a second to import",
    ("hosts/mcp_oauth/authorization.py", "callboard.hosts.mcp_oauth.oauth"): "as the one before",
    (
        "hosts/mcp_http/tool.py",
        "callboard.hosts.mcp_http.http_transport",
    ): "as the one before, and it brings asyncio",
    (
        "hosts/python_packages/pip_guard.py",
        "pip._internal.exceptions",
    ): "it runs in pip's own Python, and there is no pip before that runs",
    (
        "actors/endpoint/admission.py",
        "hashlib",
    ): "it brings OpenSSL, and only what is blamed for a crash needs it",
    (
        "actors/hooks/hooks.py",
        "callboard.actors.hooks.runner",
    ): "with it comes all that asks hooks and people",
    (
        "actors/hooks/hooks.py",
        "callboard.actors.hooks.interceptor",
    ): "with it comes all that asks hooks and people",
    ("actors/hooks/hooks.py", "callboard.actors.hooks.model_inquiry"): "few servers ask for a model",
    ("facade/sampling/lent_model.py", "callboard.agent.sampling"): "most boards are asked for no agent",
    ("facade/sampling/lent_model.py", "callboard.configured_agent"): "as the one before",
    ("actors/hosting/host_registry.py", "callboard.actors.hosting.host"): "with it comes all that runs hosts",
    ("actors/reload/policy.py", "hashlib"): "it brings OpenSSL, and only a reload needs it",
    (
        "actors/plugins/manager.py",
        "callboard.actors.hosted.hosted_plugin",
    ): "with it comes all that runs hosts",
    ("facade/loading/install.py", "callboard.config.interop_section"): "most configurations have no formats",
    ("facade/callboard.py", "callboard.loading.name_conflict"): "only a collision of names needs it",
    (
        "facade/config/configuration.py",
        "callboard.config.known_keys",
    ): "a program's empty configuration has no keys",
    (
        "facade/cli/mcp/command.py",
        "callboard.mcp_http.http",
    ): "the SDK takes longer to import than all other commands",
    (
        "facade/cli/mcp/command.py",
        "callboard.mcp_stdio.stdio",
    ): "it brings asyncio, which no other step needs",
    (
        "facade/cli/mcp/command.py",
        "callboard.cli.mcp.watched_board",
    ): "watchfiles is an extra, and most boards follow no file",
    ("facade/config/configuration.py", "callboard.config.profile"): "most configurations have no profile",
    ("facade/config/configuration.py", "callboard.config.json_text"): "most files have no comments",
    ("facade/config/plugin_options.py", "callboard.config.profile"): "as the one before",
    ("facade/check/problems.py", "callboard.agent.wires.options"): "only a configured agent needs it",
    (
        "facade/config/known_keys.py",
        "callboard.agent.wires.options",
    ): "only the options of a shipped provider need it",
    (
        "facade/loading/in_process.py",
        "callboard.agent.requests.provider_adapter",
    ): "whoever wants an agent asks for one",
    ("facade/loading/in_process.py", "callboard.agent.requests.provider_hooks"): "as the one before",
    (
        "facade/config/hook_section.py",
        "callboard.plugins.sources.python",
    ): "only a hook of a configuration needs it",
    (
        "facade/loading/loader.py",
        "callboard.hosts.python.runner.origin",
    ): "only a Python tool in a host needs it",
    (
        "facade/loading/loader.py",
        "callboard.loading.python_loader",
    ): "as `loader_of`, for a Python object that is registered",
    ("facade/reload/reloads.py", "callboard.reload.rebuild"): "most boards never reload",
    (
        "hosts/hosted_tool.py",
        "callboard.hosts.translating_host",
    ): "whoever looks whether a plugin is a proxy starts no host",
    ("interop/calls/ids.py", "hashlib"): "it brings OpenSSL, and only calls without an id need it",
    (
        "interop/schemas/constrained.py",
        "callboard.interop.schemas.argument_check",
    ): "with it comes all that reads schemas",
    ("interop/schemas/violation_text.py", "difflib"): "only a mistake needs it",
    (
        "plugins/functions/signature.py",
        "callboard.plugins.functions.pydantic_schema",
    ): "an extra, and only types beyond the subset need it",
    ("plugins/sources/entry_points.py", "importlib.metadata"): "all that reads mails comes with it",
    ("base/suggestions.py", "difflib"): "only a mistake needs it",
    ("facade/config/configuration.py", "tomllib"): "most configurations are JSON",
    ("actors/calls/waiting.py", "concurrent.futures"): "only who starts a board in an event loop needs it",
    (
        "actors/calls/call.py",
        "callboard.actors.calls.future",
    ): "only a call that is asked for its future needs it",
    (
        "actors/threads/main_end.py",
        "concurrent.futures.thread",
    ): "it has to come before the first board, and not before",
    ("actors/amplifier/mounts.py", "callboard.plugins.amplifier.coordinator"): "most boards mount no module",
    (
        "actors/amplifier/mounts.py",
        "callboard.plugins.amplifier.mount_function",
    ): "most boards mount no module",
    (
        "facade/loading/loader.py",
        "callboard.plugins.amplifier.mount_function",
    ): "only what is registered as an object needs it",
    ("actors/amplifier/mounts.py", "callboard.actors.amplifier.mount"): "most boards mount no module",
    (
        "facade/tool_decorator.py",
        "callboard.plugins.amplifier.mount_function",
    ): "only tools that are noted before the start need it",
    ("hosts/report/crash_report.py", "callboard.hosts.report.uncaught_error"): "only a crash needs it",
    ("hosts/report/crash_report.py", "callboard.hosts.report.wanted_variables"): "only a crash needs it",
    ("actors/hosting/process_end.py", "callboard.hosts.report.telling_line"): "only a crash needs it",
    ("actors/routing/missing.py", "callboard.hosts.report.telling_line"): "only a crash needs it",
    ("facade/config/errors.py", "callboard.hosts.report.redaction"): "only a refusal needs it",
    (
        "hosts/bash/source.py",
        "callboard.hosts.bash.tool",
    ): "whoever reads a source starts no host",
    ("hosts/bash/source.py", "callboard.hosts.packages.file_tree"): "as the one before",
    ("hosts/command/source.py", "callboard.hosts.command.tool"): "as the one before",
    ("hosts/command/source.py", "shutil"): "only `check` asks what is missing",
    ("plugins/sources/mcp.py", "shutil"): "as the one before",
    ("plugins/sources/node_source.py", "callboard.plugins.sources.node_manifest"): "as the one before",
    ("plugins/sources/python_source.py", "callboard.plugins.sources.python"): "as the one before",
    ("hosts/python/runner/runner.py", "callboard.hosts.python.runner.mounted"): "only modules need it",
    ("plugins/amplifier/loop_thread.py", "asyncio"): "only a board with a module that is mounted needs it",
    ("plugins/amplifier/module.py", "asyncio"): "as above",
    ("actors/local/perform.py", "asyncio"): "only a board with asynchronous tools needs it",
    ("facade/callboard.py", "callboard.configured_agent"): "most boards are asked for no agent",
    (
        "facade/loading/python_packages.py",
        "callboard.hosts.python_packages.prepare_python",
    ): "only a Python package that needs something needs it, and with it all that reads requirements",
    (
        "facade/reload/watch.py",
        "callboard.reload.file_watcher",
    ): "an extra, which only who has files watched needs",
    (
        "chaos/conformance/plugin.py",
        "callboard.chaos.checker.exits",
    ): "pytest loads the plugin for projects that use none of it",
    ("agent/loop/drivers.py", "asyncio"): "whoever awaits a turn has imported it already",
    ("facade/config/state.py", "callboard.actors.state.sqlite"): "only a store in a file needs it",
    (
        "facade/pytest_plugin.py",
        "callboard.pytest.fixtures",
    ): "pytest loads the plugin for projects that use none of it",
    (
        "hosts/process_tree/tree_kill.py",
        "psutil",
    ): "as a script it has to be up at once, and needs this at the end only",
    ("hosts/process_tree/tree_kill.py", "resource"): "as psutil; it is Linux's alone, too",
    ("interop/schemas/engine.py", "jsonschema_rs"): "only tools whose schemas ask for something need it",
    ("hosts/python/runner/cancellation.py", "asyncio"): "it has been imported where a task runs",
    ("base/event_loop.py", "asyncio"): "only asynchronous tools need it",
    (
        "plugins/adapter/async_bridge.py",
        "asyncio",
    ): "it costs more than the room, and most programs have no use for it",
    (
        "supervision/restart/backoff.py",
        "tenacity",
    ): "it costs more than all else, and most boards never restart",
}
"""Imports that wait for their use because of what they cost; none of them dodges a circle."""


def house() -> list[Import]:
    """Who imports whom within the house."""
    return [found for found in imports() if room_of(found.target) is not None]


def test_every_room_has_a_floor() -> None:
    assert set(rooms()) == set(FLOOR)


def test_a_room_imports_only_from_the_floors_below_it() -> None:
    upwards = [found for found in house() if not _may_stand_on(found.module.room, found.target)]

    assert [str(found) for found in upwards if (found.module.path, found.target) not in PROGRAMS] == []


def test_the_table_of_programs_is_up_to_date_and_nobody_imports_them() -> None:
    there = {(found.module.path, found.target) for found in house()}
    programs = {path for path, _ in PROGRAMS}

    assert set(PROGRAMS) - there == set()
    assert [
        str(found)
        for found in house()
        if f"{found.target.removeprefix('callboard.').replace('.', '/')}.py" in programs
    ] == []


def _may_stand_on(room: str, target: str) -> bool:
    below = room_of(target)
    assert below is not None
    return below == room or FLOOR[below] < FLOOR[room]


def test_imports_within_the_house_are_relative() -> None:
    absolute = [str(found) for found in house() if not found.relative]
    by_folder = [str(found) for found in imports() if found.top in rooms() and not found.relative]

    assert absolute == []
    assert by_folder == []


def test_every_relative_import_names_a_module_of_the_house() -> None:
    known = {module.name for module in modules()}

    assert [str(found) for found in imports() if found.relative and found.target not in known] == []


def test_no_module_needs_itself_not_even_for_a_type() -> None:
    needs: dict[str, set[str]] = {module.name: set() for module in modules()}
    for found in house():
        needs[found.module.name].add(found.target)

    try:
        TopologicalSorter(needs).prepare()
    except CycleError as error:
        pytest.fail(f"a circle: {' <- '.join(error.args[1])}")


def test_only_costly_imports_wait_in_a_function() -> None:
    waiting = [found for found in imports() if found.in_function and not found.type_only]

    assert [str(found) for found in waiting if (found.module.path, found.target) not in IN_FUNCTION] == []


def test_the_table_of_waiting_imports_is_up_to_date() -> None:
    waiting = {(found.module.path, found.target) for found in imports() if found.in_function}

    assert set(IN_FUNCTION) - waiting == set()
