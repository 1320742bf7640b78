"""One call under way in a thread of this process, and the fence around it.

The thread that runs the tool and the actor that loses patience with it may come to the end of
the run at the same moment; `claim` lets one of them have it.
"""

from __future__ import annotations

import threading
from contextlib import suppress
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from ...plugins.contract.invocation import Invocation
    from ..calls.call import Call


class ThreadRun:
    """See the module.

    Attributes:
        invocation: what the tool is given.
        fenced: the run was given up on; whatever its thread still does is of no consequence.
        stopping: the tool is to stop at the next part, because its answer is not wanted any more.
    """

    __slots__ = ("_once", "call", "cancel", "fenced", "invocation", "stopping")

    def __init__(self, call: Call, invocation: Invocation) -> None:
        self.call: Call = call
        self.invocation: Invocation = invocation
        self.fenced: bool = False
        self.stopping: bool = False
        self.cancel: Callable[[], object] | None = None
        self._once = threading.Lock()

    def claim(self) -> bool:
        """Take the end of the run; True for exactly one of all who try."""
        return self._once.acquire(blocking=False)

    def ask_to_stop(self) -> None:
        """Cancel an asynchronous tool; let a streaming one end at its next part."""
        self.stopping = True
        if self.cancel is not None:
            with suppress(RuntimeError):  # its loop is closed: the tool has ended meanwhile
                self.cancel()
