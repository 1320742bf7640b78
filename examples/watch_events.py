"""Kill a Node host while it owes an answer, and watch what happens, in order.

The tool counts its calls in its state. The state outlives the host: the next one goes on counting where the last
answer left off, and the call that was lost has not counted.
"""

from __future__ import annotations

import os
import queue
import signal
from pathlib import Path

from callboard import Callboard, Event

JS_ECHO = Path(__file__).parent / "js-echo-tool"
SHOWN = ("generation", "tools", "call", "success", "code", "seconds", "cause")


def echo(value: str) -> dict[str, object]:
    """A tool call as a model writes it."""
    return {"id": value, "type": "function", "function": {"name": "echo", "arguments": {"value": value}}}


def show(event: Event) -> None:
    """One event in one line."""
    facts = ", ".join(f"{key}: {event.facts[key]}" for key in SHOWN if event.facts.get(key) is not None)
    print(f"  {event.sequence:2} {event.kind:17} {event.subject}  {facts}")


def main() -> None:
    events: queue.SimpleQueue[Event] = queue.SimpleQueue()
    with Callboard() as board:
        board.subscribe(events.put)
        board.load(f"node:{JS_ECHO}")
        print("first ", board.execute(echo("first")))

        pid = board.status()["plugins"]["echo"]["host"]["pid"]
        os.kill(pid, signal.SIGSTOP)  # so that it cannot answer before it is killed
        call = board.submit(echo("second"))
        os.kill(pid, signal.SIGKILL)
        lost = call.result()
        print("second", {key: lost[key] for key in ("success", "code", "outcome", "error")})

        print("third ", board.execute(echo("third")))
    print("what happened, in order:")
    while not events.empty():
        show(events.get())


if __name__ == "__main__":
    main()
