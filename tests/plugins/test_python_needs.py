"""What a Python package needs is read from where its author has said it."""

from __future__ import annotations

import json

import pytest
from callboard.plugins import PluginLoadError
from callboard.plugins.sources.python import read_python_package
from callboard.plugins.sources.python_requirements import read_python_needs
from callboard.plugins.sources.requirement_lines import (
    Option,
    asks_for_builds,
    requirement_lines,
    without_options,
)


@pytest.fixture
def needs(tmp_path):
    """Read what a package with these files needs."""

    def read(files, **manifest):
        for name, text in files.items():
            file = tmp_path / name
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text)
        (tmp_path / "agent_plugin.json").write_text(json.dumps({"entries": ["a.b"], **manifest}))
        return read_python_needs(read_python_package(tmp_path))

    return read


PROJECT = '[project]\nname = "mine"\nrequires-python = ">=3.11"\n'


@pytest.mark.parametrize(
    ("files", "requirements"),
    [
        ({}, ()),
        ({"pyproject.toml": "[tool.other]\na = 1"}, ()),
        ({"pyproject.toml": PROJECT + 'dependencies = ["one>=1", "two"]'}, ("one>=1", "two")),
        ({"requirements.txt": "one\ntwo"}, ("one", "two")),
        ({"pyproject.toml": PROJECT + "dependencies = []", "requirements.txt": "one"}, ()),
        ({"pyproject.toml": PROJECT + 'dynamic = ["dependencies"]', "requirements.txt": "one"}, ("one",)),
        ({"requirements.txt": "one\n-r more/other.txt", "more/other.txt": "two\n-r again.txt", "more/again.txt": "3"},
         ("one", "two", "3")),
    ],
)  # fmt: skip
def test_the_project_says_it_else_the_requirements(needs, files, requirements):
    assert needs(files).requirements == requirements


def test_the_subdirectory_comes_before_the_directory(needs):
    files = {"requirements.txt": "outer", "python/requirements.txt": "inner"}

    assert needs(files, subdirectory="python").requirements == ("inner",)
    assert needs({"python/pyproject.toml": PROJECT}, subdirectory="python").python == ">=3.11"


def test_options_and_constraints_are_kept_apart(needs, tmp_path):
    found = needs({
        "requirements.txt": "--index-url https://here.example\none\n-c bounds.txt\n--find-links ./wheels\n--pre",
        "bounds.txt": "two==2\n-r further.txt",
        "further.txt": "three<3",
    })  # fmt: skip

    assert found.requirements == ("one",)
    assert found.constraints == ("two==2", "three<3")
    assert found.options == (
        "--index-url https://here.example",
        f"--find-links {tmp_path / 'wheels'}",
        "--pre",
    )


def test_a_project_goes_by_its_name_and_else_by_its_folder(needs, tmp_path):
    assert needs({}).name == tmp_path.name
    assert needs({"pyproject.toml": PROJECT}).name == "mine"


@pytest.mark.parametrize(
    ("files", "problem"),
    [
        ({"pyproject.toml": "[project"}, "pyproject.toml is no TOML"),
        ({"pyproject.toml": "project = 3"}, "has 3 as project; it has to be a table"),
        ({"pyproject.toml": '[project]\ndependencies = "one"'}, "has 'one' as dependencies; it has to be a list of texts"),
        ({"pyproject.toml": "[project]\nrequires-python = 3"}, "has 3 as requires-python; it has to be a text"),
        ({"requirements.txt": "-r absent.txt"}, "absent.txt cannot be read (No such file or directory)"),
        ({"requirements.txt": "-r requirements.txt"}, "is named by a file that it names itself"),
        ({"requirements.txt": "-e ./beside"}, "has the editable requirement './beside', which pip would build in its own"),
    ],
)  # fmt: skip
def test_what_cannot_be_read_is_told_with_its_file(needs, files, problem):
    with pytest.raises(PluginLoadError) as caught:
        needs(files)

    assert problem in str(caught.value)


def test_lines_are_joined_and_comments_left_out():
    text = "# all\n\none==1 \\\n  --hash=sha256:ab  # why\ntwo#three\r\n -i https://x\n--requirement=r.txt\n-rshort.txt\n"

    assert requirement_lines(text) == [
        "one==1   --hash=sha256:ab",
        "two#three",
        Option("--index-url", "https://x"),
        Option("--requirement", "r.txt"),
        Option("--requirement", "short.txt"),
    ]
    assert without_options("one==1   --hash=sha256:ab --hash=sha256:cd") == "one==1"


@pytest.mark.parametrize(
    ("line", "asks"),
    [
        ("--no-binary one", True),
        ("--no-binary=:all:", True),
        ("--only-binary :none:", True),
        ("--only-binary=one", False),
        ("--pre", False),
    ],
)
def test_an_option_that_has_packages_built_is_known(line, asks):
    (option,) = requirement_lines(line)

    assert asks_for_builds(str(option)) is asks
