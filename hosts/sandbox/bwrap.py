"""What a process in a sandbox of the system's may see, in the words of bubblewrap. Pure.

The sandbox has namespaces of its own: of users, processes, files, the network, and the rest. It is given what it is to see,
and there is nothing else: another process has no number in there, and a file that was not given has no name.

``--die-with-parent`` is left out on purpose: the kernel sends that signal when the *thread* that has started the process ends,
and hosts are started by threads that come and go. The end of a host is that of its process group, which bubblewrap and the
first process of the sandbox cannot leave; and with its first process the kernel ends all of a sandbox.
"""

from __future__ import annotations

from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Any, Final, Literal

from ...base.frozen import frozen

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

KIND = "bwrap"
"""The option's word for this sandbox."""

OUTSIDE: Final = "outside"
Network = bool | Literal["outside"]
"""``True`` for the network of this machine; ``"outside"`` for one of its own, that reaches all but this machine."""

NAMES = ("kind", "read", "write", "network", "seccomp")
"""The keys of the option, given as a mapping."""

SYSTEM = (
    "/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/nix/store", "/gnu/store",
)  # fmt: skip
"""Where systems keep programs and libraries; what of these is a link stays one."""

SETTINGS = tuple(f"/etc/{name}" for name in (
    "alternatives", "ca-certificates", "crypto-policies", "fonts", "gai.conf", "group", "host.conf", "hosts",
    "ld.so.cache", "ld.so.conf", "ld.so.conf.d", "localtime", "mime.types", "nsswitch.conf", "passwd", "pki/ca-trust",
    "pki/tls/certs", "pki/tls/cert.pem", "protocols", "resolv.conf", "services", "ssl/certs", "ssl/cert.pem",
    "ssl/openssl.cnf", "timezone",
))  # fmt: skip
"""Settings of the machine that every program may read, and that have no secrets."""

MACHINE = tuple(f"/proc/{name}" for name in ("bus", "fs", "irq", "scsi", "sys", "sysrq-trigger"))
"""Where the machine itself is set, by root; and of a sandbox that root has made, its user is root for the kernel."""

MEMORY = tuple(f"/proc/{name}" for name in (
    "keys", "kcore", "key-users", "kpagecgroup", "kpagecount", "kpageflags", "latency_stats", "sched_debug", "slabinfo",
    "timer_list", "vmallocinfo",
))  # fmt: skip
"""What tells of the kernel, or of all that runs on the machine."""

SECRETS = PurePosixPath("/run/secrets")
"""Where a sandbox has the secrets that were given to its plugin."""

ROOM = 256 << 20
"""Bytes that may lie in each of the folders that are made for the sandbox: its /tmp, its home, its shared memory."""

_NOT_TO_GIVE = tuple(map(PurePosixPath, ("/proc", "/dev", "/sys")))
_NAMESPACES = (
    "--unshare-user", "--unshare-ipc", "--unshare-pid", "--unshare-uts", "--unshare-cgroup-try",
)  # fmt: skip


@frozen
class SystemSandbox:
    """What a plugin in a sandbox of the system's may use, beside its own files.

    Attributes:
        read: files, and folders with all that is in them.
        write: the same; they may be read too.
        network: it may use the network, this machine's own services too; with ``outside`` all but those.
        seccomp: system calls that a tool does without are refused.
    """

    read: tuple[Path, ...] = ()
    write: tuple[Path, ...] = ()
    network: Network = False
    seccomp: bool = True


@frozen
class View:
    """All that a sandbox shows.

    Attributes:
        read, write: paths that exist, absolute; a link among them shows what it leads to.
        network: see `SystemSandbox`.
        links: the links among `SYSTEM`, and where they lead.
        fixed: those of `MACHINE` that its user could change.
        hidden: those of `MEMORY` that there are.
        home: the home folder; it is empty in there. ``None`` for none.
        folder: where the program begins.
        secrets: the folder that is to be seen as `SECRETS`.
        environment: variables that bubblewrap itself is not to have.
        resolvers: the file that is to be seen as ``/etc/resolv.conf``; ``None`` for that of the machine.
        nests: what runs in there may make sandboxes of its own.
        room: bytes for each folder that is made for it.
    """

    read: tuple[Path, ...] = ()
    write: tuple[Path, ...] = ()
    network: Network = False
    links: Mapping[str, str] | None = None
    fixed: tuple[str, ...] = ()
    hidden: tuple[str, ...] = ()
    home: str | None = None
    folder: str = "/"
    secrets: Path | None = None
    environment: Mapping[str, str] | None = None
    resolvers: Path | None = None
    nests: bool = False
    room: int = ROOM


