"""What a thread gives up before it starts a program in a sandbox: the session keyring, and abstract sockets of others.

The kernel keeps both for each thread, hands them on to what it starts, and takes nothing back. So a thread of its own does it, which
ends: the threads of the program keep what they have. Linux alone.
"""

from __future__ import annotations

import ctypes
import errno
import os
import struct
from functools import lru_cache

_KEYCTL = {"x86_64": 250, "aarch64": 219}
_JOIN_SESSION_KEYRING = 1
_NO_KEYRINGS = {errno.ENOSYS, errno.EPERM}
"""There are none, or a filter around this program keeps all that it starts from them too."""

_CREATE_RULESET, _RESTRICT_SELF = 444, 446  # the same on all processors
_VERSION = 1
_ABSTRACT_SOCKETS = 1
_NO_NEW_PRIVILEGES = 38
SCOPED = 6
"""The version of Landlock's interface from which on it knows abstract sockets: that of Linux 6.12."""


def join_new_keyring(machine: str) -> None:
    """Have the calling thread leave its session keyring for a new one, which is empty.

    Args:
        machine: the processor, by the kernel's name; of another than the two that are known nothing is done.

    Raises:
        OSError: this user has too many keyrings.
    """
    number = _KEYCTL.get(machine)
    if number is None:
        return
    try:
        _call(number, _JOIN_SESSION_KEYRING, None)
    except OSError as error:
        if error.errno not in _NO_KEYRINGS:
            why = f"it gets no session keyring of its own ({error.strerror}); raise kernel.keys.maxkeys, or run fewer sandboxes"
            raise OSError(error.errno, why) from error


@lru_cache(maxsize=1)
def landlock_version() -> int:
    """The version of Landlock's interface; 0 where there is no Landlock."""
    try:
        return _call(_CREATE_RULESET, None, 0, _VERSION)
    except OSError:
        return 0


def can_leave_abstract_sockets() -> bool:
    """Return whether the kernel can keep a thread from abstract sockets."""
    return landlock_version() >= SCOPED


def leave_abstract_sockets() -> None:
    """Keep the calling thread from abstract sockets, but those that are made by what it starts.

    Raises:
        OSError: the kernel does not know how, or has no room for a further domain around this program.
    """
    attributes = struct.pack("=QQQ", 0, 0, _ABSTRACT_SOCKETS)
    ruleset = _call(_CREATE_RULESET, attributes, len(attributes), 0)
    try:
        if _library().prctl(_NO_NEW_PRIVILEGES, *map(ctypes.c_ulong, (1, 0, 0, 0))):
            raise _last_error()
        _call(_RESTRICT_SELF, ruleset, 0)
    finally:
        os.close(ruleset)


def _call(number: int, *arguments: bytes | int | None) -> int:
    words = (ctypes.c_long(each) if isinstance(each, int) else each for each in arguments)
    result = int(_library().syscall(ctypes.c_long(number), *words))
    if result < 0:
        raise _last_error()
    return result


def _last_error() -> OSError:
    number = ctypes.get_errno()
    return OSError(number, os.strerror(number))


@lru_cache(maxsize=1)
def _library() -> ctypes.CDLL:
    library = ctypes.CDLL(None, use_errno=True)
    library.syscall.restype = ctypes.c_long
    return library
