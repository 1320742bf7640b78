"""Which Pythons the tests are run on, and in which environment."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys

import pytest
import pythons as pythons_module
from programs import ROOT
from pythons import find_python, main, promised_versions

OWN = "{}.{}".format(*sys.version_info[:2])


@pytest.fixture
def pythons(tmp_path, monkeypatch):
    """Programs named ``python3.N`` on PATH; what each prints is its version."""
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    monkeypatch.setenv("PYENV_ROOT", str(tmp_path / "pyenv"))

    def add(place, script):
        path = tmp_path / place
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"#!/bin/sh\n{script}\n")
        path.chmod(0o755)
        return str(path)

    return add


def test_the_classifiers_name_the_versions_that_are_tried():
    assert promised_versions((ROOT / "setup.cfg").read_text()) == ["3.11", "3.12", "3.13", "3.14"]


def test_a_shim_without_a_python_behind_it_is_not_one(pythons):
    pythons("python3.99", "exit 127")

    assert find_python("3.99") is None


def test_a_python_that_can_make_no_environment_is_passed_over_for_another_of_its_version(pythons):
    pythons("python3.99", 'case "$*" in *ensurepip*) exit 1;; esac; echo 3.99')
    without = find_python("3.99")
    whole = pythons("pyenv/versions/3.99.1/bin/python", "echo 3.99")

    assert without is None
    assert find_python("3.99") == whole


def test_a_python_is_what_it_says_it_is_and_the_newest_patch_of_pyenv_is_taken(pythons):
    pythons("python3.99", "echo 3.98")
    pythons("pyenv/versions/3.99.9/bin/python", "echo 3.99")
    newest = pythons("pyenv/versions/3.99.10/bin/python", "echo 3.99")

    assert find_python("3.99") == newest


@pytest.mark.parametrize(
    ("words", "used"),
    [([], ".venv"), ([f"PYTHON={sys.executable}"], f".venv-{OWN}")],
    ids=["default", "another"],
)
def test_a_python_that_is_named_has_an_environment_of_its_own(words, used, monkeypatch):
    for given in ("PYTHON", "MAKEFLAGS", "MAKEOVERRIDES"):  # set by the make that runs the tests
        monkeypatch.delenv(given, raising=False)
    asked = ["make", "--no-print-directory", "-n", "check-format", *words]

    shown = subprocess.run(asked, cwd=ROOT, capture_output=True, text=True, check=True, timeout=60).stdout

    assert f"{used}/bin/python -m ruff" in shown


def test_the_oldest_python_is_printed_and_one_that_is_missing_is_named(
    pythons, capsys, monkeypatch, tmp_path
):
    monkeypatch.setenv("PATH", str(tmp_path))
    missing = main("oldest"), *capsys.readouterr()
    oldest = pythons("python3.11", "echo 3.11")
    found = main("oldest"), *capsys.readouterr()

    assert missing[:2] == (1, "")
    assert "no Python 3.11" in missing[2]
    assert found == (0, f"{oldest}\n", "")


@pytest.fixture
def checkout(tmp_path, monkeypatch):
    """A checkout that promises this version and two that are to come; its tests say what they are run with."""
    for given in (
        "PYTHON",
        "ARGS",
        "MAKEFLAGS",
        "MAKELEVEL",
        "MAKEOVERRIDES",
    ):  # set by the make that runs the tests
        monkeypatch.delenv(given, raising=False)
    folder = tmp_path / "checkout"
    folder.mkdir()
    named = "\n".join(f"    Programming Language :: Python :: {version}" for version in (OWN, "3.98", "3.99"))
    (folder / "setup.cfg").write_text(f"classifiers =\n{named}\n")
    (folder / "Makefile").write_text("test:\n\t@$(PYTHON) -m pytest $(ARGS)\n")
    monkeypatch.setattr(pythons_module, "ROOT", folder)
    return folder


SAYS_ITS_WORDS = 'case "$1" in -I) echo {version};; *) echo "{version} $# $3 $4"; exit {status};; esac'


@pytest.mark.parametrize(("status", "expected"), [(0, 0), (1, 2)], ids=["passed", "failed"])
def test_the_newest_other_python_runs_the_tests_and_is_heard_last(status, expected, pythons, checkout, capfd):
    for version in (OWN, "3.98"):
        pythons(f"python{version}", SAYS_ITS_WORDS.format(version=version, status=status))

    ended = main("newest", "-k", "a or b")
    out, err = capfd.readouterr()

    assert ended == expected
    assert out.splitlines()[1:] == ["3.98 4 -k a or b"]
    assert err.startswith("Python 3.99: not tried: ")


def test_no_other_python_fails_nothing_and_each_is_named(pythons, checkout, capfd):
    ended = main("newest")
    out, err = capfd.readouterr()

    assert (ended, out) == (0, "")
    assert [line.split(": ")[:2] for line in err.splitlines()] == [
        ["Python 3.99", "not tried"],
        ["Python 3.98", "not tried"],
    ]


def test_all_pythons_are_tried_though_one_fails_and_reported_at_the_end(pythons, checkout, capfd):
    for version, status in ((OWN, 1), ("3.99", 0)):
        pythons(f"python{version}", SAYS_ITS_WORDS.format(version=version, status=status))

    ended = main("all")
    ends = capfd.readouterr().out.splitlines()[-3:]

    assert ended == 1
    assert [line.split(": ")[:2] for line in ends] == [
        [f"Python {OWN}", "failed (make"],
        ["Python 3.98", "not tried"],
        ["Python 3.99", "passed"],
    ]


@pytest.mark.parametrize(
    ("tests", "on_the_newest", "made", "status"),
    [
        ("true", "true", ["test", "test-newest-python"], 0),
        ("true", "false", ["test", "test-newest-python"], 2),
        ("false", "true", ["test"], 2),
    ],
    ids=["both pass", "those on the newest Python fail", "those on the default fail"],
)
def test_continuous_integration_ends_as_the_tests_do(tests, on_the_newest, made, status, checkout):
    shutil.copytree(ROOT / ".ci", checkout / ".ci")
    (checkout / "Makefile").write_text(
        f"test:\n\t@echo $@; {tests}\ntest-newest-python:\n\t@echo $@; {on_the_newest}\n"
    )

    run = subprocess.run(
        [checkout / ".ci" / "run"], env=os.environ | {"CI": "true"}, stdin=subprocess.DEVNULL,
        capture_output=True, text=True, check=False, timeout=60,
    )  # fmt: skip

    assert (run.stdout.splitlines(), run.returncode) == (made, status)
