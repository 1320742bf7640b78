"""A plugin to begin with: what it may be called, what is written, and that it runs as it is."""

from __future__ import annotations

import json
import keyword
import subprocess
import sys

import pytest
from callboard import Callboard
from callboard.authoring.create import NotCreated, create
from callboard.authoring.names import BadName, Names, names_of
from callboard.authoring.template import OTHER_NAMES, TEMPLATES, files_of
from command_line import EXAMPLES, callboard, on_a_terminal
from hypothesis import given
from hypothesis import strategies as st
from leaks import TEST_MARK
from node_packages import contents
from node_path import environment_with_node, npm_program
from programs import ROOT
from thorough import thorough
from tools import tool_call

# What it is called


@pytest.mark.parametrize(("folder", "module"), [("my-tools", "my_tools"), ("a", "a"), ("v8_x-2", "v8_x_2")])
def test_a_plugin_is_called_as_its_folder(folder, module):
    assert names_of(folder) == Names(folder, module)


@pytest.mark.parametrize(
    ("folder", "said"),
    [
        ("My Tools", "'my-tools' would do"),
        ("MyTools", "'my-tools' would do"),
        ("3d", "'d' would do"),
        ("a--b", "'a-b' would do"),
        ("a.b", "'a-b' would do"),
        ("-a", "'a' would do"),
        ("ünder", "'nder' would do"),
        ("x" * 200, f"'{'x' * 100}' would do"),
        ("json", "'json-tools' would do"),
        ("class", "'class-tools' would do"),
        ("tests", "'tests-tools' would do"),
        ("callboard-tool", "'callboard-tool-tools' would do"),
        ("…", "at most 100"),
        ("", "at most 100"),
    ],
)
def test_a_folder_whose_name_is_none_is_refused_with_one_that_would_do(folder, said):
    with pytest.raises(BadName) as caught:
        names_of(folder)

    assert str(caught.value).endswith(said)


@given(st.text(st.sampled_from("abcz-_.019 AÉ/"), max_size=12))
def test_a_name_that_is_taken_can_be_imported_and_one_that_is_proposed_is_taken(folder):
    try:
        module = names_of(folder).module
    except BadName as error:
        proposed = str(error).rpartition("; ")[2]
        assert not proposed.endswith(" would do") or names_of(proposed.split("'")[1])
    else:
        assert module.isidentifier()
        assert not keyword.iskeyword(module)
        assert module not in sys.stdlib_module_names


# What is written


TYPES = """
import type { Tool, ToolExport } from 'callboard-tool';
import { testTool } from 'callboard-tool';

type State = { n: number };
const least = {
  init: () => ({ n: 1 }), getToolSchemas: () => [], executeTool: () => ({ success: true }),
} satisfies Tool<State>;

export const object: Tool<State> = least;
export const made: ToolExport<State>[] = [least, () => least, async () => least, class { init = least.init;
  getToolSchemas = least.getToolSchemas; executeTool = least.executeTool; }];
export const kept: Promise<number> = testTool(least, { config: {} }).then((tested) => tested.state.n);

// @ts-expect-error a tool runs something
export const lacking: Tool = { init: () => ({}), getToolSchemas: () => [] };
// @ts-expect-error a result says whether it is a success
export const odd: Tool = { ...least, executeTool: () => ({ result: 1 }) };
// @ts-expect-error a failure says why
export const silent: Tool = { ...least, executeTool: () => ({ success: false }) };
// @ts-expect-error there is no such method
export const misspelt: Tool = { ...least, formatResult: () => '' };
// @ts-expect-error the state is what init made
export const foreign: Tool<{ n: number }> = { ...least, init: () => ({ m: 1 }) };
"""


def test_every_template_that_a_kind_of_source_names_has_its_files():
    folders = {path.name for path in (ROOT / "facade" / "authoring" / "templates").iterdir()}

    assert folders == set(TEMPLATES)


@pytest.mark.parametrize("kind", TEMPLATES)
def test_what_is_written_has_no_place_left_and_says_what_to_try(kind):
    files = files_of(kind, Names("my-tools", "my_tools"))

    assert [name for name, text in files.items() if "{{" in name + text or "tmpl" in name] == []
    assert {"README.md", "agent.json"} <= set(files)
    assert all(command in files["README.md"] for command in TEMPLATES[kind].tests)
    assert json.loads(files["agent.json"])["plugins"]


