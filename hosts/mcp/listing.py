"""A server's list of tools: its pages as one list, and the last list of all. Pure but for what it is given to call."""

from __future__ import annotations

from dataclasses import field
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from ...base.frozen import frozen
from ...base.json import MAX_DEPTH
from ...interop.default_registry import DEFAULT_TOOL_INTEROP_REGISTRY as REGISTRY
from ...interop.errors import InteropError
from ...interop.limits import MAX_NAME_CHARS
from ..errors import ToolGone
from ..mcp_tasks.server_tasks import only_as_task
from .jsonrpc import TooDeep
from .selection import ALL, Selection

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from .pins import Pins

Json = dict[str, Any]

MAX_PAGES: Final = 200
"""Pages of a list of tools."""

MAX_TOOLS: Final = 10_000
"""Tools of all pages; how many a board takes of one plugin is for its catalog to say."""

MAX_BYTES: Final = 64 * 1024 * 1024
"""Of all pages of a list of tools, as the server writes them."""


class NextPage(NamedTuple):
    """There is more, from that cursor on."""

    cursor: str


class Endless(NamedTuple):
    """The list is none, or has no end that anybody could wait for; says what is wrong."""

    problem: str


class ToolList:
    """Tools, page by page.

    Args:
        selection: which of them are offered, and under which names.
        unfit: says of a schema why no tool may be offered with it.
        pins: what the server is held to; ``None`` for nothing.

    Attributes:
        tools: those that can be called, as they were declared, under the names that they are offered by.
        wire: the server's own names, by those.
        left_out: the others, by the server's name, and why.
        declared: all that are tools, as the server declares them.
        whole: the server has said all of it.
        repeatable: those of which the server says that they may run twice, by the names that they are offered by.
        only_as_task: those that can be called as a task only, by the server's names.
    """

    def __init__(
        self,
        selection: Selection = ALL,
        unfit: Callable[[Json], str | None] = lambda _: None,
        pins: Pins | None = None,
    ) -> None:
        self._unfit = unfit
        self._pins = pins
        self.declared: list[Json] = []
        self.tools: list[Json] = []
        self.wire: dict[str, str] = {}
        self.repeatable: set[str] = set()
        self.only_as_task: set[str] = set()
        self.whole = False
        self._selection = selection
        self.left_out: dict[str, str] = {}
        self._seen: set[str] = set()
        self._bytes = 0
        self._names: set[str] = set()

    def hold_to_pins(self) -> None:
        """Compare the whole list with what is kept of the server's tools."""
        if self._pins is not None:
            self._pins.heard(self.declared)

    def add(self, result: Any, size: int = 0) -> NextPage | Endless | None:
        """Take a page of so many bytes; ``None`` at the end of the list."""
        self._bytes += size
        if self._bytes > MAX_BYTES:
            return Endless(f"the server's list of tools has more than {MAX_BYTES:,} bytes; offer fewer")
        page = result.get("tools") if isinstance(result, dict) else None
        if not isinstance(page, list):
            return Endless("the server's list of tools is none")
        for each in page:
            self._take(each)
        cursor = result.get("nextCursor")
        if not isinstance(cursor, str):
            self.whole = True
            return None
        if cursor in self._seen:
            return Endless(
                f"the server's list of tools goes in a circle: it has the cursor {cursor!r:.60} twice"
            )
        self._seen.add(cursor)
        if len(self._seen) >= MAX_PAGES or len(self.tools) > MAX_TOOLS:
            return Endless(
                f"the server's list of tools has no end: more than {MAX_PAGES:,} pages or {MAX_TOOLS:,} tools"
            )
        return NextPage(cursor)

    def wire_name(self, name: str, server: str) -> str:
        """Return the name that the server is sent for a tool that is called by a name of this list. Raises `ToolGone`: the call may not be sent.

        A call may have waited while the list changed: its name may run no other tool, and none that is left out by now. A name that the server
        does not list is sent if the entry would offer it so, as a server may take calls of tools that it does not list.
        """
        if name in self.wire:
            return self.wire[name]
        is_listed = name in self._names or name[:100] in self.left_out
        if self.whole and (is_listed or not self._may_be_sent(name)):
            raise ToolGone(name, host=server)
        return name

    def _may_be_sent(self, name: str) -> bool:
        selection = self._selection
        is_own = selection.offered_as(name) == name and all(new != name for _, new in selection.rename)
        held = self._pins is not None and self._pins.withholds
        return is_own and not held and selection.refusal(name) is None

    def _why_odd(self, name: str, tool: Json) -> str | None:
        """Why no board can offer a tool, whatever else is listed; of one that is listed twice, the first can be."""
        if name in self._names:
            return "it is listed twice; the first counts"
        if not _is_utf8(name):
            return "its name has half of a surrogate pair, by which no client can call it"
        if len(name) > MAX_NAME_CHARS:
            return f"its name has {len(name):,} characters; {MAX_NAME_CHARS:,} is the most"
        try:
            REGISTRY.inspect_schema(tool)
        except InteropError as error:
            return str(error)
        return None

    def _take(self, tool: Any) -> None:
        if isinstance(tool, TooDeep):
            self._leave_out(str(tool.name), f"it is nested more than {MAX_DEPTH} levels deep")
            return
        name = tool.get("name") if isinstance(tool, dict) else None
        if not isinstance(name, str) or not isinstance(tool.get("inputSchema"), dict):
            self._leave_out(str(name), "it has no name or no 'inputSchema'")
            return
        if (why := self._why_odd(name, tool)) is not None:
            self._leave_out(name, why)
            return
        self._names.add(name)
        self.declared.append(tool)
        refusal = self._selection.refusal(name) or self._unfit(tool["inputSchema"])
        refusal = refusal or (None if self._pins is None else self._pins.refusal(tool))
        offered = self._selection.offered_as(name)
        if refusal is None and self.wire.get(offered, name) != name:
            refusal = f"{self.wire[offered]!r:.60} is offered as {offered!r:.60} already"
        if refusal is not None:
            self._leave_out(name, refusal)
            return
        self.wire[offered] = name
        if only_as_task(tool):
            self.only_as_task.add(name)
        hints = tool.get("annotations")
        if isinstance(hints, dict) and (
            hints.get("idempotentHint") is True or hints.get("readOnlyHint") is True
        ):
            self.repeatable.add(offered)
        self.tools.append(tool if offered == name else {**tool, "name": offered})

    def _leave_out(self, name: str, why: str) -> None:
        self.left_out[name[:100].encode("utf-8", "backslashreplace").decode()] = why


def _is_utf8(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


@frozen
class Listing:
    """What a server offers.

    Attributes:
        tools: all of them, as the server declares them.
        names: the names that its tools were offered under, by those that its entry gives them.
        instructions: what it says of how it is used; empty if nothing.
        asks_of_any: it asks in the middle of calls, and does not say for which.
    """

    tools: list[Json]
    names: Mapping[str, str] = field(default_factory=dict)
    instructions: str = ""
    asks_of_any: bool = False


class LastListing:
    """The last listing of one server.

    Args:
        read: returns what is kept; ``None`` for nothing. May block.
        write: keeps another one; may block.
    """

    def __init__(self, read: Callable[[], Listing | None], write: Callable[[Listing], None]) -> None:
        self.kept: Listing | None = read()
        self._write = write

    def settle_nothing(self) -> None:
        """Keep that nothing is offered. Raises as `settle`."""
        self.settle(Listing([]))

    def settle(self, now: Listing) -> None:
        """Keep a listing, if it is another one. Raises what ``write`` raises."""
        if now != self.kept:
            self.kept = now
            self._write(now)
