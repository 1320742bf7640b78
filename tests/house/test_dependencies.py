"""Which parts of the house may know of which package, and that no package comes in undeclared."""

from __future__ import annotations

import re
from configparser import ConfigParser
from fnmatch import fnmatch

import pytest
from house_source import PACKAGE, ROOT, imports, is_standard

PLACES = {
    "pykka": (
        "actors/*",
        "supervision/runtime/actor_loop.py",
        "supervision/supervisor.py",
        "supervision/runtime/telling.py",
        "supervision/generation.py",
        "facade/callboard.py",
        "chaos/probe.py",  # the type of what it hands out
    ),
    "subprocess": (
        "chaos/inject/evil_host.py",
        "facade/cli/commands/npm.py",
        "hosts/process/exit_watch.py",
        "hosts/process_tree/fingerprint.py",
        "hosts/process_tree/group.py",
        "hosts/packages/output.py",
        "hosts/process/posix_process.py",
        "hosts/process/process.py",
        "hosts/process/windows_process.py",
        "hosts/process_tree/watchdog.py",
        "hosts/node/find.py",
        "hosts/sandbox/containment.py",
        "hosts/sandbox/outside.py",
        "hosts/packages/command_runner.py",
        "hosts/python_packages/pip_guard.py",
    ),
    "psutil": ("hosts/process_tree/tree_kill.py", "hosts/limits/vitals.py"),
    "jsonschema_rs": ("interop/schemas/engine.py",),
    "tenacity": ("supervision/restart/backoff.py",),
    "orjson": (
        "hosts/protocol/wire.py",
        "interop/calls/arguments.py",
        "interop/exact_json.py",
        "base/json.py",
        "facade/mcp_stdio/frames.py",
    ),
    "click": (
        "facade/cli/*",
        "facade/cli/*/*",
    ),
    "httpx": ("agent/providers/*",),
    "httpx2": ("hosts/mcp_http/*", "hosts/mcp_oauth/*"),
    "keyring": ("plugins/keyring_secrets.py",),
    "packaging": ("plugins/requirements/requirements.py", "facade/cli/doctor/python.py"),
    "prompt_toolkit": (
        "facade/cli/*",
        "facade/cli/*/*",
    ),
    "watchfiles": ("facade/cli/*", "facade/cli/*/*", "facade/reload/file_watcher.py"),
    "hypothesis": ("chaos/strategies.py",),
    "mcp": ("facade/mcp_http/*", "facade/mcp_edge/event_bound.py", "hosts/mcp_oauth/oauth.py"),
    "mcp_types": ("facade/mcp_http/*", "facade/mcp_edge/event_bound.py"),
    "starlette": (
        "facade/mcp_http/http.py",
        "facade/mcp_http/clear_answers.py",
        "facade/mcp_edge/event_bound.py",
    ),
    "uvicorn": ("facade/mcp_http/http.py", "facade/mcp_http/connections.py"),
    "pydantic": ("plugins/functions/pydantic_schema.py",),
    "typing_extensions": ("plugins/functions/pydantic_schema.py",),
    "agents": ("facade/adapters/openai_agents.py",),
    "claude_agent_sdk": ("facade/adapters/claude_agent_sdk.py",),
    "langchain_core": ("facade/adapters/langchain.py",),
    "llama_index": ("facade/adapters/llama_index.py",),
    "pydantic_ai": ("facade/adapters/pydantic_ai.py",),
    "pydantic_core": ("facade/adapters/pydantic_ai.py", "facade/mcp_edge/event_bound.py"),
    "smolagents": ("facade/adapters/smolagents.py",),
    "opentelemetry": ("facade/exporters/otel.py", "facade/exporters/otel_spans.py"),
    "rich": (
        "facade/cli/*",
        "facade/cli/*/*",
    ),
    "pytest": (
        "chaos/conformance/*",
        "facade/pytest_plugin.py",
        "facade/pytest/fixtures.py",
        "facade/pytest/plans.py",
    ),
}
"""Package to the files that may import it.

The front door knows pykka because it hands out references to actors and takes them. Node is asked
for its version, bubblewrap is tried, whether limits may be set is tried, and the watchdog is started, without the ceremony of
a host's process; git and npm are run to their end, and are no hosts either; `callboard npm` becomes npm. The evil host is a program of its own.
"""

PIP_GUARD = "hosts/python_packages/pip_guard.py"
"""A program that runs in pip's own Python, beside pip."""

OPTIONAL = (
    "agent/providers/*",
    "facade/cli/*",
    "facade/cli/*/*",
    "facade/adapters/*",
    "facade/mcp_http/*",
    "facade/mcp_edge/event_bound.py",
    "hosts/mcp_http/*",
    "hosts/mcp_oauth/*",
    "facade/reload/file_watcher.py",
    "facade/exporters/otel*.py",
    "plugins/functions/pydantic_schema.py",
    "plugins/keyring_secrets.py",
    "chaos/strategies.py",
    "chaos/conformance/*",
    "facade/pytest_plugin.py",
    "facade/pytest/*",
    PIP_GUARD,
)
"""What needs an extra: nothing imports it but who asks for it."""


IMPORTED_AS = {
    "claude-agent-sdk": "claude_agent_sdk",
    "langchain-core": "langchain_core",
    "llama-index-core": "llama_index",
    "openai-agents": "agents",
    "pydantic-ai-slim": "pydantic_ai",
    "jsonschema-rs": "jsonschema_rs",
    "opentelemetry-api": "opentelemetry",
    "prompt-toolkit": "prompt_toolkit",
}
"""Packages that are imported by another name than they are installed by."""


BROUGHT = {"anyio", "mcp_types", "pydantic_core", "starlette", "typing_extensions", "uvicorn"}
"""The SDK of MCP, Pydantic AI and pydantic are written against these, and their interfaces are made of them: whatever versions they take are the
right ones."""


@pytest.mark.parametrize("package", PLACES)
def test_a_package_is_imported_only_where_it_belongs(package: str) -> None:
    astray = [
        str(found)
        for found in imports()
        if found.top == package and not any(fnmatch(found.module.path, place) for place in PLACES[package])
    ]

    assert astray == []


def test_every_imported_package_is_declared() -> None:
    foreign = {
        found.top
        for found in imports()
        if found.top != PACKAGE and not is_standard(found.top) and found.module.path != PIP_GUARD
    }

    extras = ("agent", "cli", "chaos", "dev", "frameworks", "keyring", "mcp", "mcp-http", "otel", "pydantic")
    assert foreign - _declared(*extras) - BROUGHT == set()


def test_what_every_program_imports_is_no_extra() -> None:
    everywhere = {
        found.top
        for found in imports()
        if not is_standard(found.top)
        and found.top != PACKAGE
        and not any(fnmatch(found.module.path, place) for place in OPTIONAL)
    }

    assert everywhere - _declared() == set()


def test_every_declared_package_is_imported() -> None:
    assert _declared() - {found.top for found in imports()} == set()


def _declared(*extras: str) -> set[str]:
    settings = ConfigParser()
    settings.read(ROOT / "setup.cfg")
    lists = [settings["options"]["install_requires"]]
    lists += [settings["options.extras_require"][extra] for extra in extras]
    names = {re.split(r"[<>=~!\[ ;]", line)[0] for text in lists for line in text.split("\n") if line}
    return {IMPORTED_AS.get(name, name) for name in names}
