"""A board with a hand on the line of every host that is a process, and a witness for each plugin."""

from __future__ import annotations

import itertools
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from ..callboard import Callboard
from ..chaos.inject.tamper import Tamper
from ..chaos.load.line_record import LineRecord
from ..chaos.load.thread_witness import overhear
from ..chaos.load.witness import Witness
from ..chaos.schedules.corruption import noise
from ..hosts.mcp.tool import McpToolPlugin

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping
    from random import Random

    from ..actors.board import Board
    from ..chaos.load.requests import Request, Source
    from ..chaos.recorder import Recorder
    from ..loading.loaded import Loaded


class WitnessedBoard(Callboard):
    """See the module.

    Args:
        config: as `Callboard`'s.
        chance: decides about the noise that its hands make.

    Attributes:
        tampers: the hands, by plugin.
        witnesses: by plugin.
        remote: the plugins whose hosts are no processes of ours: they are called, and nothing is done to them.
        lines: what the hosts say, by plugin.
    """

    def __init__(self, config: str | Mapping[str, Any], chance: Random) -> None:
        super().__init__(config)
        self.tampers: dict[str, Tamper] = {}
        self.witnesses: dict[str, Witness] = {}
        self.remote: set[str] = set()
        self.lines: dict[str, LineRecord] = {}
        self._watched: list[str] = []
        self._chance = chance

    def _begin(self, board: Board, one: Loaded) -> None:
        name = one.adapter.name
        if one.hosted is not None:
            carry = one.hosted.carry
            if carry is None:
                carry = self.tampers[name] = Tamper(noise(self._chance.randrange))
            else:
                self.remote.add(name)
            limit = one.hosted.result_limit if isinstance(one.hosted, McpToolPlugin) else None
            self.witnesses[name] = Witness(carry, result_limit=limit)
            one.hosted.carry = self.lines[name] = LineRecord(name, self.witnesses[name])
        else:
            self.witnesses[name] = witness = Witness()
            overhear(one.adapter, witness)
        # Each in a host of its own: what is done to one must not be told of the others. And none in quarantine, which
        # blames a tool for the crashes that are done to its host here.
        tool = replace(one.options.tool, quarantine=None)
        super()._begin(board, replace(one, share=None, options=replace(one.options, tool=tool)))

    def watched(self, source: Source, told: Callable[[], None]) -> Source:
        """The same calls, each with a name by which its answer is known to the witness of its plugin; ``told`` hears of each."""
        witness = self.witnesses.get(source.plugin)
        if witness is None:
            return source
        numbers = itertools.count(1)
        hooked = bool(self.configuration.hooks)

        def named(request: Request) -> Request:
            told()
            name = f"{source.plugin}-{next(numbers)}"
            return replace(request, name=name, examine=partial(witness.examine, name, hooked=hooked))

        return replace(source, named=named)

    def listen(self, recorder: Recorder, called: Collection[str], *, parts: bool) -> None:
        """Have the witnesses of the plugins that are called write down, and have the lines tell, if callers are held to their ``parts``."""
        self._watched = [name for name in called if name in self.witnesses]
        for name in self._watched:
            self.witnesses[name].now = recorder.now
            if parts and name in self.lines:
                self.lines[name].begin(recorder)

    def testify(self, recorder: Recorder) -> None:
        """Add to the recording what the witnesses have written down."""
        for name in self._watched:
            self.witnesses[name].testify(recorder, name)
