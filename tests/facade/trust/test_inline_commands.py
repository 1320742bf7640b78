"""A command or an address in a file that came with a folder is asked about once, and left out alone where nobody can be asked."""

from __future__ import annotations

import json
import os
import pty
import subprocess
import sys
from pathlib import Path

import pytest
from callboard import Callboard
from command_line import ENVIRONMENT, PATIENCE, callboard, command, lines, write_config
from leaks import TEST_MARK
from programs import PROGRAMS

SERVER = str(PROGRAMS / "python" / "mcp_server.py")


@pytest.fixture
def user(tmp_path):
    """The environment of a user who trusts nothing yet."""
    return {"XDG_STATE_HOME": str(tmp_path / "state"), "HOME": str(tmp_path / "home")}


@pytest.fixture
def clone(tmp_path):
    """A folder that another person wrote."""
    folder = tmp_path / "clone"
    folder.mkdir()
    return folder


def planting(folder: Path, word: str) -> list[str]:
    """The words that make a file, and then run nothing."""
    return ["sh", "-c", f"touch {folder / word}"]


def served(*words: str, **more):
    """An entry of a server that works."""
    server = {"command": sys.executable, "args": [SERVER, "tools=count", *words], "env": dict(TEST_MARK)}
    return {"mcp": server | more, "name": "works"}


def sources(config: str, user) -> dict[str, bool]:
    """Whether each entry is trusted, by its source."""
    (plan,) = lines(callboard("plan", "--json", config, env=user).stdout)
    return {each["source"]: all(step["trusted"] for step in each["steps"]) for each in plan["plugins"]}


def test_no_command_of_a_folder_runs_before_its_user_has_agreed_and_the_others_serve(tmp_path, clone, user):
    kinds = {
        "mcp": {"mcp": {"command": planting(tmp_path, "mcp"), "id": "evil"}},
        "host": {"host": {"command": planting(tmp_path, "host"), "protocol": "thp/1"}},
        "echo": {"bash_tool": {"file": "echo.sh"}},
    }
    (clone / "echo.sh").write_text("# @tool Says a word.\necho said\n")
    config = write_config(clone, *kinds.values())

    ended = callboard("call", config, "echo", "--json", env=user)

    assert [each.name for each in tmp_path.iterdir() if each.name in kinds] == []
    assert ended.returncode == 0
    assert lines(ended.stdout)[0]["success"] is True
    assert ended.stderr.count(f"callboard trust {config}") == 2


def test_what_was_agreed_to_runs_and_is_asked_about_no_more(clone, user):
    config = write_config(clone, served())

    trusting = callboard("trust", config, env=user)
    again = [callboard("call", config, "count", "--json", env=user) for _ in range(2)]

    assert trusting.returncode == 0
    assert [each.returncode for each in again] == [0, 0]


def test_trust_that_was_taken_back_runs_nothing(clone, user):
    config = write_config(clone, served())
    callboard("trust", config, env=user)

    callboard("trust", "--undo", config, env=user)

    assert callboard("call", config, "count", env=user).returncode != 0


def change(**more):
    """A server's entry with this said otherwise."""
    return lambda entry: {**entry, "mcp": entry["mcp"] | more}


@pytest.mark.parametrize(
    ("change", "asked"),
    [
        (change(args=[SERVER, "tools=count,other"]), True),
        (change(env={**TEST_MARK, "LD_PRELOAD": ""}), True),
        (change(env=dict.fromkeys(TEST_MARK, "${HOME}")), True),
        (change(cwd=".."), True),
        (lambda entry: {**entry, "mcp": {"url": "http://127.0.0.1:9/"}}, True),
        (change(envFile=".env"), True),
        (change(env=dict.fromkeys(TEST_MARK, "other")), False),
        (lambda entry: {**entry, "sandbox": "bwrap"}, False),
    ],
    ids=["word", "variable", "placeholder", "folder", "address", "file", "value", "sandbox"],
)
def test_another_command_or_name_is_asked_about_again_and_another_value_is_not(clone, user, change, asked):
    (clone / ".env").write_text("OTHER=1\n")
    config = write_config(clone, served())
    callboard("trust", config, env=user)

    write_config(clone, change(served()))

    assert sources(config, user) == {"mcp:works": not asked}


