"""Every spelling of a plugin source is read, and every misspelling is refused with a hint."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from callboard.hosts.bash.source import BashSource
from callboard.hosts.command.source import CommandSource
from callboard.plugins import PluginLoadError
from callboard.plugins.sources.node_source import NodeFileSource, NodeGitSource, NodePackageSource
from callboard.plugins.sources.python_source import PythonObject, PythonPackageSource
from callboard.sources.kinds import PluginSource, parse_source, spelled
from hypothesis import given
from hypothesis import strategies as st
from interop_json import values

BASE = Path("/etc/agents")

SPELLINGS = [
    (
        "plugins.openai_provider.OpenAICompatibleProvider",
        PythonObject("plugins.openai_provider.OpenAICompatibleProvider"),
    ),
    ("päckchen.Werkzeug", PythonObject("päckchen.Werkzeug")),
    ("path:../my-tools", PythonPackageSource(BASE.parent / "my-tools")),
    ("path:/opt/my-tools", PythonPackageSource(Path("/opt/my-tools"))),
    ("path:C:odd name", PythonPackageSource(BASE / "C:odd name")),
    ("node:./plugins/my-js-tools", NodePackageSource(BASE / "plugins/my-js-tools")),
    (
        "node+git:https://github.com/acme/my-js-tools.git#v0.1.0",
        NodeGitSource("https://github.com/acme/my-js-tools.git", "v0.1.0"),
    ),
    (
        "node+git:git@github.com:acme/my-js-tools.git",
        NodeGitSource("git@github.com:acme/my-js-tools.git", None),
    ),
    ("node+git:https://example.com/a.git#", NodeGitSource("https://example.com/a.git", None)),
    ({"node_tool": {"path": "./plugins/my-js-tools"}}, NodePackageSource(BASE / "plugins/my-js-tools")),
    (
        {"node_tool": {"git": "https://github.com/acme/my-js-tools.git", "ref": "v0.1.0"}},
        NodeGitSource("https://github.com/acme/my-js-tools.git", "v0.1.0"),
    ),
    ({"node_tool": {"git": "https://example.com/a.git"}}, NodeGitSource("https://example.com/a.git")),
    (
        {"node_tool": {"file": "./tools/my_tool.js", "id": "my_tool"}},
        NodeFileSource(BASE / "tools/my_tool.js", "my_tool"),
    ),
    ({"node_tool": {"file": "./upper.mjs"}}, NodeFileSource(BASE / "upper.mjs", "upper")),
    (
        {"node_tool": {"file": "upper.ts", "id": "up", "export": "tool"}},
        NodeFileSource(BASE / "upper.ts", "up", "tool"),
    ),
    ({"plugin": "node:js", "config": {}}, NodePackageSource(BASE / "js")),
    (
        {"host": {"command": ["perl", "count_words.pl"], "protocol": "thp/1"}},
        CommandSource(("perl", "count_words.pl"), BASE, BASE, "count_words"),
    ),
    (
        {"host": {"command": ("bin/host", "$(x) '"), "protocol": "thp/1+", "cwd": "a b", "id": "n"}},
        CommandSource(("bin/host", "$(x) '"), BASE / "a b", BASE, "n", extended=True),
    ),
    ("bash:./my-tool", BashSource(BASE / "my-tool", "my-tool")),
    ({"bash_tool": {"path": "./my-tool"}}, BashSource(BASE / "my-tool", "my-tool")),
    ({"bash_tool": {"file": "./tool.sh"}}, BashSource(BASE / "tool.sh", "tool")),
    ({"bash_tool": {"file": "./tool.sh", "id": "t"}}, BashSource(BASE / "tool.sh", "t")),
    (
        {"host": {"command": ["python", "-m", "x"], "protocol": "thp/1"}},
        CommandSource(("python", "-m", "x"), BASE, BASE, "python"),
    ),
    ({"plugin": "a.B"}, PythonObject("a.B")),
]


@pytest.mark.parametrize(("spelling", "source"), SPELLINGS)
def test_a_spelling_is_read(spelling, source):
    assert parse_source(spelling, BASE) == source


@pytest.mark.parametrize(
    ("file", "said"),
    [
        ("agent_plugin.json", "did you mean 'path:./mine'?"),
        ("package.json", "did you mean 'node:./mine'?"),
        ("upper.sh", "did you mean 'bash:./mine'?"),
    ],
)
def test_a_path_without_a_kind_is_told_by_what_is_there(tmp_path, file, said):
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / file).touch()
    (tmp_path / "tool.mjs").touch()

    with pytest.raises(PluginLoadError, match=re.escape(said)):
        parse_source("./mine", tmp_path)
    with pytest.raises(PluginLoadError, match=re.escape("{'node_tool': {'file': './tool.mjs'}}")):
        parse_source("./tool.mjs", tmp_path)


MISSPELLINGS = [
    ("EchoTool", "is neither a dotted path such as"),
    ("", "is neither a dotted path"),
    (
        "../nowhere",
        "nor begins with a kind, which is one of node:, node+git:, npm:, path:, entry_point:, bash:",
    ),
    ("my-tools.Echo", "is neither a dotted path"),
    ("a..B", "is neither a dotted path"),
    ("nod:./x", "begins with 'nod:'; did you mean 'node:'?"),
    ("node+gti:https://x", "begins with 'node+gti:'; did you mean 'node+git:'?"),
    ("https://example.com/x.git", "begins with 'https:'; known are"),
    ("path:", "has nothing after 'path:'"),
    ("node:", "has nothing after 'node:'"),
    ("node+git:#v1", "has no repository address before '#'"),
    ("node+git:--upload-pack=evil", "has '--upload-pack=evil', which is neither an address nor a ref"),
    ("node+git:https://x#--force", "has '--force', which is neither"),
    ({}, "needs exactly one of the keys 'plugin', 'node_tool', 'bash_tool', 'host' and 'mcp'"),
    ({"plugin": "a.B", "node_tool": {"path": "x"}}, "needs exactly one of"),
    ({"plugin": 7}, "has 7 as 'plugin'"),
    ({"node_tool": "x"}, "has a 'node_tool' that is no mapping"),
    ({"node_tool": {}}, "without exactly one of 'path', 'git', 'npm' and 'file'"),
    ({"node_tool": {"path": "x", "git": "y"}}, "without exactly one of"),
    ({"node_tool": {"fiel": "x"}}, "'fiel': did you mean 'file'?"),
    ({"node_tool": {"path": "x", "ref": "v1"}}, "has the unknown key 'ref' in 'node_tool'; known are path"),
    ({"node_tool": {"file": "x", "exprt": "v1"}}, "'exprt' in 'node_tool'; did you mean 'export'?"),
    ({"node_tool": {"path": 7}}, "has 7 as 'path' of 'node_tool'"),
    ({"node_tool": {"git": "x", "ref": ""}}, "has '' as 'ref' of 'node_tool'"),
    ({"node_tool": {"git": "--x"}}, "neither an address nor a ref"),
    ("bash:", "has nothing after 'bash:'"),
    ({"bash_tool": []}, "has a 'bash_tool' that is no mapping"),
    ({"bash_tool": {"flie": "x"}}, "has the unknown key 'flie' in 'bash_tool'; did you mean 'file'?"),
    ({"bash_tool": {"id": "x"}}, "has a 'bash_tool' without exactly one of 'path' and 'file'"),
    ({"bash_tool": {"path": "a", "file": "b"}}, "without exactly one of"),
    ({"bash_tool": {"path": 7}}, "has 7 as 'path' of 'bash_tool'"),
    ({"host": "perl x.pl"}, "has a 'host' that is no mapping"),
    ({"host": {"comand": ["x"]}}, "has the unknown key 'comand' in 'host'; did you mean 'command'?"),
    (
        {"host": {"command": "perl x.pl", "protocol": "thp/1"}},
        "has to be a list of words, such as ['perl', 'x.pl']",
    ),
    ({"host": {"protocol": "thp/1"}}, "has None as 'command' of 'host'; it has to be a list of words"),
    ({"host": {"command": [], "protocol": "thp/1"}}, "the program first"),
    ({"host": {"command": ["x", 1], "protocol": "thp/1"}}, "it has to be a list of words"),
    ({"host": {"command": ["x", "a\0b"], "protocol": "thp/1"}}, "a list of words without NUL"),
    ({"host": {"command": ["", "x"], "protocol": "thp/1"}}, "has an empty word as the program"),
    ({"host": {"command": ["x"]}}, "has no 'protocol' of 'host'; it has to be one of: thp/1, thp/1+"),
    ({"host": {"command": ["x"], "protocol": "thp/2"}}, "has 'thp/2' as 'protocol' of 'host'"),
    ({"host": {"command": ["x"], "protocol": "thp/1", "cwd": 7}}, "has 7 as 'cwd' of 'host'"),
]


@pytest.mark.parametrize(("spelling", "problem"), MISSPELLINGS)
def test_a_misspelling_is_refused_with_what_was_meant(spelling, problem):
    with pytest.raises(PluginLoadError) as caught:
        parse_source(spelling, BASE)

    assert problem in str(caught.value)
    assert str(caught.value).startswith("the plugin source ")


@given(
    st.one_of(st.text(), st.dictionaries(st.sampled_from(["plugin", "node_tool", "host", "config"]), values))
)
def test_a_source_is_read_or_refused(spelling):
    try:
        source = parse_source(spelling, BASE)
    except PluginLoadError:
        return
    assert isinstance(source, PluginSource)


def test_a_home_of_a_user_that_there_is_not_stays_as_it_is_written():
    source = parse_source({"mcp": {"command": "x", "cwd": "~nobody.of.that.name"}}, BASE)

    assert source.cwd == "~nobody.of.that.name"
    with pytest.raises(PluginLoadError, match="~nobody"):
        parse_source("~nobody.of.that.name/tool", BASE)


def test_the_home_directory_may_be_written_as_a_tilde(monkeypatch):
    monkeypatch.setenv("HOME", "/home/user")

    assert parse_source("path:~/tools", BASE) == PythonPackageSource(Path("/home/user/tools"))


def test_a_relative_base_is_made_absolute():
    assert parse_source("node:js", Path()) == NodePackageSource(Path.cwd() / "js")


def test_a_source_is_a_value():
    assert {parse_source("node:js", BASE), parse_source({"node_tool": {"path": "js"}}, BASE)} == {
        NodePackageSource(BASE / "js")
    }


@pytest.mark.parametrize(
    ("entry", "called"),
    [
        ("path:./tools", "path:./tools"),
        ({"plugin": "a.b.C", "config": {"key": "s3cret"}}, "a.b.C"),
        ({"node_tool": {"path": "tools"}}, "node:tools"),
        ({"node_tool": {"git": "https://host/repo"}}, "node+git:https://host/repo"),
        ({"node_tool": {"git": "https://s3cret@host/repo"}}, "node+git:https://***@host/repo"),
        ("node+git:https://s3cret@host/repo#v1", "node+git:https://***@host/repo#v1"),
        ({"node_tool": {"file": "./a.mjs", "id": "a"}, "env": {"TOKEN": "s3cret"}}, "./a.mjs"),
        ({"host": {"command": ["perl", "a b.pl"]}, "env": {"TOKEN": "s3cret"}}, "perl 'a b.pl'"),
        ({"host": {"command": ["perl", "a.pl"], "id": "words"}}, "host:words"),
        ({"host": {"command": ["perl", "a.pl"], "id": "words"}, "name": "more"}, "host:more"),
        ({"host": 1, "name": "more"}, "host:more"),
        ({"host": {"command": ["perl", "a.pl"], "id": 1}, "name": 2}, "perl a.pl"),
        ({"bash_tool": {"file": "./a.sh", "id": "a"}, "env": {"TOKEN": "s3cret"}}, "bash:./a.sh"),
        ({"host": {"command": "perl"}}, "{'host': {'command': 'perl'}}"),
        ({"plugin": 1}, "{'plugin': 1}"),
        (None, "None"),
    ],
)
def test_an_entry_is_called_by_its_source_without_its_options(entry, called):
    assert spelled(entry) == called
