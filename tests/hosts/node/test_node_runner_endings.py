import os
import select
import signal
import subprocess
import sys

import pytest
from bare_host import PATIENCE, BareHost, host_command
from programs import EVIL_NODE, NODE
from thorough import every

STEPS = NODE / "steps.mjs"

over_pipes_and_sockets = pytest.mark.parametrize("sockets", every(2, [False, True]))


def has_ended(pidfd, *, within=0.0):
    """Whether the process has ended; it counts as ended while nobody has collected it, too."""
    return bool(select.select([pidfd], [], [], within)[0])


@over_pipes_and_sockets
@pytest.mark.parametrize(
    "entry",
    [
        STEPS,
        EVIL_NODE / "holds_timers.mjs",
        EVIL_NODE / "never_loads.mjs",
        EVIL_NODE / "breaks_the_exits.mjs",
        EVIL_NODE / "throws_at_import.mjs",
    ],
    ids=lambda entry: entry.stem,
)
def test_the_host_ends_with_its_stdin(entry, sockets):
    with BareHost(entry, sockets=sockets) as host:
        host.send("init")
        host.execute()

        assert host.finish() == 0


def test_the_host_ends_when_nobody_can_read_its_answers():
    with BareHost(EVIL_NODE / "holds_timers.mjs") as host:
        host.value("init")
        host.close_stdout()
        host.send("init")

        assert host.process.wait(PATIENCE) == 0


def test_what_was_answered_before_the_end_of_stdin_still_arrives():
    with BareHost(EVIL_NODE / "emits_without_end.mjs") as host:
        call = host.execute(arguments={"parts": 1000, "size": 500})
        host.read()
        host.close_stdin()

        lines = host.rest()

        assert lines[-1]["id"] == call
        assert lines[-1]["ok"] is True
        assert host.exit_code() == 0


@pytest.mark.parametrize("way", ["child", "orphan", "detached", "deaf"])
def test_what_a_tool_started_ends_with_the_host(way):
    with BareHost(EVIL_NODE / "spawns.mjs") as host:
        pid = host.answer(host.execute(way))["result"]["value"]["result"]
        pidfd = os.pidfd_open(pid)
        assert not has_ended(pidfd)

        assert host.finish() == 0

        assert has_ended(pidfd, within=PATIENCE)
    os.close(pidfd)


def test_a_child_that_inherits_everything_does_not_hold_the_protocols_pipes():
    with BareHost(EVIL_NODE / "spawns.mjs") as host:
        pid = host.answer(host.execute("child"))["result"]["value"]["result"]
        os.kill(host.process.pid, signal.SIGKILL)

        assert host.rest() == []
        assert host.process.wait(PATIENCE) == -signal.SIGKILL
        os.kill(pid, signal.SIGKILL)  # it is still there


def test_the_host_ends_when_its_parent_does_though_its_stdin_stays_open():
    # The parent in between ends when told to; the pipe to the host's stdin is ours, and stays open.
    between = (
        "import subprocess, sys; subprocess.Popen(sys.argv[2:], stdin=int(sys.argv[1])); sys.stdin.read()"
    )
    theirs, ours = os.pipe()
    with subprocess.Popen(
        [sys.executable, "-c", between, str(theirs), *host_command(EVIL_NODE / "holds_timers.mjs")],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        pass_fds=[theirs],
        start_new_session=True,
    ) as parent:
        os.close(theirs)
        os.write(ours, b'{"v":1,"id":"1","method":"init"}\n')
        assert parent.stdout.readline()

        parent.stdin.close()

        assert parent.wait(PATIENCE) == 0
        assert parent.stdout.read() == b""  # so the host, which had it too, has ended
    os.close(ours)


@pytest.mark.parametrize(
    ("way", "code", "said"),
    [("timer", 1, "thrown in a timer"), ("rejection", 1, "rejected for nobody"), ("exit", 0, "")],
)
def test_a_failure_outside_of_any_call_ends_the_process_and_says_why(way, code, said):
    with BareHost(EVIL_NODE / "fails_outside_of_calls.mjs") as host:
        call = host.execute(way)

        assert host.read()["event"]["payload"] == "before"
        assert host.exit_code() == code
    assert [line for line in host.rest() if line["id"] == call] == []
    assert said in host.stderr


def test_an_exit_at_import_is_an_exit():
    with BareHost(EVIL_NODE / "exits_at_import.mjs") as host:
        host.send("init")

        assert host.exit_code() == 9


def test_a_spinning_host_still_dies_by_sigterm():
    with BareHost(EVIL_NODE / "spins.mjs") as host:
        host.execute("spin")
        host.read()

        host.process.terminate()

        assert host.exit_code() == -signal.SIGTERM


@pytest.mark.parametrize(
    "arguments", [[], ["--entry"], ["--entry", "relative.mjs"], ["--entry", "/a.mjs", "--exprot", "x"]]
)
def test_a_wrong_command_line_is_refused_with_the_usage(arguments):
    command = host_command(STEPS)[:2]

    run = subprocess.run(
        [*command, *arguments],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )

    assert run.returncode == 2
    assert run.stdout == ""
    assert "usage: node host.mjs --entry <absolute path of the module> [--export <name>]" in run.stderr
