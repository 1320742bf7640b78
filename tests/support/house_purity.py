"""Which modules are pure: they decide, and know no thread, clock, process or chance.

Purity belongs to a folder. Where shells and decisions stand in one folder, the decisions are named.
"""

from __future__ import annotations

import fnmatch

IMPURE = {
    "asyncio", "concurrent", "ctypes", "multiprocessing", "os", "psutil", "pykka", "queue", "random",
    "secrets", "select", "selectors", "shutil", "signal", "socket", "subprocess", "tempfile", "tenacity",
    "threading", "time",
}  # fmt: skip
"""What a pure module does not import."""

FOLDERS = (
    "base",
    "plugins",
    "interop",
    "hosts/mcp_tasks",
    "hosts/protocol",
    "hosts/report",
    "supervision/restart",
    "actors/handshake",
    "facade/mcp_protocol",
    "agent/replay",
    "agent/requests",
    "agent/sessions",
    "agent/wires",
    "chaos/checker",
    "chaos/report",
    "chaos/schedules",
)
"""All that is in one of these is pure, in the folders below it too, but for the shells."""

SHELLS = {
    "base/files/copies.py": "it writes a file",
    "base/event_loop.py": "it makes the one loop of asynchronous tools",
    "base/forking.py": "it asks which process this is",
    "base/locks.py": "it makes locks",
    "plugins/amplifier/loop_thread.py": "it runs a loop in a thread of its own",
    "base/files/private_files.py": "it makes files, and looks at their modes",
    "plugins/amplifier/module.py": "it mounts a module in a loop, and cleans it up",
    "plugins/time_limit.py": "it looks at the clock",
    "plugins/sources/manifest_file.py": "it reads a file",
    "plugins/sources/node_manifest.py": "it reads what lies in a package",
    "plugins/sources/node_source.py": "it looks for its files",
    "plugins/sources/node_spelling.py": "it looks for a file that was meant",
    "plugins/sources/npm_source.py": "it is a source of Node",
    "plugins/sources/python.py": "it looks for a module on the path",
    "plugins/sources/python_source.py": "it looks for its module",
    "hosts/protocol/blocking_request.py": "it waits for an answer",
    "actors/handshake/driver.py": "it carries out what the handshake says",
    "agent/replay/server.py": "it serves what is replayed",
    "agent/requests/contributed_formats.py": "it is asked from several threads",
    "agent/sessions/file.py": "it writes the file of a session",
    "agent/sessions/store.py": "it looks into a folder",
    "agent/wires/attached.py": "it reads the files that are attached",
    "chaos/checker/kept.py": "it looks at this process: its objects",
    "chaos/checker/leak_check.py": "it looks at this process: its threads, children and descriptors",
}
"""Modules of a pure folder that carry out what the others decide, and what they do."""

