"""Where orphans become children of the embedding process, as in a container without an init."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest
from evil_hosts import PATIENCE
from leaks import TEST_MARK, no_leaks
from programs import EVIL_PYTHON

NAMESPACES = (
    ("unshare", "--pid", "--fork", "--kill-child", "--mount-proc"),
    ("unshare", "--user", "--map-root-user", "--pid", "--fork", "--kill-child", "--mount-proc"),
)


def allowed(words):
    """Whether this user may have a namespace; many containers forbid it, and everybody may be a subreaper."""
    return subprocess.run([*words, "true"], check=False, capture_output=True).returncode == 0


WAYS = [((), "subreaper"), *[(words, "first") for words in NAMESPACES if allowed(words)][:1]]


@pytest.mark.parametrize(("within", "how"), WAYS, ids=[how for _, how in WAYS])
def test_what_was_killed_is_collected_and_nothing_else(within, how):
    program = [*within, sys.executable, "-I", str(EVIL_PYTHON / "inherits_orphans.py"), how]
    with no_leaks():
        done = subprocess.run(
            program, stdout=subprocess.PIPE, check=True, env=TEST_MARK, timeout=5 * PATIENCE
        )
    told = json.loads(done.stdout)

    assert told["first"] == (how == "first")
    assert len(set(told["left"])) == 10
    assert told["ended"] == [told["own"]]
    assert told["code"] == 7
