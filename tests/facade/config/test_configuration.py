"""The configuration is checked whole, before anything is started."""

from __future__ import annotations

from pathlib import Path

import pytest
from callboard import ConfigurationError, RestartType, read_configuration


def test_nothing_is_a_configuration_of_defaults():
    configuration = read_configuration(None)

    assert configuration.calls.deadline == 60.0
    assert configuration.calls.mailbox_size == 1000
    assert configuration.supervision.intensity == 5
    assert configuration.plugins == ()


def test_a_configuration_may_be_toml_and_may_name_its_schema_for_editors(tmp_path):
    file = tmp_path / "agent.toml"
    file.write_text("""
        "$schema" = "https://example.com/configuration.schema.json"
        plugins = ["my_package.tools.EchoTool", {plugin = "path:../my-tools", config = {depth = 3}}]

        [calls]
        deadline = 5.0
    """)

    configuration = read_configuration(file)

    assert configuration.plugins == (
        "my_package.tools.EchoTool",
        {"plugin": "path:../my-tools", "config": {"depth": 3}},
    )
    assert configuration.calls.deadline == 5.0


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (b"plugins = [\n  1\n  2]", "line 3"),
        (b"plugins = ['\xff']", "not TOML"),
        (b"[calls]\ndeadline = 2024-01-01", "$.calls.deadline"),
        (b"[calls]\ndeadline = inf", "$.calls.deadline"),
        (b"plugin = []", "plugins"),
    ],
)
def test_what_is_wrong_with_a_toml_file_is_told(text, said, tmp_path):
    file = tmp_path / "agent.toml"
    file.write_bytes(text)

    with pytest.raises(ConfigurationError) as caught:
        read_configuration(file)

    assert said in str(caught.value)
    assert caught.value.file == str(file)


def test_every_key_of_the_specification_is_read(tmp_path):
    file = tmp_path / "agent.json"
    file.write_text("""{
        "plugin_cache_dir": "cache",
        "plugin_policy": {"node_install_deps": false, "node_build": true, "node_allow_install_scripts": false},
        "plugins": ["my_package.tools.EchoTool", "path:../my-tools"],
        "supervision": {
            "backoff": {"first": 0.0, "min": 0.2, "max": 30.0, "jitter": 0.2},
            "intensity": 3, "period": 60.0, "stable_for": 10.0, "restart": "transient"
        },
        "calls": {"deadline": null, "mailbox_size": 10},
        "provider": "openai_compatible", "model": "gpt-4o-mini"
    }""")

    configuration = read_configuration(file)

    assert configuration.plugin_cache_dir == tmp_path / "cache"
    assert configuration.plugin_policy.node_install_deps is False
    assert configuration.plugins == ("my_package.tools.EchoTool", "path:../my-tools")
    assert configuration.supervision.intensity == 3
    assert configuration.supervision.restart is RestartType.TRANSIENT
    assert configuration.calls.deadline is None
    assert configuration.calls.mailbox_size == 10
    assert configuration.agent == {"provider": "openai_compatible", "model": "gpt-4o-mini"}
    assert configuration.base == tmp_path


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"plugin": []}, r"unknown key 'plugin'; did you mean 'plugins'\?"),
        (
            {"supervision": {"intensty": 1}},
            r"unknown key 'intensty' in \$\.supervision; did you mean 'intensity'\?",
        ),
        ({"supervision": {"backoff": {"mx": 1}}}, r"in \$\.supervision\.backoff; did you mean 'max'\?"),
        ({"supervision": {"backoff": {"min": 5, "max": 1}}}, r"needs 0 < min <= max"),
        (
            {"supervision": {"restart": "often"}},
            r"'often'; it has to be one of: permanent, transient, temporary",
        ),
        ({"supervision": {"intensity": -1}}, r"\$\.supervision\.intensity is -1"),
        ({"supervision": {"period": 0}}, r"\$\.supervision\.period is 0"),
        ({"calls": {"deadline": 0}}, r"\$\.calls\.deadline is 0\.0; it has to be more than 0"),
        (
            {"calls": {"deadline": -3}},
            r"\$\.calls\.deadline is -3; it has to be a number of seconds, more than 0",
        ),
        ({"supervision": []}, r"\$\.supervision is \[\]; it has to be an object"),
        ({"calls": {"deadline": "soon"}}, r"\$\.calls\.deadline is 'soon'; it has to be a number of seconds"),
        ({"calls": {"mailbox_size": 1.5}}, r"\$\.calls\.mailbox_size is 1\.5; it has to be a whole number"),
        (
            {"plugin_policy": {"node_build": "yes"}},
            r"\$\.plugin_policy\.node_build is 'yes'; it has to be true or false",
        ),
        ({"plugins": "node:."}, r"\$\.plugins is 'node:\.'; it has to be a list"),
        ({"node": ""}, r"\$\.node is ''; it has to be a text"),
    ],
)
def test_a_mistake_is_refused_by_its_path(given, message):
    with pytest.raises(ConfigurationError, match=message):
        read_configuration(given)


@pytest.mark.parametrize(
    ("text", "message"),
    [("{", "not JSON"), ("[]", r"the configuration is \[\]"), ('{"x": 1}', "unknown key 'x'")],
)
def test_an_error_names_the_file(tmp_path, text, message):
    file = tmp_path / "agent.json"
    file.write_text(text)

    with pytest.raises(ConfigurationError, match=message) as refusal:
        read_configuration(file)

    assert str(file) in str(refusal.value)


def test_a_file_that_is_not_there_is_said_in_one_sentence():
    with pytest.raises(
        ConfigurationError, match=r"cannot read the configuration /no/such/file.json: No such file"
    ):
        read_configuration(Path("/no/such/file.json"))


@pytest.mark.parametrize("given", [5, ["node:./tools"], b"agent.json"])
def test_what_is_neither_a_path_nor_a_mapping_is_no_configuration(given):
    with pytest.raises(ConfigurationError, match="has to be the path of a file, or a mapping"):
        read_configuration(given)


@pytest.mark.parametrize(
    ("said", "folder"),
    [
        (None, "home/.cache/callboard/plugins"),
        ("", "home/.cache/callboard/plugins"),
        ("relative/says/nothing", "home/.cache/callboard/plugins"),
        ("caches", "caches/callboard/plugins"),
    ],
)
def test_without_a_word_the_cache_is_where_the_user_has_caches(tmp_path, monkeypatch, said, folder):
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    if said is not None:
        monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / said) if said == "caches" else said)

    assert read_configuration(None).plugin_cache_dir == tmp_path / folder
    assert read_configuration({}).plugin_cache_dir == tmp_path / folder
    assert read_configuration({"plugin_cache_dir": "~/mine"}).plugin_cache_dir == tmp_path / "home/mine"


def test_a_configuration_says_its_version_and_one_is_meant_if_it_says_none():
    assert read_configuration({"version": 1}).calls == read_configuration({}).calls


@pytest.mark.parametrize("version", [2, 99, 0, -1, True, "1", None, 1.5])
def test_a_version_that_is_not_read_here_is_refused_before_its_keys_are_looked_at(version):
    with pytest.raises(ConfigurationError) as caught:
        read_configuration({"version": version, "of_the_future": 1})

    assert caught.value.path == "$.version"
