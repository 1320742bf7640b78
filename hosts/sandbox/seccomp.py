"""Which system calls a sandbox refuses, as a program for the kernel's seccomp. Pure.

The list follows those of Docker and Flatpak: what the kernel shares between all sandboxes whatever their namespaces (keyrings,
its log, its hypervisor), parts of it with a long history of faults, and what makes namespaces. A refused call is answered as by a
kernel that does not have it (``ENOSYS``), so that programs do without. What programs do not expect to be missing is forbidden
(``EPERM``), or not supported (``EAFNOSUPPORT``).

A call by the convention of another processor, such as of a 32-bit program, ends the process: its numbers mean other calls. Those of
x32 are answered as by a kernel that does not have them.
"""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING, Final

from ...base.frozen import frozen

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

_NEWER: Final[dict[str, int]] = {
    "io_uring_setup": 425, "io_uring_enter": 426, "io_uring_register": 427,
    "open_tree": 428, "move_mount": 429, "fsopen": 430, "fsconfig": 431, "fsmount": 432, "fspick": 433, "clone3": 435,
    "mount_setattr": 442, "quotactl_fd": 443, "set_mempolicy_home_node": 450, "open_tree_attr": 467,
}  # fmt: skip
"""Calls since Linux 5.1, whose numbers are the same on all processors."""

_X86_64: Final[Mapping[str, int]] = _NEWER | {
    "ioctl": 16, "socket": 41, "socketpair": 53, "clone": 56, "syslog": 103, "uselib": 134, "ustat": 136, "sysfs": 139,
    "vhangup": 153, "modify_ldt": 154, "pivot_root": 155, "_sysctl": 156, "chroot": 161, "acct": 163, "settimeofday": 164,
    "mount": 165, "umount2": 166, "swapon": 167, "swapoff": 168, "reboot": 169, "iopl": 172, "ioperm": 173,
    "create_module": 174, "init_module": 175, "delete_module": 176, "get_kernel_syms": 177, "query_module": 178,
    "quotactl": 179, "nfsservctl": 180, "lookup_dcookie": 212, "clock_settime": 227, "mbind": 237, "set_mempolicy": 238,
    "get_mempolicy": 239, "kexec_load": 246, "add_key": 248, "request_key": 249, "keyctl": 250, "migrate_pages": 256,
    "unshare": 272, "move_pages": 279, "perf_event_open": 298, "fanotify_init": 300, "open_by_handle_at": 304, "setns": 308,
    "finit_module": 313, "kexec_file_load": 320, "bpf": 321, "userfaultfd": 323,
}  # fmt: skip

_ARM64: Final[Mapping[str, int]] = _NEWER | {
    "lookup_dcookie": 18, "ioctl": 29, "umount2": 39, "mount": 40, "pivot_root": 41, "nfsservctl": 42, "chroot": 51,
    "vhangup": 58, "quotactl": 60, "acct": 89, "unshare": 97, "kexec_load": 104, "init_module": 105, "delete_module": 106,
    "clock_settime": 112, "syslog": 116, "reboot": 142, "settimeofday": 170, "socket": 198, "socketpair": 199, "add_key": 217,
    "request_key": 218, "keyctl": 219, "clone": 220, "swapon": 224, "swapoff": 225, "mbind": 235, "get_mempolicy": 236,
    "set_mempolicy": 237, "migrate_pages": 238, "move_pages": 239, "perf_event_open": 241, "fanotify_init": 262,
    "open_by_handle_at": 265, "setns": 268, "finit_module": 273, "bpf": 280, "userfaultfd": 282, "kexec_file_load": 294,
}  # fmt: skip

NAMESPACES: Final = frozenset({
    "chroot", "clone3", "fsconfig", "fsmount", "fsopen", "fspick", "mount", "mount_setattr", "move_mount", "open_tree",
    "open_tree_attr", "pivot_root", "setns", "umount2", "unshare",
})  # fmt: skip
"""What makes sandboxes. The arguments of ``clone3`` cannot be looked at, and ``clone`` serves in its place."""

_LOOKED_AT: Final = frozenset({"ioctl", "clone", "socket", "socketpair"})
"""Calls that their arguments decide."""

NEW_NAMESPACES: Final = 0x7E02_0000
"""The flags of ``clone`` that make a namespace."""

