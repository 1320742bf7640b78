"""What a client allows and denies by the full names of tools, and what becomes of it when servers move behind a board. Pure.

A full name has the server's: ``mcp__fs__read`` is ``mcp__callboard__read`` then. A rule is rewritten tool by tool, and never so that more is
allowed, or less is denied, than before.
"""

from __future__ import annotations

import re
from dataclasses import field
from typing import TYPE_CHECKING, Any

from ..base.frozen import frozen

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Sequence


@frozen
class Grammar:
    """How a client writes rules.

    Attributes:
        write: the rule for one tool of a server.
        fits: whether a rule is about a tool of a server; the last argument says whether the rule allows.
        tool: the part of a rule that is about tools, if the rule names this server; empty of a rule for all of it, ``None`` of other rules.
        is_lost: whether a pattern over servers may be about a tool of the first server, and not about the same tool behind the second one. The
            last argument says whether the rule allows.
    """

    write: Callable[[str, str], str]
    fits: Callable[[str, str, str, bool], bool]
    tool: Callable[[str, str], str | None]
    is_lost: Callable[[str, str, str, bool], bool]


@frozen
class RuleLists:
    """The lists of rules in one kind of file.

    Attributes:
        grammar: of the rules.
        allowing: the paths of the lists whose rules allow tools.
        denying: the paths of the lists whose rules deny tools, or ask about them.
    """

    grammar: Grammar
    allowing: tuple[tuple[str, ...], ...]
    denying: tuple[tuple[str, ...], ...] = ()

    @property
    def paths(self) -> tuple[tuple[str, ...], ...]:
        """Of all lists; what denies first."""
        return self.denying + self.allowing


@frozen
class Tool:
    """A tool of a server that moves.

    Attributes:
        server: its server, as the client's file calls it.
        own: what its server calls it.
        served: what a client sees behind the board.
        others: other names that it may get there when servers come and go.
    """

    server: str
    own: str
    served: str
    others: tuple[str, ...] = ()


@frozen
class Moved:
    """What moves behind a board.

    Attributes:
        board: the name of its entry.
        tools: the tools of the servers that came up.
        unknown: servers that move and did not come up.
        off: servers that move and are disabled.
        empty: servers that came up and list no tool now.
    """

    board: str
    tools: tuple[Tool, ...]
    unknown: frozenset[str] = frozenset()
    off: frozenset[str] = frozenset()
    empty: frozenset[str] = frozenset()

    def is_contested(self, tool: Tool) -> bool:
        """Whether another server has a tool that may get this one's name, should that server be up first."""
        return tool.served == tool.own and any(
            each.own == tool.own and each.server != tool.server for each in self.tools
        )

    @property
    def servers(self) -> frozenset[str]:
        """All that move."""
        return self.unknown | self.off | self.empty | {tool.server for tool in self.tools}


@frozen
class Rewritten:
    """What becomes of a list of rules.

    Attributes:
        added: rules that come in.
        removed: rules that go.
        unsaid: rules that stay as they are and mean nothing for what has moved; each with the reason.
        held: servers that must not move: what denies their tools could not be said.
        later: servers of which no tool may be served that they have not now: a pattern denies those, too.
        touched: servers for whose tools a rule comes in or goes.
    """

    added: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()
    unsaid: tuple[tuple[str, str], ...] = ()
    held: frozenset[str] = frozenset()
    later: frozenset[str] = frozenset()
    touched: frozenset[str] = frozenset()

    def of(self, entries: Sequence[Any]) -> list[Any]:
        """The list with what comes in, and without what goes."""
        kept = [each for each in entries if each not in self.removed]
        return [*kept, *(rule for rule in self.added if rule not in kept)]


@frozen(kw_only=True)
class _Notes:
    added: dict[str, None] = field(default_factory=dict)
    removed: dict[str, None] = field(default_factory=dict)
    unsaid: list[tuple[str, str]] = field(default_factory=list)
    held: set[str] = field(default_factory=set)
    later: set[str] = field(default_factory=set)
    touched: set[str] = field(default_factory=set)


