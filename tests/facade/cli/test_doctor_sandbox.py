"""What `callboard doctor` says of the sandbox of the system's, which it tries."""

from __future__ import annotations

import subprocess
import sys

from callboard.cli.doctor.command import check_sandbox
from callboard.hosts.sandbox.containment import find_bubblewrap

ASKED = """
from callboard import Callboard
from callboard.cli.doctor.command import check_sandbox
for plugins in ([], [{"plugin": "bash:x", "sandbox": "bwrap"}], [{"plugin": "bash:x", "sandbox": {"kind": "bwrap"}}]):
    for finding in check_sandbox(Callboard({"plugins": plugins}).configuration):
        print(finding.status, "user.max_user_namespaces" in finding.remedy)
"""


def test_a_sandbox_that_works_was_tried():
    (finding,) = check_sandbox(None)

    assert (finding.status, finding.remedy) == ("ok", "")
    assert "it was tried" in finding.detail


def test_where_the_system_forbids_it_doctor_says_so_and_fails_for_a_plugin_that_asks_for_it():
    bwrap = find_bubblewrap().path
    assert bwrap is not None
    forbidding = [
        bwrap,
        "--unshare-user",
        "--disable-userns",
        "--bind",
        "/",
        "/",
        "--proc",
        "/proc",
        "--dev",
        "/dev",
    ]

    said = subprocess.run(
        [*forbidding, sys.executable, "-c", ASKED], capture_output=True, text=True, check=True
    ).stdout

    assert said.splitlines() == ["warn True", "FAIL True", "FAIL True"]
