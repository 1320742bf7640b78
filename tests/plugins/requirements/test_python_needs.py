"""What a Python package needs is read from where its author has said it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from callboard.plugins import PluginLoadError
from callboard.plugins.requirements.python_requirements import read_python_needs
from callboard.plugins.requirements.requirement_lines import (
    Option,
    Refusal,
    hashes,
    requirement_lines,
)
from callboard.plugins.requirements.requirements import read_requirements
from callboard.plugins.sources.python import read_python_package
from hypothesis import given
from hypothesis import strategies as st


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


def test_constraints_are_kept_apart(needs):
    found = needs({
        "requirements.txt": "one\n-c bounds.txt",
        "bounds.txt": "two==2\n-r further.txt",
        "further.txt": "three<3",
    })  # fmt: skip

    assert found.requirements == ("one",)
    assert found.constraints == ("two==2", "three<3")


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
        ({"requirements.txt": "-r requirements.txt"}, "is one too many: with what they name"),
        ({"requirements.txt": "-r a.txt\n" * 2, "a.txt": "-r b.txt\n" * 60, "b.txt": "one"}, "is one too many: with what they name"),
        ({"requirements.txt": "one\n" * 2_000_000}, "has more than 4 MB"),
        ({"requirements.txt": "-r more", "more/one.txt": ""}, "more is no file"),
        ({"requirements.txt": "-e ./beside"}, "has the editable requirement './beside', which pip would build in its own"),
    ],
)  # fmt: skip
def test_what_cannot_be_read_is_told_with_its_file(needs, files, problem):
    with pytest.raises(PluginLoadError) as caught:
        needs(files)

    assert problem in str(caught.value)


def test_lines_are_joined_and_comments_left_out():
    text = "# all\n\none==1 \\\n  --hash=sha256:ab  # why\ntwo#three\r\n--requirement=r.txt\n-rshort.txt\n -c 'a b.txt'\n"

    assert requirement_lines(text) == [
        "one==1   --hash=sha256:ab",
        "two#three",
        Option("--requirement", "r.txt"),
        Option("--requirement", "short.txt"),
        Option("--constraint", "a b.txt"),
    ]
    assert hashes("one==1   --hash=sha256:ab --hash  sha512:cd") == (
        "one==1",
        ("--hash=sha256:ab", "--hash=sha512:cd"),
    )


@pytest.mark.parametrize(
    ("line", "named"),
    [
        ("--no-binary one", "'--no-binary'"),
        ("--no-bin=:all:", "'--no-bin'"),
        ("--pre --no-binary :all:", "'--pre'"),
        ("-r more.txt --no-binary :all:", "'--no-binary'"),
        ("-r 'more.txt", "names no file"),
        ("-r", "names no file"),
        ("-", "'-'"),
        ("--", "'--'"),
        ("-i https://x", "'--index-url'"),
        ("-f./wheels", "'--find-links'"),
        ("one --no-binary :all:", "'--no-binary'"),
        ("one\t--no-binary :all:", "'--no-binary'"),
        ("one --hash=md5:ab", "'--hash'"),
        ("one --hash=sha256:ab --pre", "'--pre'"),
        ("one --hash=sha256:abz", "'--hash'"),
        ("one @ https://x/${MY_TOKEN}", "'${MY_TOKEN}'"),
        ("-r ${HOME}/x", "'${HOME}'"),
        ("one\x00", "characters"),
    ],
)
def test_what_is_not_given_to_pip_is_refused_by_its_name(line, named):
    (refused,) = requirement_lines(line)

    assert isinstance(refused, Refusal)
    assert named in refused.problem


@given(st.text())
def test_nothing_in_a_file_reaches_pip_but_what_was_read(written):
    """Whatever stands in a file: it is refused, or pip is given single lines that begin with no option and have no variable."""
    for line in requirement_lines(written):
        if isinstance(line, str):
            try:
                given_to_pip = [each.text for each in read_requirements([line], Path("/mine"))]
            except PluginLoadError:
                continue
            assert all(
                each.isprintable() and "${" not in each and " -" not in f" {each}" for each in given_to_pip
            )
