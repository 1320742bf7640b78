"""A sandbox with the network ``outside`` reaches the outside, and nothing of the machine that it runs on."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
from contextlib import ExitStack
from pathlib import Path

import psutil
import pytest
from callboard import Callboard, PluginLoadError
from callboard.cli.doctor.command import check_sandbox
from callboard.config.configuration import read_configuration
from callboard.hosts.sandbox import outside as outside_module
from callboard.hosts.sandbox.bwrap import SystemSandbox
from callboard.hosts.sandbox.containment import find_bubblewrap, find_outside, network_notes
from callboard.hosts.sandbox.outside import is_outside, nameservers, resolvers
from callboard.hosts.sandbox.outside_start import own_addresses
from callboard.trust.planner import Planner
from contained import WAYS, call, contained, said, source
from leaks import alive, living, no_leaks, wait_until
from outside_network import HERE, outside
from programs import PROGRAMS

KERNEL = PROGRAMS / "kernel"
REACH = f"{sys.executable} -I {KERNEL}/reach.py"
PROBE = f"{sys.executable} -I {KERNEL}/probe.py"
SHOWN = {"kind": "bwrap", "read": [str(KERNEL), sys.prefix, sys.base_prefix], "network": "outside"}
KINDS = [pytest.param(kind, marks=getattr(pytest.mark, f"needs_{kind}")) for kind in ("pasta", "slirp4netns")]


@pytest.fixture(autouse=True)
def nothing_is_left():
    with no_leaks():
        yield
    assert connectors() == []


def connectors():
    """The pids of what connects sandboxes of this program and of those that it has started."""
    return [
        process.pid
        for process in living()
        if any(kind in word for word in _words(process)[:1] for kind in ("pasta", "slirp4netns"))
    ]


def _words(process):
    try:
        return process.cmdline()
    except psutil.NoSuchProcess:
        return []


def machine_addresses():
    every = [each for addresses in psutil.net_if_addrs().values() for each in addresses]
    return [each.address for each in every if each.family in {socket.AF_INET, socket.AF_INET6}]


def gateways():
    """Where routes lead: pasta and slirp4netns let what is sent there come to this machine's loopback, unless they are told."""
    rows = [line.split() for line in Path("/proc/net/route").read_text().splitlines()[1:]]
    every = [socket.inet_ntoa(int(row[2], 16).to_bytes(4, sys.byteorder)) for row in rows]
    return [each for each in every if each != "0.0.0.0"]


@pytest.fixture
def machine():
    """Sockets that wait on all addresses of this machine, and how each is said."""
    with ExitStack() as stack:
        name = f"callboard-outside-{os.getpid()}"
        abstract = stack.enter_context(socket.socket(socket.AF_UNIX))
        abstract.bind(f"\0{name}")
        abstract.listen()
        tcp = stack.enter_context(
            socket.create_server(("::", 0), family=socket.AF_INET6, dualstack_ipv6=True)
        )
        udp = stack.enter_context(socket.socket(socket.AF_INET6, socket.SOCK_DGRAM))
        udp.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 0)
        udp.bind(("::", 0))
        for each in (abstract, tcp, udp):
            each.setblocking(False)
        ports = {"tcp": tcp.getsockname()[1], "udp": udp.getsockname()[1]}
        ways = [
            f"{kind}:{address}:{port}"
            for kind, port in ports.items()
            for address in (
                *machine_addresses(),
                *gateways(),
                "127.0.0.53",
                "::ffff:127.0.0.1",
                "10.0.2.2",
                "10.0.2.3",
                "224.0.0.1",
            )
        ]
        yield [*ways, f"abstract:{name}"], (abstract, tcp), udp


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("kind", KINDS)
def test_a_tool_with_the_network_outside_reaches_no_socket_of_this_machine(
    kind, way, machine, tmp_path, monkeypatch
):
    monkeypatch.setattr(outside_module, "KINDS", (kind,))
    ways, listeners, datagrams = machine

    with contained(way, tmp_path / "own", sandbox=SHOWN) as board:
        answers = json.loads(said(board, f"{REACH} {' '.join(ways)}"))

    assert [each for each, answer in answers.items() if answer == "CONNECTED"] == []
    for listener in listeners:
        with pytest.raises(BlockingIOError):
            listener.accept()
    with pytest.raises(BlockingIOError):
        datagrams.recv(100)


@pytest.mark.needs_netns
@pytest.mark.parametrize("kind", KINDS)
def test_a_tool_with_the_network_outside_reaches_the_outside(kind, tmp_path, monkeypatch):
    monkeypatch.setattr(outside_module, "KINDS", (kind,))
    with (
        outside() as (address, port),
        socket.create_server((HERE, 0)) as near,
        contained("bash", tmp_path / "own", sandbox=SHOWN) as board,
    ):
        own = f"tcp:{HERE}:{near.getsockname()[1]}"
        answers = json.loads(said(board, f"{REACH} tcp:{address}:{port} {own}"))

    assert answers == {f"tcp:{address}:{port}": "CONNECTED", own: "EHOSTUNREACH"}


