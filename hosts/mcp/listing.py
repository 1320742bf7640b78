"""The pages of a list of tools, as one list. Pure."""

from __future__ import annotations

from typing import Any, Final, NamedTuple

Json = dict[str, Any]

MAX_PAGES: Final = 100
"""Pages of a list of tools."""

MAX_TOOLS: Final = 10_000
"""Tools of all pages; how many a board takes of one plugin is for its catalog to say."""


class NextPage(NamedTuple):
    """There is more, from that cursor on."""

    cursor: str


class Endless(NamedTuple):
    """The list is none, or has no end that anybody could wait for; says what is wrong."""

    problem: str


class ToolList:
    """Tools, page by page.

    Attributes:
        tools: those that can be called, as they were declared.
        left_out: the others, by name, and why.
    """

    def __init__(self) -> None:
        self.tools: list[Json] = []
        self.left_out: dict[str, str] = {}
        self._seen: set[str] = set()

    def add(self, result: Any) -> NextPage | Endless | None:
        """Take a page; ``None`` at the end of the list."""
        page = result.get("tools") if isinstance(result, dict) else None
        if not isinstance(page, list):
            return Endless("the server's list of tools is none")
        self.tools += [each for each in page if self._is_offered(each)]
        cursor = result.get("nextCursor")
        if not isinstance(cursor, str):
            return None
        if cursor in self._seen:
            return Endless(
                f"the server's list of tools goes in a circle: it has the cursor {cursor!r:.60} twice"
            )
        self._seen.add(cursor)
        if len(self._seen) >= MAX_PAGES or len(self.tools) > MAX_TOOLS:
            return Endless(
                f"the server's list of tools has no end: more than {MAX_PAGES} pages or {MAX_TOOLS:,} tools"
            )
        return NextPage(cursor)

    def _is_offered(self, tool: Any) -> bool:
        name = tool.get("name") if isinstance(tool, dict) else None
        if not isinstance(name, str) or not isinstance(tool.get("inputSchema"), dict):
            self.left_out[str(name)[:100]] = "it has no name or no 'inputSchema'"
            return False
        execution = tool.get("execution")
        if isinstance(execution, dict) and execution.get("taskSupport") == "required":
            self.left_out[name[:100]] = "it can only be called as a task"
            return False
        return True
