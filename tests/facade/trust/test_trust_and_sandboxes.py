"""Trust covers what code is built and run in, and the manifests of all folders that a package installs from."""

from __future__ import annotations

import json
import shutil

import pytest
from callboard import Callboard
from callboard.config.configuration import read_configuration
from callboard.hosts.packages.package_errors import PackageError
from callboard.trust.admission import Admission
from callboard.trust.trust_file import TrustFile
from command_line import callboard, lines, write_config
from node_packages import built, committed, write

BWRAP = {"kind": "bwrap"}
NODE = {"kind": "node"}


@pytest.fixture
def user(tmp_path):
    """The environment of a user who trusts nothing yet."""
    return {"XDG_STATE_HOME": str(tmp_path / "state")}


@pytest.fixture
def file(tmp_path):
    """Where it is kept what the user trusts."""
    return TrustFile(tmp_path / "state" / "callboard" / "trust.json")


def config_of(folder, sandbox=False, source="node:./tools", **more):
    return write_config(folder, {"plugin": source, "sandbox": sandbox}, plugin_cache_dir="./cache", **more)


def admission_of(file, *args, **more):
    return Admission(read_configuration(config_of(*args, **more)), "agent.json", file)


def forget_sandboxes(file):
    """Make of the file what a version wrote that knew no sandbox."""
    kept = json.loads(file.file.read_bytes())["trusted"]
    old = {digest: {"what": each["what"], "since": each["since"]} for digest, each in kept.items()}
    file.file.write_text(json.dumps({"version": 1, "trusted": old}))


def test_a_build_that_was_trusted_in_a_sandbox_does_not_run_outside_of_it_unasked(tmp_path, user):
    built(tmp_path / "tools", f"writeFileSync({json.dumps(str(tmp_path / 'planted'))}, '');")
    trusting = callboard("trust", config_of(tmp_path, "bwrap"), env=user)

    dropped = callboard("call", config_of(tmp_path), "where", env=user)

    assert trusting.returncode == 0
    assert dropped.returncode == 2
    assert f"callboard trust {tmp_path}" in dropped.stderr
    assert not (tmp_path / "planted").exists()


WEAKER = [
    (BWRAP, False),
    (BWRAP, NODE),
    (BWRAP, {**BWRAP, "network": "outside"}),
    ({**BWRAP, "network": "outside"}, {**BWRAP, "network": True}),
    (BWRAP, {**BWRAP, "seccomp": False}),
    (BWRAP, {**BWRAP, "read": ["./data"]}),
    ({**BWRAP, "read": ["./data"]}, {**BWRAP, "read": ["./data/.."]}),
    ({**BWRAP, "read": ["./data"]}, {**BWRAP, "read": ["./data/link"]}),
    ({**BWRAP, "read": ["./data"]}, {**BWRAP, "write": ["./data"]}),
    (NODE, False),
    (NODE, {**NODE, "child_processes": True}),
    ({**NODE, "network": False}, NODE),
    ({**NODE, "write": ["./data"]}, {**NODE, "read": ["./data"]}),
]
IDS = [f"{agreed} {asked}" for agreed, asked in WEAKER]


@pytest.mark.parametrize("source", ["node:./tools", "node+git:./tools#main"])
@pytest.mark.parametrize(("agreed", "weaker"), WEAKER, ids=IDS)
def test_a_weaker_sandbox_than_was_trusted_is_asked_about_again(tmp_path, file, agreed, weaker, source):
    committed(built(tmp_path / "tools"))
    write(tmp_path / "data", {"x": ""})
    (tmp_path / "data" / "link").symlink_to(tmp_path)
    admission_of(file, tmp_path, agreed, source).trust()

    asked = admission_of(file, tmp_path, weaker, source)

    assert admission_of(file, tmp_path, agreed, source).untrusted == ()
    assert asked.untrusted == asked.plan.steps


@pytest.mark.parametrize(("stronger", "agreed"), WEAKER, ids=IDS)
def test_a_stronger_sandbox_than_was_trusted_is_not_asked_about(tmp_path, file, agreed, stronger):
    built(tmp_path / "tools")
    write(tmp_path / "data", {"x": ""})
    (tmp_path / "data" / "link").symlink_to(tmp_path)
    admission_of(file, tmp_path, agreed).trust()

    unasked = admission_of(file, tmp_path, stronger).untrusted == ()

    incomparable = (agreed, stronger) == ({**NODE, "read": ["./data"]}, {**NODE, "write": ["./data"]})
    assert unasked is not incomparable


