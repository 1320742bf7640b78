"""`inherit`: variables that a host gets by name, as this program has them; and no other, ever."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING, Any

import pytest
from callboard import Callboard, CallboardError
from callboard.config.mcp_servers import as_configuration
from command_line import callboard, lines
from programs import PROGRAMS

if TYPE_CHECKING:
    from pathlib import Path

SERVER = {"command": sys.executable, "args": [str(PROGRAMS / "python" / "mcp_server.py")]}
SECRET = "value-of-a-secret"
OURS = {
    "SSH_AUTH_SOCK": "/run/agent-of-the-test",
    "KUBECONFIG": "/home/kube",
    "GITHUB_TOKEN": SECRET,
    "SHELL": "/bin/of-the-test",
    "TERM": "term-of-the-test",
}


def environment_of(config: Path) -> dict[str, str]:
    names = json.dumps([*OURS, "NOT_SET_ANYWHERE"])
    called = callboard("call", "--trust", "--json", str(config), "environment", f"names:={names}", env=OURS)
    assert called.returncode == 0, called.stdout + called.stderr
    (result,) = lines(called.stdout)
    return dict(json.loads(result["result"]))


@pytest.mark.parametrize("form", ["entry", "client"])
def test_a_server_gets_what_its_entry_names_and_what_the_sdks_give_and_nothing_else(
    form: str, tmp_path: Path
) -> None:
    named = ["SSH_AUTH_SOCK", "NOT_SET_ANYWHERE"]
    value: Any = {"plugins": [{"mcp": SERVER, "name": "a", "inherit": named}]}
    if form == "client":
        value = {"mcpServers": {"a": {**SERVER, "inherit": named}}}
    (tmp_path / "mcp.json").write_text(json.dumps(value))

    seen = environment_of(tmp_path / "mcp.json")

    assert {name: seen.get(name) for name in (*OURS, "NOT_SET_ANYWHERE")} == {
        **OURS, "GITHUB_TOKEN": None, "KUBECONFIG": None, "NOT_SET_ANYWHERE": None,
    }  # fmt: skip


def test_in_the_strict_profile_only_what_is_named_is_given(tmp_path: Path) -> None:
    config = {"profile": "strict", "plugins": [{"mcp": SERVER, "name": "a", "inherit": ["TERM"]}]}
    (tmp_path / "agent.json").write_text(json.dumps(config))

    planned = callboard("plan", "--json", str(tmp_path / "agent.json"), env=OURS)

    (plan,) = lines(planned.stdout)
    assert set(plan["plugins"][0]["runs"]["environment"]) & OURS.keys() == {"TERM"}


@pytest.mark.parametrize(
    ("entry", "said"),
    [
        ({"inherit": "SSH_AUTH_SOCK"}, "a list of names"),
        ({"inherit": True}, "a list of names"),
        ({"inherit": ["*"]}, "patterns are not read"),
        ({"inherit": ["A=b"]}, "a list of names"),
        ({"inherit": [""]}, "a list of names"),
        ({"inherit": ["A", "A"]}, "each once"),
        ({"inherit": {"A": "b"}}, "a list of names"),
        ({"inherit": ["A"], "env": {"A": "b"}}, "leave it out of one"),
        ({"inherits": ["A"]}, "inherit"),
    ],
)
def test_what_cannot_hold_is_refused_with_its_line_and_a_remedy(
    entry: dict[str, Any], said: str, tmp_path: Path
) -> None:
    config = tmp_path / "agent.json"
    keys = ",\n".join(f'"{key}": {json.dumps(value)}' for key, value in entry.items())
    config.write_text(f'{{"plugins": [\n{{"mcp": {{"command": "x"}}, "name": "a",\n{keys}}}]}}\n')

    checked = callboard("check", "--json", str(config))

    (problem,) = [each for each in lines(checked.stdout) if each.get("path")]
    assert checked.returncode == 1
    assert said in problem["message"]
    assert problem["line"] == 3


@pytest.mark.parametrize(
    ("server", "said", "line"),
    [
        ({"command": "x", "inherit": ["A"], "env": {"A": "b"}}, "leave it out of one", 4),
        ({"url": "https://example.org/mcp", "inherit": ["A"]}, "reached by its 'url'", 4),
        ({"command": "x", "inherit": 3}, "a list of names", 4),
        ({"command": "x", "inheirt": ["A"]}, "inheirt", 2),
    ],
)
def test_in_the_file_of_a_client_it_is_refused_at_its_line_too(
    server: dict[str, Any], said: str, line: int, tmp_path: Path
) -> None:
    config = tmp_path / "mcp.json"
    keys = ",\n".join(f'"{key}": {json.dumps(value)}' for key, value in server.items())
    config.write_text(f'{{"mcpServers": {{\n"a": {{\n{keys}}}}}}}\n')

    checked = callboard("check", "--json", str(config))

    (problem,) = [each for each in lines(checked.stdout) if each.get("path")]
    assert said in problem["message"]
    assert problem["line"] == line


def test_a_plugin_without_a_host_has_nothing_to_inherit() -> None:
    def nothing() -> None:
        """Do nothing."""

    with (
        Callboard() as board,
        pytest.raises(CallboardError, match="'inherit' is for plugins that run in a host"),
    ):
        board.tool(inherit=["A"])(nothing)


@pytest.mark.parametrize(
    ("complaint", "named"),
    [
        ("KUBECONFIG is not set", "KUBECONFIG"),
        ("Permission denied (publickey).", "SSH_AUTH_SOCK"),
        ("GITHUB_TOKEN is required", "GITHUB_TOKEN"),
    ],
)
def test_a_server_that_dies_for_want_of_a_variable_is_reported_with_its_name(
    complaint: str, named: str, tmp_path: Path
) -> None:
    config = tmp_path / "agent.json"
    shell = f'test -n "${named}" || {{ echo "{complaint}" >&2; exit 1; }}; exec "$@"'
    words = ["sh", "-c", shell, "sh", SERVER["command"], *SERVER["args"]]
    entry: dict[str, Any] = {"mcp": {"command": words}, "name": "needy"}
    config.write_text(json.dumps({"plugins": [entry]}))

    died = callboard("doctor", "--trust", str(config), env=OURS)
    config.write_text(json.dumps({"plugins": [entry | {"inherit": [named]}]}))
    lived = callboard("tools", "--trust", str(config), env=OURS)

    assert f'"inherit": ["{named}"]' in died.stdout
    assert OURS[named] not in died.stdout
    assert "echo" in lived.stdout, lived.stderr


def test_what_is_inherited_is_agreed_to_by_name(tmp_path: Path) -> None:
    config, states = tmp_path / "agent.json", {"XDG_STATE_HOME": str(tmp_path / "state")}

    def trusted(more: dict[str, Any], **env: str) -> bool:
        config.write_text(json.dumps({"plugins": [{"mcp": SERVER, "name": "a", **more}]}))
        (plan,) = lines(callboard("plan", "--json", str(config), env=states | env).stdout)
        return all(step["trusted"] for step in plan["plugins"][0]["steps"])

    trusted({"inherit": ["KUBECONFIG"]})
    callboard("trust", str(config), env=states)

    assert trusted({"inherit": ["KUBECONFIG"]}, KUBECONFIG="another")
    assert not trusted({"inherit": ["KUBECONFIG", "GITHUB_TOKEN"]})


def test_a_server_of_a_client_without_it_is_read_as_before() -> None:
    assert as_configuration({"a": SERVER, "b": 3}) == {
        "plugins": [{"mcp": SERVER, "name": "a"}, {"mcp": 3, "name": "b"}]
    }