TIDY = """
import pathlib, signal, sys
sys.path.insert(0, {kernel!r})
from reach import reach
def tidy(*_):
    pathlib.Path(sys.argv[1]).write_text(reach({way!r}))
    raise SystemExit(0)
signal.signal(signal.SIGTERM, tidy)
{host}
while True:
    signal.pause()
"""


@pytest.mark.needs_netns
@pytest.mark.parametrize("kind", KINDS)
def test_a_tool_that_is_asked_to_end_still_has_its_network(kind, tmp_path, monkeypatch):
    monkeypatch.setattr(outside_module, "KINDS", (kind,))
    out = tmp_path / "out"
    out.mkdir()
    entry = source("command", tmp_path / "own")
    host = tmp_path / "own" / "host.py"
    with outside() as (address, port), Callboard() as board:
        text = TIDY.replace("{kernel!r}", repr(str(KERNEL))).replace("{way!r}", repr(f"tcp:{address}:{port}"))
        host.write_text(text.replace("{host}", host.read_text()))
        entry["host"]["command"].append(str(out / "said"))
        board.load(entry, sandbox=SHOWN | {"write": [str(out)]}, name="t")

    assert (out / "said").read_text() == "CONNECTED"


@pytest.mark.parametrize("kind", KINDS)
def test_the_filter_and_the_exit_codes_are_those_of_every_sandbox(kind, tmp_path, monkeypatch):
    monkeypatch.setattr(outside_module, "KINDS", (kind,))
    with contained("bash", tmp_path / "own", sandbox=SHOWN) as board:
        answers = json.loads(said(board, f"{PROBE} all </dev/null"))
        crashed = board.execute(call("die", signal="SIGSEGV"))
        again = said(board, "echo again")

    assert [answers[name] for name in ("keyctl", "unshare", "setns", "mount")] == ["ENOSYS"] * 4
    assert answers["socket vsock"] == "EAFNOSUPPORT"
    assert crashed["crash_report"]["exit"] == "signal SIGSEGV"
    assert again.strip() == "again"


@pytest.mark.parametrize("kind", KINDS)
def test_what_connects_has_no_variable_and_no_descriptor_of_the_program(kind, tmp_path, monkeypatch):
    monkeypatch.setattr(outside_module, "KINDS", (kind,))
    monkeypatch.setenv("API_KEY", "what nobody is to read")
    with contained("bash", tmp_path / "own", sandbox=SHOWN, env={"OF_THE_TOOL": "1"}):
        (pid,) = connectors()
        environment = Path(f"/proc/{pid}/environ").read_bytes()
        held = {path.readlink() for path in Path(f"/proc/{pid}/fd").iterdir()}
        ours = {path.readlink() for path in Path("/proc/self/fd").iterdir() if path.exists()}

    assert environment == b""
    assert held & {each for each in ours if str(each) != os.devnull} == set()


@pytest.mark.parametrize("kind", KINDS)
def test_a_host_that_was_killed_leaves_nothing_that_connects_it(kind, tmp_path, monkeypatch):
    monkeypatch.setattr(outside_module, "KINDS", (kind,))
    with contained("bash", tmp_path / "own", sandbox=SHOWN) as board:
        (first,) = connectors()
        board.execute(call("die", signal="SIGKILL"))
        said(board, "echo again")
        wait_until(lambda: not alive(first))
        second = connectors()

    assert len(second) == 1
    assert second != [first]


ENDS = """
import sys
from contained import contained, said
from pathlib import Path
from callboard.hosts.sandbox import outside
outside.KINDS = (sys.argv[1],)
with contained("command", Path(sys.argv[2]), sandbox={"kind": "bwrap", "network": "outside"}) as board:
    said(board, "setsid -f sleep 876 </dev/null >/dev/null 2>&1")
    print("up", flush=True)
    sys.stdin.read()
"""


@pytest.mark.parametrize("kind", KINDS)
def test_a_program_that_was_killed_leaves_nothing_that_connects_its_sandboxes(kind, tmp_path):
    with subprocess.Popen(
        [sys.executable, "-c", ENDS, kind, str(tmp_path / "own")],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        stdin=subprocess.PIPE, stdout=subprocess.PIPE,
    ) as program:  # fmt: skip
        assert program.stdout.readline() == b"up\n"
        below = [each.pid for each in psutil.Process(program.pid).children(recursive=True)]
        assert set(connectors()) & set(below)
        program.kill()

    wait_until(lambda: not any(map(alive, below)))