TERMINAL: Final = (0x5412, 0x541C)
"""The requests of ``ioctl`` that type into a terminal: ``TIOCSTI`` and ``TIOCLINUX``."""

FAMILIES: Final = (0, 1, 2, 10, 16)
"""The families of sockets that there are: none, of Unix, of IPv4 and IPv6, and of netlink. ``AF_VSOCK``, for one, reaches the hypervisor."""


@frozen
class Machine:
    """A processor, as seccomp tells of it.

    Attributes:
        architecture: its number, ``AUDIT_ARCH_…``.
        numbers: the system calls that are decided on here, by their names.
        x32: it has a second convention, whose numbers have a bit more.
    """

    architecture: int
    numbers: Mapping[str, int]
    x32: bool = False


MACHINES: Final[Mapping[str, Machine]] = {
    "x86_64": Machine(0xC000_003E, _X86_64, x32=True),
    "aarch64": Machine(0xC000_00B7, _ARM64),
}
"""The processors that there is a filter for, by the names that the kernel gives them."""

X32: Final = 0x4000_0000
SKIPPED: Final = 0xFFFF_FFFF
"""The number of a call that a debugger has taken out."""

ALLOW: Final = 0x7FFF_0000
KILL: Final = 0x8000_0000
_ERROR: Final = 0x0005_0000
FORBIDDEN: Final = _ERROR | 1
MISSING: Final = _ERROR | 38
UNSUPPORTED: Final = _ERROR | 97

_LOAD, _RETURN, _EQUAL, _AT_LEAST, _ANY_OF = 0x20, 0x06, 0x15, 0x35, 0x45
_NUMBER, _ARCHITECTURE, _ARGUMENTS = 0, 4, 16
_INSTRUCTION: Final = struct.Struct("=HBBI")


def seccomp_filter(machine: Machine, *, nests: bool = False) -> bytes:
    """Return the program: instructions of eight bytes, as ``bwrap --seccomp`` reads them.

    Args:
        machine: the processor.
        nests: sandboxes may be made.
    """
    return b"".join(_INSTRUCTION.pack(*each) for each in _program(machine, nests=nests))


_Instruction = tuple[int, int, int, int]


def _program(machine: Machine, *, nests: bool) -> Iterator[_Instruction]:
    """The filter. A test jumps over the answer that follows it, so that no jump is far."""
    yield (_LOAD, 0, 0, _ARCHITECTURE)
    yield from _unless(_EQUAL, machine.architecture, KILL)
    yield (_LOAD, 0, 0, _NUMBER)
    if machine.x32:
        yield from _if(_EQUAL, SKIPPED, ALLOW)
        yield from _if(_AT_LEAST, X32, MISSING)
    for name, number in machine.numbers.items():
        if name not in _LOOKED_AT and not (nests and name in NAMESPACES):
            yield from _if(_EQUAL, number, MISSING)
    yield from _looking(machine.numbers["ioctl"], 1, _any(TERMINAL, FORBIDDEN, ALLOW))
    for name in ("socket", "socketpair"):
        yield from _looking(machine.numbers[name], 0, _any(FAMILIES, ALLOW, UNSUPPORTED))
    if not nests:
        yield from _looking(
            machine.numbers["clone"], 0, [*_if(_ANY_OF, NEW_NAMESPACES, FORBIDDEN), _answer(ALLOW)]
        )
    yield _answer(ALLOW)


def _answer(answer: int) -> _Instruction:
    return (_RETURN, 0, 0, answer)


def _if(test: int, value: int, answer: int) -> Iterator[_Instruction]:
    yield (test, 0, 1, value)
    yield _answer(answer)


def _unless(test: int, value: int, answer: int) -> Iterator[_Instruction]:
    yield (test, 1, 0, value)
    yield _answer(answer)


def _any(values: tuple[int, ...], answer: int, otherwise: int) -> list[_Instruction]:
    return [*(each for value in values for each in _if(_EQUAL, value, answer)), _answer(otherwise)]


def _looking(number: int, argument: int, then: list[_Instruction]) -> Iterator[_Instruction]:
    """What answers a call by the lower half of an argument: the kernel takes no more of it."""
    yield (_EQUAL, 0, 1 + len(then), number)
    yield (_LOAD, 0, 0, _ARGUMENTS + 8 * argument)
    yield from then
