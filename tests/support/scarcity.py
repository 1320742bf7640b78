"""A process that is short of something, for a moment."""

from __future__ import annotations

import os
import resource
import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator


@contextmanager
def descriptors_up_to(limit: int) -> Iterator[None]:
    """No descriptor of this number or a higher one can be opened in the block; open ones stay."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (limit, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


def lowest_free_descriptor() -> int:
    """The number that the next descriptor will have."""
    lowest = os.open("/dev/null", os.O_RDONLY)
    os.close(lowest)
    return lowest


@contextmanager
def no_more_threads() -> Iterator[None]:
    """No thread can be started in the block: none has room for so large a stack."""
    usual = threading.stack_size(1 << 62)
    try:
        yield
    finally:
        threading.stack_size(usual)
