"""End every process of a host's tree, and make sure; also, run as a script, the watchdog.

Four things tell who belongs to a host, since each of them can be shaken off:

* the *session*: each host leads one of its own, whose id is its pid. It reaches children behind
  shells, launchers and job control, which killing by process group does not;
* *descent*: reaches a child that asked for a session of its own, as browsers do when a tool starts
  them, while the parents in between live;
* the *mark*: a variable in the host's environment, which its children inherit. It reaches those
  whose parents are gone;
* the *number*: a limit that the host carries, and its children with it. It reaches those that have an
  environment of their own. Linux alone has it: see `fingerprint`.

A pid alone is a claim, not an identity: it may belong to a stranger by now. So every pid that is
kept goes with the process's time of creation, and a session is only touched while its leader is
gone or is still the very process that was recorded.

As a script (see `main`) this file is started by the embedding process, told by a pipe which hosts
live, and ends what is left of them when that process is gone. It imports nothing of Callboard, so
that the script starts fast and stays small.
"""

from __future__ import annotations

import os
import select
import signal
import sys
import threading
import time
from contextlib import suppress

MARK = "CALLBOARD_GENERATION"
"""The variable that carries the mark."""

FILE_LOCKS = 10
"""The limit that is the number: ``RLIMIT_LOCKS``, for which Python has no name."""

WITHIN = (1 << 26) - 1
"""The lowest bits of a number. Where all are set it is a host's that no other host has started: then whatever is in them
is of that host's making, since what it starts may be given numbers below its own."""

HOSTED_SESSIONS: set[int] = set()
"""Those that hosts of this program lead, each until its leader's status is taken: until then the number is nobody else's.
Nobody can enter a session, so what is in there belongs to that host, and is not looked at when another one ends."""

_PAUSE = 0.005
"""Seconds between two looks at processes that have been sent SIGKILL. The kernel tells nobody but
the parent of their end, and we are not their parent."""


_SESSIONS_ARE_KNOWN = sys.platform == "linux"
"""Elsewhere a number of a session says nothing about its age."""

_WITHIN = 10.0
"""Seconds in which the watchdog has ended what it can end."""

_LOOKS = 20
"""How often a process that is just being started is looked at before it is taken for a stranger."""

_KERNEL_THREAD = 0x00200000
"""The flag of a process that has no environment and never will."""


class _Facts:
    # No NamedTuple: `typing` is a tenth of what the start of the script takes.
    __slots__ = ("alive", "birth", "parent", "session")

    def __init__(self, alive: bool, parent: int, session: int, birth: float) -> None:
        self.alive: bool = alive
        self.parent: int = parent
        self.session: int = session
        self.birth: float = birth


def alive(pid: int) -> bool:
    """Whether the process runs; one that ended and was not collected by its parent does not."""
    facts = _facts(pid)
    return facts is not None and facts.alive


def created(pid: int) -> float | None:
    """When the process was created; ``None`` when there is none.

    Only good for comparing: it counts from the start of the machine, which, unlike the time of
    day, does not change when somebody sets the clock.
    """
    facts = _facts(pid)
    return None if facts is None else facts.birth


