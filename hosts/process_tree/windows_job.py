"""A Windows job: processes that end together, at the latest with the last one who holds the job.

The layouts stand outside of what only Windows has, so that they are checked everywhere.
"""

from __future__ import annotations

import ctypes
import sys

KILL_ON_CLOSE = 0x2000


class _Basic(ctypes.Structure):
    _fields_ = (
        ("PerProcessUserTimeLimit", ctypes.c_int64),
        ("PerJobUserTimeLimit", ctypes.c_int64),
        ("LimitFlags", ctypes.c_uint32),
        ("MinimumWorkingSetSize", ctypes.c_size_t),
        ("MaximumWorkingSetSize", ctypes.c_size_t),
        ("ActiveProcessLimit", ctypes.c_uint32),
        ("Affinity", ctypes.c_size_t),
        ("PriorityClass", ctypes.c_uint32),
        ("SchedulingClass", ctypes.c_uint32),
    )


class Limits(ctypes.Structure):
    """``JOBOBJECT_EXTENDED_LIMIT_INFORMATION``."""

    _fields_ = (
        ("BasicLimitInformation", _Basic),
        ("IoInfo", ctypes.c_uint64 * 6),
        ("ProcessMemoryLimit", ctypes.c_size_t),
        ("JobMemoryLimit", ctypes.c_size_t),
        ("PeakProcessMemoryUsed", ctypes.c_size_t),
        ("PeakJobMemoryUsed", ctypes.c_size_t),
    )


def ending_on_close() -> Limits:
    """The limits of a job that ends with its last holder, and is not limited otherwise."""
    limits = Limits()
    limits.BasicLimitInformation.LimitFlags = KILL_ON_CLOSE
    return limits


if sys.platform == "win32":
    from ctypes import wintypes

    _EXTENDED_LIMITS = 9
    _SET_QUOTA_AND_TERMINATE = 0x0100 | 0x0001
    _KILLED = 1

    _kernel = ctypes.WinDLL("kernel32", use_last_error=True)
    _create = _kernel.CreateJobObjectW
    _create.restype, _create.argtypes = wintypes.HANDLE, (ctypes.c_void_p, wintypes.LPCWSTR)
    _limit = _kernel.SetInformationJobObject
    _limit.restype = wintypes.BOOL
    _limit.argtypes = (wintypes.HANDLE, ctypes.c_int, ctypes.c_void_p, wintypes.DWORD)
    _open = _kernel.OpenProcess
    _open.restype, _open.argtypes = wintypes.HANDLE, (wintypes.DWORD, wintypes.BOOL, wintypes.DWORD)
    _assign = _kernel.AssignProcessToJobObject
    _assign.restype, _assign.argtypes = wintypes.BOOL, (wintypes.HANDLE, wintypes.HANDLE)
    _terminate = _kernel.TerminateJobObject
    _terminate.restype, _terminate.argtypes = wintypes.BOOL, (wintypes.HANDLE, wintypes.UINT)
    _close = _kernel.CloseHandle
    _close.restype, _close.argtypes = wintypes.BOOL, (wintypes.HANDLE,)

    class Job:
        """A job that is held by this object alone: its processes end with it."""

        def __init__(self, handle: int) -> None:
            self._handle = handle

        @classmethod
        def of(cls, pid: int) -> Job | None:
            """A job for a process, which is a child of ours, and all that it starts from now on.

            ``None`` where the system refuses one: then descent and the watchdog have to do.
            """
            handle = _create(None, None)
            if not handle:
                return None
            job, limits = cls(handle), ending_on_close()
            process = _open(_SET_QUOTA_AND_TERMINATE, False, pid)
            if process:
                try:
                    if _limit(
                        handle, _EXTENDED_LIMITS, ctypes.byref(limits), ctypes.sizeof(limits)
                    ) and _assign(handle, process):
                        return job
                finally:
                    _close(process)
            job.close()
            return None

        def end(self) -> None:
            """Kill all that is in it."""
            _terminate(self._handle, _KILLED)

        def close(self) -> None:
            """Let go of it, and so kill what is left in it. Once."""
            _close(self._handle)
