"""A tool in Perl on a board: it is killed in between, and goes on counting."""

import os
import signal
from pathlib import Path

from callboard import Callboard

CONFIGURATION = Path(__file__).with_name("agent.json")


def count(board, text):
    """Count the words of a text; print each part and the result."""
    call = {"type": "function_call", "call_id": "1", "name": "count_words", "arguments": {"text": text}}
    for chunk in board.stream(call):
        print(chunk)


def main():
    """Count, kill, and go on counting: the tool is idempotent, so a call that was under way is sent again."""
    with Callboard(CONFIGURATION) as board:
        count(board, "to be or not to be\nthat is the question")
        os.kill(board.status()["plugins"]["count_words"]["host"]["pid"], signal.SIGKILL)
        count(board, "the rest is silence")


if __name__ == "__main__":
    main()