class Look:
    """A look at all processes there are. What it needs to know of one of them is asked once.

    Many hosts that end together take one look together; with one for each of them a thousand would take minutes to end.
    """

    def __init__(self) -> None:
        self._sessions: dict[int, list[int]] = {}
        for pid, session in _all_with_sessions():
            self._sessions.setdefault(session, []).append(pid)
        self._facts: dict[int, _Facts | None] = {}
        self._limits: dict[int, int | None] = {}
        self._marks: dict[int, frozenset[str]] = {}
        self._children: dict[int, list[int]] | None = None

    def facts(self, pid: int) -> _Facts | None:
        """What was known of a process when it was first asked for here."""
        if pid not in self._facts:
            self._facts[pid] = _facts(pid)
        return self._facts[pid]

    def below(self, pid: int, *, direct: bool = True) -> list[tuple[int, float]]:
        """Its children, unless ``direct`` is off, and theirs, as (pid, time of creation)."""
        children = self._children
        if children is None:
            children = {}
            for pids in self._sessions.values():
                for child in pids:
                    if (facts := self.facts(child)) is not None:
                        children.setdefault(facts.parent, []).append(child)
            self._children = children
        found: list[tuple[int, float]] = []
        above = [(pid, self.facts(pid))]
        while above:
            parent, known = above.pop()
            for child in children.get(parent, ()):
                facts = self.facts(child)
                # A child is no older than its parent: one that is was another's, whose number this one has now.
                if known is not None and facts is not None and facts.birth >= known.birth and child != pid:
                    if direct or parent != pid:
                        found.append((child, facts.birth))
                    above.append((child, facts))
        return found

    def found(self, leader: int, birth: float, mark: str, number: int) -> list[tuple[int, _Facts]]:
        """As `members`, and with them those that have ended and were not collected: they have no environment any more."""
        first = self.facts(leader)
        own_session = first is None or first.birth == birth
        return [
            (pid, facts)
            for session, pids in self._sessions.items()
            if session not in HOSTED_SESSIONS and not self._is_older(session, birth)
            for pid in pids
            # Nothing that is older than the host can be of its making.
            if (facts := self.facts(pid)) is not None and facts.birth >= birth
            if (own_session and facts.session == leader)
            or (number and self._carries(pid, number))
            or (mark and facts.alive and self._bears(pid, mark))
        ]

    def _is_older(self, session: int, birth: float) -> bool:
        """Whether a session is older than a host, so that whoever is in it is a stranger.

        One that leaves the host's session becomes the leader of a new one, and nobody can enter one that is there. Its
        number is nobody's pid as long as anybody is in it; 0 is one that is seen from here no further: it is outside.
        """
        if session == 0 or not _SESSIONS_ARE_KNOWN:
            return _SESSIONS_ARE_KNOWN
        leader = self.facts(session)
        return leader is not None and leader.birth < birth

    def _carries(self, pid: int, number: int) -> bool:
        if pid not in self._limits:
            self._limits[pid] = limit_of(pid)
        limit = self._limits[pid]
        return limit is not None and number in {limit, limit | WITHIN}

    def _bears(self, pid: int, mark: str) -> bool:
        if pid not in self._marks:
            self._marks[pid] = marks_of(pid)
        return mark in self._marks[pid]


class _Looks:
    """Looks that several threads take together: each is given one that began after it had asked."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._begun = 0
        self._done = 0
        self._looking = False
        self._look: Look | None = None

    def fresh(self) -> Look:
        with self._changed:
            return self._wait_for(self._begun + 1)

    def _wait_for(self, wanted: int) -> Look:
        while self._done < wanted or self._look is None:
            (self._changed.wait if self._looking else self._take)()
        return self._look

    def _take(self) -> None:
        """With the lock held, which is not while it looks."""
        self._looking = True
        self._begun = number = self._begun + 1
        self._changed.release()
        try:
            look = Look()
        finally:  # one that cannot look, for want of a descriptor, leaves it to the next
            self._changed.acquire()
            self._looking = False
            self._changed.notify_all()
        self._look, self._done = look, number

    def forget(self) -> None:
        """In a child that was forked off, whose parent's threads are not there to end what they had begun."""
        self.__init__()  # type: ignore[misc] # all of it anew


_LOOKS_TAKEN = _Looks()

if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_LOOKS_TAKEN.forget)
    os.register_at_fork(after_in_child=HOSTED_SESSIONS.clear)


def descendants(pid: int, *, direct: bool = True) -> list[tuple[int, float]]:
    """Children, unless ``direct`` is off, and theirs as (pid, time of creation): also those that left the session."""
    try:
        return _LOOKS_TAKEN.fresh().below(pid, direct=direct)
    except OSError:  # no descriptor left to look with
        return []


def members(leader: int, birth: float, mark: str = "", number: int = 0) -> list[int]:
    """The pids of the living processes that belong to a host by its session, its mark or its number."""
    return [pid for pid, facts in _LOOKS_TAKEN.fresh().found(leader, birth, mark, number) if facts.alive]


def kill(pid: int) -> None:
    """Kill a process; one that ended in between is what was wanted."""
    if sys.platform == "win32":
        with suppress(OSError):  # no such process, or one that is just ending
            os.kill(pid, signal.SIGTERM)  # which nobody hears there: it is ended
    else:
        with suppress(ProcessLookupError, PermissionError):
            os.kill(pid, signal.SIGKILL)


def end_session(
    leader: int,
    birth: float,
    others: list[tuple[int, float]],
    *,
    mark: str = "",
    number: int = 0,
    within: float = 2.0,
) -> list[int]:
    """Kill what lives of a host and of ``others``, and wait until it is gone.

    What has become a child of this process when its parents ended, as it does where this is the first process of a
    container, is collected too. The host itself is left for whoever has started it to collect.

    Args:
        leader: the host's pid, which is the session's id.
        birth: its time of creation; a session led by another process is left alone.
        others: (pid, time of creation) of known descendants that may have left the session.
        mark: the host's mark, if it was given one.
        number: the host's number, if it was given one.
        within: seconds to wait for the end of what was killed.

    Returns:
        The pids that are alive all the same, such as one stuck in the kernel.
    """
    deadline = time.monotonic() + within
    while left := _kill_what_is_left(_LOOKS_TAKEN.fresh(), leader, birth, others, mark, number):
        if time.monotonic() >= deadline:
            return sorted(left)
        time.sleep(_PAUSE)
    return []


