"""What decides is pure: it knows no thread, clock, process or chance, and leans on nothing that does."""

from __future__ import annotations

import fnmatch

from house_source import imports, modules

IMPURE = {
    "asyncio", "concurrent", "ctypes", "multiprocessing", "os", "psutil", "pykka", "queue", "random",
    "secrets", "select", "selectors", "shutil", "signal", "socket", "subprocess", "tempfile", "tenacity",
    "threading", "time",
}  # fmt: skip

PURE = (
    "actors/metrics/calls.py",
    "actors/hooks/rewrite.py",
    "actors/endpoint/crash_attribution.py",
    "actors/endpoint/circuit_breaker.py",
    "actors/handshake/handshake.py",
    "actors/handshake/messages.py",
    "actors/reload/policy.py",
    "actors/hosting/generation.py",
    "actors/hosting/messages.py",
    "actors/hosting/reload_probation.py",
    "actors/routing/decision.py",
    "actors/calls/idle_timeout.py",
    "actors/handshake/startup_blame.py",
    "actors/catalog/diff.py",
    "agent/loop/answer.py",
    "agent/loop/answer_steps.py",
    "agent/attachments.py",
    "agent/errors.py",
    "agent/requests/injections.py",
    "agent/sessions/tool_messages.py",
    "agent/requests/partial_answer.py",
    "agent/requests/provider_contract.py",
    "agent/requests/provider_*.py",
    "agent/wires/*_wire.py",
    "agent/providers/asking.py",
    "agent/wires/attached_parts.py",
    "agent/wires/attempts.py",
    "agent/wires/core_history.py",
    "agent/wires/options.py",
    "agent/wires/skeleton.py",
    "agent/wires/wire.py",
    "agent/replay/*_telling.py",
    "agent/replay/faults.py",
    "agent/replay/hearing.py",
    "agent/replay/script.py",
    "agent/replay/telling.py",
    "agent/sessions/session.py",
    "agent/sessions/lines.py",
    "agent/sessions/repair.py",
    "agent/loop/turn.py",
    "agent/loop/turn_effects.py",
    "chaos/load/argument_generator.py",
    "chaos/checker/call_starts.py",
    "chaos/checker/call_rules.py",
    "chaos/campaign/drawing.py",
    "chaos/campaign/ledger.py",
    "chaos/campaign/ledger_rules.py",
    "chaos/campaign/plan.py",
    "chaos/schedules/cues.py",
    "chaos/record.py",
    "chaos/schedules/generate.py",
    "chaos/checker/exits.py",
    "chaos/checker/facts.py",
    "chaos/faults.py",
    "chaos/checker/history.py",
    "chaos/checker/invariants.py",
    "chaos/checker/host_rules.py",
    "chaos/checker/host_stories.py",
    "chaos/virtual/virtual_load.py",
    "chaos/checker/outages.py",
    "chaos/checker/coverage.py",
    "chaos/scripted/simulated_tool.py",
    "chaos/report/*",
    "chaos/load/requests.py",
    "chaos/schedule.py",
    "chaos/schedules/corruption.py",
    "chaos/checker/standings.py",
    "chaos/schedules/tally.py",
    "chaos/virtual/trace.py",
    "chaos/virtual/traced_facts.py",
    "chaos/triggers.py",
    "facade/authoring/recording_format.py",
    "facade/authoring/recording_diff.py",
    "facade/authoring/names.py",
    "facade/authoring/call_syntax.py",
    "facade/cli/chat/input.py",
    "facade/cli/chat/markdown.py",
    "facade/cli/chat/rows.py",
    "facade/cli/chat/render.py",
    "facade/cli/ui/text.py",
    "facade/cli/commands/convert_values.py",
    "facade/cli/ui/crash_report.py",
    "facade/cli/ui/exit_codes.py",
    "facade/cli/doctor/finding.py",
    "facade/cli/run/requests.py",
    "facade/cli/ui/json_values.py",
    "facade/demo/journey.py",
    "facade/demo/journey_tools.py",
    "facade/demo/plan.py",
    "facade/demo/verdict.py",
    "facade/exporters/prometheus.py",
    "facade/exporters/samples.py",
    "hosts/protocol/call_params.py",
    "hosts/protocol/context_filter.py",
    "hosts/protocol/description.py",
    "hosts/environment.py",
    "hosts/errors.py",
    "hosts/process/stop_ladder.py",
    "hosts/limits/limits.py",
    "hosts/node/sandbox.py",
    "hosts/protocol/methods.py",
    "hosts/packages/git_refs.py",
    "hosts/node_packages/npm_errors.py",
    "hosts/protocol/peer.py",
    "hosts/protocol/peer_events.py",
    "hosts/report/python_crash.py",
    "hosts/python/runner/messages.py",
    "hosts/report/redaction.py",
    "hosts/report/crash_report.py",
    "hosts/protocol/noise.py",
    "hosts/report/uncaught_error.py",
    "hosts/protocol/wire.py",
    "interop/*",
    "base/*",
    "plugins/*",
    "supervision/admin.py",
    "supervision/restart/backoff.py",
    "supervision/child.py",
    "supervision/core.py",
    "supervision/effects.py",
    "supervision/runtime/event_kinds.py",
    "supervision/runtime/event_order.py",
    "supervision/errors.py",
    "supervision/restart/exits.py",
    "supervision/fates.py",
    "supervision/group.py",
    "supervision/lives.py",
    "supervision/restart/policy.py",
    "supervision/restart/spec.py",
    "supervision/tree.py",
    "supervision/verbs.py",
)

READING = (
    "plugins/sources/node_manifest.py",
    "plugins/sources/manifest_file.py",
    "plugins/sources/python.py",
    "base/event_loop.py",
    "base/event_loop.py",
    "base/forking.py",
)
"""In a pure room, but they read what lies on a disk, or which process this is."""

ALLOWED = {
    ("chaos/load/requests.py", "random"): "it draws from a seed, so that the same comes out each time",
    ("chaos/campaign/drawing.py", "random"): "it draws from a seed, so that the same comes out each time",
    ("chaos/schedules/generate.py", "random"): "it draws from a seed, so that the same comes out each time",
    ("chaos/virtual/virtual_load.py", "random"): "it draws from a seed, so that the same comes out each time",
    (
        "base/foreign.py",
        "threading",
    ): "it asks whether this is the main thread, whose interrupts are the program's",
    ("plugins/adapter/async_bridge.py", "asyncio"): "it runs a tool's coroutine for those who cannot await",
    ("supervision/restart/backoff.py", "tenacity"): "it computes the curve, and is never let to wait",
}
"""What a pure module may know all the same."""


def _is_pure(path: str) -> bool:
    return path not in READING and any(fnmatch.fnmatch(path, pattern) for pattern in PURE)


def test_the_table_of_pure_modules_is_up_to_date() -> None:
    pure = [module.path for module in modules() if _is_pure(module.path)]

    assert [pattern for pattern in PURE if not fnmatch.filter(pure, pattern)] == []


def test_a_pure_module_knows_no_thread_clock_process_or_chance() -> None:
    impure = [
        str(found)
        for found in imports()
        if _is_pure(found.module.path) and found.top in IMPURE and not found.type_only
        if (found.module.path, found.top) not in ALLOWED
    ]

    assert impure == []


def test_a_pure_module_leans_on_pure_modules_only() -> None:
    paths = {other.name: other.path for other in modules()}
    impure = [
        str(found)
        for found in imports()
        if _is_pure(found.module.path) and not found.type_only
        if found.target in paths and not _is_pure(paths[found.target])
    ]

    assert impure == []