def test_what_was_trusted_in_two_ways_is_trusted_in_both(tmp_path, file):
    built(tmp_path / "tools")
    ways = [{**BWRAP, "network": True}, {**BWRAP, "write": [str(tmp_path)]}]
    for way in ways:
        admission_of(file, tmp_path, way).trust()

    assert [admission_of(file, tmp_path, way).untrusted for way in ways] == [(), ()]
    assert admission_of(file, tmp_path, ways[0] | ways[1]).untrusted != ()


def test_environments_of_python_are_held_to_their_sandbox_too(tmp_path, file):
    manifest, needs = {"entries": ["mine.Tool"]}, "no-such-package-at-all==1.0\n"
    code = {"agent_plugin.json": manifest, "requirements.txt": needs, "mine.py": "class Tool: ...\n"}
    write(tmp_path / "tools", code)
    admission_of(file, tmp_path, "bwrap", "path:./tools").trust()

    assert admission_of(file, tmp_path, "bwrap", "path:./tools").untrusted == ()
    assert admission_of(file, tmp_path, False, "path:./tools").untrusted != ()


def test_what_is_loaded_in_a_weaker_sandbox_than_was_planned_is_not_built(tmp_path, file):
    built(tmp_path / "tools")
    admission = admission_of(file, tmp_path, "bwrap")
    admission.trust()
    board = Callboard()
    board.configuration = admission.admitted()

    with board, pytest.raises(PackageError, match="otherwise than was agreed to"):
        board.load(f"node:{tmp_path / 'tools'}")


def test_another_node_than_was_trusted_is_asked_about(tmp_path, file):
    built(tmp_path / "tools")
    admission_of(file, tmp_path).trust()

    assert admission_of(file, tmp_path, node=str(tmp_path / "node")).untrusted != ()


INNER = {"name": "inner", "version": "1.0.0"}


@pytest.mark.parametrize(
    "names", [{"workspaces": ["packages/*"]}, {"dependencies": {"inner": "file:./packages/a"}}]
)
@pytest.mark.parametrize(
    "change",
    [{"dependencies": {"evil": "1.0.0"}}, {"scripts": {"postinstall": "evil"}}, {"workspaces": ["../b"]}],
    ids=lambda change: next(iter(change)),
)
def test_the_manifests_of_folders_that_a_package_installs_are_asked_about(tmp_path, user, names, change):
    tools = built(tmp_path / "tools", **names)
    write(tools, {"packages/a/package.json": INNER, "tests/package.json": INNER})
    config = config_of(tmp_path)
    callboard("trust", config, env=user)

    write(tools, {"packages/a/package.json": INNER | {"version": "1.0.1", "description": "other"}})
    same = callboard("plan", "--json", config, env=user)
    write(tools, {"packages/a/package.json": INNER | change})
    changed = callboard("call", config, "where", env=user)

    assert lines(same.stdout)[0]["trusted"] is True
    assert changed.returncode == 2
    assert "packages/a" in callboard("plan", config, env=user).stdout


@pytest.mark.parametrize("content", [b"{", b"[]", b'{"scripts": 7, "dependencies": "x"}', b"[" * 100_000])
def test_a_manifest_that_cannot_be_read_is_asked_about_when_it_changes(tmp_path, file, content):
    tools = built(tmp_path / "tools", workspaces=["packages/*"])
    write(tools, {"packages/a/package.json": ""})
    (tools / "packages" / "a" / "package.json").write_bytes(content)
    admission_of(file, tmp_path).trust()
    (tools / "packages" / "a" / "package.json").write_bytes(content + b"?")

    assert admission_of(file, tmp_path).untrusted != ()


def test_the_manifest_of_a_linked_workspace_is_asked_about(tmp_path, file):
    tools = built(tmp_path / "tools", workspaces=["packages/*"])
    write(tmp_path / "elsewhere", {"package.json": INNER})
    (tools / "packages").mkdir()
    (tools / "packages" / "a").symlink_to(tmp_path / "elsewhere")
    admission_of(file, tmp_path).trust()

    write(tmp_path / "elsewhere", {"package.json": INNER | {"dependencies": {"evil": "1.0.0"}}})

    assert admission_of(file, tmp_path).untrusted != ()


def test_manifests_in_a_package_that_names_no_folder_are_not_asked_about(tmp_path, file):
    tools = built(tmp_path / "tools")
    admission_of(file, tmp_path).trust()

    write(tools, {"tests/package.json": INNER | {"dependencies": {"a": "1"}}})

    assert admission_of(file, tmp_path).untrusted == ()


