"""Tools in a real host that goes wrong on schedule: the board's side of ``evil_host.py`` and ``.mjs``.

The host carries its part of a fault schedule out on itself. What it has done it keeps in its *book*,
a file that outlives its generations. In it stand, little-endian:

* five 64-bit counts over all generations: starts, calls, lines read, lines written, bytes written;
* for each entry of the schedule three 32-bit numbers: its status (0 waiting, 1 due, 2 done), how
  often its fault has come, and how often its point has been passed.

A host knows neither its state on the board nor the run's clock. Entries with such triggers are
*armed* from here when their time has come (see `EvilToolPlugin.arm`).
"""

from __future__ import annotations

import os
import struct
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from ...base.suggestions import meant
from ...hosts.environment import host_environment
from ...hosts.hosted_tool import HostedToolPlugin
from ...hosts.node.find import find_node
from ...hosts.process.process import Command
from ..schedule import Schedule
from ..triggers import AtTime, StateEntered
from .signals import nudge

if TYPE_CHECKING:
    from collections.abc import Mapping

PROGRAMS = {
    "node": Path(__file__).with_name("evil_host.mjs"),
    "python": Path(__file__).with_name("evil_host.py"),
}
"""The same host, written twice."""

TOOLS = ("echo", "count", "ledger", "stream", "slow")
"""What it offers, each with the host's name and an underscore before it."""

_COUNTS = struct.Struct("<5Q")
_ENTRY = struct.Struct("<3I")
_WAITING, _DUE, _DONE = 0, 1, 2


class EvilToolPlugin(HostedToolPlugin):
    """A plugin of five tools whose host goes wrong on schedule.

    ``NAME_echo`` returns its arguments; ``NAME_count`` adds ``by`` (1) to the count in its state and
    returns it; ``NAME_ledger`` appends ``line`` to the file ``path`` before it answers;
    ``NAME_stream`` emits ``parts`` numbers; ``NAME_slow`` answers after ``seconds``. Beside its
    ``result`` each answer has the ``generation`` that gave it: the generation whose ``init`` that process was
    sent. In the tools are the points ``ledger.before``, ``ledger.after`` and ``stream.part``.

    Args:
        name: the plugin's and its host's.
        schedule: what goes wrong; entries for other hosts are left out.
        folder: where its two files go; it has to be there, and is the caller's to delete.
        language: which of the twins to run.
        env: variables that the host gets beside the allowed ones.
        node: the Node program; looked up when ``None``.
    """

    def __init__(
        self,
        name: str,
        schedule: Schedule | None = None,
        *,
        folder: str | os.PathLike[str],
        language: Literal["node", "python"] = "node",
        env: Mapping[str, str] | None = None,
        node: str | None = None,
    ) -> None:
        if language not in PROGRAMS:
            raise ValueError(f"there is no evil host in {language!r}; {meant(str(language), PROGRAMS)}")
        super().__init__(name, self._command)
        self.schedule: Schedule = (schedule or Schedule()).of(name)
        self.language = language
        self._program = PROGRAMS[language]
        self._env = dict(env or {})
        self._node = node
        self._plan = Path(folder) / f"{name}.schedule.json"
        self._book = Path(folder) / f"{name}.book"
        self._plan.write_text(self.schedule.to_json(), encoding="utf-8")
        self._book.write_bytes(bytes(_COUNTS.size + _ENTRY.size * len(self.schedule.entries)))

    def tool(self, name: str) -> str:
        """The full name of one of its `TOOLS`."""
        return f"{self.name}_{name}"

    def counts(self) -> dict[str, int]:
        """What it has counted over all generations: ``spawn``, ``call``, ``in``, ``out`` and ``byte``."""
        counts = _COUNTS.unpack_from(self._book.read_bytes())
        return dict(zip(("spawn", "call", "in", "out", "byte"), counts, strict=True))

    def waiting(self) -> list[int]:
        """The numbers of the entries that have not come true yet."""
        fields = _ENTRY.iter_unpack(self._book.read_bytes()[_COUNTS.size :])
        return [number for number, (status, *_) in enumerate(fields) if status == _WAITING]

    def done(self) -> list[int]:
        """The numbers of the entries whose fault has been carried out, at least once."""
        fields = _ENTRY.iter_unpack(self._book.read_bytes()[_COUNTS.size :])
        return [number for number, (_, uses, _) in enumerate(fields) if uses]

    def outside(self) -> list[int]:
        """The numbers of the entries that have to be armed: those of times, and of states on the board."""
        entries = enumerate(self.schedule.entries)
        return [number for number, entry in entries if isinstance(entry.trigger, AtTime | StateEntered)]

    def arm(self, entry: int) -> None:
        """Let an entry come true: at once if the host lives, and else in its next generation.

        Only for one of `outside`, and once: the others are the host's own to look after.
        """
        self._write_status(entry, _DUE)

    def heal(self) -> None:
        """Let no further entry come true. What has gone wrong already stays so: a hung host hangs."""
        for entry in range(len(self.schedule.entries)):
            self._write_status(entry, _DONE, tell=False)
        self._tell()

    def _write_status(self, entry: int, status: int, *, tell: bool = True) -> None:
        with self._book.open("r+b") as book:
            book.seek(_COUNTS.size + _ENTRY.size * entry)
            book.write(struct.pack("<I", status))
        if tell:
            self._tell()

    def _tell(self) -> None:
        """Have the host look into its book."""
        host = self.host
        if host is not None:
            # It may end in between, which is what a nudge is for; the next generation reads the book.
            nudge(host.pid)

    def _command(self) -> Command:
        if self.language == "node":
            node = find_node(self._node)
            assert node.path is not None
            runs: tuple[str, ...] = (node.path,)
        else:
            runs = (sys.executable, "-I")
        argv = (*runs, str(self._program), self.name, str(self._plan), str(self._book))
        return Command(argv, host_environment(os.environ, self._env))
