"""What pip is told, what it may see, and what is made of its complaints."""

from __future__ import annotations

from pathlib import Path

import pytest
from callboard.hosts.python_packages.pip import install_words, pip_environment, pip_remedy


def test_only_wheels_are_installed_unless_builds_are_allowed():
    strict = install_words(Path("r.txt"), None, builds=False)
    free = install_words(Path("r.txt"), Path("c.txt"), builds=True)

    assert "--only-binary=:all:" in strict
    assert strict[-2:] == ("--requirement", "r.txt")
    assert "--only-binary=:all:" not in free
    assert free[-4:] == ("--constraint", "c.txt", "--requirement", "r.txt")


def test_pip_sees_where_packages_come_from_and_no_secrets_of_others():
    seen = pip_environment({
        "PATH": "/bin", "PIP_INDEX_URL": "https://me:secret@here.example", "HTTPS_PROXY": "http://proxy",
        "PIP_TARGET": "/elsewhere", "PIP_USER": "1", "OPENAI_API_KEY": "secret", "PYTHONPATH": "/mine",
    })  # fmt: skip

    assert seen == {
        "PATH": "/bin", "PIP_INDEX_URL": "https://me:secret@here.example", "HTTPS_PROXY": "http://proxy",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("said", "remedy"),
    [
        ("ERROR: No matching distribution found for nothing", "correct the name or the version"),
        ("WARNING: Retrying (...) NewConnectionError('...')\nERROR: No matching distribution found for x", "try again when"),
        ("ERROR: ResolutionImpossible: for help", "make the versions of its dependencies agree"),
        ("ERROR: x.whl is not a supported wheel on this platform.", "name a wheel for this system"),
        ("ERROR: THESE PACKAGES DO NOT MATCH THE HASHES FROM THE REQUIREMENTS FILE.", "write them anew"),
        ("/usr/bin/python: No module named venv", "install venv and pip for this Python"),
        ("OSError: [Errno 28] No space left on device", "make room on the disk"),
        ("something else", "run the same in a virtual environment"),
    ],
)  # fmt: skip
def test_a_complaint_is_told_with_what_to_do(said, remedy):
    assert remedy in pip_remedy(said, builds=False)


def test_what_may_have_no_wheel_is_told_where_builds_are_off():
    absent = "ERROR: No matching distribution found for x"

    assert "'python_allow_builds'" in pip_remedy(absent, builds=False)
    assert "'python_allow_builds'" not in pip_remedy(absent, builds=True)
