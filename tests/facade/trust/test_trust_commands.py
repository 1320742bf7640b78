"""What the command line would fetch or build is planned, and trusted once; and what was planned is what is done."""

from __future__ import annotations

import json
import os
import pty
import subprocess
from typing import TYPE_CHECKING

import pytest
from callboard import Callboard
from callboard.config.configuration import read_configuration
from callboard.hosts.node.tool import HOST_SCRIPT
from callboard.trust.admission import Admission, NotTrusted
from callboard.trust.trust_file import TrustFile
from command_line import ENVIRONMENT, PATIENCE, callboard, command, lines, write_config
from node_packages import built, committed, contents, tool, write
from thorough import thorough

if TYPE_CHECKING:
    from pathlib import Path

CALL = {"type": "function_call", "call_id": "1", "name": "where", "arguments": {}}


@pytest.fixture
def user(tmp_path):
    """The environment of a user who trusts nothing yet."""
    return {"XDG_STATE_HOME": str(tmp_path / "state")}


def config_of(folder, *sources, **more):
    return write_config(folder, *sources, plugin_cache_dir="./cache", **more)


def repository(folder: Path, word: str = '"first"') -> str:
    write(built(folder / "repository"), {"src/tool.js": tool(result=word)})
    return committed(folder / "repository")


def test_a_plan_names_the_commit_and_leaves_the_disk_as_it_was(tmp_path, user):
    commit = repository(tmp_path)
    config = config_of(tmp_path, "node+git:./repository#main", "node:./repository")
    before = contents(tmp_path)

    ended = callboard("plan", "--json", config, env=user)

    (plan,) = lines(ended.stdout)
    fetch, build = (each["steps"][0] for each in plan["plugins"])
    assert (fetch["kind"], fetch["commit"]) == ("git", commit)
    assert (build["kind"], build["scripts"]) == ("npm", {"build": "node build.mjs"})
    assert plan["trusted"] is False
    assert ended.returncode == 0
    assert contents(tmp_path) == before


def test_tools_with_plan_says_the_same_and_starts_nothing(tmp_path, user):
    built(tmp_path / "tools")
    config = config_of(tmp_path, "node:./tools")

    planned = callboard("plan", "--json", config, env=user).stdout

    assert callboard("tools", "--plan", "--json", config, env=user).stdout == planned
    assert not (tmp_path / "cache").exists()


def test_without_a_terminal_what_is_not_trusted_is_refused_with_the_command_to_type(tmp_path, user):
    built(tmp_path / "tools")
    config = config_of(tmp_path, "node:./tools")

    refused = callboard("call", config, "where", env=user)

    assert refused.returncode == 2
    assert f"callboard trust {config}" in refused.stderr
    assert not (tmp_path / "cache").exists()


@pytest.mark.parametrize(
    "words",
    [
        ("tools",),
        ("run",),
        ("inspect",),
        pytest.param(("dev",), marks=thorough),
        pytest.param(("chaos",), marks=thorough),
        pytest.param(("chat",), marks=thorough),
    ],
    ids=lambda words: words[0],
)
def test_whatever_loads_a_configuration_is_held_to_what_is_trusted(tmp_path, user, words):
    built(tmp_path / "tools")
    agent = {"provider": {"type": "openai_chat", "model": "m", "base_url": "http://127.0.0.1:9/"}}
    config = config_of(tmp_path, "node:./tools", agent=agent)

    ended = callboard(*words, config, env=user)

    assert ended.returncode == 2
    assert f"callboard trust {config}" in ended.stderr
    assert not (tmp_path / "cache").exists()


def test_what_was_trusted_once_is_asked_about_no_more(tmp_path, user):
    built(tmp_path / "tools")
    config = config_of(tmp_path, "node:./tools")

    trusting = callboard("trust", config, env=user)
    again = [callboard("call", config, "where", "--json", env=user) for _ in range(2)]

    assert trusting.returncode == 0
    assert [json.loads(each.stdout)["result"] for each in again] == ["here", "here"]
    (kept,) = (tmp_path / "state").rglob("trust.json")
    assert kept.stat().st_mode & 0o777 == 0o600
    assert kept.parent.stat().st_mode & 0o777 == 0o700


@pytest.mark.parametrize(
    "change",
    [
        {"scripts": {"build": "node build.mjs --other"}},
        {"scripts": {"build": "node build.mjs", "prebuild": "true"}},
        {"dependencies": {"words": "file:./words"}},
    ],
    ids=["build command", "lifecycle script", "dependency"],
)
def test_another_build_is_asked_about_again_and_other_sources_are_not(tmp_path, user, change):
    built(tmp_path / "tools")
    config = config_of(tmp_path, "node:./tools")
    callboard("trust", config, env=user)

    write(tmp_path / "tools", {"src/tool.js": tool(result='"edited"')})
    edited = callboard("call", config, "where", "--json", env=user)
    manifest = json.loads((tmp_path / "tools" / "package.json").read_text())
    write(tmp_path / "tools", {"package.json": manifest | change})
    changed = callboard("call", config, "where", "--json", env=user)

    assert json.loads(edited.stdout)["result"] == "edited"
    assert changed.returncode == 2


