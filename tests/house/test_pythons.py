"""Which Pythons the tests are run on, and in which environment."""

from __future__ import annotations

import subprocess
import sys

import pytest
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
