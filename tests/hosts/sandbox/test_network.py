"""What a sandbox with the network reaches of the machine itself."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
from contextlib import closing
from dataclasses import replace

import pytest
from callboard.hosts.process_tree.contained_start import handed, machine
from callboard.hosts.process_tree.credentials import can_leave_abstract_sockets
from callboard.hosts.sandbox.containment import find_bubblewrap
from callboard.hosts.sandbox.seccomp import MACHINES, seccomp_filter
from contained import WAYS, contained, said
from leaks import no_leaks
from programs import PROGRAMS

KERNEL = PROGRAMS / "kernel"
SHOWN = {"kind": "bwrap", "read": [str(KERNEL), sys.prefix, sys.base_prefix], "network": True}


@pytest.fixture(autouse=True)
def nothing_is_left():
    with no_leaks():
        yield


@pytest.mark.parametrize("way", WAYS)
def test_a_tool_with_the_network_reaches_no_abstract_socket_of_the_program_where_the_kernel_can_keep_it(
    way, tmp_path
):
    name = f"callboard-{os.getpid()}-{way}"
    with (
        closing(socket.socket(socket.AF_UNIX)) as listener,
        contained(way, tmp_path / "own", sandbox=SHOWN) as board,
    ):
        listener.bind(f"\0{name}")
        listener.listen()
        answer = said(board, f"{sys.executable} -I {KERNEL}/abstract.py {name}").strip()

    assert answer == ("EPERM" if can_leave_abstract_sockets() else "CONNECTED")


OLDER = """
import json, sys
from callboard import Callboard, ConfigurationError
from callboard.cli.doctor.command import check_sandbox
from callboard.config.configuration import read_configuration
from callboard.hosts.sandbox.bwrap import SystemSandbox
from callboard.hosts.sandbox.containment import open_sockets
from callboard.trust.planner import Planner
from contained import contained, said
from pathlib import Path
sandbox, line, folder = json.loads(sys.argv[1]), sys.argv[2], Path(sys.argv[3])
with contained("bash", folder, sandbox=sandbox) as board:
    print("answer:", said(board, line).strip())
given = {"plugins": [{"bash_tool": {"path": str(folder / "bash")}, "sandbox": sandbox}]}
configuration = read_configuration(given)
print("doctor:", [finding.detail for finding in check_sandbox(configuration)])
print("plan:", [plugin.notes for plugin in Planner(configuration).plan.plugins])
print("outside:", open_sockets(SystemSandbox(network="outside")))
with Callboard({**given, "profile": "strict"}) as board:
    pass
"""


def test_where_the_kernel_cannot_keep_them_out_it_is_told_and_the_strict_profile_refuses_it(tmp_path):
    kind = MACHINES[machine()]
    older = replace(kind, numbers={**kind.numbers, "landlock_create_ruleset": 444})
    name = f"callboard-{os.getpid()}-older"
    line = f"{sys.executable} -I {KERNEL}/abstract.py {name}"
    with (
        closing(socket.socket(socket.AF_UNIX)) as listener,
        handed(seccomp_filter(older, nests=True)) as handed_on,
    ):
        listener.bind(f"\0{name}")
        listener.listen()
        bwrap = [find_bubblewrap().path, "--seccomp", str(*handed_on), "--dev-bind", "/", "/", "--"]
        ended = subprocess.run(
            [*bwrap, sys.executable, "-c", OLDER, json.dumps(SHOWN), line, str(tmp_path / "own")],
            env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
            pass_fds=handed_on, capture_output=True, text=True, check=False,
        )  # fmt: skip

    assert ended.stdout.count("\n") == 4, ended.stderr
    answer, doctor, plan, outside = ended.stdout.splitlines()
    assert answer == "answer: CONNECTED"
    assert "abstract sockets of this machine" in doctor
    assert "abstract sockets of this machine" in plan
    assert outside == "outside: "
    assert "does not allow the network in this sandbox" in ended.stderr
