"""What a configuration leaves to the environment and the keyring is filled in where its user wrote the file, and told nobody."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest
from callboard import Callboard
from callboard.base.errors import PluginLoadError
from callboard.config.configuration import read_configuration
from callboard.config.errors import ConfigurationError
from programs import NODE
from tools import tool_call

SECRET = "hush-hush-0123456789"


@pytest.fixture
def secret(monkeypatch):
    monkeypatch.setenv("MY_SECRET", SECRET)


def write(folder, value):
    file = folder / "agent.json"
    file.write_text(json.dumps(value))
    return file


TOLD = """
import os


class Told:
    name = "told"

    def init(self, config):
        return {"config": config}

    def get_tool_schemas(self, state):
        return [{"type": "function", "function": {"name": "told", "parameters": {"type": "object"}}}]

    def execute_tool(self, name, arguments, state):
        if arguments.get("crash"):
            os.abort()
        return {"success": True, "result": [state["config"], os.environ.get("GIVEN")]}
"""


@pytest.fixture
def package(tmp_path):
    folder = tmp_path / "told"
    folder.mkdir()
    (folder / "told_tool.py").write_text(TOLD)
    (folder / "agent_plugin.json").write_text('{"entries": ["told_tool.Told"]}')
    return folder


def test_config_and_env_of_a_plugin_are_filled(secret, package, tmp_path):
    config, env = {"key": "${env:MY_SECRET}", "n": ["${env:NONE:-x}"]}, {"GIVEN": "<${env:MY_SECRET}>"}
    file = write(
        tmp_path, {"plugins": [{"plugin": "path:./told", "isolate": True, "config": config, "env": env}]}
    )

    with Callboard(file) as board:
        answered = board.execute(tool_call("told"))

    assert answered["result"] == [{"key": SECRET, "n": ["x"]}, f"<{SECRET}>"]


def test_what_was_filled_in_stands_in_no_report_status_or_event(secret, package, tmp_path):
    config = {"dsn": "db://me:${env:MY_SECRET}@there"}  # no name that is known for secrets
    file = write(tmp_path, {"plugins": [{"plugin": "path:./told", "isolate": True, "config": config}]})
    told = []

    with Callboard(file) as board:
        board.subscribe(told.append)
        crashed = board.execute(tool_call("told", crash=True))
        board.execute(tool_call("told"))
        status = board.status()
        written = board.configuration.written

    assert crashed["code"] == "host_crashed"
    (whole,) = [event.facts["report"] for event in told if event.kind == "host_crashed"]
    assert "config" in json.dumps(whole["frames"]), "the handshake is in it"
    assert SECRET not in json.dumps(crashed) + json.dumps(status) + repr(told) + repr(written)


def test_a_plugin_whose_variable_is_not_set_says_so_and_the_others_work(package, tmp_path):
    entries = [
        {"plugin": "path:./told", "config": {"key": "${env:NOT_SET_ANYWHERE}"}},
        {"node_tool": {"file": str(NODE / "moody.mjs")}},
    ]

    with Callboard(write(tmp_path, {"plugins": entries})) as board:
        (failed,) = board.failed
        tools = board.tools()

    assert "NOT_SET_ANYWHERE" in failed.error
    assert "config.key" in failed.error
    assert len(tools) == 1


def test_sections_are_filled_when_the_file_is_read(tmp_path, monkeypatch):
    monkeypatch.setenv("MY_FOLDER", "here")
    value = {"plugin_cache_dir": "./${env:MY_FOLDER}", "app": {"x": "${env:MY_FOLDER}"}}

    read = read_configuration(write(tmp_path, value))

    assert read.plugin_cache_dir == tmp_path / "here"
    assert read.written == value


def test_a_section_whose_variable_is_not_set_is_an_error_with_its_place(tmp_path):
    with pytest.raises(ConfigurationError) as caught:
        read_configuration(write(tmp_path, {"state": {"path": "${env:NOT_SET_ANYWHERE}"}}))

    assert caught.value.path == "$.state.path"


def test_what_a_program_gives_is_not_filled(secret, package):
    config = {"key": "${env:MY_SECRET}"}

    with Callboard({"plugins": [{"plugin": f"path:{package}", "config": config}]}) as board:
        of_a_mapping = board.execute(tool_call("told"))
        board.remove("told")
        board.load(f"path:{package}", config=config)
        of_a_call = board.execute(tool_call("told"))

    assert of_a_mapping["result"][0] == of_a_call["result"][0] == config


KEYRING = """
from keyring.backend import KeyringBackend
from keyring.errors import KeyringError


class InMemory(KeyringBackend):
    priority = 1

    def get_password(self, service, username):
        if service == "locked":
            raise KeyringError("it is locked")
        return {("callboard", "key"): "k3y"}.get((service, username))

    def set_password(self, service, username, password):
        raise NotImplementedError

    delete_password = set_password
"""


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("${keyring:callboard/key}", "k3y"),
        ("${keyring:callboard/other}", "keyring set callboard other"),
        ("${keyring:locked/key}", "it is locked"),
    ],
)
def test_a_secret_comes_from_the_keyring_by_service_and_name(text, said, tmp_path):
    (tmp_path / "my_keyring.py").write_text(KEYRING)
    program = (
        "import sys; from callboard.plugins.placeholders import fill_all\n"
        "try: print(fill_all(sys.argv[1], {})[0])\nexcept ValueError as error: print(error)"
    )
    env = {"PYTHON_KEYRING_BACKEND": "my_keyring.InMemory", "PYTHONPATH": str(tmp_path)}

    ended = subprocess.run(
        [sys.executable, "-c", program, text], env=env, capture_output=True, text=True, check=True
    )

    assert said in ended.stdout


def test_without_the_package_it_is_said_what_to_install(package, tmp_path):
    (tmp_path / "keyring.py").write_text("raise ModuleNotFoundError('keyring')")
    program = (
        f"import sys; sys.path.insert(0, {str(tmp_path)!r})\n"
        "from callboard.sources.entry import FileEntry, parse_entry\nfrom pathlib import Path\n"
        "parse_entry(FileEntry({'plugin': 'a.B', 'config': {'k': '${keyring:a/b}'}}, {}), Path())"
    )

    ended = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)

    assert PluginLoadError.__name__ in ended.stderr
    assert "pip install keyring" in ended.stderr