@pytest.mark.parametrize(
    ("name", "kind"), [each for each in OTHER_NAMES.items() if each[0].startswith("template-")]
)
def test_the_templates_among_the_examples_are_what_is_written(name, kind):
    written = files_of(kind, names_of(name))

    kept = {path: data for path, data in contents(EXAMPLES / name).items() if "__pycache__" not in path}
    assert kept == {path: text.encode() for path, text in written.items()}


def test_scripts_pass_their_own_tests(tmp_path):
    create("bash", tmp_path / "my-tools")

    ended = subprocess.run([tmp_path / "my-tools" / "test.sh"], capture_output=True, text=True, check=False)

    assert (ended.stdout, ended.stderr, ended.returncode) == ("ok\n", "", 0)


@thorough
def test_typescript_passes_its_own_tests_and_its_types_know_what_is_no_tool(tmp_path):
    folder = tmp_path / "my-tools"
    create("typescript", folder)
    (folder / "test" / "types.ts").write_text(TYPES)

    for command in TEMPLATES["typescript"].tests:
        npm, *words = command.split()
        assert npm == "npm"
        ended = subprocess.run(
            [*npm_program(), *words, *(["--prefer-offline"] if "install" in words else [])],
            cwd=folder, env=environment_with_node() | TEST_MARK, capture_output=True, text=True, timeout=50,
            check=False,
        )  # fmt: skip
        assert ended.returncode == 0, ended.stdout + ended.stderr

    assert "pass 5" in ended.stdout


@pytest.mark.parametrize("kind", TEMPLATES)
def test_a_plugin_runs_as_it_is_written(kind, tmp_path):
    create(kind, tmp_path / f"new-{kind}")

    with Callboard(tmp_path / f"new-{kind}" / "agent.json") as board:
        said = [board.execute(tool_call("echo", value=value)) for value in "ab"]
        counted = board.execute(tool_call("count_words", text="to be"))

    if kind == "bash":  # what a script prints is its result
        assert (said[1]["result"], counted["result"]) == ("b", "2 words")
    else:
        assert said[1] == {"success": True, "result": {"value": "b", "calls": 2}}
        assert counted == {"success": True, "result": {"words": 2}}


# Where it is written


def test_a_folder_that_is_empty_but_for_its_repository_is_taken(tmp_path):
    (tmp_path / "here" / ".git").mkdir(parents=True)

    assert "agent.json" in create("node", tmp_path / "here")


def test_a_folder_that_is_not_empty_is_refused_with_what_is_there(tmp_path):
    folder = tmp_path / "here"
    folder.mkdir()
    for name in "edcba":
        (folder / name).touch()

    with pytest.raises(NotCreated, match="is not empty: there is a, b, c and 2 more"):
        create("node", folder)
    with pytest.raises(NotCreated, match="is no folder"):
        create("node", folder / "a")
    assert sorted(path.name for path in folder.iterdir()) == list("abcde")


def test_what_cannot_be_written_whole_is_not_written_at_all(tmp_path):
    folder = tmp_path
    while (
        room := 4070 - len(str(folder))
    ) > 2:  # a path has at most 4095 bytes: the folder's has, its files' have not
        folder /= "d" * min(90, room - 1)

    with pytest.raises(NotCreated, match="cannot be written"):
        create("python", folder)

    assert list(tmp_path.iterdir()) == []


# The command


def test_a_person_is_told_what_to_try_and_a_program_what_was_written(tmp_path):
    _, shown = on_a_terminal("new", "node", str(tmp_path / "my tools" / "my-tools"))
    told = json.loads(callboard("new", "--json", "template-python-tools", str(tmp_path / "py-tools")).stdout)
    refused = callboard("new", "pyton", str(tmp_path / "other"))

    assert f"cd '{tmp_path}/my tools/my-tools'" in shown
    assert "npm test" in shown
    assert told["kind"] == "python"
    assert (tmp_path / "py-tools" / told["files"][-1]).is_file()
    assert refused.returncode == 2
    assert "did you mean 'python'?" in refused.stderr
