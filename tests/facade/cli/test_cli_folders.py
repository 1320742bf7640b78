"""A folder is taken where a configuration is: it stands for its agent.json."""

from __future__ import annotations

import pytest
from command_line import callboard, write_config
from programs import NODE
from sdks import needs_sdk


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("configured")
    file = write_config(folder, {"node_tool": {"file": str(NODE / "moody.mjs")}})
    (folder / "agent.json").write_bytes((folder / file).read_bytes())
    return str(folder)


@pytest.mark.parametrize(
    "words",
    [
        ("tools", "{}"),
        ("call", "{}", "moody"),
        ("run", "{}"),
        ("plan", "{}"),
        ("check", "{}"),
        ("doctor", "{}"),
        ("cache", "list", "{}"),
        pytest.param(("mcp", "{}", "--print-config", "claude"), marks=needs_sdk),
    ],
    ids=" ".join,
)
def test_a_folder_stands_for_its_configuration(words, folder):
    ended = callboard(*(word.format(folder) for word in words))

    assert ended.returncode == 0, ended.stderr


@pytest.mark.parametrize("command", ["tools", "run", "doctor", "chat"])
def test_a_folder_without_a_configuration_is_told_what_to_name(command, tmp_path):
    ended = callboard(command, str(tmp_path))

    assert ended.returncode == 2
    assert "agent.json" in ended.stderr