MODULES = (
    "actors/metrics/calls.py",
    "actors/hooks/rewrite.py",
    "actors/endpoint/crash_attribution.py",
    "actors/endpoint/circuit_breaker.py",
    "actors/reload/policy.py",
    "actors/hosting/generation.py",
    "actors/hosting/messages.py",
    "actors/hosting/process_end.py",
    "actors/hosting/reload_probation.py",
    "actors/routing/decision.py",
    "actors/routing/missing.py",
    "actors/routing/queues.py",
    "actors/calls/idle_timeout.py",
    "actors/catalog/diff.py",
    "agent/loop/answer.py",
    "agent/loop/answer_steps.py",
    "agent/attachments.py",
    "agent/errors.py",
    "agent/providers/provider_request.py",
    "agent/loop/turn.py",
    "agent/loop/turn_effects.py",
    "chaos/inject/wires.py",
    "chaos/load/argument_generator.py",
    "chaos/campaign/drawing.py",
    "chaos/campaign/ledger.py",
    "chaos/campaign/ledger_rules.py",
    "chaos/campaign/plan.py",
    "chaos/record.py",
    "chaos/faults.py",
    "chaos/virtual/virtual_load.py",
    "chaos/scripted/simulated_tool.py",
    "chaos/load/requests.py",
    "chaos/schedule.py",
    "chaos/virtual/trace.py",
    "chaos/virtual/traced_facts.py",
    "chaos/triggers.py",
    "facade/authoring/recording_format.py",
    "facade/authoring/recording_diff.py",
    "facade/authoring/names.py",
    "facade/authoring/call_syntax.py",
    "facade/cli/approval/form_dialogue.py",
    "facade/cli/approval/question.py",
    "facade/cli/chat/input.py",
    "facade/cli/chat/markdown.py",
    "facade/cli/chat/rows.py",
    "facade/cli/chat/render.py",
    "facade/cli/ui/text.py",
    "facade/cli/commands/convert_values.py",
    "facade/cli/crash/report.py",
    "facade/cli/ui/exit_codes.py",
    "facade/cli/doctor/finding.py",
    "facade/cli/run/requests.py",
    "facade/cli/ui/json_values.py",
    "facade/mcp_clients/rules.py",
    "facade/config/errors.py",
    "facade/config/profile.py",
    "facade/trust/inline_runs.py",
    "facade/trust/load_plan.py",
    "facade/demo/journey.py",
    "facade/demo/journey_tools.py",
    "facade/demo/plan.py",
    "facade/mcp/ownership.py",
    "facade/mcp_tasks/task_table.py",
    "hosts/mcp/elicitation.py",
    "hosts/mcp/jsonrpc.py",
    "hosts/mcp/pins.py",
    "hosts/mcp/results.py",
    "hosts/mcp/revision.py",
    "hosts/mcp/sampling.py",
    "hosts/mcp/selection.py",
    "hosts/mcp/server_calls.py",
    "hosts/mcp/server_requests.py",
    "hosts/packages/consent.py",
    "facade/demo/verdict.py",
    "facade/exporters/prometheus.py",
    "facade/exporters/samples.py",
    "hosts/environment.py",
    "hosts/errors.py",
    "hosts/process/stop_ladder.py",
    "hosts/limits/limits.py",
    "hosts/node/sandbox.py",
    "hosts/sandbox/bwrap.py",
    "hosts/sandbox/confinement.py",
    "hosts/sandbox/seccomp.py",
    "hosts/packages/git_refs.py",
    "hosts/node_packages/npm_errors.py",
    "hosts/python/name_in_source.py",
    "hosts/python/runner/messages.py",
    "supervision/admin.py",
    "supervision/child.py",
    "supervision/core.py",
    "supervision/effects.py",
    "supervision/runtime/event_kinds.py",
    "supervision/runtime/event_order.py",
    "supervision/errors.py",
    "supervision/fates.py",
    "supervision/group.py",
    "supervision/transitions.py",
    "supervision/tree.py",
    "supervision/verbs.py",
)
"""Decisions in a folder of shells, beside what carries them out."""

ALLOWED = {
    ("plugins/sources/mcp.py", "shutil"): "it looks for its program when `check` asks what is missing",
    ("chaos/load/requests.py", "random"): "it draws from a seed, so that the same comes out each time",
    ("chaos/campaign/drawing.py", "random"): "it draws from a seed, so that the same comes out each time",
    ("chaos/schedules/generate.py", "random"): "it draws from a seed, so that the same comes out each time",
    ("chaos/virtual/virtual_load.py", "random"): "it draws from a seed, so that the same comes out each time",
    (
        "base/foreign.py",
        "threading",
    ): "it asks whether this is the main thread, whose interrupts are the program's",
    (
        "base/threads.py",
        "threading",
    ): "it imports in a thread that no signal handler interrupts, and waits for it",
    ("base/foreign.py", "signal"): "it asks which handlers are installed, to tell what they raise",
    ("plugins/adapter/async_bridge.py", "asyncio"): "it runs a tool's coroutine for those who cannot await",
    ("supervision/restart/backoff.py", "tenacity"): "it computes the curve, and is never let to wait",
}
"""What a pure module may know all the same."""


def is_pure(path: str) -> bool:
    """Whether a module of the package is held to purity."""
    if path in SHELLS:
        return False
    return path.startswith(tuple(f"{folder}/" for folder in FOLDERS)) or any(
        fnmatch.fnmatch(path, pattern) for pattern in MODULES
    )