def _kill_what_is_left(  # noqa: PLR0917 - a host, as those who end it know it
    look: Look, leader: int, birth: float, others: list[tuple[int, float]], mark: str, number: int
) -> set[int]:
    """Kill what lives; where nothing does any more, collect what can be."""
    found = look.found(leader, birth, mark, number)
    left = {pid for pid, facts in found if facts.alive}
    left.update(pid for pid, born in others if created(pid) == born and alive(pid))
    for pid in left:
        kill(pid)
    if not left:
        _collect([(pid, facts.birth) for pid, facts in found if pid != leader] + others)
    return left


def _collect(ended: list[tuple[int, float]]) -> None:
    """Take the status of those that have ended and are children of this process: nobody else can."""
    if sys.platform == "linux":
        own = os.getpid()
        for pid, birth in ended:
            facts = _facts(pid)
            # Looked at once more: one whose parent has only just ended too has another parent by now.
            if facts is not None and not facts.alive and (facts.parent, facts.birth) == (own, birth):
                with suppress(ChildProcessError):  # the program collects whatever it can get
                    os.waitpid(pid, os.WNOHANG)


if sys.platform == "linux":

    def _all_with_sessions() -> list[tuple[int, int]]:
        """All pids, and the session of each: the system is asked for no more, in a tenth of the time that all facts take."""
        found = []
        for name in os.listdir("/proc"):  # noqa: PTH208 - a tenth of the time
            if name.isdigit():
                pid = int(name)
                try:
                    found.append((pid, os.getsid(pid)))
                except OSError:  # it is gone, or is not to be asked about
                    found.append((pid, -1))
        return found

    def _facts(pid: int) -> _Facts | None:
        try:
            with open(f"/proc/{pid}/stat", "rb", buffering=0) as file:  # noqa: PTH123 - read for each session there is
                text = file.read()
        except OSError:  # it is gone, or is not to be asked about
            return None
        if not text:
            return None
        # The second field is the program's name, which may hold anything, parentheses too.
        fields = text[text.rindex(b")") + 2 :].split()
        alive = fields[0] not in {b"Z", b"X"}
        return _Facts(alive, parent=int(fields[1]), session=int(fields[3]), birth=float(fields[19]))

    def limit_of(pid: int) -> int | None:
        """The number that a process carries, or what else its limit is; negative for none, ``None`` if it is gone."""
        import resource  # noqa: PLC0415 - as psutil: at the end only

        try:
            return resource.prlimit(pid, FILE_LOCKS)[1]
        except OSError:  # gone, or another user's: what everybody may read takes ten times as long
            text = _read(f"/proc/{pid}/limits").partition(b"\nMax file locks ")[2].split(maxsplit=2)
            return int(text[1]) if len(text) > 1 and text[1].isdigit() else None

    def marks_of(pid: int) -> frozenset[str]:
        """The marks in its environment; of one that is just being started, once it has one."""
        named = f"{MARK}=".encode()
        environment = _environment(pid)
        entries = environment.split(b"\0") if named in environment else ()
        return frozenset(
            [entry[len(named) :].decode("utf-8", "replace") for entry in entries if entry.startswith(named)]
        )

    def _environment(pid: int) -> bytes:
        path = f"/proc/{pid}/environ"
        for _ in range(_LOOKS):
            if environment := _read(path):
                return environment
            if not _is_starting(pid):
                # Looked at once more: it may have got one, and begun to wait, between the two looks.
                return _read(path)
            time.sleep(_PAUSE)
        return b""

    def _is_starting(pid: int) -> bool:
        """Whether one without an environment may be about to become another program, and get one.

        Its parent has been told of it already. On the way it runs, or waits for the disk; it never sleeps.
        """
        text = _read(f"/proc/{pid}/stat")
        fields = text[text.rindex(b")") + 2 :].split() if text else [b"X"]
        return fields[0] in {b"R", b"D"} and not int(fields[6]) & _KERNEL_THREAD

    def _read(path: str) -> bytes:
        """The contents, or nothing: the process may be gone, or not ours to look at."""
        try:
            with open(path, "rb", buffering=0) as file:  # noqa: PTH123 - read for each process there is
                return file.read()
        except OSError:
            return b""

