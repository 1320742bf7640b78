"""What a client allows and denies, rewritten for what has moved: never wider than before."""

from __future__ import annotations

import pytest
from callboard.mcp_clients.rule_texts import change_rules, joined, restored
from callboard.mcp_clients.rules import (
    CLAUDE_CODE,
    CURSOR,
    CURSOR_CLI,
    Grammar,
    Moved,
    RuleLists,
    Tool,
    rewritten,
)
from hypothesis import given
from hypothesis import strategies as st

TOOLS = (
    Tool("fs", "read", "read", ("fs__read",)),
    Tool("fs", "write", "write", ("fs__write",)),
    Tool("db", "ask", "db__ask", ("ask",)),
    Tool("web", "ask", "web__ask", ("ask",)),
)
MOVED = Moved("callboard", TOOLS)


@pytest.mark.parametrize(
    ("rule", "allowed", "denied"),
    [
        ("mcp__fs__read", ["mcp__callboard__read"], ["mcp__callboard__read", "mcp__callboard__fs__read"]),
        ("mcp__fs", ["mcp__callboard__read", "mcp__callboard__write"], None),
        ("mcp__fs__*", ["mcp__callboard__read", "mcp__callboard__write"], None),
        ("mcp__fs__w*", ["mcp__callboard__write"], None),
        ("mcp__db__ask", ["mcp__callboard__db__ask"], ["mcp__callboard__db__ask", "mcp__callboard__ask"]),
        ("mcp__db", ["mcp__callboard__db__ask"], None),
        ("mcp__fs__gone", None, ["mcp__callboard__gone", "mcp__callboard__fs__gone"]),
    ],
)
def test_a_rule_becomes_the_list_of_the_tools_that_it_was_about(
    rule: str, allowed: list[str] | None, denied: list[str] | None
) -> None:
    allow = rewritten(["Bash(ls)", rule], CLAUDE_CODE, MOVED, allows=True)
    deny = rewritten([rule], CLAUDE_CODE, MOVED, allows=False)

    assert list(allow.added) == (allowed or [])
    assert allow.of(["Bash(ls)", rule]) == ["Bash(ls)", *(allowed or [rule])]
    assert bool(allow.unsaid) is (allowed is None)
    if denied is None:
        assert deny.later
    else:
        assert (list(deny.added), deny.later) == (denied, frozenset())
    assert deny.removed == (rule,)


@pytest.mark.parametrize(
    "rule",
    [
        "Bash(mcp__fs__read)",
        "mcp__other__read",
        "mcp__fs__read(x)",
        "Read(./mcp__fs)",
        "mcp__fsx",
        3,
        None,
        {"a": 1},
    ],
)
def test_other_rules_stay(rule: object) -> None:
    for allows in (True, False):
        assert rewritten([rule], CLAUDE_CODE, MOVED, allows=allows).of([rule]) == [rule]


def test_a_pattern_over_all_servers_stays_and_what_it_fits_no_longer_is_added() -> None:
    found = rewritten(["*:ask", "*:*"], CURSOR, MOVED, allows=True)

    assert found.removed == ()
    assert set(found.added) == {"callboard:db__ask", "callboard:web__ask"}


@pytest.mark.parametrize(
    "wide", ["mcp__callboard", "mcp__callboard__*", "mcp__callboard__w*", "mcp__callboard__write"]
)
def test_a_rule_that_was_there_for_the_boards_name_allows_nothing_that_was_not(wide: str) -> None:
    found = rewritten(["mcp__fs__read", wide], CLAUDE_CODE, MOVED, allows=True)

    assert found.of(["mcp__fs__read", wide]) == ["mcp__callboard__read"]
    assert wide in dict(found.unsaid)


def test_of_a_server_that_did_not_come_up_nothing_is_said_and_what_is_denied_does_not_move() -> None:
    moved = Moved("callboard", TOOLS, frozenset({"down"}))
    rules = ["mcp__down__x", "mcp__fs__read"]

    allow = rewritten(rules, CLAUDE_CODE, moved, allows=True)
    deny = rewritten(rules, CLAUDE_CODE, moved, allows=False)

    assert (allow.of(rules), [rule for rule, _ in allow.unsaid]) == (rules, rules)
    assert (deny.held, deny.removed) == (frozenset({"down"}), ("mcp__fs__read",))