def test_a_branch_that_moved_is_asked_about_again(tmp_path, user):
    repository(tmp_path)
    config = config_of(tmp_path, "node+git:./repository#main")
    callboard("trust", config, env=user)
    first = callboard("call", config, "where", "--json", env=user)

    repository(tmp_path, '"moved"')
    moved = callboard("call", config, "where", "--json", env=user)
    trusted = callboard("call", "--trust", config, "where", "--json", env=user)

    assert json.loads(first.stdout)["result"] == "first"
    assert moved.returncode == 2
    assert json.loads(trusted.stdout)["result"] == "moved"


def test_what_is_fetched_is_the_commit_that_was_planned_though_the_branch_moves_in_between(tmp_path):
    repository(tmp_path)
    configuration = read_configuration(config_of(tmp_path, "node+git:./repository#main"))
    admission = Admission(configuration, "agent.json", TrustFile(tmp_path / "state" / "trust.json"))
    admission.trust()
    admitted = admission.admitted()

    repository(tmp_path, '"moved"')
    board = Callboard()
    board.configuration = admitted
    with board:
        assert board.execute(CALL)["result"] == "first"


def test_what_was_changed_after_it_was_planned_is_not_built(tmp_path):
    built(tmp_path / "tools")
    configuration = read_configuration(config_of(tmp_path, "node:./tools"))
    admission = Admission(configuration, "agent.json", TrustFile(tmp_path / "state" / "trust.json"))
    admission.trust()

    built(tmp_path / "tools", dependencies={"words": "file:./words"})
    board = Callboard()
    board.configuration = admission.admitted()
    with board:
        (failed,) = board.failed

    assert "callboard plan agent.json" in str(failed.error)


def test_nothing_of_a_plan_is_admitted_before_all_of_it_is_trusted(tmp_path):
    built(tmp_path / "tools")
    configuration = read_configuration(config_of(tmp_path, "node:./tools"))
    admission = Admission(configuration, "my agent.json", TrustFile(tmp_path / "state" / "trust.json"))

    with pytest.raises(NotTrusted) as caught:
        admission.admitted()

    assert caught.value.command == "callboard trust 'my agent.json'"
    assert caught.value.steps == admission.plan.steps


def test_the_python_that_loads_a_configuration_is_asked_nothing(tmp_path):
    built(tmp_path / "tools")

    with Callboard(config_of(tmp_path, "node:./tools")) as board:
        assert board.execute(CALL)["result"] == "here"


def test_local_files_without_a_build_are_asked_nothing_about(tmp_path, user):
    write(tmp_path, {"where.mjs": tool()})
    config = config_of(tmp_path, {"node_tool": {"file": "where.mjs"}})

    ended = callboard("call", config, "where", "--json", env=user)

    assert json.loads(ended.stdout)["result"] == "here"
    assert not (tmp_path / "state").exists()


def test_requirements_of_a_python_package_are_part_of_the_plan(tmp_path, user):
    write(
        tmp_path / "tools",
        {
            "agent_plugin.json": {"entries": ["mine.Tool"]},
            "requirements.txt": "no-such-package-at-all==1.0\n",
            "mine.py": "class Tool: ...\n",
        },
    )
    config = config_of(tmp_path, "path:./tools")

    (plan,) = lines(callboard("plan", "--json", config, env=user).stdout)
    refused = callboard("tools", config, env=user)

    (step,) = plan["plugins"][0]["steps"]
    assert (step["kind"], step["requirements"]) == ("pip", ["no-such-package-at-all==1.0"])
    assert refused.returncode == 2


@pytest.mark.parametrize(("typed", "status"), [(b"y\n", 0), (b"\n", 2), (b"no\n", 2)])
def test_on_a_terminal_the_plan_is_shown_and_only_a_yes_is_one(tmp_path, user, typed, status):
    built(tmp_path / "tools")
    config = config_of(tmp_path, "node:./tools")
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        command("tools", config), stdin=theirs, stdout=theirs, stderr=theirs,
        env=ENVIRONMENT | user | {"TERM": "xterm"},
    )  # fmt: skip
    os.close(theirs)

    shown = b""
    while b"[y/N]" not in shown:
        shown += os.read(ours, 65536)
    os.write(ours, typed)
    try:
        while os.read(ours, 65536):
            pass
    except OSError:  # how a terminal tells its end
        pass
    os.close(ours)

    assert process.wait(PATIENCE) == status
    assert b"node build.mjs" in shown


@pytest.mark.parametrize("place", ["nowhere.json", "a\x1b[31mb"])
def test_a_place_that_is_not_there_is_refused_and_moves_no_cursor(tmp_path, user, place):
    ended = callboard("plan", str(tmp_path / place), env=user)

    assert ended.returncode == 2


