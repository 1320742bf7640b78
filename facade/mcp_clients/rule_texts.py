"""The files in which a client keeps rules: their lists rewritten where they stand, noted beside the servers that have moved, and restored. Pure.

All else in such a file stays as it is, byte for byte. Whoever changed a list since loses nothing: what came in goes, and what went comes back.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from ..base.frozen import frozen
from ..config.json_text import JsonTextError, raw, read, with_member, with_raw, without_member
from .installation import RECORD, SERVERS, servers_in
from .rules import rewritten

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from .rules import Moved, Rewritten, RuleLists

Json = dict[str, Any]

_RULES, _LATER = "rules", "later"


@frozen
class RuleChange:
    """What becomes of the text of one file.

    Attributes:
        after: the text then.
        notes: what restores the lists, for the record.
        found: what was found, with the path of each list.
    """

    after: str
    notes: tuple[Json, ...] = ()
    found: tuple[tuple[tuple[str, ...], Rewritten], ...] = ()


def change_rules(text: str, lists: RuleLists, moved: Moved) -> RuleChange:
    """Rewrite the lists of a text.

    Raises:
        JsonTextError: it cannot be read.
    """
    after = text
    notes: list[Json] = []
    found: list[tuple[tuple[str, ...], Rewritten]] = []
    for path in lists.paths:
        entries = _list_at(text, path)
        if entries is None:
            continue
        one = rewritten(entries, lists.grammar, moved, allows=path in lists.allowing)
        found.append((path, one))
        if one.added or one.removed:
            before = raw(text, path)
            after = with_member(after, path, _written(one.of(entries)))
            notes.append(
                {
                    "path": list(path),
                    "before": before,
                    "after": raw(after, path),
                    "added": list(one.added),
                    "removed": list(one.removed),
                }
            )
    return RuleChange(after, tuple(notes), tuple(found))


def restored(text: str, lists: RuleLists, notes: Sequence[Any]) -> str:
    """The text with the rules that it had.

    Args:
        text: as it is now.
        lists: others are not touched, whatever the notes say: they stand in a file that anybody may have written.
        notes: as `change_rules` made them.

    Raises:
        JsonTextError: it cannot be read.
    """
    for note in notes:
        path, before, after, added, removed = _read_note(note)
        entries = _list_at(text, path) if path in lists.paths else None
        if entries is None:
            continue
        kept = [each for each in entries if each not in added]
        wanted, was = [*kept, *(each for each in removed if each not in kept)], read(before)
        if isinstance(was, list) and (raw(text, path) == after or _has_same(wanted, was)):
            text = with_raw(text, path, before)
        else:
            text = with_member(text, path, _written(wanted))
    return text


def joined(text: str, other: str, lists: RuleLists) -> str:
    """The text with all rules of its own and of the other one: what a file has while the files beside it change.

    Raises:
        JsonTextError: one of them cannot be read.
    """
    for path in lists.paths:
        entries, others = _list_at(text, path), _list_at(other, path)
        more = [each for each in others or () if each not in (entries or ())]
        if entries is not None and more:
            text = with_member(text, path, _written([*entries, *more]))
    return text


def record_in(servers: str | None) -> Mapping[str, Sequence[Any]]:
    """The notes in the file of ours, by file."""
    kept = (
        read(servers).get(RECORD)
        if servers is not None and servers_in(servers, SERVERS) is not None
        else None
    )
    rules = kept.get(_RULES) if isinstance(kept, dict) else None
    return (
        {file: notes for file, notes in rules.items() if isinstance(notes, list)}
        if isinstance(rules, dict)
        else {}
    )


def with_record(
    servers: str, rules: Mapping[str, Sequence[Json]], later: Mapping[str, Collection[str]]
) -> str:
    """The file of ours with the notes; of servers in ``later`` only these tools are offered."""
    for server, tools in later.items():
        servers = with_member(servers, (SERVERS, server, "tools"), _written(_only(tools)))
    for key, value in (
        (_RULES, {file: list(notes) for file, notes in rules.items() if notes}),
        (_LATER, dict(later)),
    ):
        if value:
            servers = with_member(servers, (RECORD, key), _written(value))
    return servers


def without_record(servers: str | None) -> str | None:
    """The file of ours as it was before `with_record`."""
    if servers is None or not servers.strip():
        return servers
    given = read(servers)
    kept = given.get(RECORD) if isinstance(given, dict) else None
    if not isinstance(kept, dict):
        return servers
    there = servers_in(servers, SERVERS)
    later = kept.get(_LATER)
    for server, tools in later.items() if isinstance(later, dict) else ():
        entry = there.get(server)
        if isinstance(entry, dict) and isinstance(tools, list) and entry.get("tools") == _only(tools):
            servers = without_member(servers, (SERVERS, server, "tools"))
    for key in (_RULES, _LATER):
        servers = without_member(servers, (RECORD, key))
    return servers if kept.keys() - {_RULES, _LATER} else without_member(servers, (RECORD,))


def _has_same(one: Sequence[Any], other: Sequence[Any]) -> bool:
    """Whether two lists hold the same entries, in whatever order: what a kill has left has those of both times."""
    return (
        len(one) == len(other) and all(each in other for each in one) and all(each in one for each in other)
    )


def _only(tools: Collection[str]) -> Json:
    return {"allow": list(tools)}


def _list_at(text: str, path: Sequence[str]) -> list[Any] | None:
    value = read(text) if text.strip("\ufeff \t\r\n") else None
    for key in path:
        value = value.get(key) if isinstance(value, dict) else None
    return value if isinstance(value, list) else None


def _read_note(note: Any) -> tuple[tuple[str, ...], str, str, list[str], list[str]]:
    match note:
        case {
            "path": list(path),
            "before": str(before),
            "after": str(after),
            "added": list(added),
            "removed": list(removed),
        }:
            if all(isinstance(each, str) for each in (*path, *added, *removed)):
                return tuple(path), before, after, added, removed
    raise JsonTextError("has a note of rules that cannot be read; remove the key 'callboard' from it")


def _written(value: Any) -> str:
    return json.dumps(value, indent=2, ensure_ascii=False)
