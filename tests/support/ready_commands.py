"""A program that has the command line imported, and becomes a process of its own for each command.

Importing takes longer than most commands do their work, and the tests run hundreds of them. It reads orders from its
stdin, one JSON object a line: ``arguments``, ``env``, ``cwd`` and ``streams``, three files for the command's own. Of
each it tells the pid, and then the exit status. It has no threads, which is what makes it safe to fork.
"""

from __future__ import annotations

import atexit
import gc
import json
import os
import sys
import threading
from typing import TYPE_CHECKING, Any, NoReturn

from callboard.cli.app import command_line, main

if TYPE_CHECKING:
    from collections.abc import Mapping

MODES = (os.O_RDONLY, os.O_WRONLY, os.O_WRONLY)


def become(order: Mapping[str, Any]) -> int:
    """Carry out a command in this process; returns its exit status."""
    os.environ.clear()
    os.environ.update(order["env"])
    os.chdir(order["cwd"])
    for descriptor, (path, mode) in enumerate(zip(order["streams"], MODES, strict=True)):
        opened = os.open(path, mode)
        os.dup2(opened, descriptor)
        os.close(opened)
    sys.stdin = open(0, closefd=False)  # noqa: SIM115 - the one there was has read what is not meant for it
    sys.argv = ["callboard", *order["arguments"]]
    return main()


def end(status: int) -> NoReturn:
    """As `sys.exit`, but for taking down all that was imported, which would first have to be copied."""
    threading._shutdown()
    atexit._run_exitfuncs()
    try:
        sys.stdout.flush()
        sys.stderr.flush()
    except OSError:
        sys.exit(status)  # what cannot be written any more is for the interpreter to tell
    os._exit(status)


def import_commands() -> None:
    """Import what any command needs, and keep it out of every search for garbage, which would copy it too."""
    for name in command_line.commands:
        command_line.commands[name]
    gc.collect()
    gc.freeze()


def serve() -> None:
    """Fork for each order, until there are no more."""
    import_commands()
    for line in iter(sys.stdin.buffer.readline, b""):
        pid = os.fork()
        if pid == 0:
            end(become(json.loads(line)))
        print(pid, flush=True)
        print(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), flush=True)


if __name__ == "__main__":
    serve()