def test_what_a_manifest_says_reaches_a_terminal_as_text(tmp_path, user):
    write(built(tmp_path / "tools"), {})
    built(tmp_path / "tools", dependencies={"words\x1b]0;mine\x07": "1\u202e"})
    config = config_of(tmp_path, "node:./tools")

    shown = callboard("plan", config, env=user).stdout

    assert "\x1b" not in shown
    assert "\u202e" not in shown


def test_a_plan_says_of_which_calls_a_plugin_learns(tmp_path, user):
    module = tmp_path / "tool.mjs"
    module.write_text("export default {}")
    entry = {"node_tool": {"file": str(module)}}
    plugins = [
        "a.b",
        entry,
        {**entry, "sandbox": True},
        {**entry, "claims": "own"},
        {"mcp": {"command": ["sh"]}},
    ]
    config = tmp_path / "agent.json"
    config.write_text(json.dumps({"plugins": plugins}))

    (plan,) = lines(callboard("plan", "--json", str(config), env=user).stdout)
    shown = callboard("plan", str(config), env=user).stdout

    assert [each["runs"]["claims"] for each in plan["plugins"]] == ["all", "all", "own", "own", None]
    assert (shown.count("claims: all"), shown.count("claims: own")) == (2, 2)


def test_an_entry_that_cannot_be_loaded_is_told_and_the_others_are_planned(tmp_path, user):
    built(tmp_path / "tools")
    config = config_of(tmp_path, "node:./none", "nodes:./x", 7, "node:./tools")

    ended = callboard("plan", "--json", config, env=user)

    (plan,) = lines(ended.stdout)
    assert [bool(each["problem"]) for each in plan["plugins"]] == [True, True, True, False]
    assert ended.returncode == 1


def test_what_is_trusted_no_more_is_asked_about_again_and_nothing_else(tmp_path, user):
    built(tmp_path / "tools")
    built(tmp_path / "more")
    first = config_of(tmp_path, "node:./tools")
    callboard("trust", first, env=user)
    (tmp_path / "others").mkdir()
    other = config_of(tmp_path / "others", "node:../more")
    callboard("trust", other, env=user)

    undone = callboard("trust", "--undo", first, env=user)
    again = callboard("trust", "--undo", "--json", first, env=user)

    assert undone.returncode == again.returncode == 0
    assert "not trusted" in undone.stdout
    assert lines(again.stdout)[0]["trusted"] is False
    assert lines(again.stdout)[0]["forgotten"] == 0
    assert callboard("call", first, "where", env=user).returncode == 2
    assert json.loads(callboard("call", other, "where", "--json", env=user).stdout)["result"] == "here"


def test_a_doctor_reports_a_build_that_is_not_trusted_and_does_nothing_of_it(tmp_path, user):
    built(tmp_path / "tools")
    config = config_of(tmp_path, "node:./tools")

    ended = callboard("doctor", "--json", config, env=user)

    (failed,) = (each for each in lines(ended.stdout) if each["status"] == "FAIL")
    assert ended.returncode == 1
    assert ended.stderr == ""
    assert failed["what"] == "plugins"
    assert failed["detail"].startswith("none was started: 1 of 1 steps ")
    assert f"callboard trust {config}" in failed["remedy"]
    assert not (tmp_path / "cache").exists()


@pytest.mark.parametrize("template", ["node", "typescript"])
def test_a_plan_says_what_is_run_of_a_new_package_and_names_each_module_once(tmp_path, user, template):
    folder = tmp_path / "words"
    assert callboard("new", template, str(folder), env=user).returncode == 0
    (entry,) = {
        str(folder / tool.get("source", tool["entry"]))
        for tool in json.loads((folder / "package.json").read_text())["agent"]["tools"]
    }

    (plan,) = lines(callboard("plan", "--json", str(folder), env=user).stdout)
    said = callboard("plan", str(folder), env=user).stdout

    argv = plan["plugins"][0]["runs"]["argv"]
    assert argv == ["node", str(HOST_SCRIPT), entry]
    assert said.count(entry) == 1


def test_it_is_said_how_much_of_trust_was_taken_back(tmp_path, user):
    built(tmp_path / "tools")
    config = config_of(tmp_path, "node:./tools")
    callboard("trust", config, env=user)

    undone = callboard("trust", "--undo", config, env=user)
    again = callboard("trust", "--undo", config, env=user)

    assert (
        undone.stdout.splitlines()[-1]
        == f"1 step is no longer trusted; trust it again: callboard trust {config}"
    )
    assert again.stdout.splitlines()[-1] == "nothing of it was trusted, so nothing was forgotten"


def test_undoing_trust_that_nobody_has_given_makes_no_file(tmp_path, user):
    built(tmp_path / "tools")

    ended = callboard("trust", "--undo", config_of(tmp_path, "node:./tools"), env=user)

    assert ended.returncode == 0
    assert not (tmp_path / "state").exists()
