"""One board, one store: a lock in a file beside it.

The lock is the kernel's: it goes with the process, however that ends, so that no stale
lock is ever in the way. The file itself stays; removing it would let two processes hold a lock each,
on two files of the same name. What it says, the holder's pid, is for the error message alone.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from ...base.forking import close_own, own
from ...hosts.process.file_lock import try_lock
from .store import StateStoreInUse

if TYPE_CHECKING:
    from pathlib import Path


def lock_of(store: Path) -> Path:
    """Return the path of a store's lock. It is there once the store was opened, and stays."""
    return store.with_name(f"{store.name}.lock")


class StoreLock:
    """Held from the moment it is made until `release`, or until nobody has it any more.

    Args:
        store: the file that is locked; the lock lies beside it.

    Raises:
        StateStoreInUse: it is held elsewhere, be it by another board of this process.
        OSError: the lock's file cannot be made or opened.
    """

    _file = -1

    def __init__(self, store: Path) -> None:
        # Not inherited by hosts, which may outlive this process for a moment.
        self._file = own(os.open(lock_of(store), os.O_RDWR | os.O_CREAT, 0o600))
        try:
            if not try_lock(self._file):
                holder = os.read(self._file, 20)
                raise StateStoreInUse(str(store), int(holder) if holder.isdigit() else None)  # noqa: TRY301 - closed below
            os.ftruncate(self._file, 0)
            os.write(self._file, str(os.getpid()).encode())
        except BaseException:  # an interrupt too may leave no lock behind
            close_own(self._file)
            raise

    def release(self) -> None:
        """Let the next one have it. A second time changes nothing."""
        descriptor, self._file = self._file, -1
        close_own(descriptor)

    def __del__(self) -> None:
        # An interrupt may come when it is made and before anybody has it.
        self.release()