else:  # pragma: no cover - without /proc psutil knows how to ask

    def _all_with_sessions() -> list[tuple[int, int]]:
        import psutil  # noqa: PLC0415 - slow to import, and only an end needs it

        return [(pid, _session(pid)) for pid in psutil.pids()]

    def _facts(pid: int) -> _Facts | None:
        import psutil  # noqa: PLC0415 - slow to import, and only an end needs it

        try:
            process = psutil.Process(pid)
            alive = process.status() != psutil.STATUS_ZOMBIE
            return _Facts(alive, process.ppid(), _session(pid), process.create_time())
        except (psutil.Error, ProcessLookupError, PermissionError):
            return None

    def _session(pid: int) -> int:
        """There are none on Windows, where descent and the mark have to do; no pid is -1."""
        if sys.platform == "win32":
            return -1
        else:  # noqa: RET505 - so that the type checker follows
            try:
                return os.getsid(pid)
            except OSError:  # it is gone, or is not to be asked about
                return -1

    def limit_of(pid: int) -> int | None:  # noqa: ARG001 - there are no numbers here
        """There are none."""
        return None

    def marks_of(pid: int) -> frozenset[str]:
        """The mark in its environment."""
        import psutil  # noqa: PLC0415 - slow to import, and only an end needs it

        try:
            mark = psutil.Process(pid).environ().get(MARK)
        except psutil.Error:
            return frozenset()
        return frozenset() if mark is None else frozenset([mark])


class WatchList:
    """Which hosts live, as told by lines: ``+ PID BIRTH MARK NUMBER`` and ``- PID``."""

    def __init__(self) -> None:
        self.hosts: dict[int, tuple[float, str, int]] = {}
        self._rest = b""

    def feed(self, data: bytes) -> None:
        """Take the next bytes, in any chunking. A line that was cut off by the end never counts."""
        *lines, self._rest = (self._rest + data).split(b"\n")
        for line in lines:
            verb, pid, *facts = line.decode("ascii").split(" ")
            if verb == "+":
                birth, mark, number = facts
                self.hosts[int(pid)] = (float(birth), mark, int(number))
            else:
                self.hosts.pop(int(pid), None)

    def end_all(self) -> None:
        """End the hosts and all that is theirs: first all are killed, then all are waited for."""
        look = Look()
        hosts = [
            (pid, birth, look.below(pid) if created(pid) == birth else [], mark, number)
            for pid, (birth, mark, number) in self.hosts.items()
        ]
        for pid, birth, *_ in hosts:
            if created(pid) == birth:
                kill(pid)
        deadline = time.monotonic() + _WITHIN
        while hosts and time.monotonic() < deadline:
            look = Look()
            hosts = [host for host in hosts if _kill_what_is_left(look, *host)]
            time.sleep(_PAUSE)


def main(embedder: int, packages: str) -> None:
    """Keep the watch list that comes in on stdin until ``embedder`` is gone, then end all who are on it.

    The end of stdin tells it, unless a process that the embedder has forked holds the other end
    too; so the embedder itself is watched as well, where the system can do that.

    Args:
        embedder: the pid of the process that started this one.
        packages: the folder that psutil is in.
    """
    sys.path.append(packages)
    watch_list = WatchList()
    if sys.platform == "win32":
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGBREAK):
            signal.signal(number, signal.SIG_IGN)
        listen(sys.stdin.fileno(), watch_list)
    else:
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, signal.SIG_IGN)
        _listen_while_lives(embedder, sys.stdin.fileno(), watch_list)
    watch_list.end_all()


def listen(stdin: int, watch_list: WatchList) -> None:
    """Keep the watch list until the end of stdin: where nothing is forked, nobody else holds its other end."""
    while data := os.read(stdin, 65536):
        watch_list.feed(data)


if sys.platform != "win32":

    def _listen_while_lives(embedder: int, stdin: int, watch_list: WatchList) -> None:
        poll = select.poll()
        poll.register(stdin, select.POLLIN)
        if sys.platform == "linux":
            with suppress(OSError):  # some sandboxes forbid it
                poll.register(os.pidfd_open(os.getppid()), select.POLLIN)
        while os.getppid() == embedder or select.select([stdin], [], [], 0)[0]:
            if any(ready == stdin for ready, _ in poll.poll()):
                data = os.read(stdin, 65536)
                if not data:
                    break
                watch_list.feed(data)


if __name__ == "__main__":
    main(int(sys.argv[1]), sys.argv[2])
