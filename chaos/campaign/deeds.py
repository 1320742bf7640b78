"""What is done to the plugins of a round by hand, each deed at its time and in a thread of its own."""

from __future__ import annotations

import threading
import traceback
from collections import Counter
from typing import TYPE_CHECKING, Any, Protocol

from ...base.errors import CallboardError
from ..checker.facts import Violation
from .ledger import anew_mark

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ...actors.board import Board
    from ...actors.reload.reload import Reloaded
    from ..inject.tamper import Tamper
    from ..recorder import Recorder
    from .callers import Callers
    from .plan import Deed, Plan
    from .sources import Sources

RULE = "orders are done or refused"


class Face(Protocol):
    """What the campaign needs of a `Callboard`."""

    @property
    def tampers(self) -> Mapping[str, Tamper]:
        """The hands on the lines of its hosts, by the hosts' names."""

    @property
    def board(self) -> Board:
        """The board behind the face."""

    def start(self) -> Any:
        """Start it, and load what is configured."""

    def stop(self, timeout: float = 10.0) -> None:
        """Stop it."""

    def load(self, source: Mapping[str, Any]) -> Any:
        """Load a plugin."""

    def remove(self, name: str, *, forget_state: bool = False) -> None:
        """Take a plugin off the board."""

    def reload(self, name: str, *, timeout: float | None = None) -> Reloaded:
        """Load anew what a host runs."""


class Deeds:
    """See the module. They begin when it is made.

    Args:
        face: to be given the orders.
        recorder: notes them.
        plan: of the round.
        callers: whose calls may be given up.
        sources: what the plugins are loaded from.

    Attributes:
        done: how many deeds of each kind came true.
        refused: how many were refused with a reason, as a plugin that was taken off meanwhile is.
        wrong: what was raised that is no reason.
    """

    def __init__(
        self, face: Face, recorder: Recorder, plan: Plan, callers: Callers, sources: Sources
    ) -> None:
        self.done: Counter[str] = Counter()
        self.refused: Counter[str] = Counter()
        self.wrong: list[Violation] = []
        self._face, self._recorder, self._plan = face, recorder, plan
        self._callers, self._sources = callers, sources
        self._over = threading.Event()
        self._began = recorder.now()
        self._threads = [
            threading.Thread(target=self._go, args=(deed,), name=f"deed {deed.do}", daemon=True)
            for deed in plan.deeds
        ]
        for thread in self._threads:
            thread.start()

    def close(self) -> None:
        """Begin no more of them, and wait for those that are under way."""
        self._over.set()
        self.join()

    def join(self) -> None:
        """Wait until all are done."""
        for thread in self._threads:
            thread.join(60.0)

    def _go(self, deed: Deed) -> None:
        if self._over.wait(max(0.0, deed.at - self._recorder.now() + self._began)):
            return
        try:
            came = self._do(deed)
        except CallboardError:
            self.refused[deed.do] += 1
        except Exception:  # noqa: BLE001 - whatever it is, it is no reason that is told
            said = f"{deed.do} of {deed.plugin!r} raised: {traceback.format_exc(limit=-3)}"
            self.wrong.append(Violation(RULE, said))
        else:
            self.done[deed.do] += came

    def _do(self, deed: Deed) -> bool:
        plugin, recorder = deed.plugin, self._recorder
        match deed.do:
            case "restart":
                recorder.order("restart", plugin)
            case "park":
                recorder.order("park", plugin)
                self._over.wait(deed.after)
                recorder.order("revive", plugin)
            case "reload" | "break":
                with self._sources.changed(plugin, broken=deed.do == "break"):
                    recorder.ordered("reload", self._plan.of(plugin).host)
                    self._face.reload(plugin, timeout=5.0)
            case "cancel":
                return self._callers.cancel(plugin)
            case "remove" | "forget":
                return self._remove(plugin, forget=deed.do == "forget")
        return True

    def _remove(self, plugin: str, *, forget: bool) -> bool:
        host = self._plan.of(plugin).host
        self._recorder.ordered("remove", host)
        try:
            self._face.remove(plugin, forget_state=forget)
        except KeyError:  # another has taken it off
            return False
        self._sources.write(anew_mark(plugin, keeps=self._plan.keeps and not forget))
        self._recorder.ordered("load", host)
        self._face.load(self._sources.entry(plugin))
        return True
