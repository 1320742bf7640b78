"""Locks on files that end with their holder, however that ends: the kernel's own, by the means of each system.

A lock belongs to the descriptor: closing that gives it back. It keeps nobody from reading or writing the file:
Windows would, so there a byte is locked that lies far beyond any file's end.
"""

from __future__ import annotations

import errno
import sys

if sys.platform == "win32":
    import ctypes
    import msvcrt
    from ctypes import wintypes

    _FAIL_IMMEDIATELY, _EXCLUSIVE = 1, 2
    _LOCK_VIOLATION = 33
    _FAR = 0x7FFFFFFF
    """The upper half of the number of the byte that is locked."""

    class _Overlapped(ctypes.Structure):
        _fields_ = (
            ("Internal", ctypes.c_void_p),
            ("InternalHigh", ctypes.c_void_p),
            ("Offset", wintypes.DWORD),
            ("OffsetHigh", wintypes.DWORD),
            ("hEvent", wintypes.HANDLE),
        )

    _lock_file = ctypes.WinDLL("kernel32", use_last_error=True).LockFileEx
    _lock_file.restype = wintypes.BOOL
    _lock_file.argtypes = (
        wintypes.HANDLE, wintypes.DWORD, wintypes.DWORD, wintypes.DWORD, wintypes.DWORD,
        ctypes.POINTER(_Overlapped),
    )  # fmt: skip

    def _lock(descriptor: int, *, shared: bool, wait: bool) -> None:
        how = (0 if shared else _EXCLUSIVE) | (0 if wait else _FAIL_IMMEDIATELY)
        place = _Overlapped(OffsetHigh=_FAR)
        if not _lock_file(msvcrt.get_osfhandle(descriptor), how, 0, 1, 0, ctypes.byref(place)):
            number = ctypes.get_last_error()
            if number == _LOCK_VIOLATION:
                raise BlockingIOError(errno.EAGAIN, "somebody else has it locked")
            raise ctypes.WinError(number)

else:
    import fcntl

    def _lock(descriptor: int, *, shared: bool, wait: bool) -> None:
        fcntl.flock(descriptor, (fcntl.LOCK_SH if shared else fcntl.LOCK_EX) | (0 if wait else fcntl.LOCK_NB))


def lock(descriptor: int, *, shared: bool = False) -> None:
    """Lock a file, after everybody who had it before: other processes, and other descriptors of this one.

    Args:
        descriptor: the file, open to be read at least.
        shared: any number may hold it so at once.

    Raises:
        OSError: its file system knows no locks.
    """
    _lock(descriptor, shared=shared, wait=True)


def try_lock(descriptor: int, *, shared: bool = False) -> bool:
    """Lock a file if nobody is in the way, without waiting; whether it is locked now. As `lock` otherwise."""
    try:
        _lock(descriptor, shared=shared, wait=False)
    except BlockingIOError:
        return False
    return True
