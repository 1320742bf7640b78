"""Hosts of which a board hears late that nothing is left, as on a machine that has no processor to spare."""

from __future__ import annotations

from typing import TYPE_CHECKING

from callboard.hosts.process.transport import ProcessTransport

if TYPE_CHECKING:
    from collections.abc import Callable

    from callboard.hosts.process.process import Command, ProcessListener
    from callboard.hosts.process.transport import Carry, Transport
    from callboard.hosts.process_tree.watchdog import Watchdog

MORTAL = """
export default {
  name: 'mortal',
  init: () => ({}),
  getToolSchemas: () => [{ type: 'function', function: { name: 'die', parameters: { type: 'object' } } }],
  executeTool: async () => process.exit(3),
};
"""
"""A tool with which its host ends."""


class _LateNews:
    """Passes on what a host tells; that its tree is gone only when ``wait`` has returned."""

    def __init__(self, listener: ProcessListener, wait: Callable[[], object]) -> None:
        self._listener, self._wait = listener, wait
        self.on_output, self.on_exit = listener.on_output, listener.on_exit

    def on_gone(self, leftovers: list[int]) -> None:
        self._wait()
        self._listener.on_gone(leftovers)


def carried_with_late_ends(wait: Callable[[], object], carry: Carry | None = None) -> Carry:
    """What starts a host, and has its pump ``wait`` before it tells that nothing is left."""

    def start(name: str, command: Command, listener: ProcessListener, watchdog: Watchdog | None) -> Transport:
        return (carry or ProcessTransport)(name, command, _LateNews(listener, wait), watchdog)

    return start