def test_a_sandbox_that_is_dropped_is_asked_about(clone, user):
    config = write_config(clone, {**served(), "sandbox": "bwrap"})
    callboard("trust", config, env=user)

    write_config(clone, served())

    assert sources(config, user) == {"mcp:works": False}


def test_the_variables_of_a_file_that_an_entry_names_are_asked_about_by_name(clone, user):
    (clone / ".env").write_text("TOKEN=1\n")
    config = write_config(clone, served(envFile="${workspaceFolder}/.env"))
    callboard("trust", config, env=user)

    (clone / ".env").write_text("export TOKEN=2\n# a comment\n")
    renewed = sources(config, user)
    (clone / ".env").write_text("TOKEN=2\nNODE_OPTIONS=--require=./evil.js\n")

    assert renewed == {"mcp:works": True}
    assert sources(config, user) == {"mcp:works": False}


def test_a_plan_names_the_variables_of_the_file_of_an_entry(clone, user):
    (clone / ".env").write_text("TOKEN=1\n")
    config = write_config(clone, served(envFile=".env"))

    plan = callboard("plan", config, env=user).stdout

    (seen,) = [line for line in plan.splitlines() if "sees the variables" in line]
    assert "TOKEN" in seen


def test_a_plan_waits_for_no_pipe_in_the_place_of_a_file_of_variables(clone, user):
    (clone / ".env").write_text("TOKEN=1\n")
    config = write_config(clone, served(envFile=".env"))
    callboard("trust", config, env=user)

    (clone / ".env").unlink()
    os.mkfifo(clone / ".env")
    asked = sources(config, user)
    shown = callboard("plan", config, env=user).stdout

    assert asked == {"mcp:works": False}
    assert f"whatever stands in {clone / '.env'}" in shown


def test_a_file_of_variables_of_nobodys_home_keeps_only_its_own_entry_from_the_board(clone, user):
    entry = served(envFile="~nobody-of-that-name/.env")
    config = write_config(clone, {"mcp": entry["mcp"], "name": "other"}, served())

    ended = callboard("call", "--trust", config, "count", "--json", env=user)

    assert ended.returncode == 0
    assert "mcp:other is left out" in ended.stderr


def test_a_plan_shows_what_is_real_and_no_secret_of_an_address(clone, user):
    remote = {"url": "https://example.org/mcp?key=s3cret", "headers": {"Authorization": "Bearer s3cret"}}
    words = ["sh", "-c", "echo a\x1b[31m"]
    given = {"TOKEN": "${env:GITHUB_TOKEN}", "OTHER": "s3cret"}
    entries = [{"mcp": {"command": words, "env": given}, "name": "a"}, {"mcp": remote, "name": "b"}]
    config = write_config(clone, *entries)

    shown = callboard("plan", config, env=user).stdout
    as_json = callboard("plan", "--json", config, env=user).stdout

    (plan,) = lines(as_json)
    first, second = plan["plugins"]
    assert first["runs"]["argv"] == first["steps"][0]["command"] == words
    assert first["steps"][0]["variables"] == ["OTHER", "TOKEN"]
    assert first["steps"][0]["filled_from"] == ["env:GITHUB_TOKEN"]
    assert second["runs"]["where"] == "elsewhere"
    assert second["runs"]["address"] == "https://example.org/mcp?…"
    assert second["steps"][0]["headers"] == ["Authorization"]
    assert plan["trusted"] is False
    for text in (
        "sh -c 'echo a",
        "OTHER, TOKEN",
        "env:GITHUB_TOKEN",
        "https://example.org/mcp?…",
        "Authorization",
    ):
        assert text in shown
    assert shown.count("(not trusted)") == 2
    assert "s3cret" not in shown + as_json
    assert "\x1b" not in shown


