"""An application made of pykka actors of its own, with a board among them.

An actor asks the router with `Dispatch` and gets a `Call` at once; it does not wait for the result but has
itself told when that is there. Another actor is told of every event. When the board stops, the
application's actors live on: a board touches no actor but its own.
"""

from __future__ import annotations

import queue
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pykka
from callboard import Call, Callboard, Dispatch, Event

JS_TOOLS = Path(__file__).parent / "js-multi-tools"


@dataclass(frozen=True)
class Question:
    """To the researcher: find this out."""

    text: str


@dataclass(frozen=True)
class Finished:
    """To the researcher: one of its calls has ended."""

    call: Call


class Researcher(pykka.ThreadingActor):
    """Asks tools, and goes on working while they run."""

    def __init__(self, router: pykka.ActorRef[Any], answers: queue.SimpleQueue[str]) -> None:
        super().__init__()
        self.router = router
        self.answers = answers
        self.asked = 0

    def on_receive(self, message: Any) -> Any:
        match message:
            case Question(text):
                self.asked += 1
                arguments = {"text": text}
                request = {
                    "id": f"q{self.asked}",
                    "type": "function",
                    "function": {"name": "count_words", "arguments": arguments},
                }
                call: Call = self.router.ask(Dispatch(request, deadline=10.0))
                call.add_done_callback(lambda: self.actor_ref.tell(Finished(call)))
            case Finished(call):
                self.answers.put(f"{call.id}: {call.result()}")
            case "how many?":
                return self.asked
        return None


class Journal(pykka.ThreadingActor):
    """Writes down what happens on the board."""

    def __init__(self) -> None:
        super().__init__()
        self.lines: list[str] = []

    def on_receive(self, message: Any) -> Any:
        if isinstance(message, Event):
            self.lines.append(f"{message.sequence} {message.kind} {message.subject}")
            return None
        return self.lines


def main() -> None:
    answers: queue.SimpleQueue[str] = queue.SimpleQueue()
    board = Callboard().start()
    journal = Journal.start()
    researcher = Researcher.start(board.router, answers)
    try:
        board.subscribe(journal, kinds={"host_ready", "call_ended", "host_stopped"})
        board.load(f"node:{JS_TOOLS}")
        researcher.tell(Question("to be or not to be"))
        researcher.tell(Question("that is the question"))
        print(answers.get(timeout=10))
        print(answers.get(timeout=10))
    finally:
        board.stop()
    print(
        f"the board has stopped; the researcher still says it asked {researcher.ask('how many?')} questions"
    )
    print("the journal has:")
    for line in journal.ask("read"):
        print(f"  {line}")
    for actor in (researcher, journal):
        actor.stop()


if __name__ == "__main__":
    main()
