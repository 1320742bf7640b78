"""A wire that is listened to: every line between a client and its host, as it goes over the pipe."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from callboard.hosts.process.transport import ProcessTransport
from callboard.hosts.protocol.wire import LineSplitter

if TYPE_CHECKING:
    from callboard.hosts.process.process import Command, ProcessListener
    from callboard.hosts.process_tree.watchdog import Watchdog

Json = dict[str, Any]


class Tap:
    """Give its `carry` to a plugin.

    Attributes:
        sent: what the client said.
        received: what the host said; what is no JSON is left out.
    """

    def __init__(self) -> None:
        self.sent: list[Json] = []
        self.received: list[Json] = []

    def carry(
        self, host: str, command: Command, listener: ProcessListener, watchdog: Watchdog | None
    ) -> ProcessTransport:
        """Start a generation, and listen."""
        splitter = LineSplitter()
        told = listener.on_output

        def on_output(data: bytes) -> None:
            self.received += [json.loads(line) for line in splitter.feed(data)]
            told(data)

        listener.on_output = on_output  # type: ignore[method-assign]
        transport = ProcessTransport(host, command, listener, watchdog)
        write = transport.write

        def tapped(data: bytes) -> None:
            self.sent.append(json.loads(data))
            write(data)

        transport.write = tapped
        return transport

    def asked(self) -> list[str]:
        """The methods, in order."""
        return [request["method"] for request in self.sent]

    def values(self) -> list[tuple[str, Any]]:
        """Each good answer's value, with the method that was asked."""
        methods = {request["id"]: request["method"] for request in self.sent}
        return [
            (methods[message["id"]], message["result"]["value"])
            for message in self.received
            if message.get("ok") is True
        ]