def test_a_person_is_asked_once_for_all_entries_of_a_folder(clone, user):
    entries = [{"mcp": served()["mcp"], "name": name} for name in ("a", "b", "c")]
    config = write_config(clone, *entries)

    first = answered("tools", config, env=user, typed=b"y\n")
    second = answered("tools", config, env=user, typed=b"")

    assert first.count(b"[y/N]") == 1
    assert first.count(b"(not trusted)") == 3
    assert b"[y/N]" not in second
    assert b"count" in second


def test_a_person_who_does_not_agree_goes_on_with_the_others(clone, user):
    (clone / "echo.sh").write_text("# @tool Says a word.\necho said\n")
    config = write_config(clone, served(), {"bash_tool": {"file": "echo.sh"}})

    shown = answered("call", config, "echo", env=user, typed=b"n\n")

    assert b"said" in shown
    assert b"callboard trust" in shown


def answered(*words: str, env: dict[str, str], typed: bytes) -> bytes:
    """What a command shows on a terminal where this is typed once it asks."""
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        command(*words), stdin=theirs, stdout=theirs, stderr=theirs, env=ENVIRONMENT | env | {"TERM": "xterm"}
    )
    os.close(theirs)
    shown = b""
    try:
        while data := os.read(ours, 65536):
            asked = b"[y/N]" not in shown
            shown += data
            if asked and b"[y/N]" in shown:
                os.write(ours, typed)
    except OSError:  # how a terminal tells its end
        pass
    os.close(ours)
    process.wait(PATIENCE)
    return shown


def test_what_is_trusted_by_the_option_is_trusted_for_that_run(clone, user):
    config = write_config(clone, served())

    named = callboard("call", "--trust", config, "count", env=user)
    again = callboard("call", config, "count", env=user)

    assert (named.returncode, again.returncode != 0) == (0, True)
    assert not Path(user["XDG_STATE_HOME"], "callboard", "trust.json").exists()


def test_the_option_needs_no_folder_that_can_be_written(clone, tmp_path):
    (tmp_path / "file").write_text("")
    config = write_config(clone, served())

    ended = callboard("call", "--trust", config, "count", env={"XDG_STATE_HOME": str(tmp_path / "file")})

    assert ended.returncode == 0


@pytest.mark.parametrize("key", ["trust", "trusted", "run"])
@pytest.mark.parametrize("where", ["file", "entry", "server"])
def test_no_file_says_of_itself_that_it_is_trusted(clone, user, key, where):
    entry = {"file": served(), "entry": served() | {key: True}, "server": change(**{key: True})(served())}
    config = write_config(clone, entry[where], **({key: True} if where == "file" else {}))

    refused = callboard("check", config, env=user)

    assert refused.returncode == 1
    assert key in refused.stdout + refused.stderr


def test_a_program_is_asked_nothing(clone):
    config = write_config(clone, served())

    with Callboard(config) as board:
        assert board.call("count") is not None


OWN = [
    ".cursor/mcp.json",
    ".cursor/mcp.callboard.json",
    ".config/Claude/claude_desktop_config.json",
    ".config/Code/User/mcp.json",
    ".codeium/windsurf/mcp_config.json",
    ".claude.json",
]


@pytest.mark.parametrize("name", OWN)
def test_a_file_of_the_users_own_client_is_asked_about_nothing(tmp_path, user, name):
    file = tmp_path / "home" / name
    file.parent.mkdir(parents=True)
    file.write_text(json.dumps({"mcpServers": {"works": served()["mcp"]}}))

    ended = callboard("call", str(file), "count", env=user | {"XDG_CONFIG_HOME": ""})

    assert ended.returncode == 0
    assert not (tmp_path / "state" / "callboard" / "trust.json").exists()


def test_a_file_of_a_client_in_a_clone_and_a_link_to_the_users_own_are_asked_about(tmp_path, clone, user):
    own = tmp_path / "home" / ".cursor" / "mcp.json"
    own.parent.mkdir(parents=True)
    own.write_text(json.dumps({"mcpServers": {"works": {"command": "./evil"}}}))
    theirs = clone / ".cursor" / "mcp.json"
    theirs.parent.mkdir()
    theirs.symlink_to(own)

    assert sources(str(own), user) == {"mcp:works": True}
    assert sources(str(theirs), user) == {"mcp:works": False}