def test_a_plan_says_in_which_sandbox_a_plugin_is_built_and_run(tmp_path, user):
    built(tmp_path / "tools")
    entries = [
        {"plugin": "node:./tools", "sandbox": each}
        for each in ("bwrap", {**BWRAP, "network": True, "read": ["."]}, True, False)
    ]
    entries.append({"mcp": {"command": ["sh"]}, "sandbox": "bwrap"})
    config = write_config(tmp_path, *entries)

    (plan,) = lines(callboard("plan", "--json", config, env=user).stdout)
    shown = callboard("plan", config, env=user).stdout

    strictest = {**BWRAP, "network": False}
    wide = {**BWRAP, "read": [str(tmp_path)], "write": [], "network": True}
    steps = [each["steps"][0]["sandbox"] for each in plan["plugins"][:4]]
    runs = [each["runs"]["sandbox"] for each in plan["plugins"]]
    assert steps == [strictest, {**BWRAP, "network": True}, False, False]
    assert runs[:2] == [strictest | {"read": [], "write": []}, wide]
    assert runs[2]["kind"] == "node"
    assert runs[3:] == [False, strictest | {"read": [], "write": []}]
    assert shown.count("sandbox: bwrap") == 5
    assert shown.count("sandbox: none") == 3
    assert plan["plugins"][4]["runs"]["argv"] == ["sh"]


def test_a_plan_under_the_strict_profile_says_the_sandbox_of_each_plugin(tmp_path, user):
    write(tmp_path, {"tool.mjs": "export default {}"})
    config = write_config(tmp_path, {"node_tool": {"file": "tool.mjs"}}, "a.b", profile="strict")

    (plan,) = lines(callboard("plan", "--json", config, env=user).stdout)

    assert {each["runs"]["sandbox"]["kind"] for each in plan["plugins"]} == {"bwrap"}


def test_trust_of_before_is_carried_over_without_a_sandbox(tmp_path, user, file):
    built(tmp_path / "tools", workspaces=["packages/*"])
    config = config_of(tmp_path)
    callboard("trust", config, env=user)
    forget_sandboxes(file)
    old = file.file.read_bytes()

    served = callboard("call", config, "where", "--json", env=user)

    assert json.loads(served.stdout)["result"] == "here"
    assert json.loads(file.file.read_bytes())["version"] == 2
    assert file.file.with_name("trust.json.version-1").read_bytes() == old
    write(tmp_path / "tools", {"packages/a/package.json": INNER | {"dependencies": {"evil": "1"}}})
    assert callboard("call", config, "where", env=user).returncode == 2


def test_trust_of_before_is_asked_about_once_where_there_is_a_sandbox(tmp_path, file):
    built(tmp_path / "tools")
    shutil.copytree(tmp_path / "tools", tmp_path / "more")
    entries = [{"plugin": f"node:./{name}", "sandbox": "bwrap"} for name in ("tools", "more")]
    configuration = read_configuration(write_config(tmp_path, *entries, plugin_cache_dir="./cache"))
    Admission(configuration, "agent.json", file).trust()
    forget_sandboxes(file)

    asked = Admission(configuration, "agent.json", file)
    untrusted = asked.untrusted
    asked.trust()

    assert len(untrusted) == 2
    assert Admission(configuration, "agent.json", file).untrusted == ()
    assert admission_of(file, tmp_path).untrusted != ()


def test_a_plan_of_what_was_trusted_before_changes_nothing(tmp_path, user, file):
    built(tmp_path / "tools")
    config = config_of(tmp_path)
    callboard("trust", config, env=user)
    forget_sandboxes(file)
    old = file.file.read_bytes()

    (plan,) = lines(callboard("plan", "--json", config, env=user).stdout)

    assert plan["trusted"] is True
    assert file.file.read_bytes() == old


def test_a_plugin_in_a_sandbox_takes_no_trust_of_before_from_its_twin_outside(tmp_path, file):
    built(tmp_path / "tools")
    admission_of(file, tmp_path).trust()
    forget_sandboxes(file)
    twins = [
        {"plugin": "node:./tools", "name": each, "sandbox": box}
        for each, box in (("a", "bwrap"), ("b", False))
    ]
    configuration = read_configuration(write_config(tmp_path, *twins, plugin_cache_dir="./cache"))

    asked = Admission(configuration, "agent.json", file)
    count = len(asked.untrusted)
    asked.trust()

    assert count == 1
    assert Admission(configuration, "agent.json", file).untrusted == ()