def rewritten(entries: Sequence[Any], grammar: Grammar, moved: Moved, *, allows: bool) -> Rewritten:
    """Rewrite a list of rules.

    Args:
        entries: the list; what is no text is left alone.
        grammar: of the rules.
        moved: what moves.
        allows: the rules of the list allow tools; else they deny them, or ask about them.
    """
    rules = [each for each in entries if isinstance(each, str)]
    notes = _Notes()
    for rule in rules:
        _rewrite(rule, grammar, moved, notes, allows=allows)
    if allows:
        _withdraw_wider(rules, grammar, moved, notes)
    there = set(rules)
    return Rewritten(
        tuple(rule for rule in notes.added if rule not in there),
        tuple(notes.removed),
        tuple(notes.unsaid),
        frozenset(notes.held),
        frozenset(notes.later),
        frozenset(notes.touched),
    )


def _rewrite(rule: str, grammar: Grammar, moved: Moved, notes: _Notes, *, allows: bool) -> None:
    """Note what becomes of one rule."""
    fitting = [tool for tool in moved.tools if grammar.fits(rule, tool.server, tool.own, allows)]
    named = {server for server in moved.servers if grammar.tool(rule, server) is not None}
    if allows:  # two servers may be meant by one rule; what denies is about both
        named = {tool.server for tool in fitting} & named or named
        found, fitting = fitting, _sure(rule, fitting, moved, notes)
        named = set() if found and not fitting else named
    lost = (
        set()
        if allows
        else {each for each in moved.servers if grammar.is_lost(rule, each, moved.board, False)}
    )
    if not fitting and not named and not lost:
        return
    why = _unsaid(fitting, named | lost, moved, allows=allows)
    if why:
        notes.unsaid.append((rule, why))
        notes.held.update(() if allows else (named | lost) & (moved.unknown | moved.off))
        if allows:
            return
    notes.touched.update(named | lost)
    for name in _names(rule, grammar, fitting, named - notes.held, allows=allows):
        if allows and not _is_exact(name):
            notes.unsaid.append((rule, f"the name {name!r} of a tool is a pattern in a rule"))
        elif not grammar.fits(rule, moved.board, name, allows):
            notes.added[grammar.write(moved.board, name)] = None
            notes.touched.update(tool.server for tool in fitting)
    if not allows:
        known = (named | lost) - moved.unknown - moved.off
        notes.later.update(server for server in known if not _is_exact(grammar.tool(rule, server)))
    if named and not why:
        notes.removed[rule] = None


def _sure(rule: str, fitting: Sequence[Tool], moved: Moved, notes: _Notes) -> list[Tool]:
    """The tools that a rule may allow by their names, whichever server is up first; of the others it is noted."""
    contested = [tool for tool in fitting if moved.is_contested(tool)]
    notes.unsaid.extend(
        (rule, f"the name {tool.served!r} may be another server's, which has such a tool too")
        for tool in contested
    )
    return [tool for tool in fitting if tool not in contested]


def _unsaid(fitting: Collection[Tool], named: Collection[str], moved: Moved, *, allows: bool) -> str:
    """Why a rule cannot be rewritten; nothing if it can."""
    down = sorted(moved.unknown)
    if gone := sorted(set(named) & (moved.unknown | moved.off)):
        return f"{', '.join(gone)} did not come up, so that its tools are not known"
    if not allows:
        return ""
    if not fitting:
        return "it fits no tool that there is now"
    if down:
        return f"{', '.join(down)} did not come up, and may have a tool of the same name"
    return ""


def _names(
    rule: str, grammar: Grammar, fitting: Collection[Tool], named: Collection[str], *, allows: bool
) -> Iterator[str]:
    """The names behind the board of the tools that a rule is about: of a rule that denies all that they may get."""
    for tool in fitting:
        yield tool.served
        if not allows:
            yield from tool.others
    if not allows and not fitting:  # a tool that its server does not list at the moment
        for server in named:
            own = grammar.tool(rule, server)
            if own and _is_exact(own):
                yield from (own, f"{server}__{own}")


