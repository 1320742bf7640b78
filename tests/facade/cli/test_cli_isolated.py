"""The command line says of a Python tool in a host what it is."""

from __future__ import annotations

import pytest
from callboard.cli.doctor.plugin_checks import count_hosts
from callboard.config.configuration import read_configuration
from command_line import ECHO, EXAMPLES, callboard, lines, on_a_terminal, write_config

ISOLATED = {"plugin": f"path:{EXAMPLES / 'python-echo-tool'}", "isolate": True, "name": "far"}


@pytest.fixture(scope="module")
def config(tmp_path_factory):
    return write_config(tmp_path_factory.mktemp("cli"), ISOLATED)


def test_tools_are_listed_with_the_kind_of_their_host(config):
    ended = callboard("tools", "--json", config)

    (row,) = lines(ended.stdout)
    assert (row["tool"], row["plugin"]) == ("echo", "far")
    assert (row["runs_in"], row["kind"], row["state"], row["available"]) == ("host", "python", "ready", True)


def test_people_are_told_the_kind_of_host(config):
    _, said = on_a_terminal("tools", config)

    assert "Python host" in said


def test_the_doctor_needs_no_node_for_a_python_host(config):
    ended = callboard("doctor", "--json", config, env={"PATH": "/nonexistent"})

    findings = {finding["what"]: finding for finding in lines(ended.stdout)}
    assert ended.returncode == 0
    assert findings["plugin far"]["status"] == "ok"
    assert "its Python host is ready" in findings["plugin far"]["detail"]


def test_hosts_are_counted_by_kind():
    programs = [
        {"mcp": {"command": "a"}},
        {"mcp": {"command": "b"}},
        {"mcp": {"url": "http://127.0.0.1:9/mcp"}},
        {"bash_tool": {"file": "a.sh"}},
        {"host": {"command": ["perl", "a.pl"], "protocol": "thp/1"}},
    ]
    plugins = [ISOLATED, ECHO, "some.module.Tool", "no source:", *programs]

    counted = count_hosts(read_configuration({"plugins": plugins}))

    assert counted == {"python": 1, "node": 1, "mcp": 2, "bash": 1, "program": 1}