@pytest.mark.parametrize(
    ("grammar", "rule", "later"),
    [
        (CLAUDE_CODE, "mcp__web", ["web"]),
        (CLAUDE_CODE, "mcp__web__*", ["web"]),
        (CLAUDE_CODE, "mcp__web__as*", ["web"]),
        (CLAUDE_CODE, "mcp__w*", ["web"]),
        (CLAUDE_CODE, "mcp__*eb__ask", ["web"]),
        (CLAUDE_CODE, "*web*", ["web"]),
        (CLAUDE_CODE, "mcp__w*(x)", []),
        (CLAUDE_CODE, "mcp__web__ask", []),
        (CLAUDE_CODE, "mcp__*", []),
        (CLAUDE_CODE, "*__ask", []),
        (CLAUDE_CODE, "mcp__**__as*", []),
        (CURSOR_CLI, "Mcp(w*:ask)", ["web"]),
        (CURSOR_CLI, "Mcp(web:*)", ["web"]),
        (CURSOR_CLI, "Mcp(*:*)", []),
        (CURSOR_CLI, "Mcp(*:ask)", ["fs", "web"]),  # a later `ask` may be served as `web__ask`
        (CURSOR_CLI, "Mcp(*:*ask)", []),
    ],
)
@pytest.mark.parametrize("state", ["up", "empty", "down"])
def test_what_a_pattern_denies_of_a_server_is_denied_when_it_comes_later(
    grammar: Grammar, rule: str, later: list[str], state: str
) -> None:
    tools = (Tool("fs", "read", "read", ("fs__read",)), Tool("web", "find", "find", ("web__find",)))
    moved = Moved(
        "callboard",
        tools if state == "up" else tools[:1],
        frozenset(["web"] if state == "down" else []),
        empty=frozenset(["web"] if state == "empty" else []),
    )

    found = rewritten([rule], grammar, moved, allows=False)

    if state == "down" and "web" in later:
        assert found.held == {"web"}
        assert "web" in found.touched
    else:
        assert (found.later, found.touched >= found.later) == (frozenset(later), True)


@pytest.mark.parametrize("rule", ["c*:*", "callboard*:read", "*board:x"])
def test_a_pattern_over_servers_that_is_about_the_board_alone_allows_no_later_tool(rule: str) -> None:
    found = rewritten([rule, "*:x"], CURSOR, MOVED, allows=True)

    assert found.removed == (rule,)


def test_rules_that_a_kill_has_left_of_both_times_come_back_in_their_order() -> None:
    lists = RuleLists(CLAUDE_CODE, (("allow",),), (("deny",),))
    before = '{"deny": ["mcp__fs__read",  "Bash(rm)"], "allow": ["mcp__fs__write", "Bash(ls)"]}'
    change = change_rules(before, lists, MOVED)

    between = joined(change.after, before, lists)

    assert between != change.after
    assert restored(between, lists, change.notes) == before
    assert restored(change.after, lists, change.notes) == before


NAMES = st.sampled_from(["a", "b", "a__b", "x y", "callboard"])
OWN = st.sampled_from(["r", "w", "b__r", "re ad", "*"])
SERVERS = st.dictionaries(NAMES, st.lists(OWN, unique=True, max_size=4), min_size=1).filter(
    lambda found: "callboard" not in found or len(found) > 1
)
RULES = {
    "claude": st.one_of(
        st.builds(CLAUDE_CODE.write, NAMES, OWN), st.builds("mcp__{}".format, NAMES), st.builds("mcp__{}__*".format, NAMES),
        st.sampled_from(["mcp__*", "*", "mcp__a*", "mcp__callboard__a__*", "mcp__a__r*"]),
    ),
    "cursor": st.builds("{}:{}".format, NAMES | st.just("*"), OWN | st.sampled_from(["r*", "*r"])),
    "cli": st.builds("Mcp({}:{})".format, NAMES | st.just("*"), OWN | st.sampled_from(["r*", "*r"])),
}  # fmt: skip
GRAMMARS = {"claude": CLAUDE_CODE, "cursor": CURSOR, "cli": CURSOR_CLI}


def moved_of(servers: dict[str, list[str]], down: frozenset[str]) -> Moved:
    owns = [own for name in servers for own in servers[name]]
    tools = [
        Tool(name, own, *((f"{name}__{own}", (own,)) if owns.count(own) > 1 else (own, (f"{name}__{own}",))))
        for name in servers
        for own in servers[name]
    ]
    unique = {tool.served: tool for tool in tools}.values()
    return Moved("board", tuple(tool for tool in unique if tool.server not in down), down & servers.keys())


@pytest.mark.parametrize("kind", GRAMMARS)
@given(st.data())
def test_nothing_is_allowed_that_was_not_and_all_is_denied_that_was(kind: str, data: st.DataObject) -> None:
    grammar: Grammar = GRAMMARS[kind]
    moved = moved_of(data.draw(SERVERS), data.draw(st.frozensets(NAMES, max_size=1)))
    board = st.builds(grammar.write, st.just("board"), OWN | st.just("*"))
    rules = data.draw(st.lists(RULES[kind] | board, max_size=6))
    allow, deny = (rewritten(rules, grammar, moved, allows=allows) for allows in (True, False))

    def fit(found: list[str], *, allows: bool) -> set[str]:
        """Return what is allowed, or denied, behind the board, by the server's name and its own."""
        return {
            t.served
            for t in moved.tools
            if any(grammar.fits(rule, "board", t.served, allows) for rule in found)
        }

    def fitted(*, allows: bool) -> set[str]:
        return {
            t.served
            for t in moved.tools
            if any(grammar.fits(rule, t.server, t.own, allows) for rule in rules)
        }

    held = {tool.served for tool in moved.tools if tool.server in deny.held}
    assert fit(allow.of(rules), allows=True) <= fitted(allows=True)
    assert fitted(allows=False) - held <= fit(deny.of(rules), allows=False)
    if not moved.unknown and not any("it would allow another" in why for _, why in allow.unsaid):
        patterns = {tool.served for tool in moved.tools if "*" in tool.served}  # which no rule can name
        assert fitted(allows=True) - patterns <= fit(allow.of(rules), allows=True)