def _withdraw_wider(rules: Collection[str], grammar: Grammar, moved: Moved, notes: _Notes) -> None:
    """Take out rules that would allow a tool behind the board that nothing allows before."""
    wanted = {
        tool.served
        for tool in moved.tools
        if any(grammar.fits(rule, tool.server, tool.own, True) for rule in rules)
    }
    others = {tool.served for tool in moved.tools} - wanted
    for rule in [
        each for each in notes.added if any(grammar.fits(each, moved.board, name, True) for name in others)
    ]:
        del notes.added[rule]  # two tools whose names its client writes in one way
        notes.unsaid.append((rule, "it would allow another tool, too, and is not written"))
    for rule in rules:
        of_board = grammar.tool(rule, moved.board)
        if rule in notes.removed:
            continue
        if (
            any(grammar.fits(rule, moved.board, name, True) for name in others)
            or (of_board is not None and not _is_exact(of_board))
            or any(grammar.is_lost(rule, moved.board, server, True) for server in moved.servers)
        ):
            notes.removed[rule] = None
            notes.unsaid.append(
                (rule, "it would allow tools behind Callboard that were not allowed, and is taken out")
            )
            for tool in moved.tools:
                if tool.served in wanted and _is_exact(tool.served) and not moved.unknown:
                    notes.added[grammar.write(moved.board, tool.served)] = None


def _is_exact(tool: str | None) -> bool:
    return bool(tool) and "*" not in (tool or "")


def _glob(pattern: str, text: str) -> bool:
    return re.fullmatch(".*".join(map(re.escape, pattern.split("*"))), text, re.DOTALL) is not None


def _reached(pattern: str, text: str) -> set[int]:
    """The positions of a pattern from which the rest of a longer text has to fit that begins with this one."""
    pattern = re.sub(r"\*+", "*", pattern)
    places = _with_stars_skipped(pattern, {0})
    for letter in text:
        fitting = {place for place in places if pattern[place : place + 1] in ("*", letter)}
        places = _with_stars_skipped(pattern, {place + (pattern[place] != "*") for place in fitting})
    return places


def _with_stars_skipped(pattern: str, places: set[int]) -> set[int]:
    return places | {place + 1 for place in places if pattern[place : place + 1] == "*"}


def _plain(name: str) -> str:
    """A name as Claude Code has it in the full names of tools."""
    return re.sub(r"[^A-Za-z0-9_-]", "_", name)


def _claude_write(server: str, tool: str) -> str:
    return f"mcp__{_plain(server)}__{_plain(tool)}"


def _claude_tool(rule: str, server: str) -> str | None:
    whole = f"mcp__{_plain(server)}"
    if "(" in rule:  # such a rule is skipped by its client
        return None
    if rule == whole:
        return ""
    return rule.removeprefix(f"{whole}__") if rule.startswith(f"{whole}__") else None


def _claude_fits(rule: str, server: str, tool: str, allows: bool) -> bool:
    named = _claude_tool(rule, server)
    if named == "":
        return True
    if "(" in rule or (allows and named is None):  # a pattern that allows has to name its server
        return False
    return _glob(rule, _claude_write(server, tool))


def _claude_is_lost(rule: str, server: str, other: str, allows: bool) -> bool:
    if allows or "(" in rule or _claude_tool(rule, server) is not None:
        return False
    before = _reached(rule, _claude_write(server, ""))
    behind = (_reached(rule, _claude_write(other, tool)) for tool in ("", f"{server}__"))
    return any(not before <= each for each in behind)


CLAUDE_CODE = Grammar(_claude_write, _claude_fits, _claude_tool, _claude_is_lost)
"""``mcp__fs__read``, ``mcp__fs``, ``mcp__fs__*``."""


def _pairs(begin: str, end: str) -> Grammar:
    def pair(rule: str) -> tuple[str, str] | None:
        if not (rule.startswith(begin) and rule.endswith(end)):
            return None
        server, colon, tool = rule[len(begin) : len(rule) - len(end)].partition(":")
        return (server, tool) if colon else None

    def fits(rule: str, server: str, tool: str, _: bool) -> bool:
        parts = pair(rule)
        return parts is not None and _glob(parts[0], server) and _glob(parts[1], tool)

    def named(rule: str, server: str) -> str | None:
        parts = pair(rule)
        return parts[1] if parts is not None and parts[0] == server else None

    def is_lost(rule: str, server: str, other: str, allows: bool) -> bool:
        parts = pair(rule)
        if parts is None or parts[0] == server or not _glob(parts[0], server):
            return False
        is_moved = not allows and not _reached(parts[1], "") <= _reached(parts[1], f"{server}__")
        return is_moved or not _glob(parts[0], other)

    return Grammar(lambda server, tool: f"{begin}{server}:{tool}{end}", fits, named, is_lost)


CURSOR = _pairs("", "")
"""``fs:read``, ``fs:*``, ``*:read``."""

CURSOR_CLI = _pairs("Mcp(", ")")
"""``Mcp(fs:read)``."""