def read_system_sandbox(given: Mapping[str, Any] | str, base: Path) -> SystemSandbox:
    """Read the option ``sandbox``, if it is of this kind. Unknown keys are not looked for.

    Args:
        given: the word ``bwrap``, or a mapping that has it as ``kind``.
        base: what relative paths are relative to.

    Raises:
        ValueError: says what is wrong with which key.
    """
    if isinstance(given, str):
        if given != KIND:
            raise ValueError(f"it is {given!r:.100}; it has to be true, false, {KIND!r} or a mapping")
        return SystemSandbox()
    network, seccomp = given.get("network", False), given.get("seccomp", True)
    if not isinstance(network, bool) and network != OUTSIDE:
        raise ValueError(f"'network' is {network!r:.100}; it has to be true, false or {OUTSIDE!r}")
    if not isinstance(seccomp, bool):
        raise ValueError(f"'seccomp' is {seccomp!r:.100}; it has to be true or false")  # noqa: TRY004 - one error of all readers
    read, write = (tuple(_paths(key, given.get(key, ()), base)) for key in ("read", "write"))
    return SystemSandbox(read, write, network, seccomp)


def _paths(key: str, given: Any, base: Path) -> Iterator[Path]:
    if not isinstance(given, list | tuple):
        raise ValueError(f"{key!r} is {given!r:.100}; it has to be a list of paths")  # noqa: TRY004 - as above
    for value in given:
        if not isinstance(value, str) or not value or "\0" in value:
            raise ValueError(f"{key!r} has {value!r:.100}; it has to be a path")
        path = base / Path(value).expanduser()
        if path == Path("/") or any(path.is_relative_to(each) for each in _NOT_TO_GIVE):
            raise ValueError(f"{key!r} has {value!r:.100}; a sandbox that shows that would be none")
        yield path


def is_system(path: PurePosixPath) -> bool:
    """Whether every sandbox shows it."""
    return any(path.is_relative_to(each) for each in SYSTEM)


def holds_home(path: PurePosixPath, home: str | None) -> bool:
    """Whether a folder is the home folder, its folder of all programs, or above it: what nobody gives without saying so."""
    if path == PurePosixPath("/"):
        return True
    own = PurePosixPath(home) if home else None
    return own is not None and own.is_absolute() and (own.is_relative_to(path) or path == own / ".local")


def prefix_of(program: PurePosixPath, home: str | None) -> PurePosixPath:
    """The folder that a program was installed into; the program alone where there is none to be seen."""
    prefix = program.parent.parent
    installed = program.parent.name in {"bin", "sbin"}
    return prefix if installed and not holds_home(prefix, home) else program


def bwrap_words(view: View) -> tuple[str, ...]:
    """The words after ``bwrap`` that make a sandbox; what runs in it stands behind them."""
    return tuple(_words(view))


def _words(view: View) -> Iterator[str]:
    yield from _NAMESPACES
    if not view.network:
        yield "--unshare-net"
    # What goes by root's name cannot make a further sandbox: its map would need a right that nobody has in here.
    yield from ("--uid", "1000", "--gid", "1000") if view.nests else ("--disable-userns",)
    yield from ("--cap-drop", "ALL")
    links = view.links or {}
    for place in SYSTEM:
        yield from ("--symlink", links[place], place) if place in links else ("--ro-bind-try", place, place)
    for place in SETTINGS:
        yield from ("--ro-bind-try", place, place)
    if view.resolvers is not None:
        yield from ("--ro-bind", str(view.resolvers), "/etc/resolv.conf")
    yield from ("--proc", "/proc")
    for place in view.fixed:
        yield from ("--ro-bind-try", place, place)
    for place in view.hidden:
        yield from ("--ro-bind", "/dev/null", place)
    yield from ("--dev", "/dev", *_own("/dev/shm", view), "--remount-ro", "/dev")  # noqa: S108 - the sandbox's
    yield from _own("/tmp", view)  # noqa: S108 - the sandbox's
    if view.home is not None and not _is_made(view.home):
        yield from _own(view.home, view)
    yield from _binds(view.read, view.write)
    if view.secrets is not None:
        yield from ("--ro-bind", str(view.secrets), str(SECRETS))
    yield from ("--remount-ro", "/", "--chdir", view.folder)
    for name, value in (view.environment or {}).items():
        yield from ("--setenv", name, value)
    yield "--"


def _own(place: str, view: View) -> tuple[str, ...]:
    return ("--size", str(view.room), "--tmpfs", place)


def _is_made(home: str) -> bool:
    """Whether a home folder is one that the sandbox has anyway, or none at all."""
    place = PurePosixPath(home)
    above = (*_NOT_TO_GIVE, *map(PurePosixPath, SYSTEM), PurePosixPath("/tmp"))  # noqa: S108 - the sandbox's
    return not place.is_absolute() or place == PurePosixPath("/") or any(map(place.is_relative_to, above[:-1])) or (
        place == above[-1]
    )  # fmt: skip


def _binds(read: Iterable[Path], write: Iterable[Path]) -> Iterator[str]:
    """A folder before what lies in it, or it would hide that; to be written before to be read, which it includes."""
    ways = dict.fromkeys(read, "--ro-bind") | dict.fromkeys(write, "--bind")
    for path in sorted(ways, key=lambda each: (len(each.parts), each)):
        if ways[path] == "--bind" or not is_system(PurePosixPath(path)):
            yield from (ways[path], str(path), str(path))