HANGS = """#!/bin/sh
test -e {once} && exec sleep 876
: > {once}
exec {real} "$@"
"""


@pytest.mark.needs_pasta
def test_a_start_that_hangs_ends_by_its_deadline_and_leaves_nothing(tmp_path, monkeypatch):
    real = find_outside().path
    (tmp_path / "bin").mkdir()
    program = tmp_path / "bin" / "pasta"
    program.write_text(HANGS.format(once=tmp_path / "once", real=real))
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}/bin{os.pathsep}{os.environ['PATH']}")
    with Callboard({"start_deadline": 1.0}) as board, pytest.raises(PluginLoadError) as caught:
        board.load(source("bash", tmp_path / "own"), sandbox=SHOWN, name="t")

    assert (tmp_path / "once").exists()
    assert "1" in str(caught.value)


def only(monkeypatch, folder, *names):
    """Have this program find the programs of these names alone."""
    folder.mkdir()
    for name in names:
        (folder / name).symlink_to(find_bubblewrap().path if name == "bwrap" else f"/bin/{name}")
    monkeypatch.setenv("PATH", str(folder))


def test_where_nothing_connects_it_the_plugin_does_not_start_and_all_say_what_to_install(
    tmp_path, monkeypatch
):
    only(monkeypatch, tmp_path / "bin", "bwrap", "bash", "env")
    entry = {**source("bash", tmp_path / "own"), "sandbox": SHOWN}
    configuration = read_configuration({"plugins": [entry]})

    with Callboard() as board, pytest.raises(PluginLoadError) as caught:
        board.load(entry)
    (plan,) = Planner(configuration).plan.plugins
    *_, doctor = check_sandbox(configuration)

    for text in (str(caught.value), " ".join(plan.notes), doctor.detail + doctor.remedy):
        assert "there is neither pasta nor slirp4netns" in text
        assert "apt-get install passt" in text
    assert doctor.status == "FAIL"


@pytest.mark.needs_pasta
def test_one_that_does_not_work_here_is_told_with_what_it_said(tmp_path, monkeypatch):
    only(monkeypatch, tmp_path / "bin", "bwrap")
    program = tmp_path / "bin" / "pasta"
    program.write_text("#!/bin/sh\necho no network for anybody >&2\nexit 1\n")
    program.chmod(0o755)

    found = find_outside()

    assert "no network for anybody" in str(found.problem)
    assert "/dev/net/tun" in found.remedy


TABLE = """Main:
  +-- 0.0.0.0/0 3 0 5
     |-- 0.0.0.0
        /0 universe UNICAST
     +-- 127.0.0.0/8 2 0 2
           |-- 127.0.0.0
              /8 host LOCAL
           |-- 127.0.0.1
              /32 host LOCAL
        |-- 127.255.255.255
           /32 link BROADCAST
     |-- 192.0.2.0
        /24 link UNICAST
     |-- 192.0.2.2
        /32 host LOCAL
     |-- 198.51.100.0
        /25 host LOCAL
        /24 link UNICAST
"""
OWN = (("192.0.2.2", 32), ("198.51.100.0", 25))


def test_the_addresses_of_this_machine_are_those_that_the_kernel_takes_for_its_own():
    assert own_addresses(TABLE) == OWN


@pytest.mark.parametrize(
    ("address", "outside"),
    [
        ("192.0.2.53", True), ("198.51.100.200", True), ("192.0.2.2", False), ("198.51.100.7", False), ("127.0.0.53", False),
        ("0.0.0.0", False), ("2001:db8::53", False), ("x", False),
    ],
)  # fmt: skip
def test_a_name_server_is_outside_unless_it_is_this_machine_or_of_ipv6(address, outside):
    assert is_outside(address, OWN) is outside


def test_name_servers_are_read_as_the_resolver_reads_them():
    assert list(
        nameservers("# nameserver 1\nsearch a\nnameserver 192.0.2.53\nnameserver\n nameserver ::1 x\n")
    ) == [
        "192.0.2.53",
        "::1",
    ]


@pytest.mark.needs_pasta
def test_a_sandbox_goes_by_name_servers_of_the_outside_where_the_machine_goes_by_its_own(
    tmp_path, monkeypatch
):
    own, real = tmp_path / "own.conf", tmp_path / "real.conf"
    own.write_text("nameserver 127.0.0.53\n")
    real.write_text("nameserver 192.0.2.53\n")
    monkeypatch.setattr(outside_module, "_RESOLVERS", (own, real))
    assert resolvers() == real
    with contained("bash", tmp_path / "own", sandbox=SHOWN) as board:
        seen = said(board, "cat /etc/resolv.conf")
    real.unlink()

    assert seen.strip() == "nameserver 192.0.2.53"
    assert "it looks up no names" in " ".join(network_notes(SystemSandbox(network="outside")))
