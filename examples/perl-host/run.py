"""A tool in Perl on a board: it is killed in between, and goes on counting."""

import os
import shutil
import signal
from pathlib import Path

from callboard import Callboard, HostedToolPlugin
from callboard.hosts.errors import HostStartError
from callboard.hosts.process import Command

SCRIPT = Path(__file__).with_name("count_words.pl")


def command():
    """How its host is started; asked anew for each life."""
    perl = shutil.which("perl")
    if perl is None:
        raise HostStartError("there is no perl here; install it", host="count_words", permanent=True)
    return Command((perl, str(SCRIPT)), {"PATH": os.environ["PATH"]})


def count(board, text):
    """Count the words of a text; print each part and the result."""
    call = {"type": "function_call", "call_id": "1", "name": "count_words", "arguments": {"text": text}}
    for chunk in board.stream(call):
        print(chunk)


def main():
    """Count, kill, and go on counting."""
    plugin = HostedToolPlugin("count_words", command)
    with Callboard() as board:
        # Idempotent: what was sent to a host that died may be sent again, since only an answer counts.
        board.register(plugin, idempotent=True)
        count(board, "to be or not to be\nthat is the question")
        os.kill(plugin.host.pid, signal.SIGKILL)
        count(board, "the rest is silence")


if __name__ == "__main__":
    main()
