"""Requirements are met by what is installed, or they are not, and some of them have to be built."""

from __future__ import annotations

from pathlib import Path

import pytest
from callboard.plugins import PluginLoadError
from callboard.plugins.requirements.requirements import Installed, python_problem, read_requirements, unmet
from packaging.requirements import Requirement

ELSEWHERE = "from-file @ https://elsewhere/from_file.whl"

HERE = {
    "one": Installed("1.5", ("two; extra == 'more'", "absent; extra == 'most'", "other"), None),
    "two": Installed("2.0rc1", (), None),
    "round-about": Installed("1", ("round-about[all]; extra == 'all'",), None),
    "from-file": Installed("1", (), "file:///wheels/from_file.whl"),
}
FOLDER = Path("/packages/mine")


def lacking(*texts):
    return unmet(read_requirements(texts, FOLDER), HERE.get)


@pytest.mark.parametrize(
    "text",
    [
        "one", "One>=1,<2", "one==1.*", "two>=2.0rc1", "two", "one[more]", "round_about[all]", "callboard", "callboard[agent]>=9",
        "nothing; python_version < '3'", "from-file @ file:///wheels/from_file.whl", "one==1.5 --hash=sha256:ab",
    ],
)  # fmt: skip
def test_what_is_there_is_met(text):
    assert lacking(text) == ()


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("nothing", "nothing"),
        ("one>=2 --hash=sha256:ab", "one>=2"),
        ("one[most]", "one[most]"),
        # Versions of packaging differ in the space before the @.
        (ELSEWHERE, str(Requirement(ELSEWHERE))),
        ("git+https://here.example/x", "git+https://here.example/x"),
        ("./wheels/x.whl", "/packages/mine/wheels/x.whl"),
        ("x.tar.gz", "/packages/mine/x.tar.gz"),
    ],
)
def test_what_is_not_there_is_told(text, told):
    assert lacking(text) == (told,)


def test_what_is_no_requirement_is_refused():
    with pytest.raises(
        PluginLoadError, match=r"the requirement 'one >> 2' of /packages/mine cannot be read \("
    ):
        read_requirements(["one >> 2"], FOLDER)


@pytest.mark.parametrize(
    ("text", "built", "file"),
    [
        ("one", False, None),
        ("one @ https://here.example/one.whl#sha256=ab", False, None),
        ("one @ https://here.example/one.tar.gz", True, None),
        ("git+https://here.example/x@main", True, None),
        ("one @ file:///a%20b/one.whl", False, Path("/a b/one.whl")),
        ("./one", True, FOLDER / "one"),
    ],
)
def test_addresses_of_anything_but_wheels_have_to_be_built(text, built, file):
    (needed,) = read_requirements([text], FOLDER)

    assert (needed.has_to_be_built, needed.file) == (built, file)


@pytest.mark.parametrize(
    ("wanted", "problem"),
    [
        (None, None),
        (">=3.11,<4", None),
        ("<3.11", "needs Python <3.11, and this is 3.11.4; run Callboard on another"),
        ("new", "has 'new' as requires-python, which says no versions; correct it"),
    ],
)
def test_a_package_for_another_python_is_told(wanted, problem):
    assert python_problem(wanted, "3.11.4") == problem
