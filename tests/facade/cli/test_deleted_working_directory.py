"""A command whose working directory has been deleted says so of a relative path, and takes an absolute one."""

from __future__ import annotations

import subprocess

import pytest
from command_line import ENVIRONMENT, command, write_config
from sdks import needs_sdk


def in_a_deleted_folder(tmp_path, *words):
    gone = tmp_path / "gone"
    gone.mkdir()
    script = 'cd "$1" && rmdir "$1" && shift && exec "$@"'
    return subprocess.run(
        ["/bin/sh", "-c", script, "sh", str(gone), *command(*words)],
        env=ENVIRONMENT,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=100,
        check=False,
    )


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("new", "python", "x"), "x cannot be written: the working directory has been deleted"),
        (("new", "bash", "."), ". cannot be written: the working directory has been deleted"),
        (("chaos", "{config}", "--html", "r.html"), "cannot write r.html: No such file or directory"),
        (("chaos", "{config}", "--json-file", "no/r.json"), "cannot write no/r.json: there is no folder no"),
        (("schema", "--output", "s.json"), "cannot write s.json: No such file or directory"),
        *(
            pytest.param(words, "relative to the working directory, which has been deleted", marks=needs_sdk)
            for words in (
                ("mcp", "agent.json", "--print-config", "claude"),
                ("mcp", "agent.json", "--install", "claude", "--yes"),
                ("mcp", "{config}", "--print-config", "claude", "--log-dir", "logs"),
            )
        ),
    ],
    ids=lambda each: " ".join(each) if isinstance(each, tuple) else "",
)
def test_a_relative_path_is_refused_in_a_sentence(tmp_path, words, said):
    config = str(tmp_path / write_config(tmp_path))

    ended = in_a_deleted_folder(tmp_path, *(word.format(config=config) for word in words))

    assert (ended.returncode, ended.stdout) == (2, "")
    assert said in " ".join(ended.stderr.split())


def test_an_absolute_path_is_taken(tmp_path):
    ended = in_a_deleted_folder(tmp_path, "new", "bash", str(tmp_path / "made"))

    assert ended.returncode == 0, ended.stderr
    assert (tmp_path / "made" / "agent.json").is_file()
